//! A ranking as one JSON object, typed: what `rank --format json` prints is read back as the same value.

use super::hinted::Hint;
use super::relied::Relied;
use super::rests::Rests;
use super::{Check, Ranked};
use borduel::ranking::{AboutContexts, Effect, Forecast, Interval, ItemScore, TiePropensity, VerdictKind, WhyNot};
use serde::{Deserialize, Serialize};

/// The version of the object. Version 1 is read too: it had no `good-enough`.
pub const VERSION: u32 = 2;

/// What a score means, for whoever reads it.
const CONVENTION: &str = "borda is the chance to beat a random other item, 1/(K-1) sum over j != i of p(i,j), as a \
                          fraction of 1; rank 1 is best; items of a tier could all have one and the same rank; \
                          strength is in log-odds with mean 0 unless another scale was asked for; error is a standard \
                          error";

/// A ranking as programs read it, in Rust or elsewhere: items go by their identifiers. `docs/FORMATS.md` lists its
/// keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// The version of the program that made it.
    pub borduel: String,
    /// What a score is, in words.
    pub convention: String,
    /// How many votes there are, by kind.
    pub votes: VoteCounts,
    /// What scores come from, in words.
    pub model: String,
    /// How intervals were made.
    pub intervals: Intervals,
    /// Where random numbers come from.
    pub seed: u64,
    /// The verdict on who is best.
    pub verdict: Judged,
    /// What the checks found.
    pub checks: Vec<Check>,
    /// The ranked items, best first.
    pub items: Vec<Item>,
    /// Items that no vote is about.
    pub unranked: Vec<String>,
    /// All items that are not ranked, and why.
    pub left_out: Vec<LeftOut>,
    /// All items of the votes: the numbers of items in what the checks found are places in this list.
    #[serde(default)]
    pub all_items: Vec<String>,
    /// What was estimated and removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// How likely ties are, where they are an outcome of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie_propensity: Option<TiePropensity>,
    /// About which contexts it speaks, where the votes have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<AboutContexts>,
    /// What the first place rests on, where that was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<Rests>,
    /// How far voters can be relied on, where ten or more are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Relied>,
    /// What a judge's votes are worth beside these, and did to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
    /// p(i,j) in the order of the items, row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chances: Option<Vec<Vec<f64>>>,
    /// Rankings of the votes of each value of a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Parts>,
    /// Rankings of stretches of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Parts>,
    /// What changed since an earlier ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<Compared>,
}

/// What became of the rows, and how many answers of each kind there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoteCounts {
    /// The rows that were read.
    pub rows_read: u64,
    /// The rows that were not understood.
    pub rows_set_aside: u64,
    /// Rows that have no answer yet.
    pub rows_unanswered: u64,
    /// Votes that scores rest on.
    pub used: f64,
    /// So many votes of equal weight would say as much (Kish).
    pub effective: f64,
    /// The answers of all kinds together.
    pub all: f64,
    /// The number of ties.
    pub ties: f64,
    /// Answers that both are bad.
    pub both_bad: f64,
    /// Questions that were passed over.
    pub skips: f64,
    /// Answers between 0 and 1.
    pub soft: f64,
    /// The number of voters, where votes tell.
    pub voters: Option<f64>,
    /// What was found in each file, in words.
    pub detected: Vec<String>,
}

/// How intervals were made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// The method, in words.
    pub method: String,
    /// The confidence of the intervals.
    pub level: f64,
    /// c of the simultaneous set B̂(i) − B̂(j) ± c·se.
    pub simultaneous_critical: f64,
    /// The degrees of freedom of errors, where votes are taken together by voter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub df: Option<f64>,
}

/// The verdict, in words and as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// What kind of verdict it is.
    pub kind: VerdictKind,
    /// The verdict, in words.
    pub text: String,
    /// All that may be best, the leader first: the clear winner alone; who may be chosen and who may be just as good;
    /// who tie; or who may still be best.
    pub winners: Vec<String>,
    /// How many more votes of the present kind settle it; about contexts like these, votes in the same ones.
    pub forecast: Option<Forecast>,
    /// How many more contexts settle it, with as many votes each; about contexts like these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Forecast>,
    /// The same for questions that are asked where it matters, where those are fewer.
    pub where_it_matters: Option<Forecast>,
    /// Scores closer than this count as equal.
    pub margin: f64,
    /// The number of voters, where they are so few that they speak for nobody else.
    #[serde(default)]
    pub few_voters: Option<u32>,
}

/// From a rank to a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranks {
    /// The best rank that the item may have.
    pub low: usize,
    /// The worst rank that the item may have.
    pub high: usize,
}

/// An item that was ranked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The identifier of the item.
    pub item: String,
    /// Its name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its chance to beat a random other item.
    pub borda: Interval,
    /// Its tier, 1 being the first; `None` in documents that are older than tiers.
    #[serde(default)]
    pub tier: Option<usize>,
    /// The ranks it can have.
    pub rank: Ranks,
    /// The share of draws in which it is best.
    pub p_best: Option<f64>,
    /// Its strength in log-odds, where that was asked for and the model has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Interval>,
    /// The questions that the item won.
    pub wins: f64,
    /// The questions that the item lost.
    pub losses: f64,
    /// The questions that the item tied.
    pub ties: f64,
    /// Answers that it and another are both bad.
    pub both_bad: f64,
    /// Questions about it that were passed over.
    pub skips: f64,
    /// Answers between 0 and 1.
    pub soft: f64,
}

/// An item that is not ranked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The identifier of the item.
    pub item: String,
    /// Why it is not ranked.
    pub why: WhyNot,
    /// The used votes about it.
    pub votes: f64,
    /// The share of them that it won, ties as half.
    pub won: Option<f64>,
}

/// Rankings of parts of the votes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// The column that tells the parts.
    pub column: String,
    /// Whether all parts rank the same items.
    pub same_items: bool,
    /// The groups, each with its ranking.
    pub groups: Vec<Part>,
    /// Every item's scores in the parts.
    pub differences: Vec<Difference>,
}

/// A part of the votes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What tells it from the others.
    pub value: String,
    /// With time: from when, as a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
    /// With time: to when, as a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// The ranking of the group's votes alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Document>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_ranked: Option<String>,
}

/// How an item fares in the parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The identifier of the item.
    pub item: String,
    /// The chance of so much difference, were its scores the same in all of them.
    pub p: f64,
    /// Its score in each part.
    pub borda: Vec<Option<Interval>>,
}

/// What changed since an earlier ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// What the earlier one is called.
    pub with: String,
    /// The items of both.
    pub changes: Vec<Changed>,
    /// Identifiers of items that were not ranked before.
    pub new: Vec<String>,
    /// Identifiers of items that no longer are.
    pub gone: Vec<String>,
}

/// What changed for an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// The identifier of the item.
    pub item: String,
    /// The item's score before.
    pub before: f64,
    /// The item's score now.
    pub now: f64,
    /// The difference now − before.
    pub difference: Interval,
    /// Whether the interval of the difference excludes 0.
    pub clear: bool,
    /// The ranks it could have before.
    pub rank_before: Ranks,
}

impl From<(usize, usize)> for Ranks {
    fn from((low, high): (usize, usize)) -> Self {
        Self { low, high }
    }
}

impl Document {
    /// The ranking as a document.
    pub fn of(ranked: &Ranked<'_>) -> Self {
        let (ranking, ballots, source) = (ranked.ranking, ranked.ballots, &ranked.source);
        let totals = ballots.totals();
        let id = |item: usize| ranked.id(item).to_owned();
        let ids = |items: &[usize]| items.iter().map(|&item| id(item)).collect::<Vec<_>>();
        let item = |(score, tier): (&ItemScore, usize)| Item {
            item: id(score.item),
            name: ranked.name(score.item).map(str::to_owned),
            borda: score.borda,
            tier: Some(tier),
            rank: score.rank.into(),
            p_best: score.p_best,
            strength: score.strength.filter(|_| ranked.strength),
            wins: score.counts.left,
            losses: score.counts.right,
            ties: score.counts.tie,
            both_bad: score.counts.both_bad,
            skips: score.counts.skip,
            soft: score.counts.soft,
        };
        Self {
            version: VERSION,
            borduel: env!("CARGO_PKG_VERSION").to_owned(),
            convention: CONVENTION.to_owned(),
            votes: VoteCounts {
                rows_read: source.rows,
                rows_set_aside: source.set_aside,
                rows_unanswered: source.unanswered,
                used: ballots.used(),
                effective: ranking.votes.effective,
                all: totals.total(),
                ties: totals.tie,
                both_bad: totals.both_bad,
                skips: totals.skip,
                soft: totals.soft,
                voters: match ballots.by_question() {
                    Some(voters) => (voters > 0).then_some(voters as f64),
                    None => (!ballots.copies().is_empty()).then(|| ballots.copies().iter().sum::<f64>()),
                },
                detected: source.notes.to_vec(),
            },
            model: ranked.model(),
            intervals: Intervals {
                method: ranked.intervals(),
                level: ranked.options.level,
                simultaneous_critical: ranking.critical,
                df: ranking.intervals.df,
            },
            seed: ranked.options.seed,
            verdict: Judged {
                kind: ranking.verdict.kind,
                text: ranked.verdict(),
                winners: ids(&ranking.verdict.winners),
                forecast: ranking.verdict.forecast,
                contexts: ranking.verdict.contexts,
                where_it_matters: ranking.verdict.where_it_matters,
                margin: ranked.options.margin,
                few_voters: ranking.verdict.few_voters,
            },
            checks: ranked.checks(),
            items: ranking.items.iter().zip(ranking.tiers()).map(item).collect(),
            unranked: ids(&ranking.unranked),
            left_out: (ranking.left_out.iter())
                .map(|u| LeftOut { item: id(u.item), why: u.why, votes: u.votes, won: u.won })
                .collect(),
            all_items: ballots.items().to_vec(),
            effects: ranking.effects.clone(),
            tie_propensity: ranking.ties,
            contexts: ranking.contexts.clone(),
            rests_on: ranking.rests_on.as_ref().map(|found| Rests::of(ranked, found)),
            reliability: ranking.reliability.as_ref().map(|found| Relied::of(ranked, found)),
            hint: source.hint.cloned(),
            chances: ranking.chances.clone(),
            by: None,
            over: None,
            compared: None,
        }
    }

    /// The document as text.
    ///
    /// # Errors
    /// A number that JSON cannot hold, which a ranking does not have.
    pub fn json(&self) -> Result<String, crate::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads what [`Document::json`] wrote.
    ///
    /// # Errors
    /// Text that is no ranking, or one of another version.
    pub fn read(text: &str) -> Result<Self, crate::Error> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        match serde_json::from_str(text)? {
            Versioned { version: VERSION } => Ok(serde_json::from_str(text)?),
            Versioned { version: 1 } => {
                let mut old: Self = serde_json::from_str(text)?;
                // What held at all times was called a winner, "Winner: …", where nobody is better by more than the
                // margin.
                if old.verdict.kind == VerdictKind::ClearWinner && old.verdict.text.starts_with("Winner: ") {
                    old.verdict.kind = VerdictKind::GoodEnough;
                }
                old.version = VERSION;
                Ok(old)
            }
            Versioned { version } => Err(crate::Error::Version(version)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Source;
    use borduel::ballots::{Answer, Ballots, BothBad, Ties};
    use borduel::ranking::{Model, RankOptions, rank};

    #[test]
    fn documents_of_version_1_are_read_for_what_they_said() {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        let [tea, mud] = ["tea", "mud"].map(|name| ballots.item(name));
        ballots.add(tea, mud, None, Answer::Left, 1.0, 90.0).unwrap();
        let (ballots, options) = (ballots.finish(), RankOptions::default());
        let ranking = rank(&ballots, &Model::OneHot, &options).unwrap();
        let source = Source::default();
        let ranked = Ranked {
            ranking: &ranking,
            ballots: &ballots,
            options: &options,
            names: &[],
            source,
            strength: false,
            verdict: None,
        };
        let now = Document::of(&ranked);
        assert_eq!(Document::read(&now.json().unwrap()).unwrap(), now);
        let old = |text: &str| {
            let mut old = serde_json::to_value(&now).unwrap();
            old["version"] = 1.into();
            old["verdict"]["text"] = text.into();
            old["verdict"].as_object_mut().unwrap().remove("few_voters");
            Document::read(&old.to_string()).unwrap().verdict.kind
        };
        assert_eq!(old("Clear winner: tea beats a random other item"), VerdictKind::ClearWinner);
        assert_eq!(old("Winner: tea beats a random other item"), VerdictKind::GoodEnough);
    }
}

//! Rankings: the table that people read, the page with its pictures, the CSV and the JSON that programs read.

mod anytime;
mod breakdown;
pub mod document;
mod hinted;
mod notes;
mod page;
mod pictures;
mod relied;
mod rests;
pub(crate) mod words;

pub use anytime::rejudge;
pub use breakdown::{Breakdown, Group, Groups};
pub use document::Document;
pub use hinted::Hint;
pub use notes::summed;
pub(crate) use page::page_around;
pub use page::{page, page_beside, page_titled};
pub use pictures::{CSS, MOST_IN_MATRIX, forest, forests, matrix, standalone_forest};
pub use words::{NameOf, forecast, rounded};

use crate::numbers::{count, points};
use crate::text::short;
use crate::{Table, plain};
use borduel::ballots::Ballots;
use borduel::ranking::{Finding, ItemScore, RankOptions, Ranking};
use serde::{Deserialize, Serialize};
use words::Sentence;

/// A ranking, and what is said beside it.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    /// The ranking to be told.
    pub ranking: &'a Ranking,
    /// What it was made of.
    pub ballots: &'a Ballots,
    /// How it was made.
    pub options: &'a RankOptions,
    /// What to call the items of the ballots before people, where that is not their identifier; may be empty.
    pub names: &'a [Option<String>],
    /// Where the votes come from.
    pub source: Source<'a>,
    /// Whether Bradley–Terry strengths are shown.
    pub strength: bool,
    /// The verdict in words, where another one has taken the place of that on a sample of fixed size.
    pub verdict: Option<&'a str>,
}

/// What an item looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Face {
    /// Where its picture is, or all of it; none where there is no room for it.
    pub picture: Option<String>,
    /// What stands under the picture; may be empty.
    pub caption: String,
}

/// What a check found, with a sentence for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// A short name for programs.
    pub name: String,
    /// Whether all is well; `None` where that cannot be told.
    pub ok: Option<bool>,
    /// What was found, in a sentence.
    pub text: String,
    /// The same as data. Items are indices of the ballots.
    pub found: Finding,
}

/// The files that votes were read from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// The rows that were read.
    pub rows: u64,
    /// Rows not understood and set aside.
    pub set_aside: u64,
    /// Rows that have no answer yet.
    pub unanswered: u64,
    /// What was recognised in the file, a sentence each.
    pub notes: &'a [String],
    /// The question that was asked, where somebody told it.
    pub question: Option<&'a str>,
    /// The files, and when they were last changed; as a page shows them.
    pub files: Option<&'a str>,
    /// A judge's votes beside these.
    pub hint: Option<&'a Hint>,
}

impl Ranked<'_> {
    /// The identifier of an item.
    pub fn id(&self, item: usize) -> &str {
        &self.ballots.items()[item]
    }

    /// The name of an item, where it has one.
    pub fn name(&self, item: usize) -> Option<&str> {
        self.names.get(item).and_then(Option::as_deref)
    }

    /// What to call an item before people.
    pub fn label(&self, item: usize) -> &str {
        self.name(item).unwrap_or_else(|| self.id(item))
    }

    /// What to call an item in a sentence: nothing in it can move the cursor or break the line, and it has an end.
    pub fn spoken(&self, item: usize) -> String {
        short(&plain(self.label(item))).into_owned()
    }

    /// The verdict in one sentence or two.
    pub fn verdict(&self) -> String {
        match self.verdict {
            Some(said) => said.to_owned(),
            None => words::verdict(self.ranking, &self.ranking.verdict, self.options, &|item| self.spoken(item)),
        }
    }

    /// The checks of the ranking, in words.
    pub fn checks(&self) -> Vec<Check> {
        let check = |found: &Finding| Check {
            name: found.name().to_owned(),
            ok: found.ok(),
            text: words::check(found, &|item| self.spoken(item)).to_string(),
            found: found.clone(),
        };
        self.ranking.checks.iter().map(check).collect()
    }

    /// What the scores come from.
    pub fn model(&self) -> String {
        words::model(&self.ranking.basis)
    }

    /// How the intervals were made.
    pub fn intervals(&self) -> String {
        words::intervals(self.ranking, self.options, self.ballots.by_question().is_some())
    }

    /// The scores as people read them.
    pub fn table(&self) -> Table {
        let totals = self.ballots.totals();
        let optional = [
            (totals.soft > 0.0, "soft"),
            (totals.both_bad > 0.0, "both bad"),
            (totals.skip > 0.0, "skips"),
            (self.strength, "strength"),
        ];
        let mut table =
            Table::new("", &["tier", "item", "Borda %", "interval", "rank", "best %", "won", "lost", "ties"]);
        table.names = 1;
        table.heads.extend(optional.iter().filter(|(there, _)| *there).map(|(_, head)| (*head).to_owned()));
        let row = |(score, tier): (&ItemScore, usize)| {
            let c = &score.counts;
            let mut cells = vec![
                tier.to_string(),
                self.label(score.item).to_owned(),
                points(score.borda.estimate),
                format!("{} – {}", points(Some(score.borda.low)), points(Some(score.borda.high))),
                rank(score.rank),
                points(score.p_best),
                count(c.left),
                count(c.right),
                count(c.tie),
            ];
            let strength = score.strength.map_or_else(
                || "–".to_owned(),
                |s| format!("{:+.2} ({:+.2} to {:+.2})", s.estimate.unwrap_or(f64::NAN), s.low, s.high),
            );
            let extra = [count(c.soft), count(c.both_bad), count(c.skip), strength];
            cells.extend(optional.iter().zip(extra).filter(|((there, _), _)| *there).map(|(_, cell)| cell));
            cells
        };
        table.rows = self.ranking.items.iter().zip(self.ranking.tiers()).map(row).collect();
        table
    }

    /// The scores as programs read them: shares of 1, every digit.
    pub fn csv_table(&self) -> Table {
        let heads = ["item", "name", "borda", "borda_low", "borda_high", "tier", "rank_low", "rank_high", "p_best"];
        let mut table = Table::new("", &heads);
        table.heads.extend(["wins", "losses", "ties", "both_bad", "skips", "soft"].map(str::to_owned));
        if self.strength {
            table.heads.extend(["strength", "strength_low", "strength_high"].map(str::to_owned));
        }
        let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
        for (score, tier) in self.ranking.items.iter().zip(self.ranking.tiers()) {
            let c = &score.counts;
            let mut row = vec![self.id(score.item).to_owned(), self.name(score.item).unwrap_or_default().to_owned()];
            row.extend([score.borda.estimate, Some(score.borda.low), Some(score.borda.high)].map(number));
            row.extend([tier, score.rank.0, score.rank.1].map(|x| x.to_string()));
            row.push(number(score.p_best));
            row.extend([c.left, c.right, c.tie, c.both_bad, c.skip, c.soft].map(|x| x.to_string()));
            if self.strength {
                let s = score.strength;
                row.extend([s.and_then(|s| s.estimate), s.map(|s| s.low), s.map(|s| s.high)].map(number));
            }
            table.rows.push(row);
        }
        table
    }

    /// Verdict, table, checks and where it comes from, for a terminal.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n\n{}\n", self.verdict(), self.table().columns());
        out.extend(self.remarks().iter().map(|text| format!("{text}\n")));
        for check in self.checks() {
            out += &format!("{} {}: {}\n", mark(check.ok), check.name, check.text);
        }
        out + &format!("\n{}; {}.\nModel: {}.\n", self.rows_line(), self.intervals(), self.model())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n\n{}\n", self.verdict(), self.table().markdown());
        out.extend(self.remarks().iter().map(|text| format!("{text}\n\n")));
        for check in self.checks() {
            out += &format!("- {} **{}**: {}\n", mark(check.ok), check.name, check.text);
        }
        out + &format!("\n{}; {}. Model: {}.\n", self.rows_line(), self.intervals(), self.model())
    }

    /// What became of the rows, in one line.
    fn rows_line(&self) -> String {
        let Source { rows, set_aside, unanswered, .. } = self.source;
        let mut text = format!("{rows} rows read, {} votes used", count(self.ballots.used()));
        if set_aside > 0 {
            text += &format!(", {set_aside} rows not understood and left out");
        }
        if unanswered > 0 {
            text += &format!(", {unanswered} not answered yet");
        }
        text
    }

    /// Items that are not ranked and why, about which contexts scores are, what was estimated and removed, how likely
    /// ties are, how far voters can be relied on where they differ, what the first place rests on, and what a hint is
    /// worth.
    fn remarks(&self) -> Vec<Sentence> {
        let left_out = words::left_out(self.ranking, &|item| self.spoken(item)).into_iter().map(Sentence::from);
        let contexts = self.ranking.contexts.iter().flat_map(|over| {
            std::iter::once(words::contexts(over)).chain(words::changes(over, &|item| self.spoken(item)))
        });
        let estimated = self.ranking.effects.iter().map(words::effect).chain(self.ranking.ties.iter().map(words::ties));
        let rests = self.ranking.rests_on.iter().filter_map(|found| rests::sentence(self, found));
        let relied = self.ranking.reliability.iter().filter(|found| found.differ() || found.alike.is_some());
        let relied = relied.map(|found| relied::sentence(self, found));
        let hint = self.source.hint.iter().map(|hint| hint.sentence());
        left_out.chain(contexts).chain(estimated).chain(relied).chain(rests).chain(hint).collect()
    }
}

/// `3` or `2–5`.
fn rank(rank: (usize, usize)) -> String {
    if rank.0 == rank.1 { rank.0.to_string() } else { format!("{}–{}", rank.0, rank.1) }
}

/// The mark of a check.
pub(crate) fn mark(ok: Option<bool>) -> &'static str {
    match ok {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "–",
    }
}

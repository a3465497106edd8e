//! A ranking with others beside it: by group of votes, over time, and what changed since an earlier one.

use super::document::{Changed, Compared, Difference, Document, Part, Parts};
use super::words::percent;
use super::{Ranked, rank};
use crate::chart::{Figure, Panel, Series};
use crate::numbers::{count, points};
use crate::{Table, plain};
use borduel::ranking::{Comparison, Divergence, Interval, Ranking, VerdictKind, diverging};

/// A ranking, and what stands beside it.
pub struct Breakdown<'a> {
    /// The ranking of all votes.
    pub main: Ranked<'a>,
    /// Rankings of the votes of each value of a column.
    pub by: Option<Groups<'a>>,
    /// Rankings of stretches of time.
    pub over: Option<Groups<'a>>,
    /// What changed since an earlier ranking, and what that one is called.
    pub compared: Option<(&'a Comparison, String)>,
}

/// Rankings of parts of the votes.
pub struct Groups<'a> {
    /// The column that tells the parts.
    pub column: &'a str,
    /// The groups, each with its ranking.
    pub groups: Vec<Group<'a>>,
}

/// A part of the votes.
pub struct Group<'a> {
    /// What tells it from the others.
    pub value: String,
    /// With time: from when to when, as numbers.
    pub span: Option<(f64, f64)>,
    /// Its ranking, or why there is none.
    pub ranked: Result<Ranked<'a>, String>,
}

/// Differences less certain than this are none.
const LEVEL: f64 = 0.05;
/// Curves in the picture of scores over time.
const CURVES: usize = 8;
/// So many groups are columns of a table.
const WIDE: usize = 5;

impl Groups<'_> {
    fn rankings(&self) -> Vec<Option<&Ranking>> {
        self.groups.iter().map(|group| group.ranked.as_ref().ok().map(|ranked| ranked.ranking)).collect()
    }

    /// How all items fare in the groups, the most certain differences first.
    fn divergences(&self) -> Vec<Divergence> {
        diverging(&self.rankings())
    }

    /// Whether all groups rank the same items, so that scores are over the same opponents.
    fn alike(&self) -> bool {
        let sets: Vec<Vec<usize>> = (self.rankings().iter().flatten())
            .map(|ranking| {
                let mut items: Vec<usize> = ranking.items.iter().map(|score| score.item).collect();
                items.sort_unstable();
                items
            })
            .collect();
        sets.windows(2).all(|two| two[0] == two[1])
    }

    /// What can be said about the differences, in a sentence or two.
    fn sentence(&self, main: &Ranked<'_>, divergences: &[Divergence]) -> String {
        let clear: Vec<String> =
            divergences.iter().filter(|d| d.p < LEVEL).map(|d| plain(main.label(d.item)).into_owned()).collect();
        let column = plain(self.column);
        let ranked = self.rankings().iter().flatten().count();
        let mut text = if ranked < 2 {
            format!("Fewer than two groups by {column} have enough votes to be ranked, so nothing can be compared.")
        } else if clear.is_empty() {
            format!(
                "No score differs between the groups by {column} beyond chance (all items together, 95 % confidence)."
            )
        } else {
            let names = clear.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
            let more = if clear.len() > 8 { format!(" and {} more", clear.len() - 8) } else { String::new() };
            format!(
                "By {column} the scores of these items differ beyond chance (all items together, 95 % confidence): \
                 {names}{more}."
            )
        };
        if ranked >= 2 && !self.alike() {
            text += " Not every item could be ranked in every group, and a score is over those that could: \
                differences may come from that, too.";
        }
        text
    }

    /// What can be said about the differences, in a sentence or two, and every item's score in every group.
    pub fn compared(&self, main: &Ranked<'_>) -> (String, Table) {
        let divergences = self.divergences();
        (self.sentence(main, &divergences), self.table(main, &divergences))
    }

    /// How every item fares in the groups, the most certain differences first, for programs.
    pub fn differences(&self, main: &Ranked<'_>) -> Vec<Difference> {
        let difference = |d: Divergence| Difference { item: main.id(d.item).to_owned(), p: d.p, borda: d.scores };
        self.divergences().into_iter().map(difference).collect()
    }

    /// A verdict for every group.
    fn verdicts(&self) -> Table {
        let mut table = Table::new("", &[self.column, "votes", "verdict"]);
        for group in &self.groups {
            let (votes, verdict) = match &group.ranked {
                Ok(ranked) => (count(ranked.ballots.used()), in_short(ranked)),
                Err(why) => ("–".to_owned(), format!("not ranked: {why}")),
            };
            table.rows.push(vec![group.value.clone(), votes, verdict]);
        }
        table
    }

    /// Every item's score in every group, those that differ most certainly first; with many groups, a row a group and
    /// the first items of the whole ranking.
    fn table(&self, main: &Ranked<'_>, divergences: &[Divergence]) -> Table {
        if self.groups.len() > WIDE {
            let first: Vec<usize> = main.ranking.items.iter().take(CURVES).map(|score| score.item).collect();
            let mut table = Table::new("", &[self.column]);
            table.heads.extend(first.iter().map(|&item| main.label(item).to_owned()));
            for (at, group) in self.groups.iter().enumerate() {
                let score = |item: &usize| {
                    let found = divergences.iter().find(|d| d.item == *item).and_then(|d| d.scores[at].as_ref());
                    found.map_or_else(|| "–".to_owned(), plus_minus)
                };
                table.rows.push(std::iter::once(group.value.clone()).chain(first.iter().map(score)).collect());
            }
            return table;
        }
        let mut table = Table::new("", &["item"]);
        table.heads.extend(self.groups.iter().map(|group| group.value.clone()));
        table.heads.push("differs (p)".to_owned());
        for found in divergences {
            let mut row = vec![main.label(found.item).to_owned()];
            row.extend(found.scores.iter().map(|score| score.as_ref().map_or_else(|| "–".to_owned(), plus_minus)));
            let known = found.scores.iter().flatten().count() >= 2;
            row.push(match found.p {
                _ if !known => "–".to_owned(),
                p if p < 1e-4 => "< 0.0001".to_owned(),
                p => format!("{p:.4}"),
            });
            table.rows.push(row);
        }
        table
    }

    /// The same for programs.
    fn parts(&self, main: &Ranked<'_>) -> Parts {
        let part = |group: &Group<'_>| Part {
            value: group.value.clone(),
            from: group.span.map(|(from, _)| from),
            to: group.span.map(|(_, to)| to),
            ranking: group.ranked.as_ref().ok().map(Document::of),
            not_ranked: group.ranked.as_ref().err().cloned(),
        };
        Parts {
            column: self.column.to_owned(),
            same_items: self.alike(),
            groups: self.groups.iter().map(part).collect(),
            differences: self.differences(main),
        }
    }

    /// Scores over time: the first items of the whole ranking, a curve each with its interval.
    fn figure(&self, main: &Ranked<'_>) -> Figure {
        // Axes begin at 0, so time is drawn from the first moment on; what is not written as that number is a date, in
        // days.
        let first = self.groups.first();
        let start = first.and_then(|group| group.span).map_or(0.0, |(from, _)| from);
        let written = first.map_or("", |group| group.value.split(" – ").next().unwrap_or_default());
        let days = if written.parse() == Ok(start) { "" } else { "days " };
        let curve = |(style, item): (usize, usize)| {
            let mut series = Series {
                label: plain(main.label(item)).into_owned(),
                points: Vec::new(),
                band: Vec::new(),
                style: Some(style),
                dots: true,
            };
            for group in &self.groups {
                let score = group.ranked.as_ref().ok().and_then(|r| r.ranking.items.iter().find(|s| s.item == item));
                if let (Some(score), Some((from, to))) = (score, group.span)
                    && let Some(b) = score.borda.estimate
                {
                    series.points.push((0.5 * (from + to) - start, 100.0 * b));
                    series.band.push(50.0 * (score.borda.high - score.borda.low));
                }
            }
            series
        };
        let items = main.ranking.items.iter().take(CURVES).map(|score| score.item);
        let stretches: Vec<&str> = self.groups.iter().map(|group| group.value.as_str()).collect();
        let many = main.ranking.items.len() > CURVES;
        let panel = Panel {
            title: format!("Scores over time ({})", plain(self.column)),
            x: format!("{}, {days}since {} (the middle of each stretch)", plain(self.column), plain(written)),
            y: "Borda score in %".to_owned(),
            logarithmic: false,
            series: items.enumerate().map(curve).filter(|series| !series.points.is_empty()).collect(),
            note: format!(
                "Bands are intervals of each stretch by itself{}.",
                if many { format!("; the first {CURVES} items of the ranking") } else { String::new() }
            ),
        };
        Figure {
            panels: vec![panel],
            description: format!("Scores over time, in these stretches: {}", stretches.join(", ")),
        }
    }
}

/// The verdict in a few words.
fn in_short(ranked: &Ranked<'_>) -> String {
    let verdict = &ranked.ranking.verdict;
    let names: Vec<_> = verdict.winners.iter().take(4).map(|&item| plain(ranked.label(item)).into_owned()).collect();
    let more =
        if verdict.winners.len() > 4 { format!(" and {} more", verdict.winners.len() - 4) } else { String::new() };
    match (verdict.kind, names.split_first()) {
        (VerdictKind::GoodEnough, Some((chosen, others))) if !others.is_empty() => {
            format!("good enough: {chosen}; may be just as good: {}{more}", others.join(", "))
        }
        (VerdictKind::NotEnough, _) => format!("not enough votes; may still be best: {}{more}", names.join(", ")),
        (kind, _) => format!("{}: {}{more}", crate::verdict::words(kind), names.join(", ")),
    }
}

/// `61.2 ± 3.4`.
fn plus_minus(score: &Interval) -> String {
    format!("{} ± {}", points(score.estimate), points(Some(0.5 * (score.high - score.low))))
}

impl<'a> Breakdown<'a> {
    /// A ranking with nothing beside it.
    pub fn alone(main: Ranked<'a>) -> Self {
        Self { main, by: None, over: None, compared: None }
    }
}

impl Breakdown<'_> {
    /// The parts that are there, with a title each.
    fn parts(&self) -> Vec<(String, &Groups<'_>)> {
        let by = self.by.iter().map(|groups| (format!("By {}", plain(groups.column)), groups));
        by.chain(self.over.iter().map(|groups| (format!("Over time ({})", plain(groups.column)), groups))).collect()
    }

    /// What changed, as a table.
    fn changes(&self, comparison: &Comparison) -> Table {
        let mut table = Table::new("", &["item", "before", "now", "change", "interval", "rank before"]);
        for change in &comparison.changes {
            let d = &change.difference;
            let signed = |x: f64| format!("{:+.1}", 100.0 * x);
            table.rows.push(vec![
                self.main.label(change.item).to_owned(),
                points(Some(change.before)),
                points(Some(change.now)),
                format!("{}{}", signed(d.estimate.unwrap_or(0.0)), if change.clear { " *" } else { "" }),
                format!("{} to {}", signed(d.low), signed(d.high)),
                rank(change.rank_before),
            ]);
        }
        table
    }

    /// What changed, in a sentence or two.
    fn changed(&self, comparison: &Comparison, earlier: &str) -> String {
        let clear = comparison.changes.iter().filter(|change| change.clear);
        let names: Vec<_> = clear.map(|change| plain(self.main.label(change.item))).collect();
        let mut text = format!("Since {}: ", plain(earlier));
        let together = format!("(all items together, {} % confidence)", percent(self.main.ranking.intervals.level));
        text += &if names.is_empty() {
            format!("no score has changed beyond chance {together}")
        } else {
            let (some, all) = (names.len(), comparison.changes.len());
            format!("{some} of {all} scores have changed beyond chance {together}: {}", names.join(", "))
        };
        let names_after = |what: &str, names: Vec<String>| {
            if names.is_empty() { String::new() } else { format!("; {what}: {}", names.join(", ")) }
        };
        text +=
            &names_after("new", comparison.new.iter().map(|&item| plain(self.main.label(item)).into_owned()).collect());
        text += &names_after("no longer ranked", comparison.gone.iter().map(|name| plain(name).into_owned()).collect());
        if !(comparison.new.is_empty() && comparison.gone.is_empty()) {
            text += " (scores are over the other items, so that items that came or went move the others', too)";
        }
        text + "."
    }

    /// Everything for a terminal.
    pub fn text(&self) -> String {
        let mut out = self.main.text();
        for (title, groups) in self.parts() {
            let (sentence, table) = groups.compared(&self.main);
            out += &format!("\n{title}\n{}\n{sentence}\n\n{}", groups.verdicts().columns(), table.columns());
        }
        if let Some((comparison, earlier)) = &self.compared {
            out += &format!("\n{}\n\n{}", self.changed(comparison, earlier), self.changes(comparison).columns());
        }
        out
    }

    /// The whole breakdown in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = self.main.markdown();
        for (title, groups) in self.parts() {
            let divergences = groups.divergences();
            let sentence = groups.sentence(&self.main, &divergences);
            out += &format!(
                "\n## {title}\n\n{}\n{sentence}\n\n{}",
                groups.verdicts().markdown(),
                groups.table(&self.main, &divergences).markdown()
            );
        }
        if let Some((comparison, earlier)) = &self.compared {
            out += &format!(
                "\n## What changed\n\n{}\n\n{}",
                self.changed(comparison, earlier),
                self.changes(comparison).markdown()
            );
        }
        out
    }

    /// One row an item of the ranking of all votes and of every part, with a column for the part.
    pub fn csv_table(&self) -> Table {
        let mut table = self.main.csv_table();
        let parts = self.parts();
        if parts.is_empty() {
            return table;
        }
        table.heads.splice(0..0, ["part".to_owned(), "value".to_owned()]);
        table.rows.iter_mut().for_each(|row| {
            row.splice(0..0, ["all".to_owned(), String::new()]);
        });
        for (_, groups) in parts {
            for group in &groups.groups {
                let Ok(ranked) = &group.ranked else { continue };
                for mut row in ranked.csv_table().rows {
                    row.splice(0..0, [groups.column.to_owned(), group.value.clone()]);
                    table.rows.push(row);
                }
            }
        }
        table
    }

    /// The ranking as a document, with what stands beside it.
    pub fn document(&self) -> Document {
        let id = |item: usize| self.main.id(item).to_owned();
        let changed = |change: &borduel::ranking::Change| Changed {
            item: id(change.item),
            before: change.before,
            now: change.now,
            difference: change.difference,
            clear: change.clear,
            rank_before: change.rank_before.into(),
        };
        let compared = self.compared.as_ref().map(|(comparison, earlier)| Compared {
            with: earlier.clone(),
            changes: comparison.changes.iter().map(changed).collect(),
            new: comparison.new.iter().map(|&item| id(item)).collect(),
            gone: comparison.gone.clone(),
        });
        let by = self.by.as_ref().map(|groups| groups.parts(&self.main));
        let over = self.over.as_ref().map(|groups| groups.parts(&self.main));
        Document { by, over, compared, ..Document::of(&self.main) }
    }

    /// [`Breakdown::document`] as text.
    ///
    /// # Errors
    /// A number that JSON cannot hold, which a ranking does not have.
    pub fn json(&self) -> Result<String, crate::Error> {
        self.document().json()
    }

    /// What the page shows between the ranking of all votes and those of the groups.
    pub(super) fn sections(&self) -> Vec<Section> {
        let mut sections = Vec::new();
        for (title, groups) in self.parts() {
            let divergences = groups.divergences();
            sections.push(Section {
                title,
                text: groups.sentence(&self.main, &divergences),
                figure: groups.groups.iter().any(|g| g.span.is_some()).then(|| groups.figure(&self.main)),
                tables: vec![groups.verdicts(), groups.table(&self.main, &divergences)],
            });
        }
        if let Some((comparison, earlier)) = &self.compared {
            sections.push(Section {
                title: "What changed".to_owned(),
                text: self.changed(comparison, earlier),
                figure: None,
                tables: vec![self.changes(comparison)],
            });
        }
        sections
    }
}

/// A part of the page.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) text: String,
    pub(super) figure: Option<Figure>,
    pub(super) tables: Vec<Table>,
}

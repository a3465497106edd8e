//! The audit of a leaderboard on one page: what was found, what could not be told, what was looked for in vain.

use crate::numbers::grouped;
use crate::ranking::words::{check, percent};
use crate::ranking::{self, Ranked, forests, mark, page_around};
use crate::text::{names, short};
use crate::{Table, plain};
use borduel::audit::{Audit, FALSE_ALARM, HEAVY, Probe, Unit, Untold};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// The version of the JSON object.
pub const VERSION: u32 = 1;

/// An audit, and what is said about it.
#[derive(Debug, Clone, Copy)]
pub struct Audited<'a> {
    /// What the probes found.
    pub audit: &'a Audit,
    /// Its ranking, with the names of items and where the votes come from.
    pub ranked: Ranked<'a>,
}

/// What `check --format json` prints. `docs/FORMATS.md` lists its keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The version of this form, [`VERSION`].
    pub version: u32,
    /// The version of the program that made it.
    pub borduel: String,
    /// What was found, in a sentence or two.
    pub text: String,
    /// The probes, in their order.
    pub probes: Vec<Probed>,
    /// The ranking of the same votes, habits of voters and contexts allowed for.
    pub ranking: ranking::Document,
}

/// What a probe found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// The name of the probe.
    pub name: String,
    /// Whether all is well; `None` where that cannot be told.
    pub ok: Option<bool>,
    /// The chance of a false alarm, at most; `None` for a count, in which there is no chance.
    pub false_alarm: Option<f64>,
    /// What it found, in a sentence.
    pub text: String,
    /// The same as data. Items are numbers of places in `ranking.all_items`.
    pub found: Probe,
}

/// Alarms first, then what could not be told.
const ORDER: [(Option<bool>, &str); 3] = [
    (Some(false), "What was found"),
    (None, "What the votes cannot tell"),
    (Some(true), "What was looked for and not found"),
];

impl Audited<'_> {
    /// What was found, in a sentence or two.
    pub fn verdict(&self) -> String {
        let of = |ok: Option<bool>| self.audit.probes.iter().filter(move |probe| probe.ok() == ok);
        let (alarms, untold) = (of(Some(false)).count(), of(None).count());
        let all = self.audit.probes.len();
        let found = match alarms {
            0 => format!("None of {all} probes found anything wrong with this board"),
            1 => format!("1 of {all} probes found something wrong with this board"),
            _ => format!("{alarms} of {all} probes found something wrong with this board"),
        };
        let which: Vec<&str> = of(Some(false)).map(Probe::name).collect();
        let which = if which.is_empty() { String::new() } else { format!(": {}", which.join(", ")) };
        let open = if untold > 0 { format!(" {untold} could not be made.") } else { String::new() };
        format!("{found}{which}.{open} What its votes carry: {}", self.ranked.verdict())
    }

    /// The probes with a sentence each.
    pub fn probed(&self) -> Vec<Probed> {
        let probed = |probe: &Probe| Probed {
            name: probe.name().to_owned(),
            ok: probe.ok(),
            false_alarm: (!probe.is_count()).then_some(FALSE_ALARM),
            text: self.sentence(probe),
            found: probe.clone(),
        };
        self.audit.probes.iter().map(probed).collect()
    }

    fn sentence(&self, probe: &Probe) -> String {
        let name = |item: usize| self.ranked.spoken(item);
        match probe {
            Probe::Check { finding } => check(finding, &name).to_string(),
            Probe::Notions { borda, bradley_terry, condorcet, clear } => {
                let part = |what: &str, item: &Option<usize>| item.map(|item| format!("{} {what}", name(item)));
                let others: Vec<String> = [
                    part("by Bradley–Terry strength", bradley_terry),
                    part("by majorities against every other (Condorcet)", condorcet),
                ]
                .into_iter()
                .flatten()
                .collect();
                if others.is_empty() {
                    return format!("no other notion of the best names another item than {}", name(*borda));
                }
                let chance =
                    if *clear { "" } else { "; these votes cannot tell them apart, so that this may be chance" };
                format!("{} is first by Borda score, {}{chance}", name(*borda), others.join(" and "))
            }
            Probe::Sampling { adaptive: true } => {
                "the better items have far more votes, as if the questions had followed \
                the answers: intervals of a sample of fixed size are then too narrow (rank --sequential)"
                    .to_owned()
            }
            Probe::Sampling { .. } => "better items do not have many more votes than others".to_owned(),
            Probe::Independence { .. } => self.independence(probe),
            Probe::Heaviest { .. } => self.heaviest(probe),
            Probe::TieConvention { ties, first, otherwise, clear } => {
                let share = format!("{:.1} % ties", 100.0 * ties);
                if first == otherwise {
                    return format!("{} is first whatever a tie is worth ({share})", name(*first));
                }
                let chance =
                    if *clear { "" } else { "; these votes cannot tell them apart, so that this may be chance" };
                format!(
                    "{} is first as ties are counted here, {} otherwise ({share}){chance}",
                    name(*first),
                    name(*otherwise)
                )
            }
            Probe::Duplicates { times: 1, .. } => "votes are not there several times over".to_owned(),
            Probe::Duplicates { times, entries } => format!(
                "of all {} voters and pairs the votes are there {times} times, or a multiple of it: the file may hold \
                 everything {times} times",
                grouped(*entries as f64)
            ),
            Probe::OverTime { stretches, changed } if changed.is_empty() => {
                format!("no score differs between {stretches} stretches of time, all items together")
            }
            Probe::OverTime { stretches, changed } => format!(
                "scores differ between {stretches} stretches of time, all items together: {}; one order for all of it \
                 may be that of no time",
                names(changed, 3, &name)
            ),
            Probe::Published { .. } => self.published(probe),
            Probe::Untold { why, .. } => match why {
                Untold::NotTold => "the votes do not tell who cast them",
                Untold::Few => "there are too few of them to tell",
                Untold::Weighted => "votes are weighted or soft, so that single ones are not told apart",
                Untold::NoTies => "there are no ties",
                Untold::NotFound => "nothing can be ranked otherwise",
            }
            .to_owned(),
        }
    }

    fn independence(&self, probe: &Probe) -> String {
        let Probe::Independence { unit, number, ratio, most } = probe else { return String::new() };
        let units = self.units(*unit);
        let one = units.strip_suffix('s').unwrap_or(units);
        let wide = format!(
            "intervals that allow for it are {:.2} times as wide ({} {units}; alarm above {:.2})",
            ratio.sqrt(),
            grouped(*number),
            most.sqrt()
        );
        if ratio > most {
            format!(
                "votes of the same {one} hang together; those who publish intervals of independent votes publish \
                 too narrow ones: {wide}"
            )
        } else {
            format!("votes of the same {one} hardly hang together: {wide}")
        }
    }

    fn heaviest(&self, probe: &Probe) -> String {
        let Probe::Heaviest { unit, name, share, number, unseats } = probe else { return String::new() };
        let mut text = format!(
            "the heaviest of {} {}, {}, has {:.1} % of all votes",
            grouped(*number as f64),
            self.units(*unit),
            short(&plain(name)),
            100.0 * share
        );
        if probe.ok() == Some(false) && *share > HEAVY {
            text += &format!(", and nobody should have more than {:.0} %", 100.0 * HEAVY);
        }
        if let Some((one, item)) = unseats {
            text += &format!(
                "; independent votes make a clear winner, and without {} alone {} is first",
                short(&plain(one)),
                self.ranked.spoken(*item)
            );
        }
        text
    }

    fn published(&self, probe: &Probe) -> String {
        let Probe::Published { items, certain, contradicted, unknown } = probe else { return String::new() };
        let mut text = format!("the votes fix the place of {certain} of {items} published items");
        if contradicted.is_empty() {
            text += ", and contradict no published place";
        } else {
            let all: Vec<usize> = (0..contradicted.len()).collect();
            let told = |at: usize| format!("{} at {}", self.ranked.spoken(contradicted[at].0), contradicted[at].1);
            text += &format!(", and contradict these: {}", names(&all, 3, &told));
        }
        if !unknown.is_empty() {
            let all: Vec<usize> = (0..unknown.len()).collect();
            let called = |at: usize| short(&plain(&unknown[at])).into_owned();
            text += &format!("; published without votes that rank it: {}", names(&all, 3, &called));
        }
        text
    }

    fn units(&self, unit: Unit) -> &str {
        match unit {
            Unit::Voter => "voters",
            Unit::Context => self.ranked.ballots.contexts_are(),
        }
    }

    /// What is said of chance behind a probe's sentence.
    fn chance(probed: &Probed) -> String {
        probed.false_alarm.map_or_else(|| "a count".to_owned(), |p| format!("false alarm ≤ {} %", percent(p)))
    }

    /// The probes of one kind.
    fn of(&self, ok: Option<bool>) -> Vec<Probed> {
        self.probed().into_iter().filter(|probed| probed.ok == ok).collect()
    }

    /// Everything for a terminal.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.verdict());
        for (ok, head) in ORDER {
            let probes = self.of(ok);
            if !probes.is_empty() {
                out += &format!("\n{head}\n");
            }
            for probed in probes {
                out += &format!("{} {}: {} [{}]\n", mark(ok), probed.name, probed.text, Self::chance(&probed));
            }
        }
        out + &format!("\n{}\n{}\n", self.ranked.table().columns(), self.method())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("**{}**\n", self.verdict());
        for (ok, head) in ORDER {
            let probes = self.of(ok);
            if !probes.is_empty() {
                out += &format!("\n## {head}\n\n");
            }
            for probed in probes {
                out += &format!("- {} **{}**: {} [{}]\n", mark(ok), probed.name, probed.text, Self::chance(&probed));
            }
        }
        out + &format!("\n{}\n{}\n", self.ranked.table().markdown(), self.method())
    }

    /// The probes as programs read them.
    pub fn csv_table(&self) -> Table {
        let mut table = Table::new("", &["probe", "ok", "false_alarm", "text"]);
        for probed in self.probed() {
            let ok = probed.ok.map_or_else(String::new, |ok| ok.to_string());
            let chance = probed.false_alarm.map_or_else(String::new, |p| p.to_string());
            table.row([probed.name, ok, chance, probed.text]);
        }
        table
    }

    /// As one JSON object.
    ///
    /// # Errors
    /// A number that JSON cannot hold.
    pub fn json(&self) -> Result<String, crate::Error> {
        let document = Document {
            version: VERSION,
            borduel: env!("CARGO_PKG_VERSION").to_owned(),
            text: self.verdict(),
            probes: self.probed(),
            ranking: ranking::Document::of(&self.ranked),
        };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// A page of its own.
    pub fn page(&self) -> String {
        let alarms = !self.of(Some(false)).is_empty();
        let class = if alarms { "verdict open" } else { "verdict enough" };
        let title = format!("Audit of a board of {} items", self.audit.ranking.items.len());
        let body = html! {
            h1 { (title) }
            @if let Some(files) = self.ranked.source.files {
                p.about { (grouped(self.ranked.ballots.used())) " votes · " (plain(files)) }
            }
            p class=(class) { (self.verdict()) }
            @for (ok, head) in ORDER { (self.section(ok, head)) }
            h2 { "What the votes carry" }
            p { "Items of one tier could all have one rank. Lines are " (percent(1.0 - FALSE_ALARM)) " % intervals." }
            (forests(&self.ranked))
            (self.ranked.table().html())
            p { (self.method()) }
        };
        page_around(&title, "", &body)
    }

    fn section(&self, ok: Option<bool>, head: &str) -> Markup {
        let probes = self.of(ok);
        let class = match ok {
            Some(true) => "good",
            Some(false) => "bad",
            None => "unknown",
        };
        html! {
            @if !probes.is_empty() {
                h2 { (head) }
                ul.checks {
                    @for probed in &probes {
                        li class=(class) {
                            span.mark { (mark(ok)) }
                            span { b { (probed.name) } " " (probed.text) " " small { "[" (Self::chance(probed)) "]" } }
                        }
                    }
                }
            }
        }
    }

    /// How it was made.
    fn method(&self) -> String {
        format!(
            "Every test gives a false alarm on at most {} % of boards without that defect; counts have no chance in \
             them. Scores, ranks and tiers are of {} % confidence, ranks for all items together; {}. Model: {}.",
            percent(FALSE_ALARM),
            percent(1.0 - FALSE_ALARM),
            self.ranked.intervals(),
            self.ranked.model()
        )
    }
}

//! A ranking as a table, Markdown, CSV, or one JSON object.

use super::Format;
use crate::failure::Failure;
use crate::votes::reading::Votes;
use borduel::ranking::{Check, Interval, ItemScore, RankOptions, Ranking};
use borduel_votes::Items;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// The version of the JSON object.
const VERSION: u32 = 1;

/// What a score means, for whoever reads the JSON.
const CONVENTION: &str = "borda is the chance to beat a random other item, 1/(K-1) sum over j != i of p(i,j), as a fraction of 1; \
                          rank 1 is best; strength is in log-odds with mean 0";

/// Everything the outputs show.
pub(crate) struct Shown<'a> {
    pub(crate) ranking: &'a Ranking,
    pub(crate) votes: &'a Votes,
    pub(crate) items: Option<&'a Items>,
    pub(crate) options: &'a RankOptions,
    pub(crate) strength: bool,
}

impl Shown<'_> {
    /// The identifier of an item.
    fn id(&self, item: usize) -> &str {
        &self.votes.ballots.items()[item]
    }

    /// The name of an item, where the list of items gives one.
    fn name(&self, item: usize) -> Option<&str> {
        self.items.and_then(|items| items.names[item].as_deref())
    }

    /// What to call an item before people.
    pub(crate) fn label(&self, item: usize) -> &str {
        self.name(item).unwrap_or_else(|| self.id(item))
    }
}

/// The ranking in the chosen format.
pub(crate) fn text(shown: &Shown<'_>, format: Format) -> Result<String, Failure> {
    let internal = |error: &dyn std::fmt::Display| Failure::Internal(error.to_string());
    match format {
        Format::Table => Ok(table(shown)),
        Format::Md => Ok(markdown(shown)),
        Format::Csv => csv(shown).map_err(|error| internal(&error)),
        Format::Json => {
            serde_json::to_string_pretty(&object(shown)).map(|text| text + "\n").map_err(|error| internal(&error))
        }
    }
}

/// A number of percent with one digit, `–` where there is none.
pub(super) fn percent(x: Option<f64>) -> String {
    x.map_or_else(|| "–".to_owned(), |x| format!("{:.1}", 100.0 * x))
}

/// A count without needless digits.
pub(super) fn count(x: f64) -> String {
    if x.fract() == 0.0 { format!("{x:.0}") } else { format!("{x:.1}") }
}

/// `3` or `2–5`.
pub(super) fn rank(rank: (usize, usize)) -> String {
    if rank.0 == rank.1 { rank.0.to_string() } else { format!("{}–{}", rank.0, rank.1) }
}

/// The mark of a check.
pub(super) fn mark(ok: Option<bool>) -> &'static str {
    match ok {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "–",
    }
}

/// The heads and rows that people are shown.
pub(super) fn grid(shown: &Shown<'_>) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let mut heads = vec!["item", "Borda %", "interval", "rank", "best %", "won", "lost", "ties"];
    let totals = shown.votes.ballots.totals();
    let soft = totals.soft > 0.0;
    let optional = [
        (soft, "soft"),
        (totals.both_bad > 0.0, "both bad"),
        (totals.skip > 0.0, "skips"),
        (shown.strength, "strength"),
    ];
    heads.extend(optional.iter().filter(|(there, _)| *there).map(|(_, head)| *head));
    let row = |score: &ItemScore| {
        let c = &score.counts;
        let mut cells = vec![
            shown.label(score.item).to_owned(),
            percent(score.borda.estimate),
            format!("{} – {}", percent(Some(score.borda.low)), percent(Some(score.borda.high))),
            rank(score.rank),
            percent(score.p_best),
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
    (heads, shown.ranking.items.iter().map(row).collect())
}

/// What became of the rows, in one line.
pub(super) fn rows_line(shown: &Shown<'_>) -> String {
    let (rows, ballots) = (&shown.votes.rows, &shown.votes.ballots);
    let mut text = format!("{} rows read, {} votes used", rows.read, count(ballots.used()));
    if rows.set_aside > 0 {
        text += &format!(", {} rows set aside", rows.set_aside);
    }
    if rows.unanswered > 0 {
        text += &format!(", {} not answered yet", rows.unanswered);
    }
    text
}

/// Items that could not be ranked, in one line.
pub(super) fn unranked_line(shown: &Shown<'_>) -> Option<String> {
    let unranked = &shown.ranking.unranked;
    let names: Vec<&str> = unranked.iter().take(5).map(|&item| shown.label(item)).collect();
    let more = if unranked.len() > 5 { format!(" and {} more", unranked.len() - 5) } else { String::new() };
    (!unranked.is_empty()).then(|| format!("Not ranked, because no vote is about them: {}{more}.", names.join(", ")))
}

fn table(shown: &Shown<'_>) -> String {
    let (heads, rows) = grid(shown);
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..heads.len())
        .map(|c| rows.iter().map(|row| width(&row[c])).chain([width(heads[c])]).max().unwrap_or(0))
        .collect();
    let line = |cells: &[&str]| {
        let cell = |(c, text): (usize, &&str)| {
            let pad = " ".repeat(widths[c] - width(text));
            if c == 0 { format!("{text}{pad}") } else { format!("{pad}{text}") }
        };
        cells.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut out = format!("{}\n\n", shown.ranking.verdict.text);
    out += &line(&heads);
    for row in &rows {
        out += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
    out += "\n";
    out.extend(unranked_line(shown).map(|text| text + "\n"));
    for check in &shown.ranking.checks {
        out += &format!("{} {}: {}\n", mark(check.ok), check.name, check.text);
    }
    out += &format!("\n{}; {}.\nModel: {}.\n", rows_line(shown), shown.ranking.intervals, shown.ranking.model);
    out
}

fn markdown(shown: &Shown<'_>) -> String {
    let (heads, rows) = grid(shown);
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = format!("**{}**\n\n", shown.ranking.verdict.text);
    out += &line(heads.iter().map(|head| (*head).to_owned()).collect());
    out += &line((0..heads.len()).map(|c| if c == 0 { "---" } else { "---:" }.to_owned()).collect());
    for row in rows {
        out += &line(row.iter().map(|cell| cell.replace('|', "\\|")).collect());
    }
    out += "\n";
    out.extend(unranked_line(shown).map(|text| text + "\n\n"));
    for check in &shown.ranking.checks {
        out += &format!("- {} **{}**: {}\n", mark(check.ok), check.name, check.text);
    }
    out += &format!("\n{}; {}. Model: {}.\n", rows_line(shown), shown.ranking.intervals, shown.ranking.model);
    out
}

fn csv(shown: &Shown<'_>) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut heads = vec!["item", "name", "borda", "borda_low", "borda_high", "rank_low", "rank_high", "p_best"];
    heads.extend(["wins", "losses", "ties", "both_bad", "skips", "soft"]);
    if shown.strength {
        heads.extend(["strength", "strength_low", "strength_high"]);
    }
    writer.write_record(&heads)?;
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
    for score in &shown.ranking.items {
        let c = &score.counts;
        let mut row = vec![shown.id(score.item).to_owned(), shown.name(score.item).unwrap_or_default().to_owned()];
        row.extend([score.borda.estimate, Some(score.borda.low), Some(score.borda.high)].map(number));
        row.extend([score.rank.0.to_string(), score.rank.1.to_string(), number(score.p_best)]);
        row.extend([c.left, c.right, c.tie, c.both_bad, c.skip, c.soft].map(|x| x.to_string()));
        if shown.strength {
            let s = score.strength;
            row.extend([s.and_then(|s| s.estimate), s.map(|s| s.low), s.map(|s| s.high)].map(number));
        }
        writer.write_record(&row)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn interval(interval: &Interval) -> Value {
    json!({"estimate": interval.estimate, "low": interval.low, "high": interval.high})
}

/// The JSON object, its keys in this order.
#[derive(Serialize)]
struct Object<'a> {
    version: u32,
    borduel: &'static str,
    convention: &'static str,
    votes: Value,
    model: &'a str,
    intervals: Value,
    seed: u64,
    verdict: Value,
    checks: &'a [Check],
    items: Vec<Item<'a>>,
    unranked: Vec<&'a str>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the key of the JSON is `item`")]
struct Item<'a> {
    item: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    borda: Value,
    rank: Value,
    p_best: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<Value>,
    wins: f64,
    losses: f64,
    ties: f64,
    both_bad: f64,
    skips: f64,
    soft: f64,
}

fn object<'a>(shown: &'a Shown<'_>) -> Object<'a> {
    let (ranking, ballots, rows) = (shown.ranking, &shown.votes.ballots, &shown.votes.rows);
    let totals = ballots.totals();
    let item = |score: &ItemScore| Item {
        item: shown.id(score.item),
        name: shown.name(score.item),
        borda: interval(&score.borda),
        rank: json!({"low": score.rank.0, "high": score.rank.1}),
        p_best: score.p_best,
        strength: shown.strength.then(|| score.strength.as_ref().map_or(Value::Null, interval)),
        wins: score.counts.left,
        losses: score.counts.right,
        ties: score.counts.tie,
        both_bad: score.counts.both_bad,
        skips: score.counts.skip,
        soft: score.counts.soft,
    };
    let ids = |items: &[usize]| items.iter().map(|&item| shown.id(item)).collect::<Vec<_>>();
    Object {
        version: VERSION,
        borduel: env!("CARGO_PKG_VERSION"),
        convention: CONVENTION,
        votes: json!({
            "rows_read": rows.read, "rows_set_aside": rows.set_aside, "rows_unanswered": rows.unanswered,
            "used": ballots.used(), "all": totals.total(),
            "ties": totals.tie, "both_bad": totals.both_bad, "skips": totals.skip, "soft": totals.soft,
            "voters": (!ballots.copies().is_empty()).then(|| ballots.copies().iter().sum::<f64>()),
            "detected": shown.votes.notes,
        }),
        model: &ranking.model,
        intervals: json!({
            "method": ranking.intervals, "level": shown.options.level, "simultaneous_critical": ranking.critical,
        }),
        seed: shown.options.seed,
        verdict: json!({
            "kind": ranking.verdict.kind,
            "text": ranking.verdict.text,
            "winners": ids(&ranking.verdict.winners),
            "votes_needed": ranking.verdict.votes_needed.map(f64::ceil),
            "margin": shown.options.margin,
        }),
        checks: &ranking.checks,
        items: ranking.items.iter().map(item).collect(),
        unranked: ids(&ranking.unranked),
    }
}

/// Text for HTML.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() => {
                // A control character has no business in a page; its code is shown instead.
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

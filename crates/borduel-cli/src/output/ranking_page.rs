//! The page of a ranking: verdict, forest plot, checks, pair matrix, numbers and settings in one offline file.

use super::ranking::Shown;
use super::ranking::{escape, grid, mark, rows_line, unranked_line};
use super::ranking_pictures::{MOST_IN_MATRIX, forest, matrix};
use borduel::ranking::VerdictKind;
use std::fmt::Write;

const STYLE: &str = include_str!("ranking_page.css");

/// The whole page.
pub(crate) fn page(shown: &Shown<'_>) -> String {
    let ranking = shown.ranking;
    let class = match ranking.verdict.kind {
        VerdictKind::ClearWinner => "clear",
        VerdictKind::Tie => "tie",
        VerdictKind::NotEnough => "open",
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Ranking of {} items</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Which of these {} is best?</h1>\n\
         <p class=\"verdict {class}\">{}</p>\n",
        ranking.items.len(),
        ranking.items.len(),
        escape(&ranking.verdict.text)
    );
    page += "<h2>Scores</h2>\n<p>The Borda score is the chance that an item beats a random other item. ";
    let _ = writeln!(page, "Lines are {}. Filled marks may be best.</p>", escape(&ranking.intervals));
    page += &format!("<div class=\"scroll\">{}</div>\n", forest(shown));
    page.extend(unranked_line(shown).map(|line| format!("<p>{}</p>\n", escape(&line))));
    page += "<h2>Checks</h2>\n<ul class=\"checks\">\n";
    for check in &ranking.checks {
        let class = match check.ok {
            Some(true) => "good",
            Some(false) => "bad",
            None => "unknown",
        };
        let _ = writeln!(
            page,
            "<li class=\"{class}\"><span class=\"mark\">{}</span><span><b>{}</b> {}</span></li>",
            mark(check.ok),
            check.name,
            escape(&check.text)
        );
    }
    page += "</ul>\n<h2>Every pair</h2>\n<p>Percent of votes that the row's item won against the column's item, ties as half";
    if ranking.items.len() > MOST_IN_MATRIX {
        let _ = write!(page, "; the first {MOST_IN_MATRIX} items");
    }
    page += ". Empty pairs were never compared.</p>\n<div class=\"scroll\">";
    page += &matrix(shown);
    page += "</div>\n<h2>Numbers</h2>\n<div class=\"scroll\"><table>\n<thead><tr>";
    let (heads, rows) = grid(shown);
    heads.iter().for_each(|head| page += &format!("<th>{head}</th>"));
    page += "</tr></thead>\n<tbody>\n";
    for row in rows {
        page += "<tr>";
        row.iter().for_each(|cell| page += &format!("<td>{}</td>", escape(cell)));
        page += "</tr>\n";
    }
    page += "</tbody></table></div>\n<h2>How this was made</h2>\n<ul>\n";
    for note in &shown.votes.notes {
        let _ = writeln!(page, "<li>{}</li>", escape(note));
    }
    let _ = writeln!(page, "<li>{}.</li>\n<li>Model: {}.</li>", escape(&rows_line(shown)), escape(&ranking.model));
    let _ = writeln!(
        page,
        "<li>Ranks and verdict rest on one simultaneous {} % set of intervals for all differences of scores (critical value {:.2}); \
         scores within {} points count as equal.</li>\n<li>Seed {}, borduel {}.</li>\n</ul>\n</main>\n</body>\n</html>",
        100.0 * shown.options.level,
        ranking.critical,
        100.0 * shown.options.margin,
        shown.options.seed,
        env!("CARGO_PKG_VERSION")
    );
    page
}

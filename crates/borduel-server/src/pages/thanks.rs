//! The page after the last pair: thanks, what one has answered, and a word to the organiser.

use super::layout::Fault;
use super::sheet::{Seat, Sheet};
use crate::links;
use borduel_report::plain;
use borduel_study::event::Status;
use borduel_study::ledger::Study;
use borduel_study::settings::Results;
use borduel_study::{Answer, Desk};
use maud::{Markup, html};
use std::collections::HashMap;

/// How many own answers are shown.
const SHOWN: usize = 50;

/// The page.
pub(super) async fn page(desk: &Desk, study: &Study, sheet: &Sheet, seat: &Seat, tail: &str) -> Result<Markup, Fault> {
    let settings = &sheet.settings;
    let running = matches!(sheet.status, Status::Open | Status::Paused);
    let items = desk.items().await?;
    let title = |item: u16| plain(items.get(usize::from(item)).map_or("", |item| item.2.title.as_str())).into_owned();
    let base = links::vote(&study.slug);
    let favourite = favourite(seat);
    Ok(html! {
        main.paper {
            p.soft { (plain(&study.title)) }
            h1 { "Thank you" }
            p.lead {
                @if settings.thanks.is_empty() { "Your " (seat.answered) " answers are saved." }
                @else { (plain(&settings.thanks)) }
            }
            @if let Some((item, won, of)) = favourite {
                p { "Your favourite: " b { (title(item)) } ", chosen in " (won) " of " (of) " pairs that it was in." }
            }
            @if settings.results == Results::Public { p { a.button href=(links::results(&study.slug)) { "See the results" } } }
            @if settings.comment && running {
                form.stack method="post" action=(format!("{base}/comment{tail}")) {
                    label { "Anything to say to the organiser?" textarea name="text" rows="3" maxlength="2000" required {} }
                    button type="submit" { "Send" }
                    p.done #commented role="status" { "Your comment is saved." }
                }
            }
            @if running {
                form method="post" action=(format!("{base}/undo{tail}")) {
                    button.quiet type="submit" { "Undo the last answer" }
                }
            }
            details {
                summary { "What I answered" }
                ol.answers reversed start=(seat.given.len()) {
                    @for (pair, answer) in seat.given.iter().take(SHOWN) {
                        li { (said(*answer, &title(pair.first), &title(pair.second))) }
                    }
                }
            }
        }
    })
}

fn said(answer: Answer, first: &str, second: &str) -> Markup {
    match answer {
        Answer::First => html! { b { (first) } " rather than " (second) },
        Answer::Second => html! { b { (second) } " rather than " (first) },
        Answer::Tie => html! { (first) " and " (second) " are equal" },
        Answer::BothBad => html! { "Neither " (first) " nor " (second) },
        Answer::Skip | Answer::Soft(_) => html! { (first) " or " (second) ": skipped" },
    }
}

/// The item that was chosen in the largest share of its pairs, at least two of them: it, how often, of how many.
fn favourite(seat: &Seat) -> Option<(u16, u32, u32)> {
    let mut tally: HashMap<u16, (u32, u32)> = HashMap::new();
    for (pair, answer) in &seat.given {
        let winner = match answer {
            Answer::First => pair.first,
            Answer::Second => pair.second,
            _ => continue,
        };
        for item in [pair.first, pair.second] {
            let (won, of) = tally.entry(item).or_default();
            *won += u32::from(item == winner);
            *of += 1;
        }
    }
    let often = tally.into_iter().filter(|(_, (won, of))| *of >= 2 && 2 * won > *of);
    // Larger share, then more pairs, then the lower number: the same page whenever it is shown.
    let best = often.max_by(|(a, (w, n)), (b, (v, m))| (w * m).cmp(&(v * n)).then(n.cmp(m)).then(b.cmp(a)));
    best.map(|(item, (won, of))| (item, won, of))
}

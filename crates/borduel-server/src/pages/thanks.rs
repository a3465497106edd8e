//! The page after the last pair: thanks, one's own favourites, the way on, and a word to the organiser.

use super::layout::Fault;
use super::pair::named;
use super::sheet::Seat;
use super::start::results_of;
use super::visit::{SHARED, Visit};
use super::words::{Told, Words, counted, fill, mark};
use crate::app::App;
use crate::links;
use borduel_report::plain;
use borduel_study::content::Content;
use borduel_study::event::Status;
use borduel_study::settings::{Results, Voting, is_link};
use borduel_study::{Answer, State};
use maud::{Markup, html};
use std::collections::HashMap;
use std::sync::Arc;

/// How many own answers are shown.
const SHOWN: usize = 50;
/// How many seconds somebody reads the page on a device that many share, before it makes room for the next voter.
const READ: u32 = 45;
/// How many favourites are shown.
const FAVOURITES: usize = 3;

/// That answers are saved.
pub(super) fn saved(answered: u32, words: &Words) -> String {
    if answered == 1 {
        words.one_saved.to_owned()
    } else {
        fill(counted(words.saved, words.code, u64::from(answered)), &[&answered])
    }
}

/// The page that thanks a voter.
pub(super) async fn page(app: &App, visit: &Visit, seat: &Seat) -> Result<Markup, Fault> {
    let (sheet, words) = (&visit.sheet, visit.words);
    let settings = &sheet.settings;
    let running = matches!(sheet.status, Status::Open | Status::Paused);
    let items = visit.desk.items().await?;
    let content = |item: u16| items.get(usize::from(item)).map(|item| &item.2);
    // Names that are hidden stay so: somebody may go on.
    let name = |content: &Arc<Content>| named(content, settings).then(|| plain(&content.title).into_owned());
    let title = |item: u16| content(item).and_then(name);
    let told: Vec<_> = seat
        .given
        .iter()
        .take(SHOWN)
        .filter_map(|(pair, answers)| Some((answers, title(pair.first)?, title(pair.second)?)))
        .collect();
    let completion = visit.back(app, &settings.completion).await?;
    let (shared, next) = (visit.says(SHARED), visit.next_voter(READ).unwrap_or_default());
    let on = sheet.status == Status::Open && (!seat.is_done() || seat.more > 0);
    Ok(html! {
        main.paper data-done[seat.is_done()] {
            p.soft dir="auto" { (plain(&visit.study.title)) }
            p.seal aria-hidden="true" { "✓" }
            h1 { (words.thanks) }
            @if !settings.thanks.is_empty() { p.lead.plain dir="auto" { (plain(&settings.thanks)) } }
            p.lead { (saved(seat.answered, words)) }
            @if seat.is_done() { (code(&completion, words)) }
            (favourites(visit, seat, &|item| content(item).cloned(), &name))
            @if let Some(all) = together(visit).await? { p { (fill(words.together, &[&all])) } }
            div.row.on {
                @if shared { (next) }
                @if on {
                    form method="post" action=(visit.to("/more", "")) {
                        button.main[!shared] type="submit" {
                            @if seat.is_done() {
                                (fill(counted(words.more, words.code, u64::from(seat.more)), &[&seat.more]))
                            } @else { (words.go_on) }
                        }
                    }
                }
                (results_of(visit))
                @if !shared { (next) }
                @if settings.voting != Voting::Invited && sheet.status == Status::Open {
                    button type="button" data-copy=(format!("{}{}", app.public_url, links::vote(&visit.study.slug)))
                        hidden { (words.share) }
                }
            }
            @if settings.comment && running {
                form.stack method="post" action=(visit.to("/comment", "")) {
                    label { (words.say_something) textarea name="text" rows="3" maxlength="2000" required {} }
                    button type="submit" { (words.send) }
                    p.done #commented role="status" { (words.commented) }
                }
            }
            @if settings.suggestions && running {
                p.done #suggested role="status" { (words.suggested) }
                @if seat.suggests {
                    details {
                        summary { (words.suggest) }
                        form.stack method="post" action=(visit.to("/suggest", "")) {
                            label { (words.suggest_name) input name="title" maxlength="200" required dir="auto"; }
                            label { (words.suggest_text) textarea name="text" rows="3" maxlength="1000" dir="auto" {} }
                            button type="submit" { (words.send) }
                        }
                    }
                }
            }
            @if running {
                form method="post" action=(visit.to("/undo", "")) { button.quiet type="submit" { (words.undo_last) } }
            }
            @if !told.is_empty() {
                details {
                    summary { (words.what_i_answered) }
                    ol.answers reversed start=(told.len()) {
                        @for (answers, first, second) in &told {
                            li dir="auto" {
                                @match answers.as_slice() {
                                    [one] => (answer_in_words(*one, first, second, words)),
                                    several => ul.plain {
                                        @for (criterion, answer) in settings.criteria.iter().zip(several) {
                                            li dir="auto" {
                                                span.soft { bdi { (plain(&criterion.question)) } " " }
                                                (answer_in_words(*answer, first, second, words))
                                            }
                                        }
                                    },
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// What all voters together say by now, where everybody may know it; nothing where names are to stay hidden.
async fn together(visit: &Visit) -> Result<Option<String>, Fault> {
    let settings = &visit.sheet.settings;
    if settings.results != Results::Public || settings.hide_names || !settings.criteria.is_empty() {
        return Ok(None);
    }
    let look = |state: &State| {
        let judged = state.judged_by(0).filter(|judged| !judged.void)?;
        Some((judged.kind, judged.winners.clone()))
    };
    let Some((kind, winners)) = visit.desk.read(look).await? else { return Ok(None) };
    let items = visit.desk.items().await?;
    let titles: Vec<&str> =
        winners.iter().filter_map(|&item| Some(items.get(usize::from(item))?.2.title.as_str())).collect();
    Ok(Some(Told::of(visit.words.code).head(kind, settings.goal.of(items.len()), &titles)))
}

/// What a crowd platform wants to see of whoever has come to an end: a code, or a link back.
pub(super) fn code(code: &str, words: &Words) -> Markup {
    html! {
        @if is_link(code) {
            p { a.button.main href=(code) rel="noopener" { (words.finish_there) } }
        } @else if !code.is_empty() {
            p { (words.your_code) ": " code.code { (plain(code)) } }
        }
    }
}

fn answer_in_words(answer: Answer, first: &str, second: &str, words: &Words) -> Markup {
    let (one, two) = (html! { bdi { (first) } }, html! { bdi { (second) } });
    let bold = |name: &str| html! { b { bdi { (name) } } };
    match answer {
        Answer::First => mark(words.rather, &[bold(first), two]),
        Answer::Second => mark(words.rather, &[bold(second), one]),
        Answer::Tie => mark(words.are_equal, &[one, two]),
        Answer::BothBad => mark(words.neither, &[one, two]),
        Answer::Skip | Answer::Soft(_) => mark(words.skipped, &[one, two]),
    }
}

/// The voter's own best, by each question.
fn favourites(
    visit: &Visit,
    seat: &Seat,
    content: &impl Fn(u16) -> Option<Arc<Content>>,
    name: &impl Fn(&Arc<Content>) -> Option<String>,
) -> Markup {
    let criteria = &visit.sheet.settings.criteria;
    let by = |criterion: usize| favourites_by(visit, &best(seat, criterion), content, name);
    let lists: Vec<Option<Markup>> = (0..criteria.len().max(1)).map(by).collect();
    html! {
        @if lists.iter().any(Option::is_some) {
            h2 { (visit.words.favourites) }
            @for (at, list) in lists.iter().enumerate() {
                @if let Some(list) = list {
                    @if let Some(criterion) = criteria.get(at) { h3 dir="auto" { (plain(&criterion.question)) } }
                    (list)
                }
            }
        }
    }
}

/// These of the voter's best that can be shown.
fn favourites_by(
    visit: &Visit,
    best: &[(u16, u32, u32)],
    content: &impl Fn(u16) -> Option<Arc<Content>>,
    name: &impl Fn(&Arc<Content>) -> Option<String>,
) -> Option<Markup> {
    let words = visit.words;
    let shown: Vec<_> = best
        .iter()
        .filter_map(|&(item, won, of)| Some((content(item)?, won, of)))
        .filter(|(content, ..)| content.image.is_some() || name(content).is_some())
        .take(FAVOURITES)
        .collect();
    let list = || {
        html! {
            ol.best {
                @for (content, won, of) in &shown {
                    li {
                        @if let Some(hash) = &content.image {
                            img.thumb src=(links::picture(&visit.study.slug, hash))
                                alt=(content.alt.as_deref().unwrap_or("")) loading="lazy";
                        }
                        span {
                            @if let Some(name) = name(content) { b dir="auto" { (name) } " " }
                            span.soft { (fill(words.chosen_in, &[won, of])) }
                        }
                    }
                }
            }
        }
    };
    (!shown.is_empty()).then(list)
}

/// The items that were chosen in more than half of their pairs, at least two of them, by a question: each with how
/// often, of how many; the best first.
fn best(seat: &Seat, criterion: usize) -> Vec<(u16, u32, u32)> {
    let mut tally: HashMap<u16, (u32, u32)> = HashMap::new();
    for (pair, answers) in seat.given.iter().filter(|(pair, _)| !seat.gold.contains(&pair.q)) {
        let winner = match answers.get(criterion) {
            Some(Answer::First) => pair.first,
            Some(Answer::Second) => pair.second,
            _ => continue,
        };
        for item in [pair.first, pair.second] {
            let (won, of) = tally.entry(item).or_default();
            *won += u32::from(item == winner);
            *of += 1;
        }
    }
    let often = tally.into_iter().filter(|(_, (won, of))| *of >= 2 && 2 * won > *of);
    let mut best: Vec<_> = often.map(|(item, (won, of))| (item, won, of)).collect();
    // Larger share, then more pairs, then the lower number: the same page whenever it is shown.
    best.sort_by(|(a, w, n), (b, v, m)| (v * n).cmp(&(w * m)).then(m.cmp(n)).then(a.cmp(b)));
    best
}

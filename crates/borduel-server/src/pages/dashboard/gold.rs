//! Gold pairs on the organiser's pages: a line a pair, by the names that people know.

use super::super::layout::Fault;
use super::Room;
use super::fields::{choice, shown};
use borduel_study::settings::{Gold, GoldPair, Then};
use maud::{Markup, html};

/// The keys and titles of items and contexts.
pub(super) struct Names {
    items: Vec<(String, String)>,
    contexts: Vec<(String, String)>,
}

impl Names {
    /// Those of contexts only where gold pairs name some: there may be thousands.
    pub(super) async fn of(room: &Room, with_contexts: bool) -> Result<Self, Fault> {
        let items = room.desk.items().await?.into_iter().map(|(_, key, content)| (key, content.title.clone()));
        let contexts = room.desk.contexts(0, if with_contexts { usize::MAX } else { 0 }).await?.into_iter();
        let contexts = contexts.map(|(_, context, content)| (context.key, content.title.clone()));
        Ok(Self { items: items.collect(), contexts: contexts.collect() })
    }
}

/// What a key is called: by its title, unless another has the same or it could not be read again.
fn name<'a>(key: &'a str, among: &'a [(String, String)]) -> &'a str {
    let Some((_, title)) = among.iter().find(|(other, _)| other == key) else { return key };
    let plain = !title.contains(['>', '@', '\n']) && title.trim() == title && !title.is_empty();
    let unique = among.iter().filter(|(other, named)| named == title || other == title).count() == 1;
    if plain && unique { title } else { key }
}

/// The key of what is called so.
fn key(called: &str, among: &[(String, String)], what: &str) -> Result<String, String> {
    let called = called.trim();
    let found = among.iter().find(|(key, _)| key == called).or_else(|| among.iter().find(|(_, title)| title == called));
    let missing = || format!("gold pairs: there is no {what} {called:?}; write a name as it stands under Items");
    found.map(|(key, _)| key.clone()).ok_or_else(missing)
}

/// Gold pairs as lines.
pub(super) fn lines(pairs: &[GoldPair], names: &Names) -> String {
    let line = |pair: &GoldPair| {
        let place = pair.context.as_ref().map_or_else(String::new, |key| format!(" @ {}", name(key, &names.contexts)));
        format!("{} > {}{place}", name(&pair.better, &names.items), name(&pair.worse, &names.items))
    };
    pairs.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Lines as gold pairs.
///
/// # Errors
/// A sentence that names the line.
pub(super) fn pairs(lines: &str, names: &Names) -> Result<Vec<GoldPair>, String> {
    let pair = |line: &str| {
        let wrong = || format!("gold pairs: {line:?} is none; write them as better > worse, one per line");
        let (better, rest) = line.split_once('>').ok_or_else(wrong)?;
        let (worse, context) = rest.split_once('@').map_or((rest, None), |(worse, context)| (worse, Some(context)));
        let context = context.map(|called| key(called, &names.contexts, "context")).transpose()?;
        let (better, worse) = (key(better, &names.items, "item")?, key(worse, &names.items, "item")?);
        Ok(GoldPair { better, worse, context })
    };
    lines.lines().filter(|line| !line.trim().is_empty()).map(pair).collect()
}

/// The part of the form; the pairs as they were typed. Open where it has something, or something is wrong.
pub(super) fn fields(gold: &Gold, typed: &str, wrong: bool) -> Markup {
    html! {
        details open[wrong || !typed.is_empty()] {
            summary { "Gold pairs: do voters look?" }
            div.stack {
                label { "Pairs with a known answer"
                    span.soft.small {
                        " one per line, as better > worse; a hidden item will do, and is asked about in no other way"
                    }
                    textarea name="gold" rows="3" placeholder="Fresh tea > Dishwater" { (typed) } }
                p.soft.small { "Answers to them are never counted as votes." }
                label { "Percent of questions that are gold, until a voter has seen all of them"
                    input type="number" name="gold_share" min="1" max="50" step="any" required
                        value=(shown(gold.share));
                }
                label { "How many a voter may fail"
                    input type="number" name="may_fail" min="0" max="200" required value=(gold.may_fail); }
                (choice("then", "Whoever fails more", gold.then, &[
                    (Then::Flag, "flag", "stands out among the voters"),
                    (Then::Aside, "aside", "is not counted"),
                    (Then::Away, "away", "is not counted, and sent away with the code for those screened out"),
                ]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let named = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(key, title)| ((*key).to_owned(), (*title).to_owned())).collect()
        };
        let items = named(&[("tea", "Fresh tea"), ("dish", "Dish > water"), ("a", "Twin"), ("b", "Twin")]);
        let names = Names { items, contexts: named(&[("noon", "At noon")]) };
        let typed = "Fresh tea > dish @ At noon\n\n a>b ";
        let found = pairs(typed, &names).unwrap();
        assert_eq!(lines(&found, &names), "Fresh tea > dish @ At noon\na > b");
        assert_eq!(pairs(&lines(&found, &names), &names).unwrap(), found);
        for (wrong, named) in [("Fresh tea", "better > worse"), ("Fresh tea > Cocoa", "Cocoa"), ("a > b @ six", "six")]
        {
            assert!(pairs(wrong, &names).unwrap_err().contains(named), "{wrong}");
        }
    }
}

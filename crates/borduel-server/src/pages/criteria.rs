//! Several questions about each pair, on the organiser's pages: as lines that are typed, and as links to what each
//! brings.

use borduel_report::plain;
use borduel_study::settings::{Criterion, is_key};
use maud::{Markup, html};

/// Questions as lines: `key: question`.
pub(super) fn lines(criteria: &[Criterion]) -> String {
    let mut text = String::new();
    for Criterion { key, question } in criteria {
        text += &format!("{key}: {question}\n");
    }
    text
}

/// Lines as questions: one a line, after its key where one is said. One question alone is none of several.
pub(super) fn read(lines: &str, known: &[Criterion]) -> Vec<Criterion> {
    let mut criteria: Vec<Criterion> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let named = line.split_once(':').map(|(key, question)| (key.trim(), question.trim()));
        let (key, question) = if let Some((key, question)) = named.filter(|(key, _)| is_key(key)) {
            (key.to_owned(), question)
        } else {
            // Whoever changes the words of a question means the same one.
            let before = known.get(criteria.len()).map(|known| known.key.clone());
            (before.unwrap_or_else(|| key_of(line, &criteria)), line)
        };
        criteria.push(Criterion { key, question: question.to_owned() });
    }
    criteria
}

/// A key made from the last words of a question, which no other has.
fn key_of(question: &str, others: &[Criterion]) -> String {
    let words = question.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let last = words.map(str::to_ascii_lowercase).next_back().unwrap_or_default();
    let word = if is_key(&last) { last } else { "question".to_owned() };
    let taken = |key: &str| others.iter().any(|other| other.key == key);
    let numbered = |number: usize| if number == 1 { word.clone() } else { format!("{word}_{number}") };
    // One of these is free: there are fewer others.
    (1..=others.len() + 1).map(numbered).find(|key| !taken(key)).unwrap_or(word)
}

/// The field of a form.
pub(super) fn field(typed: &str) -> Markup {
    html! {
        label { "Several questions about each pair"
            span.soft.small {
                " one per line, each with a result of its own; nothing where the question above is the only one"
            }
            textarea name="criteria" rows="2" placeholder="Which is funnier?\nWhich is truer?" { (typed) }
        }
    }
}

/// The way to what each question brings, under this name: each with its address, and what is said of it,
/// which is fit to be shown.
pub(super) fn links<'a>(
    all: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
    page: &str,
    chosen: usize,
    name: &str,
) -> Markup {
    html! {
        nav.questions aria-label=(name) {
            @for (at, (key, question, says)) in all.enumerate() {
                a href=(format!("{page}?criterion={key}")) aria-current=[(at == chosen).then_some("page")] {
                    span dir="auto" { (plain(question)) }
                    @if !says.is_empty() { " " span.soft.small { (says) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_lines_with_keys_or_without() {
        let read = |text: &str| read(text, &[]);
        let keys = |text: &str| read(text).into_iter().map(|one| one.key).collect::<Vec<_>>();
        assert_eq!(keys("Which is funnier?\n\n Which is truer? \n"), ["funnier", "truer"]);
        assert_eq!(
            keys("Which is better?\nReally better?\n哪个更好？\nWhich of the 2?"),
            ["better", "better_2", "question", "question_2"]
        );
        assert_eq!(keys("fun: Which is funnier?\nNote: which is truer?"), ["fun", "truer"]);
        let criteria = read("fun: Which is funnier?\ntrue: Which is truer: this or that?");
        assert_eq!(criteria[1].question, "Which is truer: this or that?");
        assert_eq!(read(&lines(&criteria)), criteria);
        // Other words of a question that is known keep its key.
        assert_eq!(super::read("Which is the funnier one?", &criteria)[0].key, "fun");
        assert_eq!(read(" \n"), []);
    }
}

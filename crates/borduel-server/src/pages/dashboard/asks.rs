//! What is asked of voters before the first pair, on the organiser's pages: questions and answers as lines.

use borduel_report::plain;
use borduel_study::State;
use borduel_study::settings::{Ask, Choice};
use maud::{Markup, html};

/// Questions as lines: `key: question`, and `- answer` below it with `[out]` or `[at most 50]` behind it.
pub(super) fn lines(asks: &[Ask]) -> String {
    let mut text = String::new();
    for ask in asks {
        text += &format!("{}: {}\n", ask.key, ask.question);
        for Choice { text: answer, out, most } in &ask.answers {
            let out = if *out { " [out]" } else { "" };
            let most = if *most > 0 { format!(" [at most {most}]") } else { String::new() };
            text += &format!("- {answer}{out}{most}\n");
        }
    }
    text.trim_end().to_owned()
}

/// Lines as questions.
///
/// # Errors
/// A sentence that names the line.
pub(super) fn asks(lines: &str) -> Result<Vec<Ask>, String> {
    let mut asks: Vec<Ask> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(answer) = line.strip_prefix('-') {
            let none = || format!("questions about voters: the answer {line:?} stands before the first question");
            asks.last_mut().ok_or_else(none)?.answers.push(choice(answer.trim()));
            continue;
        }
        let wrong = || {
            format!("questions about voters: {line:?} is none; write key: question, and each answer below as - answer")
        };
        let (key, question) = line.split_once(':').ok_or_else(wrong)?;
        asks.push(Ask { key: key.trim().to_owned(), question: question.trim().to_owned(), answers: Vec::new() });
    }
    Ok(asks)
}

/// An answer with what stands behind it in brackets.
fn choice(line: &str) -> Choice {
    let (mut text, mut out, mut most) = (line, false, 0);
    while let Some((before, said)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        match (said.trim(), said.trim().strip_prefix("at most").map(|number| number.trim().parse::<u32>())) {
            ("out", _) => out = true,
            (_, Some(Ok(number))) => most = number,
            _ => break,
        }
        text = before.trim_end();
    }
    Choice { text: text.to_owned(), out, most }
}

/// The part of the form; the questions as they were typed.
pub(super) fn fields(typed: &str, over_quota: &str, wrong: bool) -> Markup {
    let example = "age: How old are you?\n- under 30 [at most 50]\n- 30 or older [at most 50]\ntea: Do you drink \
        tea?\n- yes\n- no [out]";
    html! {
        details open[wrong || !typed.is_empty() || !over_quota.is_empty()] {
            summary { "Questions about voters: attributes, screening, quotas" }
            div.stack {
                label { "Asked before the first pair"
                    span.soft.small {
                        " key: question, and its answers below it, one per line; [out] screens out, [at most 50] is a \
                         quota"
                    }
                    textarea name="asks" rows="6" placeholder=(example) { (typed) } }
                p.soft.small {
                    "The answers stand in votes.csv and voters.csv under their key. "
                    code { "borduel rank votes.csv --by age" }
                    " compares voters by them."
                }
                label { "Code for those who come when a quota is full, or https:// link back"
                    input name="over_quota" maxlength="500" value=(over_quota); }
            }
        }
    }
}

/// How many voters gave each answer, and how many are wanted.
pub(super) fn counts(state: &State) -> Markup {
    html! {
        @for ask in &state.settings.asks {
            h3 dir="auto" { (plain(&ask.question)) }
            ul.plain.small {
                @for (choice, taken) in ask.answers.iter().zip(state.taken(ask)) {
                    li {
                        span dir="auto" { (plain(&choice.text)) } ": "
                        @if choice.out { "screened out" }
                        @else if choice.most > 0 {
                            (taken)
                            " of "
                            (choice.most)
                            @if taken >= choice.most { " " span.badge { "full" } }
                        }
                        @else { (taken) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let typed = "age: How old?\n- under 30 [at most 50]\n-  30 [or so]  \n\ntea: Do you drink tea: ever?\n- \
            yes\n- no [at most 3] [out]";
        let found = asks(typed).unwrap();
        assert_eq!(found[0].answers[1], Choice { text: "30 [or so]".to_owned(), out: false, most: 0 });
        assert_eq!(found[1].answers[1], Choice { text: "no".to_owned(), out: true, most: 3 });
        assert_eq!(found[1].question, "Do you drink tea: ever?");
        assert_eq!(asks(&lines(&found)).unwrap(), found);
        assert!(asks("- yes").unwrap_err().contains("before the first question"));
        assert!(asks("How old?").unwrap_err().contains("key: question"));
    }
}

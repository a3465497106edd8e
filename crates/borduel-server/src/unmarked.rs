//! Texts in plain words: Markdown without its marks, the beginning of a long one, the caption of a picture.

use borduel_study::content::Content;
use pulldown_cmark::{Event, Options, Parser, TagEnd};

/// What reads Markdown as it is read everywhere here.
pub(crate) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS)
}

/// The words of a text, without what marks them up.
pub(crate) fn unmarked(text: &str, markdown: bool) -> String {
    if !markdown {
        return text.to_owned();
    }
    let mut words = String::with_capacity(text.len());
    for event in parser(text) {
        let ends = match event {
            Event::Text(own) | Event::Code(own) | Event::Html(own) | Event::InlineHtml(own) => {
                words.push_str(&own);
                false
            }
            Event::End(end) => {
                !matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
            }
            other => matches!(other, Event::SoftBreak | Event::HardBreak),
        };
        if ends {
            words.push(' ');
        }
    }
    words
}

/// The beginning of a text, so many characters at most, up to the end of a word.
pub(crate) fn beginning(text: &str, most: usize) -> String {
    let begins: String = text.chars().take(most).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    begins
        .rsplit_once(' ')
        .map_or(begins.as_str(), |(words, _)| words)
        .trim_end_matches([' ', ',', ';', '.', ':'])
        .to_owned()
}

/// The most characters of a caption beside results.
const CAPTION: usize = 120;

/// What stands under the picture of an item, in short; nothing where it has none.
pub(crate) fn caption(content: &Content, markdown: bool) -> String {
    let words = unmarked(content.text.as_deref().unwrap_or(""), markdown);
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= CAPTION { words } else { beginning(&words, CAPTION) + " …" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_without_their_marks() {
        let source = "# Merge\n\nWrite *a* `function`,\nplease:\n\n```python\ndef f(): ...\n```\n* <b>one</b>";
        let told: Vec<String> = unmarked(source, true).split_whitespace().map(str::to_owned).collect();
        assert_eq!(told.join(" "), "Merge Write a function, please: def f(): ... <b>one</b>");
        assert_eq!(unmarked("*as* it is", false), "*as* it is");
    }

    #[test]
    fn captions_are_short() {
        let of = |text: &str| caption(&Content { text: Some(text.to_owned()), ..Content::default() }, true);
        assert_eq!(of("The *old*\n\nharbour "), "The old harbour");
        let long = of(&"harbour ".repeat(40));
        assert!(long.ends_with("harbour …") && long.chars().count() <= CAPTION + 2, "{long}");
        assert_eq!(caption(&Content::default(), true), "");
    }
}

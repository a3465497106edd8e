//! Every word of the voters' pages, in every language that they speak: one row a sentence, `{}` where something is put
//! in, and `¦` between its forms where a language has several for different numbers.

use borduel_report::{numbers, plain};
use maud::{Markup, html};

/// Makes a table: a field a row, a constant a language.
macro_rules! words {
    (
        #[doc = $about:literal] $Table:ident;
        $($name:ident: $en:literal, $de:literal, $es:literal, $fr:literal, $zh:literal,
            $ar:literal, $he:literal;)*
    ) => {
        #[doc = $about]
        pub(in crate::pages) struct $Table {
            /// What the page's `lang` says.
            pub(in crate::pages) code: &'static str,
            $(pub(in crate::pages) $name: &'static str,)*
        }

        /// All languages, English first.
        pub(super) static ALL: [$Table; 7] = [
            $Table { code: "en", $($name: $en,)* },
            $Table { code: "de", $($name: $de,)* },
            $Table { code: "es", $($name: $es,)* },
            $Table { code: "fr", $($name: $fr,)* },
            $Table { code: "zh", $($name: $zh,)* },
            $Table { code: "ar", $($name: $ar,)* },
            $Table { code: "he", $($name: $he,)* },
        ];

        #[cfg(test)]
        pub(super) const ROWS: &[(&str, [&str; 7])] =
            &[$((stringify!($name), [$en, $de, $es, $fr, $zh, $ar, $he]),)*];
    };
}

mod told;
mod voting;

pub(super) use told::Told;
pub(super) use voting::Words;

/// How a language writes numbers.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    thousands: &'static str,
    point: &'static str,
    percent: &'static str,
}

impl Numbers {
    /// As the language of this code does.
    pub(super) fn of(code: &str) -> Self {
        let (thousands, point, percent) = match code {
            "de" | "es" => (".", ",", "\u{a0}%"),
            "fr" => ("\u{202f}", ",", "\u{202f}%"),
            "zh" | "he" => (",", ".", "%"),
            // Marks keep the sign on the right of a number that stands among Arabic letters.
            "ar" => (",", ".", "\u{200e}%\u{200e}"),
            _ => (",", ".", " %"),
        };
        Self { thousands, point, percent }
    }

    /// A whole number.
    pub(super) fn whole(self, value: f64) -> String {
        numbers::grouped(value).replace(',', self.thousands)
    }

    /// A number that is written with a point, or none.
    pub(super) fn decimal(self, number: &str) -> String {
        number.replace('.', self.point)
    }

    /// The same in percent.
    pub(super) fn percent(self, number: &str) -> String {
        self.decimal(number) + self.percent
    }
}

/// A name that may run from right to left as it stands in a sentence: what is around it keeps its place.
pub(super) fn name(name: &str) -> String {
    let rtl = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}');
    let shown = plain(name);
    if shown.contains(rtl) { format!("\u{2068}{shown}\u{2069}") } else { shown.into_owned() }
}

/// Whether the language of this code is written from right to left.
pub(super) fn from_right(code: &str) -> bool {
    matches!(code, "ar" | "he")
}

/// How many forms the language of this code has for different numbers, and which of them this number wants.
fn form(code: &str, number: u64) -> (usize, usize) {
    match code {
        "zh" => (1, 0),
        "fr" => (2, usize::from(number > 1)),
        "he" => (3, number.clamp(1, 3) as usize - 1 + usize::from(number == 0) * 2),
        "ar" => (
            5,
            match (number, number % 100) {
                (1, _) => 0,
                (2, _) => 1,
                (_, 3..=10) => 2,
                (_, 11..=99) => 3,
                _ => 4,
            },
        ),
        _ => (2, usize::from(number != 1)),
    }
}

/// The form of a sentence for this number, in the language of this code.
pub(super) fn counted<'a>(sentence: &'a str, code: &str, number: u64) -> &'a str {
    sentence.split('¦').nth(form(code, number).1).unwrap_or(sentence)
}

/// The pieces of a sentence, each with what is put in before it.
fn pieces<'a, T>(sentence: &'a str, parts: &'a [T]) -> impl Iterator<Item = (Option<&'a T>, &'a str)> {
    std::iter::once(None).chain(parts.iter().map(Some)).chain(std::iter::repeat(None)).zip(sentence.split("{}"))
}

/// A sentence with these in it.
pub(super) fn fill(sentence: &str, parts: &[&dyn std::fmt::Display]) -> String {
    let put = |(part, piece): (Option<&&dyn std::fmt::Display>, &str)| {
        part.map_or_else(String::new, ToString::to_string) + piece
    };
    pieces(sentence, parts).map(put).collect()
}

/// A sentence with markup in it.
pub(super) fn mark(sentence: &str, parts: &[Markup]) -> Markup {
    html! {
        @for (part, piece) in pieces(sentence, parts) {
            @if let Some(part) = part { (part) }
            (piece)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::voting::ALL;
    use super::*;

    #[test]
    fn every_language_has_every_sentence_with_the_same_gaps() {
        let gaps = |text: &str| text.matches("{}").count();
        for (name, row) in voting::ROWS.iter().chain(told::ROWS) {
            let wanted = gaps(row[0].split('¦').next().unwrap());
            for (words, sentence) in ALL.iter().zip(row) {
                let forms: Vec<&str> = sentence.split('¦').collect();
                assert!([1, form(words.code, 0).0].contains(&forms.len()), "{name}: {sentence}");
                for (at, one) in forms.iter().enumerate() {
                    // Some languages say one and two in a word.
                    let in_a_word = wanted == 1 && gaps(one) == 0 && at + 1 < forms.len();
                    assert!(!one.trim().is_empty() && (gaps(one) == wanted || in_a_word), "{name}: {one}");
                }
            }
        }
        assert_eq!(fill(ALL[0].chosen_in, &[&3, &4]), "chosen in 3 of 4 pairs");
        assert_eq!(mark(ALL[1].or, &[html! { b { "A" } }, html! { "B" }]).into_string(), "<b>A</b> oder B?");
    }

    #[test]
    fn every_number_has_its_form() {
        let more = |code: &str, number: u64| {
            let words = ALL.iter().find(|words| words.code == code).unwrap();
            fill(counted(words.more, code, number), &[&number])
        };
        assert_eq!([more("en", 1), more("de", 1), more("de", 10)], ["Vote on 1 more", "Noch 1 Paar", "Noch 10 Paare"]);
        assert_eq!(more("zh", 1), "再投 1 组");
        let places = |code: &str, numbers: &[u64]| numbers.iter().map(|&n| form(code, n).1).collect::<Vec<_>>();
        assert_eq!(places("ar", &[1, 2, 3, 10, 11, 99, 100, 102, 103, 111]), [0, 1, 2, 2, 3, 3, 4, 4, 2, 3]);
        assert_eq!(places("he", &[0, 1, 2, 3, 100]), [2, 0, 1, 2, 2]);
        assert_eq!(places("fr", &[0, 1, 2]), [0, 0, 1]);
    }

    #[test]
    fn names_from_right_to_left_keep_to_themselves() {
        assert_eq!(name("Tee"), "Tee");
        assert_eq!(fill("Noch: {}, {}.", &[&name("שלום!"), &"Tee"]), "Noch: \u{2068}שלום!\u{2069}, Tee.");
    }

    #[test]
    fn numbers_are_written_as_the_language_does() {
        let written = |code| {
            let numbers = Numbers::of(code);
            (numbers.whole(12_345.0), numbers.percent("97.5"))
        };
        assert_eq!(written("en"), ("12,345".into(), "97.5 %".into()));
        assert_eq!(written("de"), ("12.345".into(), "97,5\u{a0}%".into()));
        assert_eq!(written("fr"), ("12\u{202f}345".into(), "97,5\u{202f}%".into()));
        assert_eq!(written("zh"), ("12,345".into(), "97.5%".into()));
        assert_eq!(written("ar"), ("12,345".into(), "97.5\u{200e}%\u{200e}".into()));
    }
}

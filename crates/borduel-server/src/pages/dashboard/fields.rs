//! What the organiser's forms are made of.

use maud::{Markup, html};

/// A share as percent, as a form has it.
pub(super) fn shown(share: f64) -> String {
    let percent = format!("{:.4}", 100.0 * share);
    percent.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A box to tick.
pub(super) fn tick(name: &str, on: bool, text: &str, more: &str) -> Markup {
    html! {
        label.check {
            input type="checkbox" name=(name) value="yes" checked[on];
            span { (text) " " span.soft { (more) } }
        }
    }
}

/// A list of which one is chosen: values, what forms send for them, and what people read.
pub(super) fn choice<T: Copy + PartialEq>(name: &str, label: &str, now: T, options: &[(T, &str, &str)]) -> Markup {
    html! {
        label { (label) select name=(name) {
            @for (value, word, text) in options { option value=(word) selected[*value == now] { (text) } }
        } }
    }
}

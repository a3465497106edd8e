//! When a study closes by itself, as a form has it.

use borduel_study::settings::Stop;
use maud::{Markup, html};

/// The choice.
pub(super) fn choice(now: Stop) -> Markup {
    let option = |stop: Stop, value: &str, text: &str| html! { option value=(value) selected[stop == now] { (text) } };
    html! {
        label {
            "Close by itself"
            select name="stop" {
                option value="" selected[now.until().is_none()] { "Not by its verdict" }
                (option(Stop::GoodEnough, "good-enough", "When one is good enough: nobody is better by more than the margin"))
                (option(Stop::Clear, "clear", "When one is clearly better than every other, or a tie is shown"))
            }
        }
    }
}

/// What was chosen; a number of votes or a date, which forms do not have, stays.
pub(super) fn chosen(value: &str, now: Stop) -> Stop {
    match value {
        "good-enough" => Stop::GoodEnough,
        "clear" => Stop::Clear,
        _ if now.until().is_some() => Stop::Never,
        _ => now,
    }
}

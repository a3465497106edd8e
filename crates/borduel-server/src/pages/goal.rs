//! What is to be found, as a form has it.

use borduel_study::settings::Goal;
use maud::{Markup, html};
use serde_json::{Value, json};

/// The choice of a goal, in a form.
pub(super) fn choice(now: Goal) -> Markup {
    let best = if let Goal::Top(best) = now { best } else { 3 };
    html! {
        label {
            "What is to be found"
            select name="goal" {
                option value="winner" selected[now == Goal::Winner] { "The best item" }
                option value="top" selected[now == Goal::Top(best)] { "The best few, in any order" }
                option value="order" selected[now == Goal::Order] { "The whole order" }
            }
        }
        label.if-top {
            "How many are the best few"
            input type="number" name="best" min="1" max="1000" required value=(best);
        }
    }
}

/// What was chosen, as the settings have it.
pub(super) fn chosen(word: &str, best: &str) -> Value {
    match word {
        "top" => json!({ "top": best.parse::<u16>().map_or_else(|_| Value::String(best.to_owned()), Value::from) }),
        other => other.into(),
    }
}

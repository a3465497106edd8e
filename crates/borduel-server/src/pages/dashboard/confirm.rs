//! A question before what cannot be taken back, or takes votes away: a page, so that it is asked without a script too.

use super::Room;
use crate::links;
use axum::response::Response;
use maud::html;

/// What is to be confirmed.
pub(super) struct Confirm<'a> {
    /// What is asked.
    pub(super) head: &'a str,
    /// What will happen.
    pub(super) text: &'a str,
    /// Where it goes, and what is sent.
    pub(super) action: &'a str,
    pub(super) fields: &'a [(&'a str, &'a str)],
    /// What the button says.
    pub(super) button: &'a str,
    /// The tab to go back to.
    pub(super) back: &'a str,
    /// What must be typed, for what nothing brings back.
    pub(super) typed: Option<&'a str>,
}

impl Confirm<'_> {
    /// Makes the page that asks whether to go on.
    pub(super) fn page(&self, room: &Room) -> Response {
        let admin = links::admin(room.slug());
        room.page(
            self.back,
            &[],
            &html! {
                section.confirm {
                    h2 { (self.head) }
                    p.lead { (self.text) }
                    form.stack method="post" action=(format!("{admin}/{}", self.action)) {
                        @for (name, value) in self.fields { input type="hidden" name=(name) value=(value); }
                        @if let Some(typed) = self.typed {
                            label {
                                "To be sure, type "
                                b { (typed) }
                                input name="sure" required autocomplete="off" pattern=(typed);
                            }
                        } @else { input type="hidden" name="sure" value="yes"; }
                        div.row {
                            button.danger type="submit" { (self.button) }
                            a.button href=(format!("{admin}{}", self.back)) { "Cancel" }
                        }
                    }
                }
            },
        )
    }
}

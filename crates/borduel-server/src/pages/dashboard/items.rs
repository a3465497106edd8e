//! Items on the organiser's page: what is asked about, and how that changes.

use super::super::layout::Fault;
use crate::links;
use borduel_report::plain;
use borduel_study::Desk;
use maud::{Markup, html};

/// The section.
pub(super) async fn section(desk: &Desk, slug: &str) -> Result<Markup, Fault> {
    let contents = desk.items().await?;
    let items = desk.read(|state| state.items.clone()).await?;
    let admin = links::admin(slug);
    Ok(html! {
        section #items {
            h2 { "Items" }
            div.scroll tabindex="0" role="region" aria-label="Items" {
                table {
                    thead { tr { th scope="col" { "Item" } th scope="col" { "Shown" } th scope="col" { span.hide { "Change" } } } }
                    tbody {
                        @for (item, (_, key, content)) in items.iter().zip(&contents).filter(|(item, _)| !item.replaced) {
                            tr.off[!item.enabled] {
                                th scope="row" {
                                    @if let Some(hash) = &content.image { img.thumb src=(links::picture(slug, hash)) alt="" loading="lazy"; }
                                    (plain(&content.title))
                                    details {
                                        summary { "Edit" }
                                        form.stack method="post" action=(format!("{admin}/item")) {
                                            input type="hidden" name="key" value=(key);
                                            label { "Title" input name="title" required maxlength="200" value=(content.title); }
                                            label { "Text" textarea name="text" rows="3" maxlength="10000" { (content.text.as_deref().unwrap_or("")) } }
                                            label { "Link" input type="url" name="link" maxlength="2000" value=(content.link.as_deref().unwrap_or("")); }
                                            label.check { input type="checkbox" name="correction" value="yes"; span { "A correction: its votes stay" } }
                                            p.soft.small { "Otherwise an item that was shown is replaced by a new one without votes." }
                                            div.row { button type="submit" name="act" value="edit" { "Save" } }
                                        }
                                    }
                                }
                                td { (item.shown()) }
                                td {
                                    form method="post" action=(format!("{admin}/item")) {
                                        input type="hidden" name="key" value=(key);
                                        @if item.enabled { button type="submit" name="act" value="disable" { "Leave out" span.hide { " " (plain(&content.title)) } } }
                                        @else { button type="submit" name="act" value="enable" { "Ask again" span.hide { " about " (plain(&content.title)) } } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            form.stack method="post" action=(format!("{admin}/items")) {
                label { "More items" span.soft.small { " one a line, or a table with the columns name, text, link" } textarea name="items" rows="3" required {} }
                div.row { button type="submit" { "Add" } }
            }
        }
    })
}

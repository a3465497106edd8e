//! Markdown of strangers as HTML that can do no harm: no HTML of its own, no pictures from elsewhere, links with
//! `https:` only, and no style, which the page's own policy would refuse.

use crate::unmarked::parser;
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd};

/// The text of an item as it is shown, below its name.
pub(super) fn text(text: &str, markdown: bool) -> Markup {
    below(text, markdown, HeadingLevel::H4)
}

/// What is said of a study, below its question.
pub(super) fn description(text: &str) -> Markup {
    below(text, true, HeadingLevel::H2)
}

/// A text whose headings, whatever their level, are of this one.
fn below(text: &str, markdown: bool, level: HeadingLevel) -> Markup {
    if !markdown {
        return html! { p.plain { (text) } };
    }
    let mut shown = String::with_capacity(text.len() * 3 / 2);
    // Whether each link that is open now leads somewhere.
    let mut links = Vec::new();
    let events = parser(text).filter_map(|event| sanitized(event, level, &mut links));
    pulldown_cmark::html::push_html(&mut shown, events);
    // Only the writer itself can have written these: `<` of the text is escaped.
    for (cell, side) in
        [("th", "left"), ("th", "center"), ("th", "right"), ("td", "left"), ("td", "center"), ("td", "right")]
    {
        shown = shown.replace(&format!("<{cell} style=\"text-align: {side}\""), &format!("<{cell} class=\"{side}\""));
    }
    PreEscaped(shown)
}

fn sanitized<'a>(event: Event<'a>, level: HeadingLevel, links: &mut Vec<bool>) -> Option<Event<'a>> {
    match event {
        // What was meant as HTML is shown as it was written.
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
        // What the picture would show, as such.
        Event::Start(Tag::Image { .. }) => Some(Event::Text("[picture: ".into())),
        Event::End(TagEnd::Image) => Some(Event::Text("]".into())),
        Event::TaskListMarker(done) => Some(Event::Text(if done { "☑ " } else { "☐ " }.into())),
        Event::Start(Tag::Heading { .. }) => {
            let (id, classes, attrs) = (None, Vec::new(), Vec::new());
            Some(Event::Start(Tag::Heading { level, id, classes, attrs }))
        }
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Heading(level))),
        Event::Start(Tag::Link { dest_url, .. }) => {
            let leads = dest_url.starts_with("https://");
            links.push(leads);
            // The writer of HTML escapes addresses; titles are left out.
            let (link_type, title, id) = (LinkType::Inline, CowStr::from(""), CowStr::from(""));
            leads.then_some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) => links.pop().unwrap_or(false).then_some(Event::End(TagEnd::Link)),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        text(source, true).into_string()
    }

    #[test]
    fn what_is_meant_well_is_shown() {
        assert_eq!(
            shown("**tea** is [good](https://example.org/a?b=1&c)"),
            "<p><strong>tea</strong> is <a href=\"https://example.org/a?b=1&amp;c\">good</a></p>\n"
        );
        assert!(shown("* one\n* two").contains("<li>one</li>"));
        assert_eq!(shown("# Head\n\ntext"), "<h4>Head</h4>\n<p>text</p>\n");
        assert_eq!(description("### Head").into_string(), "<h2>Head</h2>\n");
        assert_eq!(shown("* [x] done\n* [ ] not"), "<ul>\n<li>☑ done</li>\n<li>☐ not</li>\n</ul>\n");
        assert_eq!(shown("![a cat](https://example.org/c.png)"), "<p>[picture: a cat]</p>\n");
        let table = shown("a|b\n-:|-\n1|2");
        assert!(table.contains("<th class=\"right\">a</th>") && !table.contains("style"), "{table}");
        let code = shown("a `<td style=\"text-align: left\">`");
        assert!(code.contains("&lt;td style="), "text stays text: {code}");
        assert_eq!(text("*as* <it> is", false).into_string(), "<p class=\"plain\">*as* &lt;it&gt; is</p>");
    }

    #[test]
    fn what_is_not_does_nothing() {
        let hostile = [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "a <b onclick=alert(1)>b</b>",
            "[a](javascript:alert(1))",
            "[a](data:text/html,x)",
            "![a](https://evil.example/pixel.png)",
            "![a](x\" onerror=\"alert(1))",
            "<https://example.org/\"onclick=alert(1)>",
            "[a]: javascript:alert(1)\n\n[a]",
            "# <svg/onload=alert(1)>",
            "```<x>\n</code><script>\n```",
            "[![a](x)](vbscript:y)",
        ];
        for source in hostile {
            let page = shown(source).to_ascii_lowercase();
            assert!(
                !page.contains("<script") && !page.contains("<img") && !page.contains("<svg") && !page.contains("<b "),
                "{page}"
            );
            for part in page.split('<').skip(1) {
                let tag = part.split('>').next().unwrap_or_default();
                assert!(!tag.contains("onclick=alert") || tag.contains("%22onclick"), "{page}");
                assert!(!tag.contains("href") || tag.contains("href=\"https://"), "{page}");
            }
        }
    }
}

//! Pictures as they are drawn: nothing is cut off, and a tall one has its scale on top too.

use super::*;
use crate::ranking::{Source, page};
use borduel::ballots::{Answer, Ballots, BothBad, Ties};
use borduel::ranking::{Model, RankOptions, Ranking, rank};
use resvg::usvg::{Group, Node, Options, Tree, fontdb};
use std::sync::Arc;

/// Items of which each wins most of its votes against the next ones.
fn votes(names: &[String]) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    let items: Vec<u32> = names.iter().map(|name| ballots.item(name)).collect();
    for (at, &better) in items.iter().enumerate() {
        for &worse in items[at + 1..].iter().take(3) {
            ballots.add(better, worse, None, Answer::Left, 1.0, 7.0).unwrap();
            ballots.add(better, worse, None, Answer::Right, 1.0, 4.0).unwrap();
        }
    }
    ballots.finish()
}

fn with<T>(names: &[String], look: impl Fn(&Ranked<'_>) -> T) -> T {
    let (ballots, options) = (votes(names), RankOptions::default());
    let ranking: Ranking = rank(&ballots, &Model::OneHot, &options).unwrap();
    let source = Source::default();
    look(&Ranked {
        ranking: &ranking,
        ballots: &ballots,
        options: &options,
        names: &[],
        source,
        strength: false,
        verdict: None,
    })
}

/// The letters of a picture as they come to lie, in the units of its width and height: left, top, right and bottom of
/// each text.
fn texts(svg: &str) -> ((f64, f64), Vec<[f64; 4]>) {
    // What matters of the style: where texts are anchored, and how large and strong they are.
    let matters = |line: &&str| ["text-anchor", "font-size", "font-weight"].iter().any(|what| line.contains(what));
    let style: String = CSS.lines().filter(matters).collect();
    // Without a width of its own a picture is as large as its view.
    let (begin, rest) = svg.split_once(" width=\"").unwrap();
    let (tag, inside) = rest.split_once('"').unwrap().1.split_once('>').unwrap();
    let svg = format!("{begin} xmlns=\"http://www.w3.org/2000/svg\" {tag}><style>{style}</style>{inside}");
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    let options = Options { fontdb: Arc::new(fonts), font_family: "Noto Sans".to_owned(), ..Options::default() };
    let tree = Tree::from_str(&svg, &options).unwrap();
    let mut found = Vec::new();
    collect(tree.root(), &mut found);
    ((f64::from(tree.size().width()), f64::from(tree.size().height())), found)
}

fn collect(group: &Group, found: &mut Vec<[f64; 4]>) {
    for node in group.children() {
        match node {
            Node::Group(group) => collect(group, found),
            Node::Text(text) => {
                let area = text.abs_bounding_box();
                found.push([area.left(), area.top(), area.right(), area.bottom()].map(f64::from));
            }
            _ => {}
        }
    }
}

/// Every text of a picture lies within it.
#[track_caller]
fn nothing_is_cut_off(svg: &str, least: usize) {
    let ((width, height), texts) = texts(svg);
    assert!(texts.len() >= least, "{} texts", texts.len());
    for [left, top, right, bottom] in texts {
        let within = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
        assert!(within, "{left:.1} {top:.1} {right:.1} {bottom:.1} is not within {width} by {height}");
    }
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn no_name_is_cut_off_at_an_edge() {
    let wide = "W".repeat(40);
    let long = "a model with a very long name, and 70B parameters, as people call them (v2, instruct)";
    for list in [
        names(&["a", "b", "c"]),
        names(&[&wide, "b", "c"]),
        names(&["a", "b", &wide]),
        names(&[long, &wide, "MMMM@@@@%%%%", "ÄÖÜẞÆŒ ÄÖÜẞÆŒ", "ГДЖЮЩ ГДЖЮЩ", "———————", "iiiiiiiiii", "0123456789"]),
    ] {
        with(&list, |ranked| {
            let wide = forest(ranked).into_string();
            nothing_is_cut_off(&wide, 3 * list.len());
            // A label that is moved out of the picture is noticed.
            let moved = wide.replacen("class=\"label\"", "dx=\"-300\" class=\"label\"", 1);
            assert!(texts(&moved).1.iter().any(|[left, ..]| *left < 0.0));
            let both = forests(ranked).into_string();
            let narrow = both.rfind("<svg").unwrap();
            nothing_is_cut_off(both[narrow..].trim_end_matches("</div>"), 2 * list.len());
            nothing_is_cut_off(&matrix(ranked, &BTreeMap::new()).into_string(), 2 * list.len());
            // With pictures, which stand between names and cells, of all items but one.
            let face = Face { picture: Some("/tea.png".to_owned()), ..Face::default() };
            let of = |score: &ItemScore| (ranked.id(score.item).to_owned(), face.clone());
            let pictures = ranked.ranking.items.iter().skip(1).map(of).collect();
            let seen = matrix(ranked, &pictures).into_string();
            nothing_is_cut_off(&seen, 2 * list.len());
            assert_eq!(seen.matches("<image").count(), 2 * (list.len() - 1));
        });
    }
}

#[test]
fn pictures_say_in_words_what_they_show() {
    let list: Vec<String> = (0..10).map(|item| format!("tea {item}")).collect();
    with(&list, |ranked| {
        let label = |svg: &str| svg.split_once("aria-label=\"").unwrap().1.split('"').next().unwrap().to_owned();
        let plot = label(&forests(ranked).into_string());
        assert!(
            plot.starts_with("Scores with intervals, best first: tea 0 ") && plot.ends_with("; and 2 more"),
            "{plot}"
        );
        assert!(plot.contains("tea 7 ") && !plot.contains("tea 8 "), "{plot}");
        let first = score(ranked).unwrap();
        assert!(first.starts_with("The first line says: tea 0 is preferred in "), "{first}");
        let pairs = label(&matrix(ranked, &BTreeMap::new()).into_string());
        assert!(pairs.starts_with("Shares of wins of every pair: 24 of 45 were compared; the clearest: "), "{pairs}");
        assert_eq!(share(ranked).unwrap(), "Its first number says: tea 0 won 64 % of 11 votes against tea 1.");
        // Whoever reads the page sees them too.
        let whole = page(ranked);
        assert_eq!(whole.matches("<figcaption>").count(), 2);
        assert!(whole.contains(&first));
    });
}

#[test]
fn a_tall_plot_has_its_scale_on_top_too() {
    for (items, tall) in [(SCREEN, false), (SCREEN + 1, true), (60, true)] {
        let list: Vec<String> = (0..items).map(|item| format!("item {item}")).collect();
        with(&list, |ranked| {
            let both = forests(ranked).into_string();
            for svg in both.split("<svg").skip(1) {
                let places = |text: &str| -> Vec<f64> {
                    let at =
                        |tick: &str| tick.split_once(" y=\"").unwrap().1.split('"').next().unwrap().parse().unwrap();
                    text.split("<text").filter(|tick| tick.contains("class=\"tick\"")).map(at).collect()
                };
                let rows = svg.split_once("<g ").unwrap().1.split_once(" y=\"").unwrap().1;
                let first_row: f64 = rows.split('"').next().unwrap().parse().unwrap();
                let places = places(svg);
                let above = places.iter().filter(|&&y| y < first_row).count();
                assert!(places.len() > 2);
                assert_eq!(above, if tall { places.len() / 2 } else { 0 }, "{items} items");
            }
        });
    }
}

#[test]
fn tables_scroll_by_themselves_and_long_names_are_wrapped() {
    let name = "x".repeat(400);
    let page = with(&names(&[&name, "b", "c"]), page);
    assert!(page.contains(&format!(">{name}</td>")), "the whole name is there");
    assert_eq!(page.matches("<table>").count(), page.matches("<div class=\"wide\" tabindex=\"0\"><table>").count());
    assert!(page.contains("<table>"));
    let rule = |selector: &str| {
        let rules = page.split('}').filter_map(|rule| rule.split_once('{'));
        let of = |names: &str| names.split(',').any(|name| name.trim() == selector);
        rules.filter(|(names, _)| of(names)).map(|(_, rule)| rule).collect::<String>()
    };
    assert!(rule(".wide").contains("overflow-x: auto"));
    assert!(rule("td.name").contains("overflow-wrap: anywhere") && rule("td.name").contains("white-space: normal"));
}

/// Letters on every shade of the matrix have the contrast that small text needs.
#[test]
fn every_number_of_the_matrix_can_be_read() {
    let linear = |c: f64| if c <= 10.31475 { c / 255.0 / 12.92 } else { ((c / 255.0 + 0.055) / 1.055).powf(2.4) };
    for share in (0..=100).map(|percent| f64::from(percent) / 100.0) {
        let shade = shade(share);
        let [r, g, b] = shade.map(linear);
        let light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let contrast = if is_dark(shade) { 1.05 / (light + 0.05) } else { (light + 0.05) / 0.05 };
        assert!(contrast >= 4.5, "{share}: {contrast}");
    }
}

#[test]
fn labels_of_a_large_matrix_do_not_overlap() {
    for items in [MOST_NAMED, MOST_NAMED + 1, 59] {
        let list: Vec<String> = (0..items).map(|item| format!("a rather long name, number {item}")).collect();
        with(&list, |ranked| {
            let svg = matrix(ranked, &BTreeMap::new()).into_string();
            let columns = svg.matches("class=\"column\">a rather long").count();
            assert_eq!(columns, if items > MOST_NAMED { 0 } else { items });
            nothing_is_cut_off(&svg, 2 * items);
            // Whoever stands in one line with another begins behind its end.
            if items > MOST_NAMED {
                let mut heads: Vec<[f64; 4]> = texts(&svg).1.into_iter().skip(1).step_by(2).take(items).collect();
                heads.sort_by(|a, b| a[0].total_cmp(&b[0]));
                let apart = |two: &[[f64; 4]]| two[0][2] <= two[1][0] + 0.5;
                assert!(heads.windows(2).all(apart), "{items}: {heads:?}");
            }
        });
    }
}

#[test]
fn every_other_tier_has_a_band_and_each_its_number() {
    let list: Vec<String> = (0..40).map(|item| format!("item {item}")).collect();
    with(&list, |ranked| {
        let tiers = ranked.ranking.tiers();
        let last = *tiers.iter().max().unwrap();
        assert!(last > 2, "{tiers:?}");
        let svg = forest(ranked).into_string();
        let runs = runs(&tiers);
        assert_eq!(svg.matches("class=\"tier\"").count(), runs.len());
        assert_eq!(svg.matches("class=\"band\"").count(), runs.iter().filter(|run| run.0 % 2 == 0).count());
        assert!((1..=last).all(|tier| svg.contains(&format!(">tier {tier}</text>"))));
        // The table has it first, and names to the left.
        let table = ranked.table();
        assert_eq!((table.heads[0].as_str(), table.names), ("tier", 1));
        assert!(table.columns().lines().nth(1).unwrap().starts_with("   1  item 0 "), "{}", table.columns());
    });
    // One tier needs neither.
    with(&names(&["a", "b"]), |ranked| {
        let svg = forest(ranked).into_string();
        assert!(!svg.contains("class=\"tier\"") && !svg.contains("class=\"band\""));
    });
}

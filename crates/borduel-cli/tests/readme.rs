//! What the README and the documents show is what the program does.

mod common;

use common::User;
use std::path::Path;

fn root(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_policy_is_in_the_table() {
    let pages = ["algorithms", "other-winners"].map(|page| root(&format!("docs/explanation/{page}.md"))).concat();
    let rows: Vec<&str> = pages.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    for name in borduel::POLICIES {
        assert!(rows.iter().any(|row| row.contains(&format!("`{name}`"))), "{name}");
    }
}

#[test]
fn files_that_are_linked_exist() {
    let readme = root("README.md");
    let links = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let pictures = readme.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    for link in links.chain(pictures).filter(|link| !link.starts_with("http")) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(link);
        assert!(path.exists(), "{link}");
    }
}

/// How to install it is said in the same words on both pages that people open first.
#[test]
fn the_readme_and_the_site_install_alike() {
    let section = |page: &str| {
        let text = root(page);
        let from =
            text.split("\n## Install\n").nth(1).unwrap_or_else(|| panic!("{page} does not say how to install it"));
        from.split("\n## ").next().unwrap_or_default().replace("](../", "](").replace("](docs/", "](")
    };
    assert_eq!(section("README.md"), section("docs/index.md"));
}

#[test]
fn the_comparison_of_all_policies_is_made_by_one_command() {
    let user = User::new();
    user.succeeds("reproduce peers --horizon 300 --runs 2 -q --out docs");
    let text = String::from_utf8(user.read("docs/PEERS.md")).unwrap();
    assert!(!text.contains('{'), "a place was left empty");
    for part in [
        "### six-rankers\n",
        "| policy | `condorcet`, T = 300 |",
        "`condorcet-min`, T = 300",
        "## Copeland regret",
        "It was not timed",
        "### copeland-cycle",
        "### cube",
        "20.73 log T",
        "| D-TS, plus = true |",
        "| VACDB |",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("NaN"), "{text}");
    let report = String::from_utf8(user.read("docs/report.html")).unwrap();
    for part in [
        "Condorcet winner: item",
        "No Condorcet winner: ",
        "Copeland winner: item",
        "Largest utility: item",
        "Strong stochastic transitivity does not hold",
        "(Komiyama et al. 2015)",
        "Items were shuffled",
    ] {
        assert!(report.contains(part), "{part}");
    }
    assert!(String::from_utf8(user.read("docs/peers.svg")).unwrap().contains("lower bound"));
    for wrong in [
        "reproduce peers --policies dts",
        "reproduce hard --duelpy python3",
        "reproduce peers --horizon 300 --runs 1 -q --duelingbanditlib nowhere",
    ] {
        assert_eq!(user.borduel(wrong).code, 2, "{wrong}");
    }
}

#[test]
fn what_adversaries_cost_is_played_by_one_command() {
    let user = User::new();
    user.succeeds("reproduce adversarial --horizon 600 --runs 2 -q --out docs");
    let text = String::from_utf8(user.read("docs/ADVERSARIAL.md")).unwrap();
    assert!(!text.contains('{') && !text.contains("NaN"), "{text}");
    for part in [
        "borduel reproduce adversarial --horizon 600 --runs 2 --out docs",
        "| T = 600 | six-rankers | arithmetic | condorcet-not-borda, K = 8 | arithmetic, turned | arithmetic, moving |",
        "| T = 600 | hard | linear, K = 30, d = 5 | hard, turned | hard, six θ | switching | rotating | drifting |",
        "| FTRL-Borda, regularizer = hybrid |",
        "| Track-Linear, replays = true |",
        "Nothing of this was played",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // Six pieces of 100 rounds, in each of which the item of rank 0 is ahead of the one of rank r by 0.05 r; over all
    // of them the ranks 0, 3, 6, 1, 4, 7 come up, and an item may at best have those but 7 and 6 with 2 and 0 instead.
    assert!(text.contains("| arithmetic, moving | the best item itself | 0 | 170 |"), "{text}");
    // Dynamic regret is Borda regret and what the best item itself loses, run by run.
    let json: serde_json::Value =
        serde_json::from_slice(&user.read("docs/moving-arithmetic-600/results.json")).unwrap();
    for policy in json["policies"].as_array().unwrap() {
        let of = |object: &serde_json::Value| object["final_regret"]["mean"].as_f64().unwrap();
        assert!((of(policy) - of(&policy["others"][0]) - 170.0).abs() < 1e-6, "{policy}");
    }
    assert!(user.read("docs/adversarial.svg").starts_with(b"<svg"));
    for wrong in ["--policies dexp3", "--regret borda", "--horizon 99", "--set dexp3.eta=1"] {
        let refused = user.borduel(&format!("reproduce adversarial {wrong} --runs 1 -q"));
        assert_eq!(refused.code, 2, "{wrong}: {}", refused.err);
    }
}

#[test]
fn random_worlds_are_played_by_one_command() {
    let user = User::new();
    user.succeeds("reproduce worlds --horizon 100 --runs 2 -q --out docs");
    let text = String::from_utf8(user.read("docs/WORLDS.md")).unwrap();
    assert!(!text.contains('{') && !text.contains("NaN"), "{text}");
    for part in
        ["# Worlds drawn at random", "| all | 200 |", "| useless features |", "## Where it lost", "## Every world"]
    {
        assert!(text.contains(part), "{part}");
    }
    assert!(user.read("docs/worlds.svg").starts_with(b"<svg"));
    // What was played stays played: the same command makes the same page from the rows alone.
    let rows = user.read("docs/worlds.jsonl");
    assert_eq!(user.succeeds("reproduce worlds --horizon 100 --runs 2 -q --out docs"), text);
    assert_eq!(user.read("docs/worlds.jsonl"), rows);
    assert_eq!(user.borduel("reproduce worlds --policies bexp3").code, 2);
    assert_eq!(user.borduel("reproduce worlds --runs 1").code, 2);
}

/// Worlds with contexts alone, in small: every way in both, the same again from the rows, and parts of it alike.
#[test]
fn the_fewest_votes_in_contexts_are_played_by_one_command() {
    let user = User::new();
    let line = "reproduce fewest --only contexts --runs 4 -q --out docs";
    user.succeeds(line);
    let text = String::from_utf8(user.read("docs/FEWEST.md")).unwrap();
    assert!(!text.contains('{') && !text.contains("NaN"), "{text}");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip_while(|line| !line.starts_with("| world | way |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let ways = ["find-winner", "find-winner, about these", "find-winner, contexts ignored"];
    assert_eq!(rows.iter().map(|row| row[2]).collect::<Vec<_>>(), [ways, ways].concat(), "{text}");
    let worlds: Vec<&str> = rows.iter().map(|row| row[1]).filter(|name| !name.is_empty()).collect();
    assert_eq!(worlds, ["contexts, K = 5, G = 40, τ = 0.5", "contexts, K = 2, G = 13, τ = 1"]);
    for row in &rows {
        let votes: Vec<f64> = row[3..6].iter().map(|cell| cell.replace(',', "").parse().unwrap()).collect();
        assert!(votes.iter().all(|votes| (2.0..=4_000.0).contains(votes)), "{row:?}");
        assert!(row[6].ends_with(" %") && row[7].ends_with(" %"), "{row:?}");
    }
    // What is well ahead is found; about such contexts, what is hardly ahead is not.
    assert_eq!((rows[0][6], rows[0][7], rows[3][6]), ("0.0 %", "0.0 %", "0.0 %"), "{text}");
    assert!(rows[3][3].replace(',', "").parse::<f64>().unwrap() > 2_000.0, "{text}");
    assert!(String::from_utf8(user.read("docs/fewest.svg")).unwrap().contains("contexts, K = 5"), "an empty picture");
    // What was played stays played.
    let played = String::from_utf8(user.read("docs/fewest.jsonl")).unwrap();
    assert_eq!(user.succeeds(line), text);
    assert_eq!(String::from_utf8(user.read("docs/fewest.jsonl")).unwrap(), played);
    // One of them, in one way, meets the same worlds.
    let mut one = user.command("reproduce fewest --runs 4 -q --out one --only");
    let one = common::answer(&one.args(["K = 5, G = 40", "--way", ways[1]]).output().unwrap());
    assert_eq!(one.code, 0, "{}", one.err);
    let alone = String::from_utf8(user.read("one/fewest.jsonl")).unwrap();
    assert_eq!(alone.lines().count(), 2);
    assert!(alone.lines().all(|line| played.lines().any(|all| all == line)), "{alone}");
    for (wrong, says) in [
        ("--way nowhere", "there is no such way"),
        ("--only nowhere", "no world's name contains that"),
        ("--only contexts --horizon 100", "plays every way to its verdict"),
    ] {
        let refused = user.borduel(&format!("reproduce fewest --runs 1 -q {wrong}"));
        assert!(refused.code == 2 && refused.err.contains(says), "{wrong}: {}", refused.err);
    }
}

#[test]
fn the_study_is_made_by_one_command() {
    let user = User::new();
    user.succeeds("reproduce study --horizon 400 --runs 2 -q --out docs");
    let text = String::from_utf8(user.read("docs/REPRODUCTION.md")).unwrap();
    assert!(text.contains("The crowd on this page is simulated"));
    for part in ["## Claims", "## What the paper leaves open", "## How regret grows", "BEXP3 (centred)", "--out docs"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("NaN"), "{text}");
    // The committed page has the same shape: the same claims about the same things, in the same order.
    let first_cells = |text: &str| -> Vec<String> {
        let claims = text.split("## Claims").nth(1).unwrap().split("##").next().unwrap();
        claims.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next().map(str::to_owned)).collect()
    };
    assert_eq!(first_cells(&text), first_cells(&root("docs/REPRODUCTION.md")));
    for figure in ["hard.svg", "eventtime.svg", "eventtime-empirical.svg", "scaling.svg"] {
        assert!(user.read(&format!("docs/{figure}")).starts_with(b"<svg"), "{figure}");
        root(&format!("docs/{figure}"));
    }
    let other = user.borduel("reproduce study --policies bexp3");
    assert_eq!(other.code, 2);
}

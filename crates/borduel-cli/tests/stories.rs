//! What users do with `borduel`, subcommand by subcommand, held against what they saw before.

mod common;

use common::{User, snapshot, without_speed};

const SMALL: &str = "--d 3 --horizon 3000 --runs 3 -q";

#[test]
fn reproducing_the_hard_case_gives_a_table_and_a_directory() {
    let user = User::new();
    let table = user.succeeds(&format!("reproduce {SMALL} --out o"));
    snapshot("hard.txt", &without_speed(&table));
    let files = user.list("o");
    let expected = [
        "curves.csv",
        "experiment.toml",
        "journal.jsonl",
        "regret.png",
        "regret.svg",
        "report.html",
        "results.json",
        "timing.json",
    ];
    assert_eq!(files, expected);
    assert!(!String::from_utf8(user.read("o/results.json")).unwrap().contains("second"), "no timing in the results");
    assert_eq!(&user.read("o/regret.png")[..4], b"\x89PNG");
    let page = String::from_utf8(user.read("o/report.html")).unwrap();
    for part in
        ["<svg", "lower bound", "BETC-GLM-Match", "Make it again", "borduel reproduce hard --d 3", "data:image/png"]
    {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["src=\"http", "href=", "@import", "<script"] {
        assert!(!page.contains(outside), "the page is one file, offline: {outside}");
    }
}

/// Upper bounds are drawn where they are below the largest regret there can be, and only there.
#[test]
fn bounds_that_say_nothing_are_not_drawn() {
    let user = User::new();
    let page = |horizon: &str, out: &str| {
        user.succeeds(&format!("reproduce --d 3 --policies betc-glm --horizon {horizon} --runs 1 -q --out {out}"));
        String::from_utf8(user.read(&format!("{out}/report.html"))).unwrap()
    };
    let (short, long) = (page("20000", "short"), page("100000000", "long"));
    assert!(
        short.contains("the upper bound for BETC-GLM is above the largest regret") && !short.contains("upper bound: ")
    );
    assert!(long.contains("upper bound: ") && long.contains("Dots at T") && !long.contains("above the largest regret"));
}

#[test]
fn every_format_is_itself() {
    let user = User::new();
    let md = user.succeeds(&format!("reproduce {SMALL} --out o --format md"));
    assert!(md.starts_with("**hard (d = 3") && md.contains("|:--|--:|"));
    let csv = user.succeeds(&format!("reproduce {SMALL} --out o --format csv"));
    assert_eq!(csv.lines().count(), 7);
    assert!(csv.lines().all(|line| line.split(',').count() >= 16));
    let json = user.succeeds(&format!("reproduce {SMALL} --out o --format json"));
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((object["version"].as_u64(), object["experiment"]["runs"].as_u64()), (Some(1), Some(3)));
    let policies = object["policies"].as_array().unwrap();
    assert_eq!(policies.len(), 6);
    for policy in policies {
        for key in ["mean", "sd", "se", "min", "median", "max"] {
            assert!(policy["final_regret"][key].is_f64(), "{key}");
        }
        assert!(policy["settings"].is_object() && policy["rounds_per_second"].as_f64().unwrap() > 0.0);
        assert!(policy["setup_seconds"].is_f64() && (0.0..=1.0).contains(&policy["winner_found"].as_f64().unwrap()));
        let length = |key: &str| policy["curve"][key].as_array().unwrap().len();
        assert_eq!((length("round"), length("mean"), length("sd")), (200, 200, 200));
    }
    let betc = &policies[0];
    assert_eq!((betc["policy"].as_str(), betc["label"].as_str()), (Some("betc-glm"), Some("BETC-GLM")));
    assert!(betc["settings"]["tau"].is_u64() && betc["settings"]["epsilon"].is_f64());
    assert!(betc.get("clamped").is_none());
    // Over 100 rounds the formula asks for more of them, and both are told.
    let json = user.succeeds("reproduce --horizon 100 --runs 1 --policies betc-glm -q --out short --format json");
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["policies"][0]["settings"]["exploration"].as_u64(), Some(100));
    assert!(object["policies"][0]["clamped"]["exploration"].as_f64().unwrap() > 100.0);
}

#[test]
fn neither_threads_nor_a_second_look_change_a_byte() {
    let user = User::new();
    for (out, jobs) in [("a", 1), ("b", 4)] {
        user.succeeds(&format!("reproduce {SMALL} --out {out} --jobs {jobs}"));
    }
    // The resolved file makes it again; the report alone names another command.
    user.succeeds("run a/experiment.toml --out c -q");
    for file in ["results.json", "curves.csv", "regret.svg", "regret.png", "experiment.toml"] {
        assert_eq!(user.read(&format!("a/{file}")), user.read(&format!("b/{file}")), "{file}");
        assert_eq!(user.read(&format!("a/{file}")), user.read(&format!("c/{file}")), "{file}");
    }
    assert_eq!(user.read("a/report.html"), user.read("b/report.html"));
}

#[test]
fn policies_and_settings_can_be_chosen() {
    let user = User::new();
    let line = format!("reproduce {SMALL} --policies bexp3-centred,uniform --set bexp3-centred.lambda0=exact --seed 7");
    let json = user.succeeds(&format!("{line} --format json"));
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["experiment"]["policies"][0]["lambda0"].as_str(), Some("exact"));
    assert_eq!(object["experiment"]["seed"].as_u64(), Some(7));
    assert!(object["policies"][0]["settings"]["lambda0"].as_f64().unwrap() < 0.5);
    // Without --out there is a place of its own.
    let places = user.list("borduel-out");
    assert_eq!(places.len(), 1);
    assert!(places[0].starts_with("hard-") && places[0].len() == "hard-".len() + 8, "{places:?}");
}

#[test]
fn several_regrets_stand_beside_each_other() {
    let user = User::new();
    let file = |regrets: &str| {
        format!(
            "version = 1\nname = \"two\"\nruns = 2\nhorizons = [1000]\n{regrets}\n[[environments]]\nkind = \
             \"instance\"\nname = \"six-rankers\"\n\n[[policies]]\npolicy = \"uniform\"\n"
        )
    };
    user.write("two.toml", &file("regrets = [\"copeland\", \"condorcet\"]"));
    user.write("one.toml", &file(""));
    let text = user.succeeds("run two.toml --out a");
    assert!(text.contains("seed 1: copeland regret") && text.contains("seed 1: condorcet regret"), "{text}");
    let object = |line: &str| -> serde_json::Value { serde_json::from_str(&user.succeeds(line)).unwrap() };
    let two = object("run two.toml --out b --format json");
    let flags = object("run one.toml --regret copeland,condorcet --out c --format json");
    for key in ["final_regret", "final_regrets", "others"] {
        assert_eq!(two["policies"][0][key], flags["policies"][0][key], "{key}");
    }
    let other = &two["policies"][0]["others"][0];
    assert_eq!(other["regret"], "condorcet");
    let one = object("run one.toml --regret condorcet --out d --format json");
    assert_eq!(one["policies"][0]["final_regrets"], other["final_regrets"]);
    assert!(one["policies"][0].get("others").is_none());
    assert!(user.succeeds("run one.toml --out e").contains("seed 1\n"), "the usual regret need not be named");
}

#[test]
fn an_experiment_file_of_ones_own_is_run() {
    let user = User::new();
    let example = user.succeeds("run --example");
    user.write("mine.toml", &example);
    let table = user.succeeds("run mine.toml --horizon 2000 --runs 2 -q --out o");
    snapshot("example.txt", &without_speed(&table));
    user.write(
        "two.toml",
        "horizons = [500, 1000]\nruns = 2\n[[environments]]\nkind = \"matrix\"\ntable = \"m.csv\"\n[[policies]]\n\
         policy = \"dexp3\"\n[[policies]]\npolicy = \"dexp3\"\ngamma = 0.5\n",
    );
    user.write("m.csv", "0.5,0.7,0.1\n0.3,0.5,0.8\n0.9,0.2,0.5\n");
    let table = user.succeeds("run two.toml -q --out o2");
    snapshot("two.txt", &without_speed(&table));
}

#[test]
fn a_crowds_votes_are_real_or_said_to_be_simulated() {
    let user = User::new();
    let simulated = user.borduel("reproduce eventtime --horizon 2000 --runs 2 --out s");
    assert_eq!(simulated.code, 0);
    assert!(simulated.out.starts_with("simulated crowd (recovered)"));
    assert!(simulated.err.contains("the crowd is simulated"), "{}", simulated.err);
    assert!(String::from_utf8(user.read("s/report.html")).unwrap().contains("not real data"));
    user.write("votes.csv", "left,right,winner\na,b,left\na,b,left\na,b,right\nb,c,left\nc,a,tie\nc,a,right\n");
    for responses in ["empirical", "recovered"] {
        let line = format!("reproduce eventtime --votes votes.csv --responses {responses} --horizon 500 --runs 2");
        let real = user.borduel(&format!("{line} --out {responses}"));
        assert_eq!(real.code, 0, "{}", real.err);
        assert!(real.out.starts_with(&format!("crowd (votes.csv, {responses})")), "{}", real.out);
        assert!(!real.err.contains("simulated"));
    }
    // Other votes under the same name are another experiment.
    user.write("votes.csv", "winner,loser\na,b\nb,c\n");
    let changed = user
        .borduel("reproduce eventtime --votes votes.csv --responses empirical --horizon 500 --runs 2 --out empirical");
    assert_eq!(changed.code, 2);
    assert!(changed.err.contains("another experiment"), "{}", changed.err);
}

#[test]
fn worlds_that_change_are_reproduced() {
    let user = User::new();
    for kind in ["switching", "rotating", "drifting"] {
        let table =
            user.succeeds(&format!("reproduce adversarial --kind {kind} --horizon 2000 --runs 2 -q --out {kind}"));
        assert!(table.starts_with(&format!("adversarial ({kind}, K = 128, d = 7)")), "{table}");
    }
}

#[test]
fn scaling_fits_exponents_and_all_does_everything() {
    let user = User::new();
    let json = user.succeeds("reproduce scaling --d 3 --horizon 3000 --runs 2 -q --out s --format json");
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    let exponents = object["exponents"].as_array().unwrap();
    assert_eq!(exponents.len(), 12);
    // UCB-Borda's opponent is random for ever: regret is nearly linear even over horizons as short as these.
    let ucb = exponents.iter().find(|e| e["policy"] == "ucb-borda" && e["against"] == "T").unwrap();
    assert!((0.85..1.0).contains(&ucb["value"].as_f64().unwrap()), "{ucb}");
    assert_eq!(
        user.list("s"),
        ["exponents.json", "report.html", "scaling-dimension", "scaling-horizon", "scaling.png", "scaling.svg"]
    );
    let table = user.succeeds("reproduce all --horizon 300 --runs 2 -q --out a --policies etc-borda,uniform");
    for part in ["hard (d = 6", "simulated crowd", "adversarial (switching", "fitted exponents"] {
        assert!(table.contains(part), "{part}");
    }
    assert!(user.list("a").contains(&"report.html".to_owned()));
}

#[test]
fn votes_are_ranked_and_questions_planned() {
    let user = User::new();
    let mut votes = "voter,left,right,winner\n".to_owned();
    for voter in 0..40 {
        let (tea, coffee) =
            (if voter % 4 == 0 { "right" } else { "left" }, if voter % 5 == 0 { "tie" } else { "left" });
        votes += &format!("{voter},tea,coffee,{tea}\n{voter},coffee,mud,{coffee}\n{voter},mud,tea,right\n");
    }
    user.write("votes.csv", &votes);
    user.write("items.csv", "id,name\ntea,Tea\ncoffee,Coffee\nmud,Mud\n");
    snapshot("rank.txt", &user.succeeds("rank votes.csv --items items.csv -q"));
    snapshot("design.txt", &user.succeeds("design --items items.csv --votes votes.csv --budget 9 --format table -q"));
    snapshot("design-sheet.csv", &user.succeeds("design --items items.csv --budget 9 --goal all -q"));
    snapshot("help-rank.txt", &user.succeeds("rank --help"));
    snapshot("help-design.txt", &user.succeeds("design --help"));
}

#[test]
fn what_is_beyond_the_paper_becomes_a_document_with_figures() {
    let user = User::new();
    user.succeeds("reproduce beyond --horizon 200 --runs 2 -q --out b");
    let text = String::from_utf8(user.read("b/BEYOND.md")).unwrap();
    for part in [
        "borduel reproduce beyond --horizon 200 --runs 2 --out docs",
        "crowd on this page is simulated",
        "| hard, d = 9, Δ = 0.0030 | 200 | 2 |",
        "| matrix: noisy order, K = 15, one-hot | 2,000 | 2 |",
        "| `dexp3` | doubling | 200 |",
        "| adversarial (drifting",
        "| 1,000 |",
        "| `uniform` |",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains('{') && !text.contains("NaN"), "{text}");
    for figure in ["anytime", "batches", "delay", "distribution"] {
        let name = format!("beyond-{figure}.svg");
        assert!(text.contains(&format!("]({name})")) && user.read(&format!("b/{name}")).starts_with(b"<svg"), "{name}");
    }
    let refused = user.borduel("reproduce beyond --policies bexp3 --out c");
    assert!(refused.code == 2 && refused.err.contains("beyond has policies of its own"), "{}", refused.err);
}

#[test]
fn shells_and_manuals_are_served() {
    let user = User::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(user.succeeds(&format!("completions {shell}")).contains("reproduce"));
    }
    let page = user.succeeds("man");
    assert!(page.contains(".TH borduel") && page.contains("horizon") && page.contains("BORDUEL RUN"));
    snapshot("help.txt", &user.succeeds("--help"));
    snapshot("help-reproduce.txt", &user.succeeds("reproduce --help"));
    assert!(user.succeeds("--version").starts_with("borduel 0."));
}

#[test]
fn a_reader_that_leaves_early_is_no_fault() {
    let user = User::new();
    let program = env!("CARGO_BIN_EXE_borduel");
    let line = format!("'{program}' man | head -n 1; exit ${{PIPESTATUS[0]}}");
    let output = std::process::Command::new("bash").args(["-c", &line]).current_dir(user.path("")).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

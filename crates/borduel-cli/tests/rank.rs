//! `borduel rank` as a stranger runs it.

use borduel_testing::output::{err, json, out, run};
use borduel_testing::skip;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run_with_input(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borduel"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Votes of 40 voters on three drinks, of which tea is liked best by far.
fn drinks() -> String {
    let mut text = "voter,left,right,winner\n".to_owned();
    for voter in 0..40 {
        let answers =
            [("tea", "coffee", voter % 4 != 0), ("coffee", "mud", voter % 5 != 0), ("mud", "tea", voter % 10 == 0)];
        for (left, right, won) in answers {
            text += &format!("{voter},{left},{right},{}\n", if won { "left" } else { "right" });
        }
    }
    text
}

/// A judge who is consistent says everything twice when it is asked in both orders: the intervals are those of one
/// answer a question.
#[test]
fn answers_to_one_question_hang_together() {
    let folder = tempfile::tempdir().unwrap();
    let mut once = "ask,left,right,winner,judge\n".to_owned();
    let mut twice = once.clone();
    for (ask, line) in (1..).zip(drinks().lines().skip(1)) {
        let fields: Vec<&str> = line.split(',').collect();
        let [left, right, winner] = [fields[1], fields[2], fields[3]];
        let mirrored = if winner == "left" { "right" } else { "left" };
        let row = format!("{ask},{left},{right},{winner},gpt\n");
        once += &row;
        twice += &format!("{row}{ask},{right},{left},{mirrored},gpt\n");
    }
    let independent = twice.replace("ask,", "number,");
    let half_width = |text: &str, flags: &[&str]| {
        std::fs::write(folder.path().join("votes.csv"), text).unwrap();
        let ranking = json(&run(folder.path(), &[&["rank", "votes.csv", "--format", "json"], flags].concat()));
        let borda = &ranking["items"][0]["borda"];
        let width = 0.5 * (borda["high"].as_f64().unwrap() - borda["low"].as_f64().unwrap());
        (width, ranking["intervals"]["method"].as_str().unwrap().to_owned())
    };
    for flags in [&[][..], &["--voter", "judge"], &["--sequential"], &["--model", "counts"]] {
        let [one, two, wrong] = [&once, &twice, &independent].map(|text| half_width(text, flags));
        // Pair effects and exact intervals know how often a pair was asked; they are right to a few per cent.
        let close = if flags.contains(&"--sequential") || flags.contains(&"counts") { 0.08 } else { 0.02 };
        assert!((two.0 / one.0 - 1.0).abs() < close, "{flags:?}: {two:?} {one:?}");
        assert!((wrong.0 / two.0 - 0.5_f64.sqrt()).abs() < close, "{flags:?}: {wrong:?} {two:?}");
        assert!(flags.contains(&"--sequential") || two.1.contains("clustered by 120 questions"), "{}", two.1);
        assert!(one.1.contains("independent") || flags.contains(&"--sequential"), "{}", one.1);
    }
    // Two judges are two voters, who have habits of their own.
    let second = twice.lines().skip(1).map(|line| line.replace("gpt", "claude") + "\n").collect::<String>();
    let (_, method) = half_width(&(twice + &second), &["--voter", "judge"]);
    assert!(method.contains("clustered by 2 voters"), "{method}");
}

#[test]
fn voters_who_hardly_looked_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "voter,left,right,winner,seconds\n".to_owned();
    for (at, line) in drinks().lines().skip(1).enumerate() {
        // Everybody votes ten times as often, and voter 9 in a tenth of the time; one time was not measured.
        let usual = if line.starts_with("9,") { 0.4 } else { 4.0 };
        for again in 0..10 {
            let seconds = if at + again == 0 { String::new() } else { (usual + 0.01 * again as f64).to_string() };
            text += &format!("{line},{seconds}\n");
        }
    }
    std::fs::write(folder.path().join("votes.csv"), &text).unwrap();
    let report = json(&run(folder.path(), &["rank", "votes.csv", "--took", "seconds", "--format", "json"]));
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "voter-agreement").unwrap();
    assert_eq!(check["ok"], false);
    assert!(
        check["text"].as_str().unwrap().contains("1 voter took less than a quarter of the usual time (9)"),
        "{check}"
    );
    std::fs::write(folder.path().join("odd.csv"), text.replacen(",4.01\n", ",-4.01\n", 1)).unwrap();
    let odd = run(folder.path(), &["rank", "odd.csv", "--took", "seconds"]);
    assert_eq!(odd.status.code(), Some(3));
    assert!(err(&odd).contains("is no time that an answer can have taken"), "{}", err(&odd));
    let missing = run(folder.path(), &["rank", "votes.csv", "--took", "minutes"]);
    assert!(missing.status.code() == Some(3) && err(&missing).contains("--took"), "{}", err(&missing));
}

#[test]
fn a_clear_winner_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("votes.csv"), drinks()).unwrap();
    let report =
        json(&run(folder.path(), &["rank", "votes.csv", "--format", "json", "--require-winner", "--strength"]));
    let keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    for key in ["version", "convention", "votes", "model", "verdict", "checks", "items"] {
        assert!(keys.contains(&key), "{key}");
    }
    assert_eq!(report["verdict"]["kind"], "clear-winner");
    assert_eq!(report["verdict"]["winners"], serde_json::json!(["tea"]));
    assert!(report["convention"].as_str().unwrap().contains("1/(K-1)"));
    assert_eq!((report["votes"]["rows_read"].as_u64(), report["votes"]["used"].as_f64()), (Some(120), Some(120.0)));
    let items = report["items"].as_array().unwrap();
    let names: Vec<&str> = items.iter().map(|item| item["item"].as_str().unwrap()).collect();
    assert_eq!(names, ["tea", "coffee", "mud"]);
    assert_eq!((items[0]["wins"].as_f64(), items[0]["losses"].as_f64()), (Some(66.0), Some(14.0)));
    let number = |item: &Value, path: &str| item.pointer(path).unwrap().as_f64().unwrap();
    for item in items {
        let (low, estimate, high) =
            (number(item, "/borda/low"), number(item, "/borda/estimate"), number(item, "/borda/high"));
        assert!(low < estimate && estimate < high && (0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
        assert!(number(item, "/rank/low") <= number(item, "/rank/high"));
    }
    assert!((items.iter().map(|item| number(item, "/borda/estimate")).sum::<f64>() - 1.5).abs() < 1e-9);
    assert!((items.iter().map(|item| number(item, "/p_best")).sum::<f64>() - 1.0).abs() < 1e-9);
    for check in report["checks"].as_array().unwrap() {
        assert!(
            check["name"].is_string()
                && check["text"].is_string()
                && (check["ok"].is_boolean() || check["ok"].is_null())
        );
    }

    let table = run(folder.path(), &["rank", "votes.csv"]);
    assert!(out(&table).starts_with("Clear winner: tea") && out(&table).contains("✓ connected"), "{}", out(&table));
    assert!(err(&table).contains("voter = \"voter\""), "what was detected is said on standard error");
    assert!(err(&run(folder.path(), &["rank", "votes.csv", "-q"])).is_empty());
    let markdown = out(&run(folder.path(), &["rank", "votes.csv", "--format", "md"]));
    assert!(markdown.contains("| item | Borda % |") && markdown.contains("| tea |"));
    let csv = out(&run(folder.path(), &["rank", "votes.csv", "--format", "csv"]));
    assert!(csv.starts_with("item,name,borda,borda_low,borda_high,") && csv.lines().count() == 4, "{csv}");
    // The same from standard input, and with any number of threads.
    let piped = run_with_input(folder.path(), &["rank", "-", "--format", "csv", "--jobs", "1"], &drinks());
    assert_eq!(out(&piped), csv);
}

#[test]
fn a_page_that_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let votes = drinks().replace("mud", "<mud & \"co\">");
    assert!(
        run_with_input(folder.path(), &["rank", "-", "--html", "page.html"], &votes.replace(",\"", ",")).status.code()
            == Some(0)
    );
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for part in [
        "<!DOCTYPE html>",
        "class=\"verdict clear\"",
        "class=\"forest\"",
        "class=\"matrix\"",
        "class=\"checks\"",
        "Seed 1",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("&lt;mud &amp;") && !page.contains("<mud"), "names are escaped");
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_page_says_what_it_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("drinks.csv"), drinks()).unwrap();
    let page = |flags: &[&str]| {
        let output = run(folder, &[&["rank", "drinks.csv", "--html", "page.html"], flags].concat());
        assert!(output.status.success(), "{}", err(&output));
        std::fs::read_to_string(folder.join("page.html")).unwrap()
    };
    let plain = page(&[]);
    let rows = drinks().lines().count() - 1;
    assert!(
        plain.contains(&format!("{rows} votes on ")) && plain.contains(" · drinks.csv, last changed 20"),
        "{plain}"
    );
    assert_eq!(plain, page(&[]), "the same file makes the same page");
    let told = page(&["--question", "Which drink <b>?", "--date", "17 May"]);
    assert!(told.contains("<h1>Which drink &lt;b&gt;?</h1>") && told.contains(" · drinks.csv, 17 May</p>"), "{told}");
    assert!(told.contains("<title>Which drink &lt;b&gt;?</title>"));
    // Methods are for those who ask.
    let (shown, folded) = plain.split_once("<details>").unwrap();
    for word in ["delta method", "χ²", "skewness", "Krippendorff", "log-odds", "design --votes"] {
        assert!(!shown.contains(word), "{word}");
    }
    assert!(folded.contains("Intervals: 95 % ") && folded.contains("Model: "), "{folded}");
}

#[test]
fn exit_codes_and_messages() {
    let folder = tempfile::tempdir().unwrap();
    let code = |arguments: &[&str], input: &str| {
        let output = run_with_input(folder.path(), arguments, input);
        (output.status.code().unwrap(), err(&output))
    };
    let few = "left,right,winner\na,b,left\nb,a,left\n";
    let (status, message) = code(&["rank", "-", "--require-winner"], few);
    assert!(status == 4 && message.contains("no clear winner"), "{message}");
    assert_eq!(code(&["rank", "-"], few).0, 0);
    let (status, message) = code(&["rank", "-"], "left,right,winner\na,b,left\na,b,lefft\n");
    assert_eq!(status, 3);
    assert!(message.contains("standard input, line 3, column 3 (\"winner\"): \"lefft\""), "{message}");
    assert_eq!(code(&["rank", "no-such-file.csv"], "").0, 3);
    assert_eq!(code(&["rank"], "").0, 2);
    assert_eq!(code(&["rank", "-", "--level", "7"], few).0, 2);
    assert_eq!(code(&["rank", "-", "--model", "features"], few).0, 2);
    let (status, message) = code(&["rank", "-"], "left,right,winner\na,b,skip\n");
    assert!(status == 3 && message.contains("nothing to rank"), "{message}");
    assert_eq!(code(&["rank", "-", "--html", "no/such/folder/page.html"], few).0, 2);
    if Path::new("/dev/full").exists() {
        let (status, message) = code(&["rank", "-q", "-", "--html", "/dev/full"], few);
        assert!(status == 1 && message.lines().count() == 1 && message.contains("make room"), "{message}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no half-written page is left");
}

#[test]
fn lenient_reading_keeps_the_rows_it_sets_aside() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("votes.csv"), drinks() + "7,tea,mud,who knows\n7,tea,tea,left\n").unwrap();
    assert_eq!(run(folder.path(), &["rank", "votes.csv"]).status.code(), Some(3));
    let output = run(folder.path(), &["rank", "votes.csv", "--lenient", "--format", "json"]);
    assert!(
        err(&output).contains("2 of 122 rows were not understood; they are in votes.csv.rejected.csv"),
        "{}",
        err(&output)
    );
    assert_eq!(json(&output)["votes"]["rows_set_aside"], 2);
    let aside = std::fs::read_to_string(folder.path().join("votes.csv.rejected.csv")).unwrap();
    assert!(aside.contains("votes.csv,122,winner,who knows") && aside.contains("\"7,tea,tea,left\""), "{aside}");
}

#[test]
fn models_by_features_by_pairs_and_by_counts() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("votes.csv", &drinks());
    write(
        "items.csv",
        "id,name,feat_heat,feat_price\ntea,Fine tea,80,3\ncoffee,Coffee,70,2\nmud,Mud,10,0\nmilk,Milk,5,1\n",
    );
    let report = json(&run(folder.path(), &["rank", "votes.csv", "--items", "items.csv", "--format", "json"]));
    assert!(report["model"].as_str().unwrap().contains("logistic in 2"), "{}", report["model"]);
    assert_eq!(report["items"].as_array().unwrap().len(), 4, "an item without votes is scored by its features");
    assert_eq!(report["items"][0]["name"], "Fine tea");
    assert!(report["verdict"]["text"].as_str().unwrap().contains("Fine tea"));
    let report = json(&run(
        folder.path(),
        &["rank", "votes.csv", "--items", "items.csv", "--model", "one-hot", "--format", "json"],
    ));
    assert_eq!(report["unranked"], serde_json::json!(["milk"]));

    write("pairs.csv", "left,right,feat_x,feat_y\ntea,coffee,1,0\nmud,coffee,0,-2\ntea,mud,0.5,1\n");
    let with_pairs = ["rank", "votes.csv", "--pair-features", "pairs.csv", "--format", "json"];
    assert!(json(&run(folder.path(), &with_pairs))["model"].as_str().unwrap().contains("logistic in 2"));
    write("pairs.csv", "left,right,feat_x\ntea,coffee,1\ncoffee,tea,1\ntea,mud,1\nmud,coffee,0\n");
    assert!(err(&run(folder.path(), &with_pairs)).contains("given twice"));
    write("pairs.csv", "left,right,feat_x\ntea,coffee,1\n");
    assert!(err(&run(folder.path(), &with_pairs)).contains("2 of 3 pairs are missing"));

    // Tea and mud never met: by counts alone their scores have bounds and no estimate.
    let votes: String =
        drinks().lines().filter(|line| !line.contains("mud,tea")).map(|line| line.to_owned() + "\n").collect();
    write("votes.csv", &votes);
    let report = json(&run(folder.path(), &["rank", "votes.csv", "--model", "counts", "--format", "json"]));
    let tea = report["items"].as_array().unwrap().iter().find(|item| item["item"] == "tea").unwrap();
    assert!(tea["borda"]["estimate"].is_null() && tea["p_best"].is_null());
    let width = tea["borda"]["high"].as_f64().unwrap() - tea["borda"]["low"].as_f64().unwrap();
    assert!(width > 0.5, "an opponent of two never met leaves half of [0, 1] open");
    assert_eq!(report["verdict"]["kind"], "not-enough");
}

/// What ignores contexts gives what the same file without its column would, at any time too; the others do not.
#[test]
fn contexts_that_are_ignored_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = |with: bool| {
        let mut s = borduel::stream(7, &[]);
        let mut text = if with { "prompt,a,b,winner\n" } else { "a,b,winner\n" }.to_owned();
        for vote in 0..600 {
            let prompt = if vote % 4 > 0 { 0 } else { s.below(9) + 1 };
            let (i, j) = (s.below(4), 1 + s.below(3));
            let j = (i + j) % 4;
            let ahead = 0.5 * (j as f64 - i as f64) + if prompt == 0 { 0.0 } else { i as f64 - j as f64 };
            let winner = if s.uniform() < 1.0 / (1.0 + (-ahead).exp()) { i } else { j };
            let prompt = if with { format!("p{prompt},") } else { String::new() };
            text += &format!("{prompt}i{i},i{j},i{winner}\n");
        }
        text
    };
    std::fs::write(folder.path().join("with.csv"), file(true)).unwrap();
    std::fs::write(folder.path().join("without.csv"), file(false)).unwrap();
    for sequential in [false, true] {
        let ranked = |name: &str, about: &[&str]| {
            let flags = ["rank", name, "--format", "csv", "-q"];
            let all = [&flags[..], about, if sequential { &["--sequential"] } else { &[] }].concat();
            let done = run(folder.path(), &all);
            assert!(done.status.success(), "{}", err(&done));
            out(&done)
        };
        let without = ranked("without.csv", &[]);
        assert_eq!(ranked("with.csv", &["--about", "ignore"]), without, "sequential: {sequential}");
        assert_eq!(ranked("with.csv", &["--context", "none"]), without);
        let about_nothing = run(folder.path(), &["rank", "without.csv", "--about", "these"]);
        assert!(about_nothing.status.code() == Some(2) && err(&about_nothing).contains("--context"));
        let (these, such) = (ranked("with.csv", &["--about", "these"]), ranked("with.csv", &["--about", "such"]));
        assert!(these != without && such != without && these != such, "sequential: {sequential}");
    }
}

/// Against other people's programs. `./test` installs them and names their interpreter; in a clone without the votes,
/// or without Python, there is nothing to compare.
#[test]
fn strengths_agree_with_evalica_and_choix() {
    let votes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/llmfao/crowd-comparisons.csv");
    let Some(python) = std::env::var_os("BORDUEL_PYTHON") else {
        skip("agreement with evalica and choix", "BORDUEL_PYTHON names no Python that has them (./test sets it up)");
        return;
    };
    if !votes.is_file() {
        skip("agreement with evalica and choix", "../shared/data/llmfao is not here");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agreement.py");
    let output = Command::new(&python).arg(script).arg(env!("CARGO_BIN_EXE_borduel")).arg(&votes).output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
    let text = out(&output);
    assert_eq!(text.lines().count(), 2, "{text}");
    for line in text.lines() {
        let difference: f64 = line.split(' ').nth(1).unwrap().parse().unwrap();
        assert!(difference < 1e-6, "{line}");
        eprintln!("{line}");
    }
}

/// Battles of three models in two languages: which of them is best depends on the language, and longer answers win.
fn battles() -> String {
    let mut text = "model_a,model_b,winner,judge,language,length_a,length_b,day,prompt\n".to_owned();
    let models = ["ash", "birch", "cedar"];
    for n in 0..1_200_usize {
        let (i, j) = (n % 3, (n + 1 + n / 3 % 2) % 3);
        let language = if n % 4 < 2 { "en" } else { "de" };
        let strength = |item: usize| match (item, language) {
            (0, "en") => 6.0,
            (0, _) => 1.0,
            (1, _) => 3.0,
            _ => 2.0,
        };
        // A number from 0 to 99 that is spread evenly enough.
        let lot = f64::from(u32::try_from(n * 7_919 % 100).unwrap());
        let (a, b) = (50 + n * 31 % 60, 50 + n * 17 % 60);
        let bonus = (a as f64 - b as f64) / 4.0;
        let first = 100.0 * strength(i) / (strength(i) + strength(j)) + bonus;
        let winner = if lot < first { "model_a" } else { "model_b" };
        text += &format!(
            "{},{},{winner},j{},{language},{a},{b},2024-{:02}-{:02},p{}\n",
            models[i],
            models[j],
            n % 40,
            1 + n / 100,
            1 + n % 28,
            n % 25
        );
    }
    text
}

#[test]
fn rankings_by_group_over_time_and_since_the_last_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("battles.csv"), battles()).unwrap();
    let english =
        run(folder, &["rank", "battles.csv", "--where", "language=en", "--context", "none", "--format", "json", "-q"]);
    let alone = json(&english);
    assert_eq!(alone["votes"]["used"], 600.0);
    std::fs::write(folder.join("old.json"), &english.stdout).unwrap();
    let flags =
        ["rank", "battles.csv", "--context", "none", "--by", "language", "--over", "day", "--compare", "old.json"];
    let all = json(&run(folder, &[&flags[..], &["--format", "json", "--html", "page.html"]].concat()));
    // A group's ranking is that of its votes alone.
    let groups = all["by"]["groups"].as_array().unwrap();
    assert_eq!((groups[0]["value"].as_str(), groups[1]["value"].as_str()), (Some("en"), Some("de")));
    assert_eq!(groups[0]["ranking"]["items"], alone["items"]);
    assert_eq!(groups[0]["ranking"]["items"][0]["item"], "ash");
    assert_ne!(groups[1]["ranking"]["items"][0]["item"], "ash");
    let first = &all["by"]["differences"][0];
    assert!(first["item"] == "ash" && first["p"].as_f64().unwrap() < 1e-6, "{first}");
    assert_eq!(all["over"]["groups"].as_array().unwrap().len(), 12);
    let change = all["compared"]["changes"].as_array().unwrap().iter().find(|c| c["item"] == "ash").unwrap();
    assert!(change["clear"] == true && change["now"].as_f64() < change["before"].as_f64(), "{change}");
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    for part in ["type=\"radio\"", "By language", "Over time (day)", "What changed", "Scores over time (day)"] {
        assert!(page.contains(part), "{part}");
    }
    let text = out(&run(folder, &flags));
    assert!(
        text.contains("By language the scores of these items differ beyond chance") && text.contains("ash"),
        "{text}"
    );
    // Refusals name the flag.
    for (arguments, part) in [
        (&["--where", "language"][..], "COLUMN=VALUE"),
        (&["--where", "language=fr"], "--where"),
        (&["--by", "color"], "--by"),
        (&["--compare", "battles.csv"], "--compare"),
        (&["--cluster", "judge,prompt,day"], "one column or two"),
    ] {
        let refused = run(folder, &[&["rank", "battles.csv"], arguments].concat());
        assert!(!refused.status.success() && err(&refused).contains(part), "{arguments:?}: {}", err(&refused));
    }
    // Where no row is wanted, that is all there is to say.
    let none = run(folder, &["rank", "battles.csv", "--where", "language=fr"]);
    assert_eq!((none.status.code(), err(&none).trim_end().lines().count()), (Some(3), 1), "{}", err(&none));
}

#[test]
fn what_goes_with_a_vote_is_adjusted_for_and_votes_hang_together_in_two_ways() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("battles.csv"), battles()).unwrap();
    let flags = ["rank", "battles.csv", "--adjust", "length_a-length_b,position", "--format", "json"];
    let adjusted = json(&run(folder.path(), &flags));
    let effects = adjusted["effects"].as_array().unwrap();
    assert_eq!(
        (effects[0]["name"].as_str(), effects[1]["name"].as_str()),
        (Some("length_a-length_b"), Some("position"))
    );
    assert!(effects[0]["effect"]["low"].as_f64().unwrap() > 0.0, "{}", effects[0]);
    let text = out(&run(folder.path(), &flags[..4]));
    assert!(text.contains("Removed: length_a-length_b: +") && text.contains("(1 of it adds +0.0"), "{text}");
    let two = json(&run(folder.path(), &["rank", "battles.csv", "--cluster", "judge,prompt", "--format", "json"]));
    let method = two["intervals"]["method"].as_str().unwrap();
    assert!(method.contains("by 40 voters and by 25 values of prompt"), "{method}");
}

#[test]
fn ties_are_an_outcome_of_their_own_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // A third of the votes between equals are ties, and fewer between others.
    let mut votes = "judge,left,right,winner\n".to_owned();
    for vote in 0..600 {
        let (left, right) = [("ash", "birch"), ("birch", "cedar"), ("cedar", "ash")][vote % 3];
        let winner = match (vote % 3, vote / 3 % 10) {
            (0, 0..4) | (1, 0..6) | (2, 0..2) => "left",
            (0, 4..7) | (1, 6..8) | (2, 2..4) => "tie",
            _ => "right",
        };
        votes += &format!("j{},{left},{right},{winner}\n", vote * 7 % 40);
    }
    std::fs::write(folder.join("votes.csv"), votes).unwrap();
    let modelled = json(&run(folder, &["rank", "votes.csv", "--ties", "model", "--format", "json"]));
    let half = json(&run(folder, &["rank", "votes.csv", "--format", "json"]));
    assert!(half.get("tie_propensity").is_none());
    let nu = &modelled["tie_propensity"]["nu"];
    let [low, estimate, high] = ["low", "estimate", "high"].map(|end| nu[end].as_f64().unwrap());
    assert!(low < estimate && estimate < high && (0.4..1.2).contains(&estimate), "{nu}");
    // The scores mean the same: points, a tie counted as half.
    for (a, b) in modelled["items"].as_array().unwrap().iter().zip(half["items"].as_array().unwrap()) {
        assert_eq!(a["item"], b["item"]);
        let [a, b] = [a, b].map(|item| item["borda"]["estimate"].as_f64().unwrap());
        assert!((a - b).abs() < 0.02, "{a} {b}");
    }
    let text = out(&run(folder, &["rank", "votes.csv", "--ties", "model", "--html", "page.html"]));
    assert!(
        text.contains("Ties are an outcome of their own: equal items tie in ")
            && text.contains("Davidson's model, ν = "),
        "{text}"
    );
    assert!(std::fs::read_to_string(folder.join("page.html")).unwrap().contains("outcome of their own"));
    for (arguments, part) in [
        (&["rank", "votes.csv", "--ties", "model", "--model", "counts"][..], "one-hot"),
        (&["design", "--votes", "votes.csv", "--ties", "model", "--budget", "9"], "ties as half"),
    ] {
        let refused = run(folder, arguments);
        assert!(!refused.status.success() && err(&refused).contains(part), "{arguments:?}: {}", err(&refused));
    }
}

/// All paths of keys of a JSON value, lists as `[]`.
fn paths(value: &Value, before: &str, found: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            let path = if before.is_empty() { key.clone() } else { format!("{before}.{key}") };
            found.insert(path.clone());
            paths(value, &path, found);
        }),
        Value::Array(list) => list.iter().for_each(|value| paths(value, &format!("{before}[]"), found)),
        _ => {}
    }
}

#[test]
fn every_key_of_a_ranking_is_documented_and_every_documented_one_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // An item without votes, one with a name, and a group that is not connected.
    let votes = battles() + "elm,fir,model_a,j1,en,1,2,2024-05-01,p1\n";
    std::fs::write(folder.join("battles.csv"), votes).unwrap();
    std::fs::write(folder.join("items.csv"), "id,name\nash,Ash tree\nbirch,\ncedar,\nelm,\nfir,\noak,\n").unwrap();
    let plain = run(folder, &["rank", "battles.csv", "--format", "json", "-q"]);
    std::fs::write(folder.join("old.json"), &plain.stdout).unwrap();
    let flags = "rank battles.csv --items items.csv --strength --chances --ties model --adjust length_a-length_b --by \
        language --over day --compare old.json --format json";
    let output = run(folder, &flags.split(' ').collect::<Vec<_>>());
    let value = json(&output);
    // What is printed is read back as the value that prints it.
    for text in [&plain.stdout, &output.stdout] {
        let text = std::str::from_utf8(text).unwrap();
        let document = borduel_report::ranking::Document::read(text).unwrap();
        assert_eq!(document.json().unwrap(), text);
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(document.items[0].item, value["items"][0]["item"]);
    }
    let other = String::from_utf8(plain.stdout).unwrap().replacen("\"version\": 2", "\"version\": 3", 1);
    std::fs::write(folder.join("newer.json"), other).unwrap();
    let refused = run(folder, &["rank", "battles.csv", "--compare", "newer.json"]);
    assert!(err(&refused).contains("newer.json: is a ranking of version 3"), "{}", err(&refused));
    let mut printed = std::collections::BTreeSet::new();
    paths(&value, "", &mut printed);
    // What a first place rests on is not looked for among votes with numbers to adjust for.
    paths(&serde_json::from_slice(&std::fs::read(folder.join("old.json")).unwrap()).unwrap(), "", &mut printed);
    // Few votes on many prompts, which what is adjusted for leaves out.
    let few: String = battles().lines().take(60).flat_map(|line| [line, "\n"]).collect();
    std::fs::write(folder.join("few.csv"), few).unwrap();
    let few = json(&run(folder, &["rank", "few.csv", "--about", "such", "--format", "json", "-q"]));
    assert_eq!(few["contexts"]["about"], "such");
    paths(&few, "", &mut printed);
    // A judge's votes beside people's: by others, who always prefer the first.
    let judged = battles().lines().take(60).fold(String::new(), |text, line| text + line + "\n");
    let judged = judged.replace(",model_b,j", ",model_a,j").replace(",model_a,j", ",model_a,g");
    std::fs::write(folder.join("judge.csv"), judged).unwrap();
    let hinted = json(&run(folder, &["rank", "few.csv", "--hint", "judge.csv", "--format", "json", "-q"]));
    paths(&hinted, "", &mut printed);
    // What is within `found` depends on the check, and within `by` and `over` rankings repeat.
    let deep = |path: &String| path.starts_with("checks[].found.") || path.contains("ranking.");
    printed.retain(|path| !deep(path));
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/FORMATS.md")).unwrap();
    let section = text.split("## A ranking").nth(1).unwrap().split("\n## ").next().unwrap();
    let first_column: String =
        section.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.split('|').nth(1)).collect();
    let named: Vec<&str> = first_column.split('`').skip(1).step_by(2).collect();
    for key in &named {
        let plain = key.trim_end_matches("[]");
        assert!(printed.contains(plain), "{key} is documented and not printed");
    }
    // A key is documented itself, or is part of one that is (intervals, ranks), or leads to one.
    for path in &printed {
        let within = |key: &&str| {
            let key = key.trim_end_matches("[]");
            path == key
                || path.starts_with(&format!("{key}."))
                || path.starts_with(&format!("{key}["))
                || key.starts_with(&format!("{path}."))
                || key.starts_with(&format!("{path}["))
        };
        assert!(named.iter().any(within), "{path} is printed and not documented");
    }
}

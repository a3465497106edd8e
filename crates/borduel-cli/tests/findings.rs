//! Small things about `borduel rank` and `check` that somebody once stumbled over: flags with odd values, files that
//! are no tables, digits.

mod common;

use common::User;
use serde_json::Value;
use std::fmt::Write;

/// Three drinks, tea before coffee before mud, with `times` votes a pair of which a fifth go the other way.
fn drinks(times: usize, left: &str, right: &str) -> String {
    let mut text = "left,right,winner\n".to_owned();
    for vote in 0..times {
        for (better, worse) in [("tea", "coffee"), ("coffee", "mud"), ("tea", "mud")] {
            writeln!(text, "{better},{worse},{}", if vote % 5 == 0 { right } else { left }).unwrap();
        }
    }
    text
}

#[test]
fn answers_may_be_numbers_below_zero() {
    let user = User::new();
    user.write("votes.csv", &drinks(10, "1", "-1"));
    user.write("words.csv", &drinks(10, "left", "right"));
    let csv = |line: &str| user.succeeds(&format!("rank {line} --format csv -q"));
    let expected = csv("words.csv");
    for flags in ["--left-value 1 --right-value -1", "--left-value=1 --right-value=-1", "--answer-scale signed"] {
        assert_eq!(csv(&format!("votes.csv {flags}")), expected, "{flags}");
    }
    user.write("margins.csv", &drinks(10, "12", "-0.5").replace("winner", "margin"));
    assert_eq!(csv("margins.csv --left left --right right --winner margin --answer-scale margin"), expected);
}

#[test]
fn spreadsheets_lead_to_csv() {
    let user = User::new();
    let sheet = |inner: &str| format!("PK\u{3}\u{4}\u{14}\0\u{6}\0 {inner} and so on");
    user.write("votes.xlsx", &sheet("[Content_Types].xml"));
    user.write("votes.ods", &sheet("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"));
    for name in ["votes.xlsx", "votes.ods"] {
        let refused = user.borduel(&format!("rank {name}"));
        assert_eq!((refused.code, refused.err.lines().count(), refused.out.as_str()), (3, 1, ""), "{}", refused.err);
        assert!(refused.err.contains("spreadsheet") && refused.err.contains("save it as CSV"), "{}", refused.err);
    }
}

#[test]
fn columns_of_items_that_are_no_features_are_named() {
    let user = User::new();
    user.write("votes.csv", &drinks(10, "left", "right"));
    user.write(
        "items.csv",
        "id,name,price,feat_heat,colour\ntea,Tea,2,80,green\ncoffee,Coffee,3,70,black\nmud,Mud,0,10,brown\n",
    );
    let said = user.borduel("rank votes.csv --items items.csv").err;
    assert!(said.contains("items.csv: not used: \"price\", \"colour\"; a feature's column is called feat_"), "{said}");
}

#[test]
fn the_help_says_what_csv_is() {
    let help = User::new().succeeds("rank --help");
    let csv = help.lines().find(|line| line.trim_start().starts_with("- csv:")).unwrap();
    assert!(csv.contains("One row a result, every digit"), "{csv}");
    // As it says: a row an item, and numbers that are read back as they were.
    let user = User::new();
    user.write("votes.csv", &drinks(10, "left", "right"));
    let rows = user.succeeds("rank votes.csv --format csv -q");
    let json: Value = serde_json::from_str(&user.succeeds("rank votes.csv --format json -q")).unwrap();
    assert_eq!(rows.lines().count(), 4);
    for (row, item) in rows.lines().skip(1).zip(json["items"].as_array().unwrap()) {
        let borda: f64 = row.split(',').nth(2).unwrap().parse().unwrap();
        assert_eq!(Some(borda), item["borda"]["estimate"].as_f64());
    }
}

#[test]
fn texts_have_few_digits_and_agree_with_the_json() {
    let user = User::new();
    // So one-sided that p-values are 0 to a computer; and so even that they are not.
    user.write("clear.csv", &drinks(2000, "left", "right"));
    user.write("few.csv", &drinks(7, "left", "right"));
    for (file, flags) in [("clear.csv", ""), ("few.csv", "--level 97.5 --margin 0.7"), ("few.csv", "--strength")] {
        let json: Value =
            serde_json::from_str(&user.succeeds(&format!("rank {file} {flags} --format json -q"))).unwrap();
        let table = user.succeeds(&format!("rank {file} {flags} -q"));
        user.succeeds(&format!("rank {file} {flags} -q --html page.html"));
        for text in [&table, json["verdict"]["text"].as_str().unwrap()] {
            assert!(!text.contains("e0") && !text.contains("p = 0.0 ") && !text.contains("p = 0 "), "{text}");
            let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap();
            assert!(longest <= 5, "{longest} digits in a row: {text}");
        }
        for check in json["checks"].as_array().unwrap() {
            let text = check["text"].as_str().unwrap();
            assert!(table.contains(text), "the same sentence in both: {text}");
        }
        assert!(table.contains(json["verdict"]["text"].as_str().unwrap()), "{table}");
        for item in json["items"].as_array().unwrap() {
            let name = item["item"].as_str().unwrap();
            let row = table.lines().find(|line| line.split_whitespace().nth(1) == Some(name)).unwrap();
            let shown = format!("{:.1}", 100.0 * item["borda"]["estimate"].as_f64().unwrap());
            assert!(row.contains(&shown), "{row}: {shown}");
        }
    }
}

#[test]
fn rows_of_other_kinds_are_named_on_the_command_line() {
    let user = User::new();
    user.write("choices.csv", "voter,item1,item2,item3,best,worst\n1,a,b,c,a,c\n2,c,a,b,a,b\n3,a,b,c,b,a\n");
    let json = |line: &str| -> Value {
        serde_json::from_str(&user.succeeds(&format!("rank {line} --format json -q"))).unwrap()
    };
    assert_eq!(json("choices.csv")["votes"]["used"], 9.0);
    assert_eq!(json("choices.csv --rows best-worst")["items"], json("choices.csv")["items"]);
    user.write("votes.csv", &drinks(10, "left", "right"));
    let refused = user.borduel("rank votes.csv --rows best-worst");
    assert!(refused.code == 3 && refused.err.contains("best and worst"), "{}", refused.err);
    user.write("games.pgn", &"[White \"ash\"]\n[Black \"birch\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n".repeat(8));
    assert_eq!(json("games.pgn")["votes"]["rows_read"], 8);
}

#[test]
fn the_winner_of_one_voter_is_said_to_be_that_voters() {
    let user = User::new();
    let votes = |voters: usize| {
        (0..100).fold("voter,left,right,winner\n".to_owned(), |text, vote| {
            text + &format!("v{},tea,mud,{}\n", vote % voters, if vote % 10 == 0 { "right" } else { "left" })
        })
    };
    for (voters, head) in [(1, "Clear winner by one voter: tea"), (2, "Not enough votes"), (20, "Clear winner: tea")] {
        user.write("votes.csv", &votes(voters));
        for flags in ["", "--sequential"] {
            let text = user.succeeds(&format!("rank votes.csv {flags} -q"));
            assert!(text.starts_with(head), "{voters} {flags}: {text}");
            let json: Value =
                serde_json::from_str(&user.succeeds(&format!("rank votes.csv {flags} -q --format json"))).unwrap();
            let few = if voters < 6 { Value::from(voters) } else { Value::Null };
            assert_eq!(json["verdict"]["few_voters"], few, "{voters} {flags}");
        }
    }
}

#[test]
fn an_audit_finds_the_voter_who_made_the_board_and_what_was_published_without_votes() {
    let user = User::new();
    let mut votes = "voter,left,right,winner\n".to_owned();
    for voter in 0..40 {
        for (at, line) in drinks(1, "left", "right").replace("right\n", "left\n").lines().skip(1).enumerate() {
            let answer = if (voter + at) % 4 == 0 { "right" } else { "left" };
            writeln!(votes, "{voter},{}", line.replace(",left", &format!(",{answer}"))).unwrap();
        }
    }
    // One voter has a favourite, and a name that would act on a page.
    for _ in 0..90 {
        votes += "<b>bot,mud,tea,left\n<b>bot,coffee,mud,right\n";
    }
    user.write("votes.csv", &votes);
    user.write("board.csv", "item\nmud\ntea\nwine\ncoffee\n");
    let found = user.succeeds("check votes.csv --published board.csv --html a.html --format json -q");
    let found: Value = serde_json::from_str(&found).unwrap();
    let probe = |name: &str| found["probes"].as_array().unwrap().iter().find(|p| p["name"] == name).unwrap();
    assert!(found["version"] == 1 && found["ranking"]["items"].as_array().unwrap().len() == 3, "{found}");
    let heavy = probe("one-voter");
    assert!(heavy["ok"] == false && heavy["false_alarm"].is_null(), "{heavy}");
    assert!(heavy["text"].as_str().unwrap().contains("without <b>bot alone tea is first"), "{heavy}");
    assert!(probe("published")["text"].as_str().unwrap().contains("without votes that rank it: wine"));
    assert!(probe("connected")["ok"] == true && probe("position")["false_alarm"] == 0.01, "{found}");
    let page = String::from_utf8(user.read("a.html")).unwrap();
    assert!(page.contains("one-voter") && page.contains("&lt;b&gt;bot") && !page.contains("<b>bot"));
    let heads = [("table", "What was found\n✗ "), ("md", "## What was found\n\n- ✗ **"), ("csv", "probe,ok,")];
    for (format, head) in heads {
        let shown = user.succeeds(&format!("check votes.csv -q --format {format}"));
        assert!(shown.contains(head), "{shown}");
    }
    // The same bytes on any number of threads.
    assert_eq!(user.succeeds("check votes.csv -q --jobs 1"), user.succeeds("check votes.csv -q --jobs 3"));
    // Nothing to audit, an order of other items, and a page in the place of the votes.
    user.write("none.csv", "left,right,winner\n");
    user.write("other.csv", "item\nred\nblue\n");
    let refused = [
        ("none.csv", 3, ""),
        ("votes.csv --published other.csv", 3, "none of its 2 items is voted on"),
        ("votes.csv --html votes.csv", 2, "votes.csv"),
    ];
    for (line, code, why) in refused {
        let refused = user.borduel(&format!("check {line}"));
        assert!(refused.code == code && refused.err.contains(why), "{line}: {}", refused.err);
    }
}

/// What the verdict at any time does not do is refused, not said to be done.
#[test]
fn a_verdict_at_any_time_refuses_what_it_cannot_allow_for() {
    let user = User::new();
    let votes = drinks(20, "left", "right").replace("right\n", "tie\n").replacen("winner", "winner,who,day", 1);
    let rows: Vec<&str> = votes.lines().collect();
    let with = |row: (usize, &&str)| format!("{},v{},d{}\n", row.1, row.0 % 7, row.0 % 5);
    let body: String = rows[1..].iter().enumerate().map(with).collect();
    user.write("votes.csv", &format!("{}\n{body}", rows[0]));
    for flags in [
        "--adjust position",
        "--ties model",
        "--least-votes 30",
        "--exclude-item mud",
        "--cluster who,day",
        "--bootstrap 200",
    ] {
        let refused = user.borduel(&format!("rank votes.csv --sequential {flags}"));
        assert_eq!(refused.code, 2, "{flags}: {}", refused.err);
        assert!(refused.err.contains("cannot allow for"), "{flags}: {}", refused.err);
    }
}

#[test]
fn rows_are_left_out_by_what_they_are_not() {
    let user = User::new();
    user.write("all.csv", "who,winner,loser\nann,tea,mud\nben,mud,tea\ncho,tea,mud\ndee,tea,mud\n");
    user.write("some.csv", "who,winner,loser\nann,tea,mud\ncho,tea,mud\n");
    let csv = |line: &str| user.succeeds(&format!("rank {line} --format csv -q"));
    assert_eq!(csv("all.csv --where who!=ben --where who!=dee"), csv("some.csv"));
    assert_eq!(csv("all.csv --where who=ann --where who=cho --where who!=dee"), csv("some.csv"));
    let said = user.borduel("rank all.csv --where whom!=ben").err;
    assert!(said.contains("--where whom: there is no such column"), "{said}");
}

/// What other programs call it leads to what it is called here, and help to the command that was meant.
#[test]
fn other_programs_flags_and_misspelt_commands_lead_on() {
    let user = User::new();
    user.write("votes.csv", &drinks(10, "left", "right"));
    for (line, said) in [
        ("rank votes.csv --json", "here that is --format json; see `borduel rank -h`"),
        ("rank votes.csv --level high", "see `borduel rank -h`"),
        ("rnak votes.csv", "there is no command 'rnak'; perhaps 'rank'; see `borduel -h`"),
        ("study list --database sqlite:none.db", "none.db: there is no such database"),
    ] {
        let refused = user.borduel(line);
        assert_eq!(refused.code, 2, "{line}: {}", refused.err);
        assert!(refused.err.contains(said), "{line}: {}", refused.err);
    }
    assert!(!user.path("none.db").exists());
}

/// Twelve voters on three drinks, the last of whom says the opposite and three times as often.
fn crowd() -> String {
    let mut text = "voter,left,right,winner\n".to_owned();
    for voter in 0..12 {
        for vote in 0..if voter == 11 { 36 } else { 12 } {
            for (better, worse) in [("tea", "coffee"), ("coffee", "mud"), ("tea", "mud")] {
                let right = ((vote + voter) % 6 == 0) != (voter == 11);
                writeln!(text, "v{voter:02},{better},{worse},{}", if right { "right" } else { "left" }).unwrap();
            }
        }
    }
    text
}

#[test]
fn how_far_voters_can_be_relied_on_is_told_and_weighs_when_asked() {
    let user = User::new();
    user.write("votes.csv", &crowd());
    let json = |line: &str| -> Value {
        serde_json::from_str(&user.succeeds(&format!("rank {line} --format json -q"))).unwrap()
    };
    let alike = json("votes.csv");
    let told = &alike["reliability"];
    assert_eq!((&told["weighed"], &told["voters"][0]["voter"]), (&Value::Bool(false), &"v11".into()));
    assert!(told["p"].as_f64().unwrap() < 0.01 && told["without"]["first"] == "tea", "{told}");
    let check = alike["checks"].as_array().unwrap().iter().find(|check| check["name"] == "reliability").unwrap();
    assert!(check["text"].as_str().unwrap().contains("v11, the least reliable of 12"), "{check}");
    let weighed = json("votes.csv --voters weigh");
    let score = |ranking: &Value| ranking["items"][0]["borda"]["estimate"].as_f64().unwrap();
    assert!(score(&weighed) > score(&alike) + 0.02, "{} {}", score(&weighed), score(&alike));
    assert_eq!(weighed["reliability"]["weighed"], true);
    assert_eq!(weighed["reliability"]["first_alike"], "tea");
    assert!(weighed["votes"]["effective"].as_f64().unwrap() < alike["votes"]["effective"].as_f64().unwrap());
    let text = user.succeeds("rank votes.csv --voters weigh --html page.html -q");
    assert!(text.contains("that changes whose winner it is"), "{text}");
    assert!(String::from_utf8(user.read("page.html")).unwrap().contains("an answer carries"));
}

#[test]
fn voters_who_cannot_be_weighed_are_not() {
    let user = User::new();
    user.write("nobody.csv", &drinks(10, "left", "right"));
    let refused = user.borduel("rank nobody.csv --voters weigh");
    assert!(refused.code == 3 && refused.err.contains("10 voters who are named"), "{}", refused.err);
    user.write("votes.csv", &crowd());
    for flags in ["--sequential", "--by voter", "--over voter", "--cluster voter"] {
        let refused = user.borduel(&format!("rank votes.csv --voters weigh {flags}"));
        assert!(refused.code == 2 && refused.err.contains("--voters"), "{flags}: {}", refused.err);
    }
}

/// Votes on three drinks and ten prompts: of people some questions, of the judge all.
fn on_prompts() -> [String; 2] {
    let [mut people, mut judge] = [(); 2].map(|()| "prompt,left,right,winner\n".to_owned());
    for prompt in 0..10 {
        for (pair, (left, right)) in [("tea", "coffee"), ("coffee", "mud"), ("tea", "mud")].into_iter().enumerate() {
            let side = if (prompt * 7 + pair * 3) % 10 < 6 { ["left", "right"] } else { ["right", "left"] };
            writeln!(judge, "p{prompt},{left},{right},{}", side[0]).unwrap();
            for vote in 0..(prompt + pair) % 4 + 2 {
                let says = side[usize::from((vote + prompt) % 5 == 0)];
                writeln!(people, "p{prompt},{left},{right},{says}").unwrap();
            }
        }
    }
    [people, judge]
}

#[test]
fn a_judge_that_answered_the_same_questions_saves_votes_and_counts_as_none() {
    let user = User::new();
    let [people, judge] = on_prompts();
    user.write("people.csv", &people);
    user.write("judge.csv", &judge);
    let json = |line: &str| -> Value {
        serde_json::from_str(&user.succeeds(&format!("rank people.csv {line} --format json -q"))).unwrap()
    };
    let (alone, hinted) = (json("--about these"), json("--about these --hint judge.csv"));
    assert!(alone["hint"].is_null());
    assert_eq!(hinted["votes"]["used"], alone["votes"]["used"]);
    assert_eq!(hinted["hint"]["control"]["pairs"], 3);
    assert!(hinted["hint"]["saved"].as_f64().unwrap() > 0.1, "{}", hinted["hint"]);
    let width = |ranking: &Value| {
        let borda = &ranking["items"][0]["borda"];
        borda["high"].as_f64().unwrap() - borda["low"].as_f64().unwrap()
    };
    assert!(width(&hinted) < width(&alone), "{} {}", width(&hinted), width(&alone));
    let such = json("--about such --hint judge.csv");
    assert!(such["hint"]["control"].is_null() && such["hint"]["saved"] == 0.0, "{}", such["hint"]);
    assert!(such["hint"]["text"].as_str().unwrap().contains("Nothing of it is in these scores"), "{}", such["hint"]);
    assert_eq!(such["items"], json("--about such")["items"]);
    // A panel that says the same twice says no more; its answer is the mean of what its judges say.
    let turned = judge.replace("left\n", "?\n").replace("right\n", "left\n").replace("?\n", "right\n");
    user.write("contrary.csv", &turned);
    let same = |hints: &str| json(&format!("--about these {hints}"))["items"].clone();
    user.write("again.csv", &judge);
    assert_eq!(same("--hint judge.csv --hint again.csv"), hinted["items"]);
    assert_eq!(same("--hint judge.csv --hint contrary.csv"), alone["items"]);
    // People who foretell themselves would make intervals narrow for nothing.
    for hints in ["--hint people.csv", "--hint judge.csv --hint people.csv"] {
        let itself = user.borduel(&format!("rank people.csv --about these {hints} -q"));
        assert!(itself.code == 3 && itself.err.contains("the hint has the same votes"), "{}", itself.err);
    }
}

/// A hint goes with a verdict at any time: its answers to the same questions save votes, what it thinks of items is
/// believed as far as is said, and it is never a voter.
#[test]
fn a_hint_goes_with_a_verdict_at_any_time() {
    let user = User::new();
    let [people, judge] = on_prompts();
    user.write("people.csv", &people);
    user.write("judge.csv", &judge);
    let json = |line: &str| -> Value {
        serde_json::from_str(&user.succeeds(&format!("rank people.csv --sequential {line} --format json -q"))).unwrap()
    };
    let (alone, hinted) = (json("--about these"), json("--about these --hint judge.csv"));
    assert!(alone["hint"].is_null());
    assert_eq!(hinted["votes"]["used"], alone["votes"]["used"]);
    let (hint, text) = (&hinted["hint"], hinted["hint"]["text"].as_str().unwrap());
    assert!(
        hint["saved"].as_f64().unwrap() > 0.05 && text.contains("Answers of judges to the same questions"),
        "{hint}"
    );
    assert!(text.contains("not counted as votes") && text.contains("no claim about two items rests on"), "{text}");
    let width = |ranking: &Value| -> f64 {
        let each = ranking["items"].as_array().unwrap().iter().map(|item| &item["borda"]);
        each.map(|borda| borda["high"].as_f64().unwrap() - borda["low"].as_f64().unwrap()).sum()
    };
    assert!(width(&hinted) < width(&alone), "{} {}", width(&hinted), width(&alone));
    let such = json("--about such --hint judge.csv");
    assert_eq!(such["hint"]["saved"], 0.0, "{such}");
    let believed = json("--about these --hint judge.csv --trust model");
    assert!(believed["hint"]["text"].as_str().unwrap().contains("it is believed altogether"), "{believed}");
    for (line, says) in
        [("--hint people.csv", "the hint has the same votes"), ("--hint judge.csv --trust nothing", "leave out --hint")]
    {
        let refused = user.borduel(&format!("rank people.csv --sequential {line} -q"));
        assert!(refused.code != 0 && refused.err.contains(says), "{says}: {}", refused.err);
    }
}

/// Whether a judge pays is told from two prices, with what is sure and what is not.
#[test]
fn whether_a_judge_pays_is_told_from_two_prices() {
    let user = User::new();
    let [people, judge] = on_prompts();
    user.write("people.csv", &people);
    user.write("judge.csv", &judge);
    let json = |prices: &str| -> Value {
        let line = format!("judge people.csv judge.csv --prices {prices} --format json -q");
        serde_json::from_str(&user.succeeds(&line)).unwrap()
    };
    let told = |object: &Value| {
        let lines = object["details"].as_array().unwrap().iter().filter_map(Value::as_str);
        lines.filter(|line| line.starts_with("Prices: ")).collect::<String>()
    };
    let cheap = json("1,0.0001");
    let paid = &cheap["paid"];
    let prompts =
        people.lines().skip(1).filter_map(|line| line.split(',').next()).collect::<std::collections::HashSet<_>>();
    assert_eq!(paid["questions"].as_f64(), Some(3.0 * prompts.len() as f64));
    let (votes, share) = (cheap["votes"][0].as_f64().unwrap(), &cheap["saving"]["share"]);
    assert!((paid["saves"][1].as_f64().unwrap() - votes * share["high"].as_f64().unwrap()).abs() < 1e-6, "{paid}");
    let from = paid["cost"].as_f64().unwrap() / share["estimate"].as_f64().unwrap();
    assert!((paid["pays_from"].as_f64().unwrap() - from).abs() < 1e-6, "{paid}");
    let dear = json("1,100");
    assert!(told(&dear).contains("it does not pay. At the estimate it would from "), "{}", told(&dear));
    // Without prices nothing is said of them; and without contexts nothing can be.
    let line = "judge people.csv judge.csv --format json -q";
    assert!(serde_json::from_str::<Value>(&user.succeeds(line)).unwrap().get("paid").is_none());
    for wrong in ["1", "1,0", "a,b", "1,-2", "1,inf", "1,NaN"] {
        let refused = user.borduel(&format!("judge people.csv judge.csv --prices={wrong}"));
        assert!(refused.code == 2 && refused.err.contains("1,0.01"), "{wrong}: {}", refused.err);
    }
}

/// Of items with exactly the same score none is called the first, by people or by the judge.
#[test]
fn level_items_are_said_to_be_level() {
    let user = User::new();
    user.write(
        "level.csv",
        "winner,loser,count\nash,elm,50\nelm,ash,50\nash,fir,80\nfir,ash,20\nelm,fir,80\nfir,elm,20\n",
    );
    user.write("circle.csv", "winner,loser,count\nash,elm,5\nelm,fir,5\nfir,ash,5\n");
    user.write(
        "clear.csv",
        "winner,loser,count\nash,elm,60\nelm,ash,40\nash,fir,80\nfir,ash,20\nelm,fir,80\nfir,elm,20\n",
    );
    user.write("again.csv", "winner,loser,count\nash,elm,5\nelm,ash,5\nash,fir,8\nfir,ash,2\nelm,fir,8\nfir,elm,2\n");
    for (people, judge, says) in [
        ("level.csv", "again.csv", "It puts ash and elm (level) first, as people do."),
        ("circle.csv", "level.csv", "It puts ash and elm (level) first, and people ash, elm and 1 more (level)."),
        ("level.csv", "clear.csv", "It puts ash first, and people ash and elm (level)."),
        ("clear.csv", "clear2.csv", "It puts the same item first as people do: ash."),
    ] {
        user.write(
            "clear2.csv",
            "winner,loser,count\nash,elm,6\nelm,ash,4\nash,fir,8\nfir,ash,2\nelm,fir,8\nfir,elm,2\n",
        );
        let told = user.succeeds(&format!("judge {people} {judge} -q"));
        assert!(told.contains(says), "{people} {judge}: {told}");
    }
    let told = user.succeeds("rank level.csv -q");
    assert!(
        told.contains("rests on: no vote, elm has the same score; without 1 of 300 votes elm would be first"),
        "{told}"
    );
    let told = user.succeeds("rank clear.csv -q");
    assert!(told.contains("rests on: without "), "{told}");
}

/// The picture of items by prompts has every item's score on every prompt, and the first line about it who is ahead
/// where.
#[test]
fn the_page_shows_who_is_strong_where() {
    let user = User::new();
    user.write("votes.csv", &ahead_on_five(8));
    let told = user.succeeds("rank votes.csv -q --html page.html");
    assert!(told.contains("ash is ahead on 5 of 8 prompts; elm on 3 (p5, p6, p7)"), "{told}");
    let page = std::fs::read_to_string(user.path("page.html")).unwrap();
    let ranking: Value = serde_json::from_str(&user.succeeds("rank votes.csv -q --format json")).unwrap();
    let map = &ranking["contexts"]["map"];
    let (items, contexts) = (map["items"].as_array().unwrap(), map["contexts"].as_array().unwrap());
    assert_eq!((items.len(), contexts.len()), (2, 8));
    for context in contexts {
        for (place, item) in items.iter().enumerate() {
            let (name, share) = (context["name"].as_str().unwrap(), context["borda"][place].as_f64().unwrap());
            let cell = format!(
                "{}, {name}: {:.0} %, 20 votes here",
                ["ash", "elm"][item.as_u64().unwrap() as usize],
                100.0 * share
            );
            assert!(page.contains(&cell), "{cell}");
        }
    }
}

/// Of very many prompts those with the most votes are looked at one by one, and that is said.
#[test]
fn of_many_prompts_it_is_said_on_which_the_first_is_ahead() {
    let user = User::new();
    let mut votes = "prompt,winner,loser\n".to_owned();
    for prompt in 0..300 {
        for vote in 0..3 {
            let (winner, loser) = if (prompt + vote) % 10 == 0 { ("elm", "ash") } else { ("ash", "elm") };
            writeln!(votes, "p{prompt},{winner},{loser}").unwrap();
        }
    }
    user.write("votes.csv", &votes);
    let told = user.succeeds("rank votes.csv -q --about these");
    assert!(told.contains("ash is ahead on all 200 prompts with the most votes."), "{told}");
}

/// Votes on the first so many of these prompts, 20 on each: ash is ahead on the first five, elm on the others.
fn ahead_on_five(prompts: usize) -> String {
    let mut votes = "prompt,winner,loser\n".to_owned();
    for prompt in 0..prompts {
        for vote in 0..20 {
            let (winner, loser) = if (vote < 15) == (prompt < 5) { ("ash", "elm") } else { ("elm", "ash") };
            writeln!(votes, "p{prompt},{winner},{loser}").unwrap();
        }
    }
    votes
}

#[test]
fn fewer_prompts_than_eight_hardly_speak_for_others_and_that_is_said() {
    let user = User::new();
    for (prompts, flags, says, about) in [
        (
            3,
            "",
            "over 3 prompts, each counted alike, and speak for these alone, since fewer than 8 hardly speak",
            "these",
        ),
        (
            7,
            "",
            "over 7 prompts, each counted alike, and speak for these alone, since fewer than 8 hardly speak",
            "these",
        ),
        (
            8,
            "",
            "over 8 prompts, each counted alike, and speak for prompts like these, since there are at least 8",
            "such",
        ),
        (8, "--about these", "over 8 prompts, each counted alike, and speak for these alone, as asked", "these"),
        (3, "--about such", "over 3 prompts, each counted alike, and speak for prompts like these, as asked", "such"),
    ] {
        user.write("votes.csv", &ahead_on_five(prompts));
        let verdict = match about {
            "these" => format!("on these {prompts} prompts"),
            _ => format!("on prompts like these ({prompts} seen)"),
        };
        // At any time too, in other words.
        for anytime in ["", " --sequential"] {
            let text = user.succeeds(&format!("rank votes.csv -q {flags}{anytime} --html page.html"));
            let first = text.lines().next().unwrap();
            assert!(first.contains(&verdict), "{first}");
            let few = about == "these" && flags.is_empty();
            assert_eq!(text.contains("hardly speak for others"), few, "{text}");
            assert!(text.contains(says), "{says}: {text}");
            let page = std::fs::read_to_string(user.path("page.html")).unwrap();
            assert!(page.contains(says), "{says}");
            let ranking = user.succeeds(&format!("rank votes.csv -q {flags}{anytime} --format json"));
            let ranking: Value = serde_json::from_str(&ranking).unwrap();
            assert_eq!(ranking["contexts"]["about"], about);
            assert!(ranking["verdict"]["text"].as_str().unwrap().contains(&verdict), "{}", ranking["verdict"]);
        }
    }
}

/// The column of contexts may be that of the groups too: each group is one of them, ranked by itself, and where the
/// winner changes is told by both.
#[test]
fn groups_by_the_prompt_stand_beside_the_ranking_over_prompts() {
    let user = User::new();
    user.write("votes.csv", &ahead_on_five(8));
    let answer = user.borduel("rank votes.csv --by prompt --html page.html");
    assert!(answer.err.contains("context = \"prompt\", by = prompt"), "{}", answer.err);
    let text = answer.out;
    assert!(text.contains("on prompts like these (8 seen)"), "{text}");
    assert!(text.contains("ash is ahead on 5 of 8 prompts; elm on 3 (p5, p6, p7)"), "{text}");
    assert!(text.contains("By prompt the scores of these items differ beyond chance"), "{text}");
    for prompt in 0..8 {
        let row = text.lines().find(|line| line.starts_with(&format!("p{prompt} ")) && line.contains("winner"));
        let winner = if prompt < 5 { "clear winner: ash" } else { "clear winner: elm" };
        assert!(row.is_some_and(|row| row.ends_with(winner)), "p{prompt}: {text}");
    }
    let page = std::fs::read_to_string(user.path("page.html")).unwrap();
    assert!(page.contains("ash is ahead on 5 of 8 prompts") && page.contains("clear winner: elm"));
    let read = |line: &str| -> Value { serde_json::from_str(&user.succeeds(line)).unwrap() };
    let with = read("rank votes.csv --by prompt -q --format json");
    let without = read("rank votes.csv -q --format json");
    for part in ["items", "contexts", "verdict", "checks"] {
        assert_eq!(with[part], without[part], "groups change nothing about {part}");
    }
    let groups = with["by"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 8);
    for (prompt, group) in groups.iter().enumerate() {
        let alone = read(&format!("rank votes.csv --where prompt=p{prompt} -q --format json"));
        assert_eq!(group["ranking"]["items"], alone["items"], "p{prompt}");
        assert_eq!(group["ranking"]["verdict"]["winners"][0], if prompt < 5 { "ash" } else { "elm" });
        // Of a single prompt nothing is said about prompts.
        assert!(group["ranking"].get("contexts").is_none() && alone.get("contexts").is_none(), "{group}");
    }
    let differs = &with["by"]["differences"][0];
    assert!(differs["p"].as_f64().unwrap() < 1e-3, "{differs}");
    // Where it does not change, that is said as well.
    user.write("votes.csv", &ahead_on_five(5));
    let text = user.succeeds("rank votes.csv --by prompt -q");
    assert!(text.contains("ash is ahead on all 5 prompts."), "{text}");
    assert!(text.contains("No score differs between the groups by prompt beyond chance"), "{text}");
}

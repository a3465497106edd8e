//! Files for which there was no way, or a wrong lead: each is read, or what is said of it leads on at the first try.

mod reading;

use borduel_rank::ballots::Ballots;
use borduel_votes::{Columns, Encoding, ExtraColumns, ReadOptions, RowKind, TableOptions, VoteReader, WideOptions};
use reading::{columns, means, read, refused, wins};
use std::io::Cursor;

fn none() -> ReadOptions {
    ReadOptions::default()
}

fn named(left: &str, right: &str, winner: &str) -> ReadOptions {
    let [left, right, winner] = [left, right, winner].map(|name| Some(name.to_owned()));
    columns(Columns { left, right, winner, ..Columns::default() })
}

fn no_header(options: ReadOptions) -> ReadOptions {
    ReadOptions { table: TableOptions { no_header: true, ..TableOptions::default() }, ..options }
}

fn long(kind: RowKind, voter: Option<&str>, task: Option<&str>, items: [&str; 2]) -> ReadOptions {
    let wide = WideOptions {
        rows: Some(kind),
        columns: items.map(str::to_owned).to_vec(),
        task: task.map(str::to_owned),
        transpose: false,
    };
    ReadOptions { wide, ..columns(Columns { voter: voter.map(str::to_owned), ..Columns::default() }) }
}

#[test]
fn a_first_row_that_is_a_vote_is_not_lost() {
    let two = "ann,bea,ann\nbea,cid,cid\n";
    refused(two, &named("1", "2", "3"), &["(ann, bea, ann) reads as a vote", "--no-header"]);
    assert_eq!(wins(&read(two, &no_header(named("1", "2", "3"))).unwrap().0), ["ann>bea 1", "cid>bea 1"]);
    refused("ann,bea,left\nbea,cid,right\n", &named("1", "2", "3"), &["reads as a vote"]);
    let numbered = |winner: &str, loser: &str| {
        let (winner, loser) = (Some(winner.to_owned()), Some(loser.to_owned()));
        columns(Columns { winner, loser, ..Columns::default() })
    };
    refused("ann,bea\nbea,cid\n", &numbered("1", "2"), &["(ann, bea) reads as a vote"]);
    // Where nothing tells, what was done is said.
    let (ballots, _, note) = read("ann,bea\ncid,dan\n", &numbered("1", "2")).unwrap();
    assert_eq!(wins(&ballots), ["cid>dan 1"]);
    assert!(note.contains("the first row (ann, bea) is taken for the header"), "{note}");
    // A header is one.
    let headed = "left,right,winner\nann,bea,left\nbea,cid,right\n";
    assert_eq!(wins(&read(headed, &named("1", "2", "3")).unwrap().0), ["ann>bea 1", "cid>bea 1"]);
    assert_eq!(wins(&read("x,y,z\nann,bea,ann\n", &named("1", "2", "3")).unwrap().0), ["ann>bea 1"]);
}

#[test]
fn files_without_a_header_are_led_to_what_reads_them() {
    let votes = "ann,bea,ann\nbea,cid,cid\nann,cid,ann\n";
    refused(votes, &none(), &["--no-header", "line 1: ann beat bea"]);
    refused("ann,bea\nbea,cid\n", &none(), &["--no-header --winner 1 --loser 2", "line 1: ann beat bea"]);
    let rankings = "tea,coffee,mud\ncoffee,tea,mud\ntea,mud,coffee\nmud,tea,coffee\n";
    refused(rankings, &none(), &["--no-header --rows places; it reads line 1: ranked tea > coffee > mud"]);
    let message = read(rankings, &none()).unwrap_err();
    assert!(!message.contains("--left 1 --right 2"), "{message}");
    let places = ReadOptions {
        wide: WideOptions { rows: Some(RowKind::Places), ..WideOptions::default() },
        ..no_header(none())
    };
    assert_eq!(read(rankings, &places).unwrap().0.used(), 12.0);
}

#[test]
fn what_is_not_so_is_not_said() {
    // Rows of other lengths are rows too.
    let ragged = format!("a note about it\n{}", "ann beat bea at home\nbea lost to cid\n".repeat(10));
    for text in [ragged.as_str(), "ann;bea\nbea;cid\n"] {
        let message = read(text, &none()).unwrap_err();
        assert!(!message.contains("single row"), "{message}");
    }
    refused("{\"votes\": {\"a\": 1}, \"x\": \"y\"}\n", &none(), &["single row"]);
    for header in ["home team;away team\thalf time|result", "All results of the first half of the season,,,"] {
        let message = read(&format!("{header}\nash\tbirch,1,2\n"), &none()).unwrap_err();
        assert!(!message.contains("ahead at half time"), "{message}");
    }
    let page = "Loading\n<table>\n<tr><td>ash > birch</td></tr>\n<tr><td>birch > ash</td></tr>\n</table>\n";
    refused(page, &none(), &["web page"]);
    let message = read(page, &none()).unwrap_err();
    assert!(!message.contains("--rows ballots"), "{message}");
}

#[test]
fn three_annotators_are_no_two_sides() {
    let mut scores = "sentence1,sentence2,score_annotator1,score_annotator2,score_annotator3\n".to_owned();
    let mut choices = "output_a,output_b,annotator_1,annotator_2,annotator_3\n".to_owned();
    for n in 0..12 {
        let (a, b) = (n % 4, (n + 1 + n / 4) % 4);
        scores += &format!("m{a},m{b},{},{},{}\n", n % 5, n / 2 % 5, n / 3 % 5);
        choices += &format!("m{a},m{b},{},{},{}\n", 1 + n % 2, 1 + n / 2 % 2, 1 + n / 3 % 2);
    }
    refused(&scores, &none(), &["columns of several judges", "write a row for each judge"]);
    refused(&choices, &none(), &["If only \"annotator_1\" is to count, say --winner \"annotator_1\"", "m0 beat m1"]);
    for text in [scores, choices] {
        let message = read(&text, &none()).unwrap_err();
        assert!(!message.contains("-points \""), "{message}");
    }
}

#[test]
fn the_rank_of_last_year_is_not_the_rank() {
    let mut text = "year,team,2022_rank,rank\n".to_owned();
    for (year, order) in [(2019, "abcde"), (2020, "badce"), (2021, "ecabd"), (2022, "deabc")] {
        for (at, team) in order.chars().enumerate() {
            // Nearly always the same for a team.
            let last = if (year, team) == (2019, 'e') { 4 } else { "abcde".find(team).unwrap() + 1 };
            text += &format!("{year},{team},{last},{}\n", at + 1);
        }
    }
    refused(&text, &none(), &["--rows long-ranks --voter \"year\" --item-columns \"team,rank\""]);
    let message = read(&text, &none()).unwrap_err();
    assert!(!message.contains("team,2022_rank"), "{message}");
}

#[test]
fn places_by_any_name_are_led_to() {
    let text = "id,vote_1,vote_2,vote_3,vote_4,vote_5\n1,a,b,c,d,e\n2,b,a,c,e,d\n3,c,a,b,,\n4,e,d,c,b,a\n";
    refused(
        text,
        &none(),
        &["--rows places --item-columns \"vote_1,vote_2,vote_3,vote_4,vote_5\"", "ranked a > b > c"],
    );
    let form = "Timestamp,Rank these [First],Rank these [Second]\n1,tea,mud\n2,mud,tea\n3,tea,milk\n";
    means(form, &["mud>tea 1", "tea>milk 1", "tea>mud 1"]);
    // Forms write ranks as words, too.
    for (first, second, third) in [("1st", "2nd", "3rd"), ("First", "Second", "Third"), ("Rank 1", "Rank 2", "Rank 3")]
    {
        let grid = format!(
            "Timestamp,Rank these [tea],Rank these [mud],Rank these \
             [milk]\n1,{first},{second},{third}\n2,{second},{first},{third}\n"
        );
        means(&grid, &["mud>milk 2", "mud>tea 1", "tea>milk 2", "tea>mud 1"]);
    }
}

#[test]
fn one_item_a_row_is_led_to() {
    let races = "Race,Horse,Finish\n1,a,1\n1,b,2\n1,c,3\n2,a,2\n2,b,1\n2,c,3\n";
    refused(races, &none(), &["--rows long-ranks --voter \"Race\" --item-columns \"Horse,Finish\""]);
    let panel =
        "Panelist,Session,Product,Sweet,Acid\n1,1,a,3,4\n1,1,b,5,2\n2,1,a,3,1\n2,1,b,6,2\n3,1,a,4,4\n3,1,b,5,5\n";
    refused(panel, &none(), &["--rows long-ratings --voter \"Panelist\" --item-columns \"Product,Sweet\""]);
    let message = read(panel, &none()).unwrap_err();
    assert!(!message.contains("--rows ratings"), "{message}");
    // A judge with several rankings.
    let mut blocks = "id,block,item,rank\n".to_owned();
    for n in 0..12 {
        let (judge, block, item) = (n / 6, n / 3 % 2, n % 3);
        blocks += &format!("{judge},{block},{},{}\n", ["a", "b", "c"][item], (item + block) % 3 + 1);
    }
    let flags = "--rows long-ranks --voter \"id\" --task \"block\" --item-columns \"item,rank\"";
    refused(&blocks, &none(), &[flags]);
    let told = read(&blocks, &long(RowKind::LongRanks, Some("id"), Some("block"), ["item", "rank"])).unwrap();
    assert_eq!((told.0.used(), told.0.copies().len()), (12.0, 2));
    // A judge made of two columns is another way to say so.
    let both = read(&blocks, &long(RowKind::LongRanks, Some("id,block"), None, ["item", "rank"])).unwrap();
    assert_eq!((both.0.used(), both.0.copies().len()), (12.0, 4));
    assert!(both.2.contains("voter = \"id,block\"") && !both.2.contains("not used"), "{}", both.2);
    let nowhere = long(RowKind::LongRanks, Some("id,nowhere"), None, ["item", "rank"]);
    refused(&blocks, &nowhere, &["--voter nowhere: there is no such column"]);
}

#[test]
fn choices_in_long_form() {
    let choice = "respid,task,alt,brand,price,chosen\n1,1,1,ash,2,1\n1,1,2,birch,1,0\n1,1,3,cedar,1,0\n\
        1,2,1,birch,3,0\n1,2,2,cedar,1,1\n\
                  2,1,1,ash,2,0\n2,1,2,cedar,1,1\n2,2,1,birch,2,Chosen\n2,2,2,ash,2,Not Chosen\n";
    let flags = "--rows choices --voter \"respid\" --task \"task\" --item-columns \"brand,chosen\"";
    refused(choice, &none(), &[flags, "line 2: of 3 items ash was chosen"]);
    let told = |voter, task| long(RowKind::Choices, voter, task, ["brand", "chosen"]);
    let (ballots, ..) = read(choice, &told(Some("respid"), Some("task"))).unwrap();
    assert_eq!(wins(&ballots), ["ash>birch 1", "ash>cedar 1", "birch>ash 1", "cedar>ash 1", "cedar>birch 1"]);
    assert_eq!(ballots.copies().len(), 2);
    refused(choice, &told(Some("respid"), Some("none")), &["--task"]);
    // The worst is told by -1.
    let mut best_worst = "id,set,item,bw\n".to_owned();
    for (set, row) in
        [("x", [("a", 1), ("b", 0), ("c", -1), ("d", 0)]), ("y", [("a", 0), ("b", 1), ("c", -1), ("d", 0)])]
    {
        best_worst.extend(row.iter().map(|(item, value)| format!("7,{set},{item},{value}\n")));
    }
    refused(&best_worst, &none(), &["--rows choices", "and c was the worst"]);
    let (ballots, ..) = read(&best_worst, &long(RowKind::Choices, Some("id"), Some("set"), ["item", "bw"])).unwrap();
    assert_eq!(wins(&ballots), ["a>b 1", "a>c 2", "a>d 1", "b>a 1", "b>c 2", "b>d 1", "d>c 2"]);
}

#[test]
fn tabs_and_blanks_may_be_mixed() {
    let text = "winner\tloser  round\nann\tbea  1\nbea  cid\t1\nann   cid\t2\n";
    means(text, &["ann>bea 1", "ann>cid 1", "bea>cid 1"]);
    means("winner loser\nann\tbea\nbea  cid\nann cid\n", &["ann>bea 1", "ann>cid 1", "bea>cid 1"]);
    // Names with a blank in them stay whole between tabs.
    means("winner\tloser\nann lee\tbea\nbea\tcid\n", &["ann lee>bea 1", "bea>cid 1"]);
}

#[test]
fn a_bad_row_among_good_ones_leads_to_leniency() {
    let rows = "ash,birch,ash\nbirch,cedar,cedar\n";
    for (bad, line) in [("ash,,ash\n", "line 4"), ("ash,birch,brich\n", "line 4"), ("ash,ash,ash\n", "line 4")] {
        refused(&format!("home,away,winner\n{rows}{bad}"), &none(), &[line, "--lenient"]);
    }
    refused("judge,item,rank\n1,a,1\n1,b,2\n1,b,2\n2,a,1\n2,b,2\n", &none(), &["line 4", "second row", "--lenient"]);
    // Where the first row is not understood, the reading is wrong and not the row.
    let message = read("home,away,winner\nash,birch,oak\n", &none()).unwrap_err();
    assert!(!message.contains("--lenient"), "{message}");
}

#[test]
fn both_items_in_one_cell_are_seen() {
    for pair in ["ash, birch|birch, cedar|ash, cedar", "ash - birch|birch - cedar|ash - cedar"] {
        let rows: Vec<String> = pair.split('|').map(|pair| format!("\"{pair}\",1\n")).collect();
        refused(&format!("pair,which\n{}", rows.concat()), &none(), &["\"pair\" holds both items"]);
    }
}

#[test]
fn chosen_and_not_chosen_are_known() {
    let text = "item_a,item_b,a_result\nash,birch,Chosen\nbirch,cedar,Not Chosen\nash,cedar,Chosen\n";
    means(text, &["ash>birch 1", "ash>cedar 1", "cedar>birch 1"]);
}

#[test]
fn columns_without_a_name_have_numbers() {
    let text = ",home,away,\n1,ash,birch,ash\n2,birch,cedar,cedar\n3,ash,cedar,ash\n";
    let note = means(text, &["ash>birch 1", "ash>cedar 1", "cedar>birch 1"]);
    assert!(note.contains("answer = column 4"), "{note}");
    assert_eq!(wins(&read(text, &named("2", "3", "4")).unwrap().0).len(), 3);
    let ranks = "judge,,,\n1,2,1,3\n2,1,2,3\n";
    let wide = WideOptions {
        rows: Some(RowKind::Ranks),
        columns: ["2", "3"].map(str::to_owned).to_vec(),
        ..WideOptions::default()
    };
    let told = ReadOptions { wide, ..none() };
    assert_eq!(wins(&read(ranks, &told).unwrap().0), ["2>3 1", "3>2 1"]);
}

#[test]
fn letters_of_one_byte_are_read_where_that_is_said() {
    let bytes = b"left,right,winner\nM\xfcller,B\xf6hm,M\xfcller\nB\xf6hm,\x93K\xf6hl\x94,left\n".to_vec();
    let read = |encoding: Encoding| {
        let table = TableOptions { encoding, ..TableOptions::default() };
        let mut reader = VoteReader::new(ReadOptions { table, ..none() });
        reader.read_bytes("votes", Cursor::new(bytes.clone())).map_err(|error| error.to_string())?;
        Ok::<Ballots, String>(reader.finish().0)
    };
    let message = read(Encoding::Utf8).unwrap_err();
    assert!(message.contains("line 2") && message.contains("--encoding latin1"), "{message}");
    // Also where the header alone does not tell what the columns are.
    let mut reader = VoteReader::new(none());
    let teams = b"home,away,hg,ag\nK\xf6ln,F\xfcrth,1,0\nF\xfcrth,K\xf6ln,2,2\n".to_vec();
    let message = reader.read_bytes("votes", Cursor::new(teams)).unwrap_err().to_string();
    assert!(message.contains("line 2") && message.contains("--encoding latin1"), "{message}");
    assert_eq!(read(Encoding::Latin1).unwrap().items(), ["Müller", "Böhm", "“Köhl”"]);
}

/// The votes of every group, with its name.
type Groups = Vec<(String, Ballots)>;

/// Votes by group, read from a text.
fn by(text: &str, extra: ExtraColumns, wide: WideOptions) -> Result<(Ballots, Groups, u64), String> {
    let mut reader = VoteReader::new(ReadOptions { extra, wide, ..none() });
    reader.read_bytes("votes", Cursor::new(text.as_bytes().to_vec())).map_err(|error| error.to_string())?;
    let all = reader.finish_all();
    Ok((all.ballots, all.extra.by, all.rows.unwanted))
}

#[test]
fn rankings_and_long_tables_by_group() {
    let wide = "judge,sex,tea,coffee,mud\n1,f,1,2,3\n2,m,2,1,3\n3,f,1,3,2\n4,m,3,1,2\n";
    let long = "judge,sex,item,rank\n1,f,tea,1\n1,f,coffee,2\n1,f,mud,3\n2,m,tea,2\n2,m,coffee,1\n2,m,mud,3\n\
        3,f,tea,1\n3,f,coffee,3\n3,f,mud,2\n\
                4,m,tea,3\n4,m,coffee,1\n4,m,mud,2\n";
    let places = "judge,sex,first,second,third\n1,f,tea,coffee,mud\n2,m,coffee,tea,mud\n3,f,tea,mud,coffee\n\
        4,m,coffee,mud,tea\n";
    let ballots = "judge,sex,ballot\n1,f,tea>coffee>mud\n2,m,coffee>tea>mud\n3,f,tea>mud>coffee\n4,m,coffee>mud>tea\n";
    let men = ["coffee>mud 2", "coffee>tea 2", "mud>tea 1", "tea>mud 1"];
    for text in [wide, long, places, ballots] {
        let only = ExtraColumns { only: vec![("sex".into(), "m".into())], ..ExtraColumns::default() };
        let (alone, _, unwanted) = by(text, only, WideOptions::default()).unwrap();
        assert_eq!(wins(&alone), men, "{text}");
        assert_eq!(unwanted as usize, (text.lines().count() - 1) / 2);
        let groups = ExtraColumns { by: Some("sex".into()), ..ExtraColumns::default() };
        let note = read(text, &ReadOptions { extra: groups.clone(), ..none() }).unwrap().2;
        assert!(note.contains(", by = sex") && !note.contains("not used"), "{note}");
        let (all, groups, _) = by(text, groups, WideOptions::default()).unwrap();
        assert_eq!(all.used(), 12.0);
        assert_eq!(groups.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["f", "m"]);
        assert_eq!(wins(&groups[1].1), men, "{text}");
        assert_eq!(groups[0].1.items(), all.items());
    }
    let matrix = ",ash,birch\nash,0,12\nbirch,3,0\n";
    let only = ExtraColumns { only: vec![("ash".into(), "0".into())], ..ExtraColumns::default() };
    assert!(by(matrix, only, WideOptions::default()).unwrap_err().contains("no rows to choose from"));
    let over = ExtraColumns { over: Some("sex".into()), ..ExtraColumns::default() };
    assert!(by(wide, over, WideOptions::default()).unwrap_err().contains("--over"));
}

#[test]
fn results_of_evaluation_tools() {
    // promptfoo: a row for each output of a test, of which select-best passes one.
    let mut rows = Vec::new();
    for (test, best) in [(0, "gpt"), (1, "claude"), (2, "claude")] {
        for (prompt, provider) in ["gpt", "claude"].into_iter().enumerate() {
            let pass = provider == best;
            rows.push(format!(
                r#"{{"testIdx": {test}, "promptIdx": {prompt}, "provider": {{"id": "{provider}", "label": ""}}, "vars": {{"topic": "t{test}"}},
                "success": {pass}, "score": {}, "gradingResult": {{"pass": {pass}, "componentResults": [{{"pass": {pass}, "score": 1}}]}}}}"#,
                u8::from(pass)
            ));
        }
    }
    let text = format!(
        r#"{{"evalId": "e", "results": {{"version": 3, "prompts": [{{"raw": "x"}}, {{"raw": "y"}}], "results": [{}], "stats": {{}}}}, "config": {{}}}}"#,
        rows.join(",")
    );
    refused(&text, &none(), &["--rows choices --task \"testIdx\" --item-columns \"provider.id,"]);
    let (ballots, ..) =
        read(&text, &long(RowKind::Choices, None, Some("testIdx"), ["provider.id", "success"])).unwrap();
    assert_eq!(wins(&ballots), ["claude>gpt 2", "gpt>claude 1"]);
    // Inspect: samples among other lists, with what was compared in their metadata.
    let sample = |id: usize, a: &str, b: &str, answer: &str| {
        format!(
            r#"{{"id": {id}, "epoch": 1, "metadata": {{"model_a": "{a}", "model_b": "{b}"}}, "scores": {{"judge": {{"value": "{answer}"}}}}}}"#
        )
    };
    let samples = [sample(1, "gpt", "claude", "B"), sample(2, "claude", "gpt", "A"), sample(3, "gpt", "claude", "A")];
    let text = format!(
        r#"{{"version": 2, "plan": {{"steps": [{{"solver": "x"}}, {{"solver": "y"}}]}}, "samples": [{}]}}"#,
        samples.join(",")
    );
    means(&text, &["claude>gpt 1", "claude>gpt 1", "gpt>claude 1"]);
}

//! Advice is followed to the letter: the flags of the first reading that is offered are typed, and read the file.

mod reading;

use borduel_votes::{ReadOptions, RowKind, TableOptions, WideOptions};
use reading::{means, options, read, refused, wins};

fn none() -> ReadOptions {
    ReadOptions::default()
}

/// The file is refused, and read by the first flags that are offered: it means this.
#[track_caller]
fn follows(text: &str, expected: &[&str]) -> String {
    let message = read(text, &none()).map(|(_, _, note)| note).expect_err(text);
    let offered = message.split(" • ").nth(1).unwrap_or_else(|| panic!("nothing is offered: {message}"));
    let (_, flags) = offered.split_once(", say ").unwrap_or_else(|| panic!("{message}"));
    let flags = flags.split("; it reads").next().unwrap();
    let (ballots, ..) = read(text, &options(flags)).unwrap_or_else(|error| panic!("{flags}: {error}\n{message}"));
    assert_eq!(wins(&ballots), expected, "{message}");
    message
}

#[test]
fn answers_that_only_their_owner_knows() {
    let keys = "participant,imgL,imgR,resp\n1,ash,birch,f\n1,birch,cedar,j\n2,cedar,ash,f\n";
    let said = follows(keys, &["ash>birch 1", "cedar>ash 1", "cedar>birch 1"]);
    assert!(said.contains("other way round, --winner \"resp\" --left-value \"j\" --right-value \"f\""), "{said}");
    let level = "day,host,guest,who_won\n1,oak,elm,host\n1,ash,oak,guest\n2,elm,ash,level\n";
    let said = follows(level, &["ash=elm 1", "oak>ash 1", "oak>elm 1"]);
    assert!(said.contains("if it is no answer, --winner \"who_won\" --skip-value \"level\""), "{said}");
    let mut grades = "left_item,right_item,rating\n".to_owned();
    for (pair, grade) in [("ash,birch", 1), ("birch,cedar", 4), ("cedar,ash", 7), ("ash,cedar", 6), ("birch,ash", 3)] {
        grades += &format!("{pair},{grade}\n");
    }
    let said = follows(&grades, &["ash>birch 1", "ash>cedar 1", "birch=cedar 1", "birch>ash 1", "cedar>ash 1"]);
    assert!(said.contains("7 all for the one in \"right_item\""), "{said}");
}

#[test]
fn names_that_a_shell_or_a_list_would_take_apart_are_numbers() {
    let long = "Which of the two pictures that you have just seen on the screen did you like better, and why?";
    let text = format!("img_left,img_right,\"{long}\"\nash,birch,f\nbirch,cedar,j\ncedar,ash,f\nash,birch,j\n");
    let text = text.replace("like better", "choice better");
    let said = follows(&text, &["ash>birch 1", "birch>ash 1", "cedar>ash 1", "cedar>birch 1"]);
    assert!(said.contains("say --winner 3 "), "{said}");
    // A column whose name is like a flag.
    let pairs = "151 ash birch 1\n151 birch cedar -1\n152 cedar ash 1\n152 ash birch -1\n153 birch ash -1\n";
    follows(pairs, &["ash>birch 1", "ash>birch 1", "birch>ash 1", "cedar>ash 1", "cedar>birch 1"]);
}

#[test]
fn one_row_an_item_is_read_by_turning_it_round() {
    let ranks = "wine,Ann,Ben,Cho\nmerlot,1,2,1\nsyrah,2,1,3\nmalbec,3,3,2\n";
    let expected = ["malbec>syrah 1", "merlot>malbec 3", "merlot>syrah 2", "syrah>malbec 2", "syrah>merlot 1"];
    let said = follows(ranks, &expected);
    assert!(said.contains("judge Ann ranked merlot > syrah > malbec"), "{said}");
    let ratings = "wine,Ann,Ben,Cho\nmerlot,18,15,16\nsyrah,12,16,11\nmalbec,10,9,13\n";
    let said = follows(ratings, &expected);
    assert!(said.contains("if 1 is, --rows ranks --item-columns \"Ann,Ben,Cho\" --transpose"), "{said}");
    let turned = |rows| ReadOptions {
        wide: WideOptions { rows: Some(rows), transpose: true, ..WideOptions::default() },
        ..none()
    };
    let note = read(ratings, &turned(RowKind::Ratings)).unwrap().2;
    assert!(note.contains("one row an item, one column a judge"), "{note}");
    refused("a,b\nash,birch\nbirch,ash\n", &turned(RowKind::Places), &["--transpose goes with"]);
    refused("judge,ash,birch\n1,1,2\n1,2,1\n", &turned(RowKind::Ranks), &["names the item of each row"]);
}

#[test]
fn rankings_in_one_cell_may_be_lists() {
    let text = "id,Put these in order,sex\n1,\"tea, coffee, mud\",f\n2,\"coffee, tea, mud\",m\n3,\"tea, mud\",f\n";
    follows(text, &["coffee>mud 2", "coffee>tea 1", "tea>coffee 1", "tea>mud 3"]);
    // What was ticked stands in one order.
    let ticked = "id,Which do you drink,sex\n1,\"tea, coffee, mud\",f\n2,\"coffee, mud\",m\n3,\"tea, mud\",f\n";
    let message = read(ticked, &none()).unwrap_err();
    assert!(!message.contains("--rows ballots"), "{message}");
}

#[test]
fn numbers_under_places_are_asked_about() {
    let text = "rank1,rank2,rank3\n2,1,3\n3,1,2\n1,2,3\n";
    refused(text, &none(), &["say --rows ranks", "say --rows places"]);
    let read = |flags: &str| wins(&read(text, &options(flags)).unwrap().0);
    assert_eq!(read("--rows places"), ["1>2 2", "1>3 2", "2>1 1", "2>3 2", "3>1 1", "3>2 1"]);
    assert_eq!(read("--rows ranks")[0], "rank1>rank2 1");
}

#[test]
fn rows_that_were_not_understood_lead_to_other_readings() {
    let mut panel = "Panelist,Replicate,Sample,Score\n".to_owned();
    for n in 0..12 {
        let (judge, replicate, sample) = (n / 6, n / 3 % 2, n % 3);
        panel += &format!("P{judge},{replicate},S{sample},{}\n", 9 - sample * 2 + replicate);
    }
    let said = follows(&panel, &["S0>S1 4", "S0>S2 4", "S1>S2 4"]);
    assert!(said.contains("--voter \"Panelist\" --task \"Replicate\" --item-columns \"Sample,Score\""), "{said}");
    // Some rows that are wrong do not speak against a reading; it says what becomes of them.
    let mut games = "Date,Visitor,PTS,Home,PTS\n".to_owned();
    for n in 0..20 {
        games += &format!("{n},ash,{},birch,{}\n", 90 + n, 100);
    }
    let said = follows(&(games + "21,ash,100,ash,90\n"), &["ash=birch 1", "ash>birch 9", "birch>ash 10"]);
    assert!(said.contains("--lenient"), "{said}");
}

#[test]
fn truths_times_and_aspects_are_told_apart() {
    let truths = "id,left_url,right_url,preference.left,preference.right\n1,ash,birch,true,false\n\
        2,birch,cedar,false,true\n3,cedar,ash,true,false\n";
    follows(truths, &["ash>birch 1", "cedar>ash 1", "cedar>birch 1"]);
    let mut heats = "Event,Heat,Lane,Athlete,Time\n".to_owned();
    let mut stages = "stage,rider,rank\n".to_owned();
    for race in 0..4 {
        for (lane, (name, time)) in [("ann", 11.2), ("bea", 11.5), ("cid", 12.1)].into_iter().enumerate() {
            heats += &format!("{},{},{lane},{name},{}\n", ["100m", "200m"][race / 2], race % 2, time + race as f64);
            let rank = if (race, lane) == (3, 2) { "DNF".to_owned() } else { (lane + 1).to_string() };
            stages += &format!("{race},{name},{rank}\n");
        }
    }
    follows(&heats, &["ann>bea 4", "ann>cid 4", "bea>cid 4"]);
    follows(&stages, &["ann>bea 4", "ann>cid 3", "bea>cid 3"]);
    let mut coffee = "Submission".to_owned();
    coffee
        .extend(["A", "B", "C", "D"].map(|c| format!(",Coffee {c} - Acidity,Coffee {c} - Liking,Coffee {c} - Notes")));
    coffee += ",Which of A and B was better?,Which was the best?\n";
    for n in 0..6 {
        coffee += &format!("s{n},{},5,x,{},4,x,{},1,x,{},3,x,", n % 5, (n + 1) % 5, (n + 2) % 5, (n + 3) % 5);
        coffee += ["Coffee A,Coffee B\n", "Coffee B,Coffee A\n"][n % 2];
    }
    let message = read(&coffee, &none()).unwrap_err();
    assert!(message.contains("A - Liking > Coffee B - Liking > Coffee D - Liking > Coffee C - Liking"), "{message}");
    assert!(!message.contains("Coffee A - Acidity,Coffee A - Liking,Coffee B"), "{message}");
}

#[test]
fn how_many_gave_a_ranking_is_asked() {
    let text = "Ballots,1st,2nd,3rd\n12,ash,birch,cedar\n7,birch,ash,\n3,cedar,,\n";
    refused(text, &none(), &["how many voters gave each ranking", "--count \"Ballots\"", "--count none"]);
    means(
        &text.replace("12,", "1,").replace("7,", "2,"),
        &["ash>birch 1", "ash>cedar 1", "birch>ash 1", "birch>cedar 1"],
    );
    let two = "Id,Rank the fruits,,\n,tea,milk,mud\n11,1,2,3\n12,2,1,3\n13,1,3,2\n";
    refused(
        two,
        &none(),
        &[" • Write Id,Rank the fruits tea,Rank the fruits milk,Rank the fruits mud in the place of the lines 1 and \
             2; it reads"],
    );
}

#[test]
fn lines_in_front_of_the_rows_are_deleted_first() {
    let import = "{\"\"ImportId\"\":\"\"x\"\"}";
    let survey = |lines: &str| format!("Id,Q5_1,Q5_2,Q5_3\n{lines}R1,1,2,3\nR2,2,1,3\nR3,1,3,2\n");
    let lines =
        format!("Response,Rank - tea,Rank - milk,Rank - mud\n\"{import}\",\"{import}\",\"{import}\",\"{import}\"\n");
    refused(&survey(&lines), &none(), &[" • Delete the lines 2 and 3; it reads line 4: ranked Q5_1 > Q5_2 > Q5_3"]);
    assert_eq!(read(&survey(""), &none()).unwrap().0.used(), 9.0);
    let title = "League results,,,\n,,,\nhome,away,home_goals,away_goals\nash,birch,1,0\nbirch,ash,2,0\n";
    refused(title, &none(), &[" • Delete all lines above line 3; it reads line 4: ash beat birch"]);
}

#[test]
fn a_judge_an_item_and_a_rank_are_known_whatever_the_item_is_called() {
    means("judge,wine,rank\n1,merlot,1\n1,syrah,2\n2,merlot,2\n2,syrah,1\n", &["merlot>syrah 1", "syrah>merlot 1"]);
    let lenient = ReadOptions { table: TableOptions { lenient: true, ..TableOptions::default() }, ..none() };
    assert_eq!(read("judge,wine,rating\n1,merlot,8\n1,syrah,9\n", &lenient).unwrap().0.used(), 1.0);
}

//! Families of columns, long tables and files of ballots that were tried after everything else: what was not
//! understood, and advice that led nowhere.

mod reading;

use borduel_rank::ballots::Ballots;
use borduel_votes::{Columns, ReadOptions, RowKind, Scale, WideOptions, Words};
use reading::{columns, means, read, refused, wins};

fn none() -> ReadOptions {
    ReadOptions::default()
}

fn rows(rows: RowKind, items: &[&str], task: Option<&str>, voter: Option<&str>) -> ReadOptions {
    let items = items.iter().map(ToString::to_string).collect();
    let wide =
        WideOptions { rows: Some(rows), columns: items, task: task.map(str::to_owned), ..WideOptions::default() };
    let columns = Columns { voter: voter.map(str::to_owned), ..Columns::default() };
    ReadOptions { wide, columns, ..none() }
}

/// What is read where that was said.
#[track_caller]
fn ballots(text: &str, options: &ReadOptions) -> Vec<String> {
    let read: Result<(Ballots, _, _), String> = read(text, options);
    wins(&read.unwrap().0)
}

#[test]
fn a_place_is_where_names_differ() {
    let ranked = ["ash>birch 2", "ash>cedar 2", "birch>ash 1", "birch>cedar 3", "cedar>ash 1"];
    let below = "ash,birch,cedar\nash,birch,cedar\nbirch,cedar,ash\n";
    let numbered = |header: &str| {
        let rows = below.lines().enumerate().map(|(row, line)| format!("{},{line},undervote\n", row + 1));
        format!("Cast Vote Record,{header}\n") + &rows.collect::<String>()
    };
    // Ballots of American elections: the number of the district, or of the contest, is no place.
    means(
        &numbered("1st Choice District 2,2nd Choice District 2,3rd Choice District 2,4th Choice District 2"),
        &ranked,
    );
    let of = |n: u32| format!("Mayor Choice {n} of 4 Citywide (026916)");
    means(&numbered(&[1, 2, 3, 4].map(of).join(",")), &ranked);
    // The best has a word of its own.
    let named = format!("x,{}\n", below.trim_end().replace('\n', "\nx,"));
    for header in
        ["Top pick,Second pick,Third pick", "Favourite,Second favourite,Third favourite", "Best,2nd best,3rd best"]
    {
        means(&format!("Name,{header}\n{named}"), &ranked);
    }
    // Two contests beside each other are not one ranking.
    let two = numbered("Mayor 1st choice,Mayor 2nd choice,Clerk 1st choice,Clerk 2nd choice");
    assert!(read(&two, &none()).is_err());
    // Numbers alone may be places.
    refused(
        &format!("Voter,1,2,3\n{named}"),
        &none(),
        &[
            "If each row is a judge's ranking, the best first, say --rows places --item-columns \"1,2,3\"",
            "ash > birch > cedar",
        ],
    );
}

#[test]
fn ranks_of_other_languages_are_numbers() {
    for [first, second, third] in [["1º", "2º", "3º"], ["1er", "2ème", "3ème"], ["1.", "2.", "3."]] {
        let text = format!(
            "Marca,Orden [Té],Orden [Café],Orden [Mate]\na,{first},{second},{third}\nb,{second},{first},{third}\n"
        );
        means(&text, &["Café>Mate 2", "Café>Té 1", "Té>Café 1", "Té>Mate 2"]);
    }
}

#[test]
fn what_is_ranked_has_no_level_ranks() {
    // Systems rank teams; the teams do not rank the systems.
    let text = "Season,System,TeamID,OrdinalRank\n19,AP,1101,1\n19,AP,1104,2\n19,AP,1242,3\n19,POM,1101,2\n\
        19,POM,1104,1\n\
                19,POM,1242,3\n19,SAG,1101,1\n19,SAG,1104,2\n19,SAG,1242,3\n";
    let flags = "--rows long-ranks --voter \"System\" --item-columns \"TeamID,OrdinalRank\"";
    refused(text, &none(), &[flags, "judge AP ranked 1101 > 1104 > 1242"]);
    let found = ballots(text, &rows(RowKind::LongRanks, &["TeamID", "OrdinalRank"], None, Some("System")));
    assert_eq!(found, ["1101>1104 2", "1101>1242 3", "1104>1101 1", "1104>1242 3"]);
}

#[test]
fn days_and_matches_are_no_items() {
    // Every game in two rows: it ranks two teams by their points.
    let text = "TEAM_ID,TEAM,GAME_ID,GAME_DATE,MATCHUP,WL,PTS\n7,BOS,22301,2023-01-01,BOS vs. \
                NYK,W,104\n8,NYK,22301,2023-01-01,NYK @ BOS,L,99\n9,MIA,22302,2023-01-02,MIA vs. \
                BOS,L,90\n7,BOS,22302,2023-01-02,BOS @ MIA,W,91\n8,NYK,22303,2023-01-03,NYK vs. \
                MIA,W,88\n9,MIA,22303,2023-01-03,MIA @ NYK,L,80\n7,BOS,22304,2023-01-04,BOS vs. \
                NYK,L,77\n8,NYK,22304,2023-01-04,NYK @ BOS,W,78\n";
    let flags = "--rows long-ratings --voter \"GAME_ID\" --item-columns \"TEAM,PTS\"";
    refused(text, &none(), &[flags, "line 2: judge 22301 ranked BOS > NYK"]);
}

#[test]
fn the_best_and_the_worst_may_have_a_column_each() {
    let text = "Respondent,Task,Item,Best,Worst\n1,1,price,1,0\n1,1,taste,0,0\n1,1,brand,0,1\n1,2,price,0,0\n\
        1,2,taste,1,0\n1,2,label,0,1\n\
                2,1,price,0,1\n2,1,taste,1,0\n2,1,brand,0,0\n";
    let flags = "--rows choices --voter \"Respondent\" --task \"Task\" --item-columns \"Item,Best,Worst\"";
    refused(text, &none(), &[flags, "of 3 items price was chosen and brand was the worst"]);
    let told = rows(RowKind::Choices, &["Item", "Best", "Worst"], Some("Task"), Some("Respondent"));
    let won = [
        "brand>price 1",
        "price>brand 1",
        "price>label 1",
        "price>taste 1",
        "taste>brand 2",
        "taste>label 1",
        "taste>price 2",
    ];
    assert_eq!(ballots(text, &told), won);
    let both = text.replace("1,1,price,1,0", "1,1,price,1,1");
    refused(&both, &told, &["is chosen as the best and as the worst"]);
    refused(&text.replace("1,1,price,1,0", "1,1,price,1,-1"), &told, &["has a worst of -1: expected 1 or 0"]);
}

#[test]
fn three_numbers_of_answers_lead_to_their_meaning() {
    let text = "model_a,model_b,label\nash,birch,0\nbirch,cedar,2\ncedar,ash,1\nash,cedar,0\n";
    let flags = "--winner \"label\" --left-value 0 --right-value 1 --tie-value 2";
    refused(
        text,
        &none(),
        &["If 0 in \"label\" is the item in \"model_a\", 1 the one in \"model_b\", and 2 a tie", flags],
    );
    let word = |word: &str| vec![word.to_owned()];
    let words = Words { left: word("0"), right: word("1"), tie: word("2"), ..Words::default() };
    let told =
        ReadOptions { words, columns: Columns { winner: Some("label".to_owned()), ..Columns::default() }, ..none() };
    assert_eq!(ballots(text, &told), ["ash>birch 1", "ash>cedar 1", "ash>cedar 1", "birch=cedar 1"]);
    let keys =
        text.replace("label", "response").replace(",2\n", ",3\n").replace(",1\n", ",2\n").replace(",0\n", ",1\n");
    refused(&keys, &none(), &["--left-value 1 --right-value 2 --tie-value 3"]);
}

#[test]
fn contests_without_a_score_do_not_hide_the_scores() {
    let text = "Date,Team 1,FT,Team 2\n1,ash,2-1,birch\n2,birch,0-0,cedar\n3,cedar,P-P,ash\n4,ash,1-3,cedar\n\
        5,birch,2-0,ash\n6,cedar,1-0,birch\n\
                7,ash,0-1,birch\n8,cedar,2-2,ash\n9,birch,3-1,cedar\n10,ash,1-0,cedar\n";
    refused(text, &none(), &["--winner \"FT\" --answer-scale score --lenient", "line 2: ash beat birch"]);
    let told = Columns { winner: Some("FT".to_owned()), scale: Some(Scale::Score), ..Columns::default() };
    refused(text, &columns(told), &["P-P"]);
    // What a spreadsheet has made of 2-1 is no score.
    let spoilt = "Home,Away,Result\nash,birch,2-Jan\nbirch,cedar,0-0\ncedar,ash,3-Feb\n";
    refused(
        spoilt,
        &none(),
        &["\"Result\" holds days and months: a spreadsheet has taken scores such as 2-1 for dates"],
    );
}

#[test]
fn doubles_are_no_singles() {
    let text = "winner1_name,winner2_name,loser1_name,loser2_name\nash,birch,cedar,elm\ncedar,elm,ash,fir\n\
        ash,elm,fir,birch\n";
    refused(
        text,
        &none(),
        &["each side has two (\"winner1_name\" and \"winner2_name\", \"loser1_name\" and \"loser2_name\")"],
    );
    let told = Columns { winner: Some("1".to_owned()), loser: Some("3".to_owned()), ..Columns::default() };
    assert_eq!(ballots(text, &columns(told)), ["ash>cedar 1", "ash>fir 1", "cedar>ash 1"]);
}

#[test]
fn names_with_numbers_of_their_own_are_in_no_order() {
    let row = |a: [&str; 3], x: [u32; 3]| {
        let scored: Vec<String> =
            a.iter().zip(x).map(|(name, x)| format!("{{\"model\":\"{name}\",\"overall_score\":{x}}}")).collect();
        format!("{{\"instruction\":\"{x:?}\",\"models\":{a:?},\"completions\":[{}]}}\n", scored.join(","))
    };
    let text = row(["ash", "birch", "cedar"], [3, 5, 1])
        + &row(["birch", "cedar", "ash"], [2, 5, 4])
        + &row(["cedar", "ash", "birch"], [1, 2, 3]);
    let message = read(&text, &none()).unwrap_err();
    assert!(!message.contains("--rows places") && !message.contains("--transpose"), "{message}");
}

#[test]
fn ballots_of_elections() {
    let text = "4 2\n-3\n2 1 3 4 0\n(b17) 1 4 1=2 0\n1 2 - 1 0\n1 0\n0\n\"Adams\"\n\"Baker \
        #1\"\n\"Clark\"\n\"Davis\"\n\"Council\"\n";
    let note =
        means(text, &["Adams=Baker #1 1", "Adams>Davis 2", "Baker #1>Adams 1", "Davis>Adams 1", "Davis>Baker #1 1"]);
    assert!(note.contains("ballots (blt) of 4 items"), "{note}");
    assert!(note.contains("line 3: 2 voters ranked Adams > Davis"), "{note}");
    refused("2 1\n1 1 2 0\n", &none(), &["ends before the line \"0\" behind its ballots"]);
    refused("2 1\n1 1 2 0\n0\n\"A\"\n", &none(), &["ends before the names of its 2 candidates"]);
    refused("2 1\n1 1 3 0\n0\n\"A\"\n\"B\"\n", &none(), &["line 2", "names a candidate beyond 1 to 2"]);
    refused("2 1\n1 1 1 0\n0\n\"A\"\n\"B\"\n", &none(), &["ranks candidate 1 twice"]);
    refused("2 1\n1 1 2 0\n0\n\"A\"\n\"A\"\n", &none(), &["is the name of two candidates"]);
}

#[test]
fn how_often_a_vote_was_given_is_asked() {
    for name in ["n", "votes", "Times", "total"] {
        let text = format!("winner,loser,{name}\nash,birch,12\nbirch,ash,5\nash,cedar,7\n");
        let lead = format!(
            "is \"{name}\" how often each vote was given? • If it is, say --count \"{name}\"; it reads line 2: ash \
             beat birch, 12 times"
        );
        refused(&text, &none(), &[&lead, "• If it is not, say --count none; it reads line 2: ash beat birch ·"]);
        let count = |count: &str| columns(Columns { count: Some(count.to_owned()), ..Columns::default() });
        assert_eq!(ballots(&text, &count(name)), ["ash>birch 12", "ash>cedar 7", "birch>ash 5"]);
        assert_eq!(ballots(&text, &count("none")), ["ash>birch 1", "ash>cedar 1", "birch>ash 1"]);
    }
    // A list of votes, and numbers of the rows, are no table of frequencies.
    means("winner,loser,n\nash,birch,12\nash,birch,5\nbirch,ash,7\n", &["ash>birch 2", "birch>ash 1"]);
    means(
        "winner,loser,number\nash,birch,3\nbirch,ash,4\nash,cedar,5\n",
        &["ash>birch 1", "ash>cedar 1", "birch>ash 1"],
    );
}

#[test]
fn a_corner_may_say_who_lost() {
    for corner in ["Loser", "row lost to column", "loser/winner"] {
        let text = format!("{corner},ash,birch,cedar\nash,0,3,2\nbirch,5,0,1\ncedar,4,6,0\n");
        refused(
            &text,
            &none(),
            &[
                "If it does, say --rows matrix --transpose; it reads line 2: birch beat ash 3 times",
                "If it says how often that item won, say --rows matrix;",
            ],
        );
        let turned = WideOptions { transpose: true, ..WideOptions::default() };
        let found = ballots(&text, &ReadOptions { wide: turned, ..none() });
        assert_eq!(found[0], "ash>birch 5");
        assert_eq!(ballots(&text, &rows(RowKind::Matrix, &[], None, None))[0], "ash>birch 3");
    }
    let found = means("winner/loser,ash,birch\nash,0,3\nbirch,5,0\n", &["ash>birch 3", "birch>ash 5"]);
    assert!(found.contains("a matrix of wins"), "{found}");
}

#[test]
fn a_place_by_another_name_is_not_overlooked() {
    let text = "voter,First,Second,Last\nx,ash,birch,cedar\ny,ash,cedar,birch\nz,birch,cedar,ash\n";
    let all = "--rows places --item-columns \"First,Second,Last\"";
    refused(text, &none(), &["\"Last\" holds items too", all, "--rows places --item-columns \"First,Second\""]);
    let found = ballots(text, &rows(RowKind::Places, &["First", "Second", "Last"], None, Some("voter")));
    assert_eq!(found, ["ash>birch 2", "ash>cedar 2", "birch>ash 1", "birch>cedar 2", "cedar>ash 1", "cedar>birch 1"]);
    // The best and the worst alone leave out what stands between them.
    let text = "voter,Worst,2nd worst,Best\nx,cedar,birch,ash\ny,birch,cedar,ash\nz,ash,cedar,birch\n";
    refused(text, &none(), &["\"2nd worst\" holds a third item in each row", "--winner \"Best\" --loser \"Worst\""]);
}

#[test]
fn chances_of_one_side_and_words_of_dominance_are_known() {
    let text = "item_a,item_b,p_b\nash,birch,0.8\nbirch,cedar,0.3\ncedar,ash,0.5\n";
    let flags = "If 1 in \"p_b\" is the item in \"item_b\", say --winner \"p_b\" --answer-scale zero-one";
    refused(text, &none(), &[flags, "line 2: ash won 0.2 of a vote against birch"]);
    for header in ["Displacer,Displaced", "dominant,subordinate"] {
        means(&format!("{header}\nash,birch\nbirch,ash\nash,cedar\n"), &["ash>birch 1", "ash>cedar 1", "birch>ash 1"]);
    }
}

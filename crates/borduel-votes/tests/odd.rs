//! Files as people have them that were misread or refused without a way out: each is understood now, or told what to
//! do.

mod reading;

use borduel_votes::{Columns, ReadOptions, RowKind, Scale, TableOptions, WideOptions, Words};
use reading::{columns, means, read, refused, wins};

#[test]
fn a_winner_is_an_item_or_a_side_by_what_all_rows_say() {
    // Items are numbers, and so are winners: 1 is item 1, since 3 can be nothing but an item.
    let note = means("id1,id2,winner\n1,2,1\n2,1,1\n2,3,3\n3,1,1\n", &["1>2 1", "1>2 1", "1>3 1", "3>2 1"]);
    assert!(note.contains("answer = \"winner\" (the item's name)"), "{note}");
    // Items are numbers, and winners are sides: 1 is the left one, since items 3 and 4 are compared too.
    let note = means("item1,item2,winner\n1,2,1\n2,1,1\n3,4,2\n4,3,1\n", &["1>2 1", "2>1 1", "4>3 1", "4>3 1"]);
    assert!(note.contains("(the side)"), "{note}");
    // With nothing but items 1 and 2 there is no telling.
    let text = "item1,item2,winner\n1,2,1\n2,1,1\n2,1,1\n";
    refused(text, &ReadOptions::default(), &["line 3", "--answer-scale items", "--answer-scale sides"]);
    for (scale, expected) in [(Scale::Items, vec!["1>2 1", "1>2 2"]), (Scale::Sides, vec!["1>2 1", "2>1 2"])] {
        let options = columns(Columns { scale: Some(scale), ..Columns::default() });
        assert_eq!(wins(&read(text, &options).unwrap().0), expected);
    }
}

#[test]
fn scores_in_one_column_are_points() {
    let note = means("home,away,score\na,b,2-1\nb,a,0-0\na,b,0-3\n", &["a=b 1", "a>b 1", "b>a 1"]);
    assert!(note.contains("(a score: the higher number wins)"), "{note}");
    means(
        "Heim;Gast;Ergebnis;Zeit\na;b;2:1;15:30\nb;a;1:1;18:00\nb;c;0:3;15:30\nc;a;1:0;15:30\n",
        &["a=b 1", "a>b 1", "c>a 1", "c>b 1"],
    );
    // Two places are no score, and neither is a season.
    refused("home,away,order\na,b,1-2\nb,a,2-1\na,b,1-2\n", &ReadOptions::default(), &["none that says who won"]);
    refused(
        "home,away,season\na,b,2019-20\nb,a,2020-21\na,b,2020-21\n",
        &ReadOptions::default(),
        &["none that says who won"],
    );
}

#[test]
fn a_winner_or_tie_is_not_always_a_winner() {
    let text = "Week,Winner/tie,Loser/tie,PtsW,PtsL\n1,a,b,20,10\n1,b,c,17,17\n2,c,a,9,3\n2,a,b,7,3\n";
    refused(text, &ReadOptions::default(), &["Winner/tie", "--ties-column", "--left-points"]);
    let points = columns(Columns {
        left: Some("Winner/tie".into()),
        right: Some("Loser/tie".into()),
        left_points: Some("PtsW".into()),
        right_points: Some("PtsL".into()),
        ..Columns::default()
    });
    assert_eq!(wins(&read(text, &points).unwrap().0), ["a>b 2", "b=c 1", "c>a 1"]);
    let none = columns(Columns { ties: Some("none".into()), ..Columns::default() });
    assert_eq!(wins(&read(text, &none).unwrap().0), ["a>b 2", "b>c 1", "c>a 1"]);
}

#[test]
fn decimal_commas_are_numbers() {
    let note = means("links;rechts;wert\na;b;1\nb;a;0,5\na;b;0\nb;a;1\n", &["a=b 1", "a>b 1", "b>a 1", "b>a 1"]);
    assert!(note.contains("from 0, the right item"), "{note}");
    let (ballots, ..) = read("left;right;winner;weight\na;b;a;1,5\nb;a;a;0,5\n", &ReadOptions::default()).unwrap();
    assert_eq!(ballots.cells().iter().map(|cell| cell.w).sum::<f64>(), 2.0);
    // A comma in front of three digits may part thousands.
    refused("left;right;winner;weight\na;b;a;1,500\n", &ReadOptions::default(), &["weight", "1,500"]);
}

#[test]
fn lines_of_delimiters_are_empty_lines() {
    let text = "left,right,winner\na,b,a\n,,\n\"\", ,\nb,a,b\n,,\n";
    let (ballots, rows, _) = read(text, &ReadOptions::default()).unwrap();
    assert_eq!((wins(&ballots), rows.read), (vec!["a>b 1".to_owned(), "b>a 1".to_owned()], 2));
}

#[test]
fn an_empty_answer_may_be_a_draw() {
    let text = "left,right,winner\na,b,a\na,b,\n";
    refused(text, &ReadOptions::default(), &["line 3", "--skip-value \"\"", "--tie-value \"\""]);
    refused("{\"left\":\"a\",\"right\":\"b\",\"winner\":null}\n", &ReadOptions::default(), &["--tie-value \"\""]);
    let tie = ReadOptions { words: Words { tie: vec![String::new()], ..Words::default() }, ..ReadOptions::default() };
    assert_eq!(wins(&read(text, &tie).unwrap().0), ["a=b 1", "a>b 1"]);
    // A game of chess that was not finished.
    means("White,Black,Result\na,b,1-0\nb,a,*\na,b,1/2-1/2\nb,a,1-0\n", &["a=b 1", "a>b 1", "b>a 1"]);
}

#[test]
fn answers_of_more_grades_lead_to_their_words() {
    let text = "system_A,system_B,preference\na,b,6\nb,a,2\na,b,4\n";
    refused(text, &ReadOptions::default(), &["line 2", "--left-value", "--tie-value"]);
    let of = |numbers: &[&str]| numbers.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
    let words = Words { left: of(&["1", "2", "3"]), tie: of(&["4"]), right: of(&["5", "6", "7"]), ..Words::default() };
    let options = ReadOptions { words, ..ReadOptions::default() };
    assert_eq!(wins(&read(text, &options).unwrap().0), ["a=b 1", "b>a 1", "b>a 1"]);
}

#[test]
fn what_stands_in_front_of_the_rows_is_recognised() {
    let none = ReadOptions::default();
    refused("# exported by a tool\nleft,right,winner\na,b,a\n", &none, &["comment", "delete"]);
    refused(
        "StartDate,Q1_1,Q1_2,Q1_3\nStart,ash,birch,cedar\n\
            \"{\"\"ImportId\"\":\"\"s\"\"}\",\"{\"\"ImportId\"\":\"\"q\"\"}\",,\n2024-01-01,1,2,3\n",
        &none,
        &["Qualtrics", "delete all but the first"],
    );
    // A first row of data with a name twice in it.
    refused("ash,birch,ash\nbirch,ash,birch\nash,birch,ash\n", &none, &["no header", "--no-header"]);
    refused("0,18,24\n7,0,3\n5,9,0\n", &none, &["--no-header --rows matrix"]);
    let bare = ReadOptions {
        table: TableOptions { no_header: true, ..TableOptions::default() },
        wide: borduel_votes::WideOptions { rows: Some(borduel_votes::RowKind::Matrix), ..Default::default() },
        ..ReadOptions::default()
    };
    assert_eq!(wins(&read("0,18,24\n7,0,3\n5,9,0\n", &bare).unwrap().0).len(), 6);
    // One object that holds a single other.
    let vote = "{\"left\":\"a\",\"right\":\"b\",\"winner\":\"a\"}";
    refused(&format!("{{\"data\":[{vote}],\"n\":1}}"), &none, &["a single row", "one object a line"]);
    refused("<!DOCTYPE html><html></html>\n", &none, &["web page"]);
    refused("\0l\0e\0f\0t", &none, &["UTF-16"]);
    refused("l\0e\0f\0t\0", &none, &["UTF-16"]);
    refused("sound,mark\na,1\nb,2\nc,3\n", &none, &["--rows"]);
    // A quote that is never closed makes one cell of all that follows.
    refused("left,right,winner\na,b,\"a\nb,a,b\na,b,a\n", &none, &["close the quote"]);
}

#[test]
fn forms_put_names_into_brackets() {
    let (a, b, c) = ("\"Better? [ash vs birch]\"", "\"Better? [ash vs cedar]\"", "\"Better? [birch vs cedar]\"");
    let text =
        format!("Timestamp,{a},{b},{c}\n1/2/2024 10:00:00,ash,cedar,birch\n1/2/2024 10:01:00,birch,cedar,birch\n");
    means(&text, &["ash>birch 1", "birch>ash 1", "birch>cedar 2", "cedar>ash 2"]);
    means(
        "Your rank [ash],Your rank [birch],Your rank [cedar]\n1,2,3\n3,1,2\n",
        &["ash>birch 1", "ash>cedar 1", "birch>ash 1", "birch>cedar 2", "cedar>ash 1"],
    );
}

#[test]
fn ids_of_items_are_items() {
    let note = means(
        "userId,movieId,rating,timestamp\n1,260,5,11\n1,318,3,12\n2,260,2,13\n2,318,4,14\n",
        &["260>318 1", "318>260 1"],
    );
    assert!(note.contains("item = \"movieId\""), "{note}");
    let note = means(",left,right,winner\n0,a,b,a\n1,b,a,b\n", &["a>b 1", "b>a 1"]);
    assert!(note.contains("not used: (no name)"), "{note}");
}

#[test]
fn data_frames_by_columns_are_turned() {
    let expected = ["ash=birch 1", "ash>birch 1", "cedar>ash 1"];
    let note = means(
        r#"{"left":["ash","birch","ash"],"right":["birch","ash","cedar"],"winner":["left","tie","right"],"n":[1,2.5,null]}"#,
        &expected,
    );
    assert!(note.contains("JSON columns") && note.contains("not used: n"), "{note}");
    means(
        r#"{"left":{"0":"ash","1":"birch","10":"ash"},
            "right":{"0":"birch","1":"ash","10":"cedar"},
            "winner":{"0":"left","1":"tie","10":"right"}}"#,
        &expected,
    );
    // Columns of unequal length are no table.
    refused(r#"{"left":["ash"],"right":["birch","cedar"],"winner":["left"]}"#, &ReadOptions::default(), &["--left"]);
}

#[test]
fn ratings_are_no_items() {
    let none = ReadOptions::default();
    // Five grades in columns of items, and the number of the trial, which might be taken for an answer.
    let text = "rater,trial,ash,birch,cedar\nx,1,5,2,2\nx,2,4,5,1\ny,1,3,1,2\ny,2,5,4,4\n";
    refused(text, &none, &["no two columns", "--rows ratings"]);
    let ratings = ReadOptions {
        wide: WideOptions { rows: Some(RowKind::Ratings), ..WideOptions::default() },
        ..ReadOptions::default()
    };
    let (ballots, _, note) = read(text, &ratings).unwrap();
    assert_eq!(
        wins(&ballots),
        ["ash>birch 3", "ash>cedar 4", "birch=cedar 2", "birch>ash 1", "birch>cedar 1", "cedar>birch 1"]
    );
    assert!(note.contains("voter = \"rater\"") && note.contains("not used: trial"), "{note}");
    // One row a rating.
    means("rater,item,score\nx,ash,50\nx,birch,30\ny,ash,10\ny,birch,90.5\n", &["ash>birch 1", "birch>ash 1"]);
}

#[test]
fn one_means_the_side_that_the_answer_is_named_after() {
    let rows = "ash,birch,1\nbirch,ash,0\ncedar,ash,1\nash,cedar,1\nbirch,cedar,0\n";
    let right = ["ash>cedar 1", "birch>ash 1", "birch>ash 1", "birch>cedar 1", "cedar>ash 1"];
    let left = ["ash>birch 1", "ash>birch 1", "ash>cedar 1", "cedar>ash 1", "cedar>birch 1"];
    for header in [
        "item_a,item_b,b_wins",
        "A,B,B_better",
        "player1,player2,p2_won",
        "home,away,away_win",
        "option_left,option_right,chose_right",
    ] {
        let note = means(&format!("{header}\n{rows}"), &right);
        assert!(note.contains("(from 0, the left item, to 1, the right)"), "{header}: {note}");
    }
    // Sides that are counted from 0 have the winner's number.
    means(&format!("response_0,response_1,better_response_id\n{rows}"), &right);
    for header in
        ["item_a,item_b,a_wins", "home,away,home_win", "old_model,new_model,win", "treatment,control,treatment_better"]
    {
        means(&format!("{header}\n{rows}"), &left);
    }
    // Columns the other way round than usual, or the number of a button: nobody can tell.
    for header in ["new_model,old_model,win", "treatment,control,result", "right,left,outcome"] {
        refused(&format!("{header}\n{rows}"), &ReadOptions::default(), &["is 1 the item in", "--left"]);
    }
    for header in ["model_a,model_b,preference", "left,right,response"] {
        refused(
            &format!("{header}\n{rows}"),
            &ReadOptions::default(),
            &["--answer-scale unit", "--answer-scale zero-one"],
        );
    }
}

#[test]
fn what_is_no_answer_is_not_taken_for_one() {
    let none = ReadOptions::default();
    // Points decide, not who was thought to win, nor a column that happens to have two values.
    let favourite = "home_team,away_team,favorite,home_score,away_score\n\
                     ash,birch,ash,0,2\nbirch,ash,ash,3,1\nash,cedar,cedar,1,0\ncedar,birch,birch,2,1\n\
                     cedar,ash,cedar,0,1\n";
    refused(favourite, &none, &["\"favorite\"", "--left-points"]);
    // Where it says what the points say, it may as well be read.
    let agreeing = "home_team,away_team,won_by,home_score,away_score\n\
                    ash,birch,birch,0,2\nbirch,ash,birch,3,1\nash,cedar,ash,1,0\ncedar,birch,cedar,2,1\n\
                    cedar,ash,ash,0,1\n";
    let rows = ["ash>cedar 1", "ash>cedar 1", "birch>ash 1", "birch>ash 1", "cedar>birch 1"];
    let note = means(agreeing, &rows);
    assert!(note.contains("answer = \"won_by\""), "{note}");
    refused(
        "sex,stim1,stim2,key\nm,ash,birch,f\nf,birch,ash,j\nm,ash,cedar,j\nf,cedar,birch,f\nm,cedar,ash,f\n",
        &none,
        &["none that says who won"],
    );
    // Words are counted, not wins.
    refused(
        "model_a,model_b,word_count_a,word_count_b\nash,birch,120,80\nbirch,ash,30,44\nash,birch,9,8\n",
        &none,
        &["none that says who won"],
    );
    // Two items and an answer are no places.
    means(
        "first_player,second_player,result\nash,birch,1-0\nbirch,ash,0-1\ncedar,ash,1-0\n",
        &["ash>birch 1", "ash>birch 1", "cedar>ash 1"],
    );
    // No header at all.
    refused(
        "ash,birch,1\nbirch,ash,0\ncedar,ash,1\nash,cedar,1\nbirch,cedar,0\n",
        &none,
        &["no header", "--no-header"],
    );
}

/// As a study exports votes that it was given without their voters.
#[test]
fn an_empty_column_of_voters_names_nobody() {
    let header = "question,left,right,winner,voter,source\n";
    let text = format!("{header}0,a,b,left,,import\n1,b,c,right,,import\n2,a,c,left,,import\n");
    let note = means(&text, &["a>b 1", "a>c 1", "c>b 1"]);
    assert!(note.contains("voter = \"voter\" (empty: votes have no voter)"), "{note}");
    let (ballots, ..) = read(&text, &ReadOptions::default()).unwrap();
    assert!(ballots.shares().is_empty());
    // Where some have one, nobody can tell who the others are.
    for (voters, line) in [(["ann", ""], "line 3"), (["", "ann"], "line 2")] {
        let some = format!("{header}0,a,b,left,{},import\n1,b,c,right,{},import\n", voters[0], voters[1]);
        refused(&some, &ReadOptions::default(), &[line, "is no voter's name", "--voter none"]);
        let none = columns(Columns { voter: Some("none".to_owned()), ..Columns::default() });
        assert_eq!(wins(&read(&some, &none).unwrap().0), ["a>b 1", "c>b 1"]);
    }
    // The first rows are not all rows.
    let late = format!("{header}{}9,a,b,left,ann,import\n", "1,a,b,left,,import\n".repeat(5_000));
    refused(&late, &ReadOptions::default(), &["line 5002", "the rows before it have none", "--voter none"]);
}

/// As programs print tables: names have single blanks, and at least two stand between columns.
#[test]
fn names_with_blanks_stand_apart_by_several() {
    let text = "home team      away team       winner\nNew York       Los Angeles     New York\n\
                San Jose       New York        New York\nLos Angeles    San Jose        San Jose\n";
    let expected = ["New York>Los Angeles 1", "New York>San Jose 1", "San Jose>Los Angeles 1"];
    let mut wanted = expected.to_vec();
    wanted.sort_unstable();
    let note = means(text, &wanted);
    assert!(note.contains("separated by several spaces"), "{note}");
    // With blanks at both ends, tabs between, names of any number of words, and a last line without an end.
    let text = "  left  right \t winner  \r\nann  the big bea\tleft\r\n cid of rome   ann  right\r\n\
                the big bea  cid of rome  left";
    let mut wanted = vec!["ann>the big bea 1", "ann>cid of rome 1", "the big bea>cid of rome 1"];
    wanted.sort_unstable();
    means(text, &wanted);
    // Where no name has a blank, several are as one.
    let note = means("left   right  winner\nann    bea    left\nbea    cid    left\n", &["ann>bea 1", "bea>cid 1"]);
    assert!(note.contains("separated by spaces"), "{note}");
}

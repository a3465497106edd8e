//! What speaks against a reading is seen: other results, other ranges, a comma too many. Advice works at the first try.

mod reading;

use borduel_votes::{Columns, ReadOptions, RowKind, WideOptions};
use reading::{columns, means, read, refused, wins};

fn none() -> ReadOptions {
    ReadOptions::default()
}

fn rows(kind: RowKind, items: &[&str]) -> ReadOptions {
    let columns = items.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { wide: WideOptions { rows: Some(kind), columns, ..WideOptions::default() }, ..none() }
}

#[test]
fn three_rows_are_shown_as_they_were_read() {
    let note = means(
        "left,right,winner,voter\nann,bea,left,7\nann,cid,left,7\nbea,cid,tie,8\ncid,ann,right,8\n",
        &["ann>bea 1", "ann>cid 1", "ann>cid 1", "bea=cid 1"],
    );
    let expected =
        "as read: line 2: ann beat bea (voter 7) · line 4: bea and cid tied (voter 8) · line 5: ann beat cid (voter 8)";
    assert!(note.contains(expected), "{note}");
    let note = means("left,right,left_wins,right_wins\nann,bea,3,1\n", &["ann>bea 3", "bea>ann 1"]);
    assert!(note.contains("line 2: ann won 3 of 4 against bea"), "{note}");
    let note = read("judge,tea,coffee,mud\n7,1,2,3\n9,1,3,2\n", &none()).unwrap().2;
    assert!(
        note.contains("line 2: judge 7 ranked tea > coffee > mud · line 3: judge 9 ranked tea > mud > coffee"),
        "{note}"
    );
    let note = read(",ash,birch\nash,0,12\nbirch,3,0\n", &none()).unwrap().2;
    assert!(note.contains("line 2: ash beat birch 12 times · line 3: birch beat ash 3 times"), "{note}");
    let note = read("ballot\ntea > coffee = mud\nmud > tea\n", &none()).unwrap().2;
    assert!(note.contains("line 2: ranked tea > coffee = mud"), "{note}");
}

#[test]
fn a_comma_too_many_shifts_nothing() {
    let text = "winner,loser,round\nann,bea,1,\nbea,cid,1,\nann,cid,2,\n";
    means(text, &["ann>bea 1", "ann>cid 1", "bea>cid 1"]);
    // R's row names are still known.
    means("winner,loser\n1,ann,bea\n2,bea,cid\n3,ann,cid\n", &["ann>bea 1", "ann>cid 1", "bea>cid 1"]);
}

#[test]
fn what_is_no_judgement_is_no_item() {
    let survey = "taste_a,taste_b,taste_c,sex,years\n7,5,3,1,34\n6,6,2,2,51\n8,4,5,1,27\n7,7,4,2,45\n9,5,1,1,38\n";
    refused(
        survey,
        &rows(RowKind::Ratings, &[]),
        &["\"sex\", \"years\"", "--item-columns \"taste_a,taste_b,taste_c\""],
    );
    refused(survey, &rows(RowKind::Ranks, &[]), &["--rows ranks --item-columns"]);
    let told = read(survey, &rows(RowKind::Ratings, &["taste_a", "taste_b", "taste_c"])).unwrap();
    assert_eq!(told.0.items(), ["taste_a", "taste_b", "taste_c"]);
    // Not told at all, the advice names the right columns.
    refused(
        survey,
        &none(),
        &["--rows ratings --item-columns \"taste_a,taste_b,taste_c\"", "line 2: ranked taste_a > taste_b > taste_c"],
    );
    // All items, one of which everybody rates alike.
    let all = "a,b,c\n1,5,3\n2,5,4\n5,5,1\n3,5,2\n4,5,5\n";
    assert_eq!(read(all, &rows(RowKind::Ratings, &[])).unwrap().0.items().len(), 3);
}

#[test]
fn results_are_held_against_each_other() {
    let points = "team_1,team_2,team_1_goals,team_1_behinds,team_1_points,team_2_goals,team_2_behinds,team_2_points\n\
                  Ash,Birch,10,5,65,9,14,68\nBirch,Cedar,12,8,80,7,5,47\nCedar,Ash,8,8,56,11,6,72\n";
    refused(points, &none(), &["1 of the 3 rows", "\"team_1_points\" and \"team_2_points\"", "first in line 2"]);
    let told = Columns {
        left_points: Some("team_1_points".into()),
        right_points: Some("team_2_points".into()),
        ..Columns::default()
    };
    assert_eq!(wins(&read(points, &columns(told)).unwrap().0), ["Ash>Cedar 1", "Birch>Ash 1", "Birch>Cedar 1"]);
    let legs = "home,visitor,FT,hgoal,vgoal,tiewinner\nAsh,Birch,1-0,1,0,Birch\nBirch,Ash,3-1,3,1,Birch\nCedar,Ash,0-2,0,2,Ash\n";
    refused(legs, &none(), &["1 of the 3 rows", "line 2", "--winner"]);
    // A shoot-out decides what the score leaves open: that is said, and no question.
    let shootout =
        "home,away,home_score,away_score,outcome\nAsh,Birch,1,1,home\nBirch,Cedar,2,0,home\nCedar,Ash,0,1,away\n";
    let note = means(shootout, &["Ash>Birch 1", "Ash>Cedar 1", "Birch>Cedar 1"]);
    assert!(note.contains("in 1 of the 3 rows"), "{note}");
}

#[test]
fn a_draw_may_be_told_by_the_other_items_name() {
    let text = "home,away,winner,tie,pts_win,pts_loss\nAsh,Birch,Ash,,20,10\nBirch,Cedar,Cedar,Birch,14,14\nCedar,Ash,Ash,,9,3\n";
    let note = means(text, &["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"]);
    assert!(note.contains("draws = \"tie\" (where it names one of the two)"), "{note}");
}

#[test]
fn numbers_of_wins_arrows_and_points_are_no_votes() {
    refused("School,Full W,Full L\nAriz,24,7\nDuke,31,4\nYale,7,24\n", &none(), &["table of totals"]);
    refused("game\n\"19,2 -> 2,19\"\n\"3,1 -> 1,3\"\n", &none(), &["no two columns of items"]);
    let song_contest = ",ash,birch,cedar,dogwood\nash,0,12,10,8\nbirch,12,0,12,12\ncedar,10,10,0,10\ndogwood,8,8,8,0\n";
    refused(song_contest, &none(), &["every column adds up to 30", "--rows matrix"]);
    assert_eq!(read(song_contest, &rows(RowKind::Matrix, &[])).unwrap().0.used(), 120.0);
}

#[test]
fn a_third_column_tells_which_two_are_items() {
    let mut text = "audio1,audio2,better_id\n".to_owned();
    for n in 0..24 {
        let (a, b) = (format!("a{}.wav", n % 5), format!("b{}.wav", n % 7));
        text += &format!("{a},{b},{}\n", if n % 3 == 0 { &b } else { &a });
    }
    let (ballots, ..) = read(&text, &none()).unwrap();
    assert_eq!((ballots.used(), ballots.items().len()), (24.0, 12));
}

#[test]
fn more_words_are_known() {
    means("win,lost\nann,bea\nbea,cid\nann,cid\n", &["ann>bea 1", "ann>cid 1", "bea>cid 1"]);
    means("home,away,score\nann,bea,2 : 1\nbea,cid,0 : 0\ncid,ann,1 : 3\n", &["ann>bea 1", "ann>cid 1", "bea=cid 1"]);
    let note = means("respID,left,right,winner\n1,ann,bea,ann\n2,bea,ann,ann\n", &["ann>bea 1", "ann>bea 1"]);
    assert!(note.contains("voter = \"respID\""), "{note}");
}

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
    let legs = "home,visitor,FT,hgoal,vgoal,tiewinner\nAsh,Birch,1-0,1,0,Birch\nBirch,Ash,3-1,3,1,Birch\n\
        Cedar,Ash,0-2,0,2,Ash\n";
    refused(legs, &none(), &["1 of the 3 rows", "line 2", "--winner"]);
    // A shoot-out decides what the score leaves open: that is said, and no question.
    let shootout =
        "home,away,home_score,away_score,outcome\nAsh,Birch,1,1,home\nBirch,Cedar,2,0,home\nCedar,Ash,0,1,away\n";
    let note = means(shootout, &["Ash>Birch 1", "Ash>Cedar 1", "Birch>Cedar 1"]);
    assert!(note.contains("in 1 of the 3 rows"), "{note}");
}

#[test]
fn a_draw_may_be_told_by_the_other_items_name() {
    let text = "home,away,winner,tie,pts_win,pts_loss\nAsh,Birch,Ash,,20,10\nBirch,Cedar,Cedar,Birch,14,14\n\
        Cedar,Ash,Ash,,9,3\n";
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

#[test]
fn sides_in_a_text_are_no_ballots() {
    let hard = "{\"question_id\":\"1\",\"model\":\"ash\",\"judge\":\"j\",\"games\":[{\"judgment\":\"so \
        [[A>B]]\",\"score\":\"A>B\"},{\"judgment\":\"so [[B>A]]\",\"score\":\"B>A\"}]}\n";
    let hard = format!("{hard}{}", hard.replace("ash", "birch").replace("\"1\"", "\"2\""));
    refused(&hard, &none(), &["no two columns of items"]);
    // Alone, two names are the items.
    means("ballot\ntea > mud\nmud > tea\n", &["mud>tea 1", "tea>mud 1"]);
}

#[test]
fn what_would_be_right_is_no_vote() {
    let asked = |id: u32, target: u32| {
        format!(
            "{{\"doc_id\":{id},\"doc\":{{\"choices\":[\"no\",\"maybe\"]}},\"target\":{target},\"resps\":[[[-1.1,\
                false]],[[-2.2,true]]],\"filtered_resps\":[[-1.1,false],[-2.2,true]],\"acc\":1.0}}\n"
        )
    };
    refused(&[asked(0, 1), asked(1, 0), asked(2, 1)].concat(), &none(), &["none that says who won"]);
    let judged = |id: u32, [a, b]: [&str; 2], [target, said]: [&str; 2]| {
        format!(
            "{{\"doc_id\":{id},\"doc\":{{\"model_a\":\"{a}\",\"model_b\":\"{b}\"}},\"target\":\"{target}\",\
                \"resps\":[[\"{said}\"]],\"filtered_resps\":[\"{said}\"]}}\n"
        )
    };
    let rows = [
        judged(0, ["ash", "birch"], ["A", "A"]),
        judged(1, ["birch", "cedar"], ["B", "B"]),
        judged(2, ["cedar", "ash"], ["A", "A"]),
    ];
    means(&rows.concat(), &["ash>birch 1", "cedar>ash 1", "cedar>birch 1"]);
    let apart = rows.concat() + &judged(3, ["ash", "cedar"], ["A", "B"]);
    refused(&apart, &none(), &["by \"target\" the other side won", "--winner \"target\""]);
}

#[test]
fn logs_of_evaluation_tools_are_read() {
    let sample = |id: u32, [a, b]: [&str; 2], said: &str| {
        format!(
            "{{\"id\":{id},\"epoch\":1,\"input\":\"?\",\"target\":\"\",\"messages\":[{{\"role\":\"user\",\
                \"content\":\"?\"}},{{\"role\":\"assistant\",\"content\":\"A\"}}],\
                \"scores\":{{\"pairwise\":{{\"value\":\"{said}\",\"answer\":\"{said}\",\"explanation\":\"..\"}}}},\
                \"metadata\":{{\"model_a\":\"{a}\",\"model_b\":\"{b}\"}}}}"
        )
    };
    let samples =
        [sample(1, ["ash", "birch"], "A"), sample(2, ["birch", "cedar"], "tie"), sample(3, ["cedar", "ash"], "B")];
    let inspect = format!(
        "{{\"version\":2,\"status\":\"success\",\"eval\":{{\"task\":\"t\"}},\"samples\":[{}]}}",
        samples.join(",")
    );
    let note = means(&inspect, &["ash>birch 1", "ash>cedar 1", "birch=cedar 1"]);
    assert!(note.contains("scores.pairwise"), "{note}");
    let output = |test: u32, model: &str, best: bool| {
        format!(
            "{{\"testIdx\":{test},\"promptIdx\":0,\"latencyMs\":{},\"provider\":{{\"id\":\"{model}\",\"label\":\"\"}},\
                \"prompt\":{{\"label\":\"p\"}},\"gradingResult\":{{\"pass\":{best},\
                \"componentResults\":[{{\"pass\":{best},\"score\":1,\"assertion\":{{\"type\":\"select-best\",\
                \"value\":\"v\"}}}}]}}}}",
            test * 7 + model.len() as u32
        )
    };
    let best = ["ash", "ash", "cedar"];
    let rows: Vec<String> = (0..3)
        .flat_map(|test| ["ash", "birch", "cedar"].map(|model| output(test, model, best[test as usize] == model)))
        .collect();
    let promptfoo = format!(
        "{{\"evalId\":\"e\",\"results\":{{\"version\":3,\"prompts\":[{{\"label\":\"p\"}},{{\"label\":\"p\"}}],\
            \"results\":[{}]}}}}",
        rows.join(",")
    );
    let note = means(&promptfoo, &["ash>birch 2", "ash>cedar 2", "cedar>ash 1", "cedar>birch 1"]);
    assert!(note.contains("of 3 items ash was chosen"), "{note}");
    // Of two models and two prompts nobody can tell which are compared.
    let mixed = promptfoo.replacen("\"label\":\"p\"},\"gradingResult", "\"label\":\"q\"},\"gradingResult", 1);
    assert_ne!(mixed, promptfoo);
    refused(&mixed, &none(), &["no two columns of items"]);
}

#[test]
fn what_one_person_said_may_stand_in_a_list() {
    let studio = |id: u32, [a, b]: [&str; 2], side: &str| {
        format!(
            "{{\"id\":{id},\"data\":{{\"model_left\":\"{a}\",\"model_right\":\"{b}\"}},\
                \"annotations\":[{{\"completed_by\":7,\"result\":[{{\"value\":{{\"choices\":[\"{side}\"]}}}}]}}]}}\n"
        )
    };
    let rows = [
        studio(1, ["ash", "birch"], "left"),
        studio(2, ["birch", "cedar"], "right"),
        studio(3, ["ash", "cedar"], "left"),
    ];
    means(&rows.concat(), &["ash>birch 1", "ash>cedar 1", "cedar>birch 1"]);
    let prodigy = |[a, b]: [&str; 2], accept: &str| {
        format!(
            "{{\"options\":[{{\"id\":\"{a}\"}},{{\"id\":\"{b}\"}}],\"accept\":[\"{accept}\"],\"answer\":\"accept\"}}\n"
        )
    };
    let rows = [
        prodigy(["ash", "birch"], "ash"),
        prodigy(["birch", "cedar"], "cedar"),
        prodigy(["cedar", "ash"], "ash"),
        prodigy(["birch", "ash"], "birch"),
    ];
    means(&rows.concat(), &["ash>birch 1", "ash>cedar 1", "birch>ash 1", "cedar>birch 1"]);
}

#[test]
fn an_object_of_objects_has_two_readings() {
    let nested = r#"{"ash":{"ash":0,"birch":9,"cedar":5},"birch":{"ash":2,"birch":0,"cedar":4},"cedar":{"ash":1,"birch":3,"cedar":0}}"#;
    refused(
        nested,
        &none(),
        &[
            "the outer name or the inner one",
            "--transpose if the outer one did (line 1: birch beat ash 2 times",
            "birch beat ash 9 times",
        ],
    );
    let told = |transpose| ReadOptions {
        wide: WideOptions { rows: Some(RowKind::Matrix), transpose, ..WideOptions::default() },
        ..none()
    };
    assert!(wins(&read(nested, &told(true)).unwrap().0).contains(&"ash>birch 9".to_owned()));
    assert!(wins(&read(nested, &told(false)).unwrap().0).contains(&"birch>ash 9".to_owned()));
}

#[test]
fn the_winners_number_beside_names_is_understood() {
    let rows = "1,ash,2,birch,1\n2,birch,3,cedar,3\n3,cedar,1,ash,1\n2,birch,1,ash,2\n3,cedar,2,birch,3\n";
    means(&format!("id1,name1,id2,name2,winner_id\n{rows}"), &["1>2 1", "1>3 1", "2>1 1", "3>2 1", "3>2 1"]);
}

#[test]
fn halves_and_half_time_are_scores() {
    means(
        "White,Black,Result\nash,birch,1-0\nbirch,cedar,0.5-0.5\ncedar,ash,0-1\n",
        &["ash>birch 1", "ash>cedar 1", "birch=cedar 1"],
    );
    means(
        "Heim,Gast,Ergebnis\nash,birch,28:25 (14:15)\nbirch,cedar,20:20 (11:9)\ncedar,ash,19:31 (9:14)\n",
        &["ash>birch 1", "ash>cedar 1", "birch=cedar 1"],
    );
    // A shoot-out decides what it stands behind, or does not: nobody knows.
    assert!(read("home,away,score\nash,birch,1-1 (4-2)\nbirch,cedar,2-0\ncedar,ash,0-1\n", &none()).is_err());
}

#[test]
fn what_is_said_in_the_place_of_an_answer_counts() {
    let games = "team1,team2,result,winner\nash,birch,normal,ash\nbirch,cedar,tie,\ncedar,ash,no \
        result,\nash,cedar,normal,cedar\n";
    means(games, &["ash>birch 1", "birch=cedar 1", "cedar>ash 1"]);
    let golf = "winner,loser,margin\nash,birch,3&2\nbirch,cedar,halved\ncedar,ash,1 up\n";
    refused(golf, &none(), &["\"halved\"", "--ties-column \"margin\""]);
    let told = columns(Columns { ties: Some("margin".into()), ..Columns::default() });
    assert_eq!(wins(&read(golf, &told).unwrap().0), ["ash>birch 1", "birch=cedar 1", "cedar>ash 1"]);
}

#[test]
fn ranks_that_are_left_out_leave_ranks() {
    let ranks = "rater,tea,coffee,mud\n1,1,2,3\n2,2,1,3\n3,3,,1\n4,1,3,2\n5,2,3,1\n";
    let note = read(ranks, &none()).unwrap().2;
    assert!(note.contains("its rank: 1 is the best") && note.contains("judge 1 ranked tea > coffee > mud"), "{note}");
}

#[test]
fn rows_that_are_not_wanted_tell_nothing() {
    let twice = "Team,Opponent,Venue,GF,GA\nash,birch,H,2,1\nbirch,ash,A,1,2\nbirch,cedar,H,0,0\ncedar,birch,A,0,0\n\
        cedar,ash,H,1,3\nash,cedar,A,3,1\n";
    refused(twice, &none(), &["would count twice", "--where \"Venue=H\""]);
    let extra = borduel_votes::ExtraColumns { only: vec![("Venue".into(), "H".into())], ..Default::default() };
    let (ballots, ..) = read(twice, &ReadOptions { extra, ..none() }).unwrap();
    assert_eq!(wins(&ballots), ["ash>birch 1", "ash>cedar 1", "birch=cedar 1"]);
}

#[test]
fn rows_are_shown_where_spellings_do_not_matter() {
    let text = "left,right,winner\nAsh,Birch,ASH\nBirch,Cedar,CEDAR\n";
    let note = read(text, &ReadOptions { fold_names: true, ..none() }).unwrap().2;
    assert!(note.contains("line 2: Ash beat Birch"), "{note}");
    let note = means("left,right,winner\n", &[]);
    assert!(note.contains("a header, and no row below it"), "{note}");
}

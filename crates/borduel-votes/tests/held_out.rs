//! Formats of data sets that were tried after everything else: what was misread, and advice that led nowhere.

mod reading;

use borduel_votes::{ExtraColumns, ReadOptions};
use reading::{means, read, refused};

fn none() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn what_is_always_the_same_is_no_answer() {
    // Five matches on home grounds, which is no sign of who won.
    let games = "away_team,home_team,away_score,home_score,location,result\n\
                 Ash,Birch,10,13,Home,3\nBirch,Cedar,24,20,Home,-4\nCedar,Ash,7,30,Home,23\nAsh,Cedar,3,9,Home,6\n\
                 Cedar,Birch,17,20,Home,3\n";
    let note = means(games, &["Ash>Cedar 1", "Birch>Ash 1", "Birch>Cedar 1", "Birch>Cedar 1", "Cedar>Ash 1"]);
    assert!(note.contains("points = \"home_score\" and \"away_score\""), "{note}");
    // One of the judges, whose element of the list is always -1, beside what was decided.
    let row = |a: &str, b: &str, x: i32| {
        format!(
            "{{\"response1\":\"{a}\",\"response2\":\"{b}\",\"overall_preference\":{x},\
                \"individual_preference\":[{{\"score\":-1}}]}}\n"
        )
    };
    let judged = row("ash", "birch", 3)
        + &row("birch", "cedar", -1)
        + &row("cedar", "ash", -2)
        + &row("ash", "cedar", 2)
        + &row("birch", "ash", 1);
    refused(
        &judged,
        &none(),
        &[
            "If above 0 in \"overall_preference\" the item in \"response1\" is ahead",
            "it reads line 1: ash beat birch",
            "if it is the other way round",
        ],
    );
}

#[test]
fn how_much_a_side_is_ahead_is_held_against_who_won() {
    let games = |margins: [i32; 4]| {
        let rows =
            [("Ash", "Birch", "Ash"), ("Birch", "Ash", "Ash"), ("Ash", "Cedar", "Cedar"), ("Cedar", "Birch", "Cedar")];
        let line = |((a, b, won), margin): (&(&str, &str, &str), i32)| format!("{a},{b},{won},{margin}\n");
        "home,away,winner,result\n".to_owned() + &rows.iter().zip(margins).map(line).collect::<String>()
    };
    let won = ["Ash>Birch 1", "Ash>Birch 1", "Cedar>Ash 1", "Cedar>Birch 1"];
    means(&games([3, -2, -1, 9]), &won);
    // From the other side's point of view.
    means(&games([-3, 2, 1, -9]), &won);
    refused(&games([3, 2, -1, 9]), &none(), &["1 of the 4 rows: by \"result\" the other side won, first in line 3"]);
}

#[test]
fn one_of_several_is_chosen_by_the_words_of_its_column() {
    let note = means(
        "sys_1,sys_2,choice.first,choice.second,choice.same\nash,birch,true,false,false\nbirch,cedar,false,true,false\n\
         cedar,ash,false,false,true\nash,cedar,false,true,false\n",
        &["ash=cedar 1", "ash>birch 1", "cedar>ash 1", "cedar>birch 1"],
    );
    assert!(note.contains("tie = \"choice.same\""), "{note}");
}

#[test]
fn two_columns_of_one_name_are_the_two_items() {
    means(
        "Bo.;;Name;Rtg;Result;;Name;Rtg\n1;GM;Ash;2700;1 - 0;GM;Birch;2690\n2;GM;Cedar;2650;½ - ½;GM;Elm;2600\n\
         1;GM;Birch;2690;0 - 1;GM;Cedar;2650\n2;GM;Elm;2600;0 - 1;GM;Ash;2700\n",
        &["Ash>Birch 1", "Ash>Elm 1", "Cedar=Elm 1", "Cedar>Birch 1"],
    );
}

#[test]
fn what_was_not_chosen_contradicts_nothing() {
    let text =
        "Judge,Left,Right,Chosen,Not Chosen\nx,ash,birch,ash,birch\nx,birch,cedar,cedar,birch\ny,cedar,ash,ash,cedar\n";
    means(text, &["ash>birch 1", "ash>cedar 1", "cedar>birch 1"]);
    let games = "home,visitor,FT,result\nash,birch,2-0,H\nbirch,cedar,0-1,A\ncedar,ash,1-1,D\n";
    means(games, &["ash=cedar 1", "ash>birch 1", "cedar>birch 1"]);
}

#[test]
fn how_a_game_was_won_is_no_part_of_who_won() {
    let text = "id,black,white,outcome\n1,ash,birch,White wins by resignation\n2,birch,cedar,Black wins by 3.5 points\n\
                3,cedar,ash,Black won on time\n";
    means(text, &["birch>ash 1", "birch>cedar 1", "cedar>ash 1"]);
}

#[test]
fn readings_that_may_be_meant_are_offered() {
    let shares = "ref,image_A,image_B,raw_probability_of_preference_for_A,processed_probability_of_preference_for_A\n\
                  r,ash,birch,0.8,0.82\nr,birch,cedar,0.433,0.45\nr,cedar,ash,0.1,0.11\n";
    refused(
        shares,
        &none(),
        &["--winner \"raw_probability_of_preference_for_A\" --answer-scale unit; it reads line 2: ash won 0.8"],
    );
    let races = "resultId,raceId,driverId,number,grid,position,points\n1,18,1,22,2,1,10\n2,18,2,3,1,2,8\n\
        3,18,3,7,3,3,6\n\
                 4,19,2,3,1,1,10\n5,19,1,22,2,2,8\n6,19,3,7,3,\\N,0\n7,20,3,7,2,1,10\n8,20,1,22,1,2,8\n\
                 9,20,2,3,3,3,6\n";
    refused(races, &none(), &["--rows long-ranks --voter \"raceId\" --item-columns \"driverId,position\""]);
    // Only one side's word is known: the other is the other side's rather than a tie.
    let games = "host,guest,res\nash,birch,host\nbirch,cedar,cherry\ncedar,ash,host\nash,cedar,cherry\n";
    refused(
        games,
        &none(),
        &["If \"cherry\" in \"res\" is the item in \"guest\", say --winner \"res\" --right-value \"cherry\""],
    );
    let voters = "Participant Public ID,left_stim,right_stim,Response\nx1,ash,birch,ash\nx1,birch,cedar,cedar\n\
        x2,ash,cedar,ash\n";
    let note = read(voters, &none()).unwrap().2;
    assert!(note.contains("voter = \"Participant Public ID\""), "{note}");
}

#[test]
fn a_value_that_no_row_has_is_told() {
    let text = "left,right,winner,who\nash,birch,left,ann\nash,birch,right,ben\nash,birch,left,cho\n";
    let said = |only: &[&str], but: &[&str]| {
        let list = |values: &[&str]| values.iter().map(|v| ("who".to_owned(), (*v).to_owned())).collect();
        let extra = ExtraColumns { only: list(only), but: list(but), ..ExtraColumns::default() };
        read(text, &ReadOptions { extra, ..none() }).unwrap().2
    };
    let note = said(&[], &["ann,ben"]);
    let told = "warning: no row has \"ann,ben\" in \"who\": --where \"who!=ann,ben\" changes nothing; several values \
        are several --where";
    assert!(note.contains(told), "{note}");
    let note = said(&["ann", "bob"], &[]);
    assert!(note.contains("no row has \"bob\" in \"who\": --where \"who=bob\" changes nothing"), "{note}");
    assert!(!said(&["ann", "ben"], &["ben"]).contains("warning"));
}

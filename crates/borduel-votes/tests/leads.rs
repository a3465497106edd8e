//! Files that are not understood, or may mean something else: what is said leads to the flags.

mod reading;

use borduel_votes::{Columns, ReadOptions, Scale};
use reading::{columns, means, read, refused, wins};

fn none() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn matches_that_are_not_over() {
    let text =
        "home_team,away_team,home_score,away_score,status\nAsh,Birch,2,1,FT\nBirch,Cedar,1,1,FT\nCedar,Ash,0,0,NS\n";
    refused(text, &none(), &["\"status\"", "--ties-column \"status\""]);
    let text = "home_team,away_team,home_goals,away_goals,finished\nAsh,Birch,2,1,True\nBirch,Cedar,1,2,True\nCedar,Ash,0,0,False\n";
    refused(text, &none(), &["not over", "--where \"finished=True\"", "--left-points \"home_goals\""]);
    means(&text.replace("False", "True"), &["Ash=Cedar 1", "Ash>Birch 1", "Cedar>Birch 1"]);
}

#[test]
fn margins_and_scales_around_zero() {
    let text = "team1,team2,margin\nAsh,Birch,12\nBirch,Cedar,-3\nCedar,Ash,0\nAsh,Cedar,7\n";
    refused(
        text,
        &none(),
        &["--left \"team1\" --right \"team2\" --winner \"margin\" --answer-scale margin", "other way round"],
    );
    let rating = "left_clip,right_clip,rating\nash,birch,-2\nbirch,cedar,1\ncedar,ash,0\n";
    refused(rating, &none(), &["--winner \"rating\" --answer-scale margin"]);
    let told = |left: &str, right: &str, winner: &str| {
        columns(Columns {
            left: Some(left.into()),
            right: Some(right.into()),
            winner: Some(winner.into()),
            scale: Some(Scale::Margin),
            ..Columns::default()
        })
    };
    let (ballots, _, note) = read(text, &told("team1", "team2", "margin")).unwrap();
    assert_eq!(wins(&ballots), ["Ash=Cedar 1", "Ash>Birch 1", "Ash>Cedar 1", "Cedar>Birch 1"]);
    assert!(note.contains("above 0 the left item won"), "{note}");
    let cmos = "listener,system_a,system_b,score\n1,ash,birch,-3\n1,birch,cedar,2\n2,cedar,ash,0\n2,ash,cedar,1\n";
    refused(cmos, &none(), &["line 2", "\"-3\"", "--answer-scale margin"]);
    assert_eq!(
        wins(&read(cmos, &told("system_a", "system_b", "score")).unwrap().0),
        ["ash=cedar 1", "ash>cedar 1", "birch>ash 1", "birch>cedar 1"]
    );
}

#[test]
fn refusals_lead_to_the_flags() {
    let doubled =
        "Date,Visitor,PTS,Home,PTS,Notes\n1,Ash,107,Birch,119,\n2,Cedar,99,Ash,101,OT\n3,Birch,120,Cedar,118,\n";
    refused(doubled, &none(), &["two columns named \"PTS\" (3, 5)", "--left-points 5 --right-points 3"]);
    let told = columns(Columns { left_points: Some("5".into()), right_points: Some("3".into()), ..Columns::default() });
    assert_eq!(wins(&read(doubled, &told).unwrap().0), ["Ash>Cedar 1", "Birch>Ash 1", "Birch>Cedar 1"]);
    let league = "Pos,Team,P,W,D,L,GF,GA,Pts\n1,Ash,38,28,7,3,89,30,91\n2,Birch,38,25,6,7,75,40,81\n3,Cedar,38,10,10,18,40,60,40\n";
    refused(league, &none(), &["table of totals", "who won against whom"]);
    let races = "raceId,driver,constructor,position,status\n1,Ash,Red,1,Finished\n1,Birch,Blue,2,Finished\n1,Cedar,Red,\\N,Engine\n\
                 2,Ash,Red,3,Finished\n2,Birch,Blue,1,Finished\n2,Cedar,Red,2,Finished\n";
    refused(races, &none(), &["--rows long-ranks --voter \"raceId\" --item-columns \"driver,position\""]);
    let sets = "match,player,score\n1,ash,3\n1,birch,1\n2,cedar,0\n2,ash,2\n3,birch,2\n3,cedar,1\n";
    refused(sets, &none(), &["--rows long-ratings --voter \"match\" --item-columns \"player,score\""]);
}

#[test]
fn other_refusals_lead_to_the_flags() {
    let points = "from_country,to_country,points\nAsh,Birch,12\nAsh,Cedar,10\nBirch,Ash,12\nBirch,Cedar,10\nCedar,Ash,12\nCedar,Birch,10\n";
    refused(points, &none(), &["--rows long-ratings --voter \"from_country\" --item-columns \"to_country,points\""]);
    let sets = "match,player,score,won\n1,ash,3,TRUE\n1,birch,1,FALSE\n2,cedar,0,FALSE\n2,ash,2,TRUE\n3,birch,2,TRUE\n3,cedar,1,FALSE\n";
    refused(sets, &none(), &["--voter \"match\" --item-columns \"player,score\""]);
    let golf = "player_a,player_b,strokes_a,strokes_b\nAsh,Birch,70,72\nBirch,Cedar,69,71\nCedar,Ash,68,70\n";
    refused(
        golf,
        &none(),
        &["--left-points \"strokes_a\" --right-points \"strokes_b\"", "if the lower one does, exchange"],
    );
    let keys = "participant,imgL,imgR,resp,rt\n1,ash,birch,f,0.5\n1,birch,cedar,j,0.6\n2,cedar,ash,f,0.4\n";
    refused(keys, &none(), &["--winner \"resp\" --left-value \"f\" --right-value \"j\"", "other way round"]);
    let two = "before,after\nash>birch,birch>ash\ncedar>ash,\n";
    refused(two, &none(), &["\"before\" holds whole rankings: --rows ballots --item-columns \"before\""]);
}

#[test]
fn near_names_lead_to_folding() {
    let fold = ReadOptions { fold_names: true, ..none() };
    let matrix = ",ash,birch,cedar\nAsh,0,3,2\nBirch,1,0,4\nCedar,0,2,0\n";
    refused(matrix, &none(), &["line 2", "\"Ash\" differs from \"ash\" only in case", "--fold-names"]);
    assert_eq!(read(matrix, &fold).unwrap().0.used(), 12.0);
    // Names that differ in case alone are two items where both are there.
    means(",a,A\na,0,3\nA,1,0\n", &["A>a 1", "a>A 3"]);
    let contests = "judge,ash vs birch,birch vs cedar,ash vs cedar\n1,Ash,Cedar,Ash\n2,Birch,Birch,Ash\n";
    refused(contests, &none(), &["line 2", "differs from \"ash\" only in case", "--fold-names"]);
    assert_eq!(
        wins(&read(contests, &fold).unwrap().0),
        ["ash>birch 1", "ash>cedar 2", "birch>ash 1", "birch>cedar 1", "cedar>birch 1"]
    );
}

#[test]
fn truths_about_something_else_are_no_answers() {
    let rows = "ash,birch,1\nbirch,cedar,0\ncedar,ash,0\nash,cedar,1\n";
    for header in
        ["home,away,overtime", "a,b,same_category", "item1,item2,similarity", "left_image,right_image,correct"]
    {
        let column = header.rsplit(',').next().unwrap();
        refused(&format!("{header}\n{rows}"), &none(), &["none that says who won", &format!("--winner \"{column}\"")]);
        let told = columns(Columns { winner: Some(column.into()), ..Columns::default() });
        assert_eq!(
            wins(&read(&format!("{header}\n{rows}"), &told).unwrap().0),
            ["ash>birch 1", "ash>cedar 1", "ash>cedar 1", "cedar>birch 1"]
        );
    }
    // What has no name, or a tie among its values, is the answer.
    means(&format!("V1,V2,V3\n{rows}"), &["ash>birch 1", "ash>cedar 1", "ash>cedar 1", "cedar>birch 1"]);
    means(
        "home,away,x\nash,birch,1\nbirch,cedar,0.5\ncedar,ash,0\nash,birch,1\n",
        &["ash>birch 2", "ash>cedar 1", "birch=cedar 1"],
    );
}

#[test]
fn matches_in_two_rows_are_not_counted_twice() {
    let once =
        "season,week,team,opp,pf,pa\n1,1,ash,birch,20,10\n1,2,cedar,ash,7,14\n1,3,birch,cedar,3,3\n1,4,ash,birch,1,0\n";
    means(once, &["ash>birch 2", "ash>cedar 1", "birch=cedar 1"]);
    let twice = format!("{once}1,1,birch,ash,10,20\n1,2,ash,cedar,14,7\n1,3,cedar,birch,3,3\n1,4,birch,ash,0,1\n");
    refused(&twice, &none(), &["in two rows", "would count twice", "--left \"team\" --right \"opp\""]);
    let results = "team,opponent,place,result\nash,birch,H,W 2-1\nbirch,ash,A,L 1-2\ncedar,ash,H,D\nash,cedar,A,D\n";
    refused(results, &none(), &["would count twice", "--where"]);
}

#[test]
fn what_stands_in_the_way_of_rows_is_named() {
    refused(
        "League results 2024,,,\nhome,away,home_goals,away_goals\nash,birch,1,0\n",
        &none(),
        &["first line is a title"],
    );
    refused(
        "match,winner\nash v birch,ash\nbirch v cedar,cedar\nash v cedar,ash\n",
        &none(),
        &["\"match\" holds both items"],
    );
    means(
        "Player1,Player2,Winner\nash,birch,P1\nbirch,cedar,P2\ncedar,ash,P1\n",
        &["ash>birch 1", "cedar>ash 1", "cedar>birch 1"],
    );
    means(
        "home,away,score\nash,birch,2-1 OT\nbirch,cedar,0-3\ncedar,ash,1-3 (SO)\n",
        &["ash>birch 1", "ash>cedar 1", "cedar>birch 1"],
    );
}

//! What is said the other way round: who lost, what was shown on the other side, points under rankings, wins and
//! losses.

mod reading;

use borduel_votes::{Columns, ReadOptions, RowKind, WideOptions};
use reading::{columns, means, read, refused, wins};

fn none() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn a_column_of_who_lost_tells_who_won() {
    let won = ["ash>birch 1", "birch>cedar 1", "cedar>ash 1"];
    for header in ["left_img,right_img,rejected", "left,right,not chosen", "left,right,Perdant"] {
        let note = means(&format!("{header}\nash,birch,right\nbirch,cedar,right\ncedar,ash,right\n"), &won);
        assert!(note.contains("which tells what lost"), "{note}");
    }
    means("clip_a,clip_b,which_is_worse\nash,birch,B\ncedar,birch,A\ncedar,ash,B\n", &won);
    means("player_a,player_b,loser\nash,birch,birch\ncedar,birch,cedar\ncedar,ash,ash\n", &won);
    means("home,away,home_lost\nash,birch,0\ncedar,birch,1\ncedar,ash,0\n", &won);
    means("item1,item2,least_preferred\nash,birch,2\ncedar,birch,1\ncedar,ash,2\n", &won);
    // One column of each side.
    let both = "home,away,home_lost,away_lost\nash,birch,0,1\ncedar,birch,1,0\ncedar,ash,0,1\n";
    let lower = "If the lower number of \"home_lost\" and \"away_lost\" wins, say --left-points \"away_lost\" \
        --right-points \"home_lost\"";
    refused(both, &none(), &[lower, "line 2: ash beat birch"]);
    // Beside who won it says the same.
    means("left,right,best,worst\nash,birch,ash,birch\ncedar,birch,birch,cedar\ncedar,ash,cedar,ash\n", &won);
}

#[test]
fn the_loser_may_be_named_beside_two_items() {
    let text = "left,right,x\nash,birch,birch\nash,cedar,cedar\nbirch,cedar,birch\n";
    let loser = |columns: Columns| Columns { loser: Some("x".to_owned()), ..columns };
    let given = Columns { left: Some("left".to_owned()), right: Some("right".to_owned()), ..Columns::default() };
    for given in [Columns::default(), given] {
        let (ballots, ..) = read(text, &columns(loser(given))).unwrap();
        assert_eq!(wins(&ballots), ["ash>birch 1", "ash>cedar 1", "cedar>birch 1"]);
    }
    // What is called the winner is one, whatever the column's name.
    let told = Columns { winner: Some("worse".to_owned()), ..Columns::default() };
    let (ballots, ..) = read("left,right,worse\nash,birch,left\n", &columns(told)).unwrap();
    assert_eq!(wins(&ballots), ["ash>birch 1"]);
    let both = Columns { left_points: Some("1".to_owned()), right_points: Some("2".to_owned()), ..Columns::default() };
    refused(text, &columns(loser(both)), &["--loser goes with --winner, or with --left and --right"]);
    refused("what,x\nash,birch\n", &columns(loser(Columns::default())), &["--loser needs --winner, or two columns"]);
}

#[test]
fn rows_that_were_shown_the_other_way_round_are_asked_about() {
    let text = "model_a,model_b,swapped,verdict\nash,birch,True,A\nbirch,cedar,False,B\ncedar,ash,True,tie\n";
    refused(text, &none(), &["by the column \"swapped\"", "say --winner \"verdict\""]);
    let told = Columns { winner: Some("verdict".to_owned()), ..Columns::default() };
    assert_eq!(wins(&read(text, &columns(told)).unwrap().0), ["ash=cedar 1", "ash>birch 1", "cedar>birch 1"]);
    // An item is an item on either side, and what is always the same turns nothing round.
    let named = text.replace(",A\n", ",birch\n").replace(",B\n", ",birch\n").replace("tie", "ash");
    means(&named, &["ash>cedar 1", "birch>ash 1", "birch>cedar 1"]);
    means(&text.replace("True", "False"), &["ash=cedar 1", "ash>birch 1", "cedar>birch 1"]);
}

#[test]
fn points_from_one_on_are_not_taken_for_ranks() {
    let text = "judge,points_ash,points_birch,points_cedar\nx,3,1,2\ny,3,2,1\nz,2,3,1\n";
    refused(text, &none(), &["under names of points", "--rows ratings", "--rows ranks"]);
    let rows = |rows: RowKind| {
        let wide = WideOptions { rows: Some(rows), ..WideOptions::default() };
        wins(&read(text, &ReadOptions { wide, ..none() }).unwrap().0).remove(0)
    };
    assert_eq!(rows(RowKind::Ratings), "points_ash>points_birch 2");
    assert_eq!(rows(RowKind::Ranks), "points_ash>points_birch 1");
}

#[test]
fn wins_and_losses_by_their_letters_are_counts() {
    let won = ["ash=birch 1", "ash>birch 6", "ash>cedar 5", "birch>ash 4", "birch>cedar 7", "cedar>birch 2"];
    let text = "Team,Opponent,W,L,T\nash,birch,6,4,1\nash,cedar,5,0,0\nbirch,cedar,7,2,0\n";
    let note = means(text, &won);
    assert!(note.contains("left wins = \"W\", right wins = \"L\", ties = \"T\""), "{note}");
}

//! Files as people have them that were refused and need not be, or whose refusal did not name the remedy.

mod reading;

use borduel_votes::{Columns, ReadOptions};
use reading::{columns, means, read, refused, wins};

fn none() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn letters_of_left_and_right() {
    means(
        "left,right,winner\nash,birch,L\nbirch,ash,R\nash,birch,tie\n",
        &["ash=birch 1", "ash>birch 1", "ash>birch 1"],
    );
    means("image_left,image_right,choice\nash,birch,l\nbirch,ash,r\n", &["ash>birch 1", "ash>birch 1"]);
    // Hands are no answers.
    refused(
        "left_image,right_image,hand,key\nash,birch,R,f\nbirch,ash,L,j\nash,birch,R,j\n",
        &none(),
        &["none that says who won"],
    );
}

#[test]
fn winners_and_those_who_came_second() {
    means("Year,Winner,Runner-up\n2001,Ash,Birch\n2002,Birch,Cedar\n", &["Ash>Birch 1", "Birch>Cedar 1"]);
    means("Season,Champion,Runner up\n2001,Ash,Birch\n2002,Birch,Cedar\n", &["Ash>Birch 1", "Birch>Cedar 1"]);
}

#[test]
fn results_of_one_of_the_two() {
    let expected = ["Ash=Cedar 1", "Ash>Birch 1", "Ash>Birch 1"];
    let rows = "Ash,Birch,win\nBirch,Ash,loss\nAsh,Cedar,draw\n";
    means(&format!("fighter_1,fighter_2,fighter_1_result\n{rows}"), &expected);
    means(&format!("fighter_1,fighter_2,f1_result\n{rows}"), &expected);
    let rows = "Ash,Birch,lost\nBirch,Ash,won\nAsh,Cedar,D\n";
    means(&format!("fighter_1,fighter_2,result_2\n{rows}"), &expected);
    let (ballots, ..) = read("home,away,home_result\nAsh,Birch,W\nBirch,Ash,NC\nAsh,Birch,L\n", &none()).unwrap();
    assert_eq!((wins(&ballots).len(), ballots.totals().skip), (2, 1.0));
    // Whose result it is has to be told, by the name of the column or by the user.
    let rows = "Ash,Birch,win\nBirch,Ash,loss\n";
    refused(&format!("fighter_1,fighter_2,result\n{rows}"), &none(), &["does not say whose it is", "--left-value"]);
    // `L` of `left_result` may be lost, or left.
    refused("left,right,left_result\nAsh,Birch,W\nBirch,Ash,L\n", &none(), &["none that says who won"]);
    means("home,away,outcome\nAsh,Birch,Home win\nBirch,Ash,Away Win\nAsh,Cedar,Draw\n", &expected);
    means("boxer_A,boxer_B,result\nAsh,Birch,win_A\nBirch,Ash,win_B\nAsh,Cedar,draw\n", &expected);
}

#[test]
fn dashes_of_all_kinds() {
    means(
        "White,Black,Result\nAsh,Birch,1–0\nBirch,Ash,½–½\nCedar,Ash,0 – 1\nCedar,Ash,1/2−1/2\n",
        &["Ash=Birch 1", "Ash=Cedar 1", "Ash>Birch 1", "Ash>Cedar 1"],
    );
    means(
        "home,away,score\nash,birch,2–1\nbirch,ash,0–0\nash,birch,0 – 3\n",
        &["ash=birch 1", "ash>birch 1", "birch>ash 1"],
    );
    means("home,away,result\nash,birch,1\nbirch,ash,−1\nash,birch,0\n", &["ash=birch 1", "ash>birch 1", "ash>birch 1"]);
}

#[test]
fn results_of_go() {
    let text = "Black,White,Result\nAsh,Birch,B+R\nBirch,Ash,W+3.5\nCedar,Ash,B+0.5\nAsh,Cedar,W+T\nAsh,Birch,B+12.5\n\
                Birch,Cedar,W+Resign\nBirch,Cedar,B+7.5\nBirch,Cedar,Jigo\n";
    let expected =
        ["Ash>Birch 1", "Ash>Birch 2", "Birch=Cedar 1", "Birch>Cedar 1", "Cedar>Ash 1", "Cedar>Ash 1", "Cedar>Birch 1"];
    means(text, &expected);
    // Elsewhere `B+R` means nothing.
    refused("left,right,result\nAsh,Birch,B+R\nBirch,Ash,W+3.5\n", &none(), &["line 2", "\"B+R\""]);
}

#[test]
fn columns_of_one_name_are_called_by_their_numbers() {
    let text = "Player,Rating,Player,Rating,Result\nAsh,1,Birch,2,1-0\nBirch,2,Ash,1,0-1\n";
    let named = |left: &str, right: &str| {
        columns(Columns {
            left: Some(left.into()),
            right: Some(right.into()),
            winner: Some("Result".into()),
            ..Columns::default()
        })
    };
    assert_eq!(wins(&read(text, &named("1", "3")).unwrap().0), ["Ash>Birch 1", "Ash>Birch 1"]);
    refused(text, &named("Player", "3"), &["two columns named \"Player\"", "by their numbers (1, 3)", "--left 1"]);
    refused("left,right,winner,winner\na,b,a,a\n", &none(), &["two columns named \"winner\"", "(3, 4)"]);
}

#[test]
fn names_that_differ_in_case_lead_to_their_remedy() {
    for text in [
        "left,right,winner\nAsh,Birch,ash\nBirch,Ash,BIRCH\n",
        "model_a,model_b,winner\ngpt  4,Birch,gpt 4\nBirch,gpt  4,Birch\n",
    ] {
        refused(text, &none(), &["line 2", "only in case, spaces or Unicode form", "--fold-names"]);
        assert_eq!(read(text, &ReadOptions { fold_names: true, ..none() }).unwrap().0.used(), 2.0);
    }
}

#[test]
fn alpaca_eval_has_ties_of_two_kinds_and_answers_that_failed() {
    let vote = |answer: &str| format!("{{\"generator_1\":\"ash\",\"generator_2\":\"birch\",\"preference\":{answer}}}");
    let text = ["1", "2.0", "0.0", "0", "1.5", "null", "1.25"].map(vote).join("\n");
    let (ballots, rows, note) = read(&text, &none()).unwrap();
    assert_eq!(wins(&ballots), ["ash=birch 3", "ash>birch 1", "ash~birch 1", "birch>ash 1"], "{note}");
    assert_eq!(rows.unanswered, 1);
}

#[test]
fn what_spreadsheets_and_databases_write() {
    means("sep=;\nleft;right;winner\nash;birch;ash\nbirch;ash;ash\n", &["ash>birch 1", "ash>birch 1"]);
    means("\u{feff}SEP=|\r\nleft|right|winner\r\nash, x|birch|left\r\n", &["ash, x>birch 1"]);
    refused("sep=;\nleft;right;winner\nash;birch;elm\n", &none(), &["line 3", "\"elm\""]);
    refused("sep=;\n", &none(), &["the file is empty"]);
    let (ballots, rows, _) =
        read("left\tright\twinner\nash\tbirch\tash\nash\tbirch\t\\N\nbirch\tash\tash\n", &none()).unwrap();
    assert_eq!((wins(&ballots), rows.unanswered), (vec!["ash>birch 1".to_owned(), "ash>birch 1".to_owned()], 1));
    let (ballots, ..) = read("home,away,home_score,away_score\nash,birch,2,1\nbirch,ash,\\N,\\N\n", &none()).unwrap();
    assert_eq!(ballots.used(), 1.0);
}

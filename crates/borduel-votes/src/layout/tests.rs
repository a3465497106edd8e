//! Headers are told apart, and the user is obeyed.

use super::*;

fn find(header: &str, given: &Columns) -> Result<Layout> {
    let columns: Vec<String> = header.split(',').map(str::to_owned).collect();
    Layout::find("f", &columns, &Sample::default(), given)
}

#[test]
fn headers_are_told_apart() {
    let shape = |header: &str| find(header, &Columns::default()).unwrap().shape;
    assert_eq!(
        shape("id,prompt,model_x,model_y,worker,winner,left,right"),
        Shape::Answer { left: 6, right: 7, answer: 5 }
    );
    assert_eq!(shape("Model A,Model B,Winner"), Shape::Answer { left: 0, right: 1, answer: 2 });
    assert_eq!(shape("worker,winner,loser"), Shape::WinnerLoser { winner: 1, loser: 2 });
    assert!(matches!(
        shape("id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie"),
        Shape::OneHot { tie: Some(6), .. }
    ));
    assert!(matches!(shape("item1,item2,wins1,wins2"), Shape::Counts { total: false, sides_known: false, .. }));
    assert!(matches!(
        shape("left,right,left_wins,right_wins,ties"),
        Shape::Counts { ties: Some(4), sides_known: true, .. }
    ));
    assert!(matches!(shape("i,j,wins,n"), Shape::Counts { total: true, right_wins: 3, .. }));
    let alpaca = find("generator_1,generator_2,preference,annotator", &Columns::default()).unwrap();
    assert_eq!((alpaca.scale, alpaca.voter), (Some(Scale::OneTwo), Some(3)));
    assert_eq!(find("winner,loser,count", &Columns::default()).unwrap().count, Some(2));
}

#[test]
fn the_user_is_obeyed_and_mistakes_are_named() {
    let given =
        Columns { left: Some("p".into()), right: Some("2".into()), winner: Some("w".into()), ..Columns::default() };
    assert_eq!(find("p,q,w", &given).unwrap().shape, Shape::Answer { left: 0, right: 1, answer: 2 });
    let message = |header: &str, given: &Columns| find(header, given).unwrap_err().to_string();
    assert!(message("foo,bar", &Columns::default()).contains("foo, bar"));
    assert!(message("left,right", &Columns::default()).contains("none that says who won"));
    assert!(
        message("left,right,winner", &Columns { voter: Some("who".into()), ..Columns::default() })
            .contains("--voter who")
    );
    assert!(message("left,right,winner,winner", &Columns::default()).contains("two columns named"));
    let twice = Columns { voter: Some("left".into()), ..Columns::default() };
    assert!(message("left,right,winner", &twice).contains("two things at once"));
    let none = Columns { voter: Some("none".into()), ..Columns::default() };
    assert_eq!(find("worker,left,right,winner", &none).unwrap().voter, None);
}

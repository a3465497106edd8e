//! Files as people have them, with invented values: sports, judges that are programs, psychology, crowds.

mod reading;

use borduel_votes::{
    Columns, Everything, ExtraColumns, ReadOptions, RowKind, Scale, TableOptions, Unranked, VoteReader, WideOptions,
    Words,
};
use reading::{columns, means, read, refused, wins};
use std::io::Cursor;

#[test]
fn draws_never_become_wins() {
    let note = means(
        "winner,loser,Draw\nash,birch,FALSE\nbirch,ash,TRUE\nash,cedar,False\n",
        &["ash=birch 1", "ash>birch 1", "ash>cedar 1"],
    );
    assert!(note.contains("draws = \"Draw\""), "{note}");
    means("winner,loser,is_draw\nash,birch,0\nbirch,ash,1\n", &["ash=birch 1", "ash>birch 1"]);
    means("winner,loser,result\nash,birch,win\nbirch,ash,draw\n", &["ash=birch 1", "ash>birch 1"]);
    means("winner,loser,how it ended\nash,birch,knockout\nbirch,ash,Draw\n", &["ash=birch 1", "ash>birch 1"]);
    means("home,away,winner,tie\nash,birch,ash,no\nbirch,ash,,yes\n", &["ash=birch 1", "ash>birch 1"]);
    refused(
        "winner,loser,draw\nash,birch,7\nbirch,ash,3\n",
        &ReadOptions::default(),
        &["\"draw\"", "neither yes nor no", "--ties-column none"],
    );
    // Not among the first rows, but later.
    let long = format!("winner,loser,draw\n{}ash,birch,perhaps\n", "ash,birch,0\n".repeat(2000));
    refused(&long, &ReadOptions::default(), &["line 2002, column 3", "perhaps", "--ties-column none"]);
    let none = columns(Columns { ties: Some("none".into()), ..Columns::default() });
    assert_eq!(wins(&read("winner,loser,draw\nash,birch,7\n", &none).unwrap().0), ["ash>birch 1"]);
}

#[test]
fn columns_of_ties_are_named_or_refused() {
    let ties = |name: &str| columns(Columns { ties: Some(name.into()), ..Columns::default() });
    refused("left,right,winner\na,b,left\n", &ties("nowhere"), &["--ties-column nowhere", "no such column"]);
    refused("winner,loser\na,b\n", &ties("nowhere"), &["--ties-column nowhere", "no such column"]);
    let named = |ties: Option<&str>| {
        let (left_wins, right_wins) = (Some("p".into()), Some("q".into()));
        columns(Columns { left_wins, right_wins, ties: ties.map(Into::into), ..Columns::default() })
    };
    let text = "left,right,p,q,tie\na,b,3,1,2\n";
    refused(text, &named(None), &["\"tie\"", "--ties-column none"]);
    assert_eq!(wins(&read(text, &named(Some("tie"))).unwrap().0), ["a=b 2", "a>b 3", "b>a 1"]);
    assert_eq!(wins(&read(text, &named(Some("none"))).unwrap().0), ["a>b 3", "b>a 1"]);
}

#[test]
fn sports() {
    let football = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTR\nE0,1/8,Ash,Birch,2,1,H,D\n\
        E0,2/8,Birch,Cedar,0,0,D,D\nE0,3/8,Cedar,Ash,0,3,A,H\n";
    let note = means(football, &["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"]);
    assert!(note.contains("inferred from the values") && note.contains("\"FTR\""), "{note}");
    let scores = "date,home_team,away_team,home_score,away_score,neutral\n1,Ash,Birch,2,1,TRUE\n\
        2,Birch,Cedar,0,0,FALSE\n3,Cedar,Ash,NA,NA,TRUE\n4,Cedar,Birch,0,4,TRUE\n";
    let note = means(scores, &["Ash>Birch 1", "Birch=Cedar 1", "Birch>Cedar 1"]);
    assert!(note.contains("the higher number wins"), "{note}");
    means("home,away,winner\nAsh,Birch,Ash\nBirch,Ash,Draw\n", &["Ash=Birch 1", "Ash>Birch 1"]);
    means(
        "White,Black,Result\nAsh,Birch,1-0\nBirch,Ash,1/2-1/2\nCedar,Ash,0-1\n",
        &["Ash=Birch 1", "Ash>Birch 1", "Ash>Cedar 1"],
    );
    means(
        "id,rated,victory_status,winner,white_id,white_rating,black_id,black_rating\n\
            1,T,mate,white,ash,1500,birch,1400\n2,F,draw,draw,birch,1400,ash,1500\n\
            3,T,resign,black,cedar,1300,ash,1500\n",
        &["ash=birch 1", "ash>birch 1", "ash>cedar 1"],
    );
    means(
        "tourney,winner_id,winner_name,winner_hand,loser_id,loser_name,loser_hand\nx,7,Ash,R,8,Birch,R\n\
            x,8,Birch,R,9,Cedar,L\n",
        &["Ash>Birch 1", "Birch>Cedar 1"],
    );
    means(
        "Season,DayNum,WTeamID,WScore,LTeamID,LScore\n2001,1,1101,70,1104,66\n2001,2,1104,80,1101,79\n",
        &["1101>1104 1", "1104>1101 1"],
    );
    means(
        "home.team,away.team,home.wins,away.wins\nAsh,Birch,4,3\nBirch,Ash,2,5\n",
        &["Ash>Birch 4", "Ash>Birch 5", "Birch>Ash 2", "Birch>Ash 3"],
    );
    means(
        "season,home,away,result\n1,Ash,Birch,1\n1,Birch,Cedar,0\n1,Cedar,Ash,-1\n",
        &["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"],
    );
    means(
        "date,visitor,v_goals,opponent,o_goals,result\n1,Ash,3,Birch,1,1\n2,Birch,2,Cedar,2,0.5\n3,Cedar,0,Ash,1,0\n",
        &["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"],
    );
}

#[test]
fn more_sports() {
    means(
        "R_fighter,B_fighter,Winner\nAsh,Birch,Red\nBirch,Ash,Blue\nAsh,Cedar,Draw\n",
        &["Ash=Cedar 1", "Ash>Birch 1", "Ash>Birch 1"],
    );
    means(
        "date,team,opponent,result\n1,Ash,Birch,W\n2,Birch,Ash,L\n3,Cedar,Ash,D\n",
        &["Ash=Cedar 1", "Ash>Birch 1", "Ash>Birch 1"],
    );
    means("Player 1,Player 2,Winner\nAsh,Birch,Player 1\nBirch,Ash,Player 2\n", &["Ash>Birch 1", "Ash>Birch 1"]);
    refused(
        "home,away,winner\nAsh,Birch,Ash\nBirch,Ash,\n",
        &ReadOptions::default(),
        &["line 3", "no answer", "--skip-value"],
    );
}

#[test]
fn judges_of_language_models() {
    let two = "question_id,model_1,model_2,g1_winner,g2_winner,judge\n1,ash,birch,model_1,tie,j\n\
        2,birch,ash,model_2,model_2,j\n";
    refused(two, &ReadOptions::default(), &["g1_winner", "g2_winner", "--winner"]);
    let one = columns(Columns { winner: Some("g1_winner".into()), ..Columns::default() });
    assert_eq!(wins(&read(two, &one).unwrap().0), ["ash>birch 1", "ash>birch 1"]);
    means(
        "question_id,model_a,model_b,winner,judge,turn\n1,ash,birch,model_a,expert_1,1\n1,ash,birch,tie \
         (bothbad),expert_2,2\n",
        &["ash>birch 1"],
    );
    means(
        "model_a,model_b,judgment\nash,birch,A>>B\nbirch,ash,A=B\nash,cedar,B>A\n",
        &["ash=birch 1", "ash>birch 1", "cedar>ash 1"],
    );
    means("model_a,model_b,verdict\nash,birch,[[A]]\nbirch,ash,[[C]]\n", &["ash=birch 1", "ash>birch 1"]);
    let nested = "{\"meta\":{\"model_a\":\"ash\",\"model_b\":\"birch\"},\"turns\":[1,2,3,4,5],\"winner\":\"model_a\"}\n\
        {\"meta\":{\"model_a\":\"birch\",\"model_b\":\"ash\"},\"winner\":\"tie\"}\n";
    let path = columns(Columns {
        left: Some("meta.model_a".into()),
        right: Some("meta.model_b".into()),
        ..Columns::default()
    });
    assert_eq!(wins(&read(nested, &path).unwrap().0), ["ash=birch 1", "ash>birch 1"]);
    means(nested, &["ash=birch 1", "ash>birch 1"]);
    let list =
        "[{\"models\":[\"ash\",\"birch\"],\"winner\":\"ash\"},\n {\"models\":[\"birch\",\"ash\"],\"winner\":\"ash\"}]";
    let path = columns(Columns { left: Some("models.0".into()), right: Some("models.1".into()), ..Columns::default() });
    assert_eq!(read(list, &path).unwrap().0.used(), 2.0);
    let spread = "{\n  \"left\": \"ash\",\n  \"right\": \"birch\",\n  \"winner\": \"left\"\n}\n{\n  \"left\": \
        \"birch\", \"right\": \"ash\", \"winner\": \"tie\"\n}\n";
    assert!(means(spread, &["ash=birch 1", "ash>birch 1"]).contains("JSON objects"));
    means("prompt,chosen_model,rejected_model\nhi,ash,birch\nho,birch,ash\n", &["ash>birch 1", "birch>ash 1"]);
    means(
        "prompt,chosen,rejected,chosen_model,rejected_model\nhi,text one,text two,ash,birch\nho,text 3,text \
         4,birch,ash\n",
        &["ash>birch 1", "birch>ash 1"],
    );
}

#[test]
fn psychology_and_crowds() {
    let schools = "student,school1,school2,win1,win2,tied,win1.adj,win2.adj\n1,Ash,Birch,1,0,0,1,0\n\
        1,Ash,Cedar,0,0,1,0.5,0.5\n2,Birch,Cedar,NA,NA,NA,NA,NA\n2,Ash,Birch,0,1,0,0,1\n";
    let (ballots, rows, note) = read(schools, &ReadOptions::default()).unwrap();
    assert_eq!(wins(&ballots), ["Ash=Cedar 1", "Ash>Birch 1", "Birch>Ash 1"], "{note}");
    assert_eq!((rows.read, rows.unanswered), (4, 1));
    assert!(note.contains("voter = \"student\""), "{note}");
    means(
        "project_a,project_b,result\nAsh,Birch,project_a\nBirch,Cedar,project_b\n",
        &["Ash>Birch 1", "Cedar>Birch 1"],
    );
    means(
        "audio1,audio2,better\nx.wav,y.wav,1\ny.wav,z.wav,2\nz.wav,x.wav,1\n",
        &["x.wav>y.wav 1", "z.wav>x.wav 1", "z.wav>y.wav 1"],
    );
    let better = "pair,first_id,second_id,better_id,rt\n1,10,11,10,300\n2,11,12,12,250\n3,12,10,12,410\n\
        4,10,12,10,390\n5,11,10,10,500\n";
    means(better, &["10>11 1", "10>11 1", "10>12 1", "12>10 1", "12>11 1"]);
    means(
        "row,col,win,loss,tie\n1,2,7,3,5\n1,3,4,4,2\n2,3,1,9,0\n",
        &["1=2 5", "1=3 2", "1>2 7", "1>3 4", "2>1 3", "2>3 1", "3>1 4", "3>2 9"],
    );
    let crowd = "INPUT:image_left\tINPUT:image_right\tOUTPUT:result\tASSIGNMENT:worker_id\nx.jpg\ty.jpg\tleft\tw1\n\
        y.jpg\tx.jpg\tright\tw2\n";
    let note = means(crowd, &["x.jpg>y.jpg 1", "x.jpg>y.jpg 1"]);
    assert!(note.contains("voter = \"ASSIGNMENT:worker_id\""), "{note}");
    means("left_image,right_image,left_wins\nx,y,True\ny,z,False\nz,x,True\n", &["x>y 1", "z>x 1", "z>y 1"]);
    let (ballots, rows, _) = read("item1,item2,winner\na,b,a\nb,c,NA\nc,a,a\n", &ReadOptions::default()).unwrap();
    assert_eq!((wins(&ballots), rows.unanswered), (vec!["a>b 1".to_owned(), "a>c 1".to_owned()], 1));
    let tie = ReadOptions { words: Words { tie: vec!["NA".into()], ..Words::default() }, ..ReadOptions::default() };
    assert_eq!(wins(&read("item1,item2,winner\na,b,a\nb,c,NA\n", &tie).unwrap().0), ["a>b 1", "b=c 1"]);
    refused("item1,item2,winner\nNA,b,b\n", &ReadOptions::default(), &["line 2, column 1", "missing value", "--items"]);
    refused("left,right,winner\nx,y,True\ny,z,False\n", &ReadOptions::default(), &["\"True\"", "--left-value"]);
    refused("left,right,winner\nx,y,0\ny,z,1\n", &ReadOptions::default(), &["\"0\"", "--left-value"]);
}

#[test]
fn files_without_header_and_with_spaces() {
    refused(
        "ash,birch\nbirch,ash\nash,cedar\n",
        &ReadOptions::default(),
        &["no header", "--no-header --winner 1 --loser 2"],
    );
    refused("1 2\n2 3\n1 3\n", &ReadOptions::default(), &["no header", "--no-header --winner 1 --loser 2"]);
    let table = TableOptions { no_header: true, ..TableOptions::default() };
    let numbers = Columns { winner: Some("1".into()), loser: Some("2".into()), ..Columns::default() };
    let options = ReadOptions { table: table.clone(), columns: numbers, ..ReadOptions::default() };
    assert_eq!(wins(&read("ash birch\nbirch ash\n", &options).unwrap().0), ["ash>birch 1", "birch>ash 1"]);
    // The values tell also without names.
    let options = ReadOptions { table, ..ReadOptions::default() };
    let text = "7,ash,birch,ash\n8,birch,cedar,cedar\n9,cedar,ash,ash\n10,ash,birch,birch\n11,birch,ash,ash\n";
    assert_eq!(read(text, &options).unwrap().0.used(), 5.0);
    // R's write.table: quotation marks, spaces, and a header without a name for the row names.
    means(
        "\"player1\" \"player2\" \"winner\"\n\"1\" \"Ash\" \"Birch\" \"Ash\"\n\"2\" \"Birch\" \"Ash\" \"Ash\"\n",
        &["Ash>Birch 1", "Ash>Birch 1"],
    );
}

#[test]
fn matrices_of_wins() {
    let note = means(
        ",ash,birch,cedar\nash,0,3,2\nbirch,1,0,4\ncedar,0,2,0\n",
        &["ash>birch 3", "ash>cedar 2", "birch>ash 1", "birch>cedar 4", "cedar>birch 2"],
    );
    assert!(note.contains("row's item beat the column's") && note.contains("--transpose"), "{note}");
    means("\"ash\" \"birch\"\n\"ash\" NA 3\n\"birch\" 1 NA\n", &["ash>birch 3", "birch>ash 1"]);
    means(
        "ash,birch,cedar\n0,3,2\n1,0,4\n0,2,0\n",
        &["ash>birch 3", "ash>cedar 2", "birch>ash 1", "birch>cedar 4", "cedar>birch 2"],
    );
    let transpose =
        ReadOptions { wide: WideOptions { transpose: true, ..WideOptions::default() }, ..ReadOptions::default() };
    assert_eq!(wins(&read(",ash,birch\nash,0,3\nbirch,1,0\n", &transpose).unwrap().0), ["ash>birch 1", "birch>ash 3"]);
    let default = ReadOptions::default();
    refused(",ash,birch\nash,0,0.7\nbirch,0.3,0\n", &default, &["shares", "multiply"]);
    refused(",ash,birch\nash,,7\nbirch,,\n", &default, &["one half"]);
    refused(",ash,birch\nash,4,7\nbirch,2,0\n", &default, &["line 2, column 2", "itself"]);
}

#[test]
fn tables_of_rankings() {
    let note = means(
        "judge,ash,birch,cedar\n1,1,2,3\n2,2,1,3\n3,1,3,2\n",
        &["ash>birch 2", "ash>cedar 3", "birch>ash 1", "birch>cedar 2", "cedar>birch 1"],
    );
    assert!(note.contains("1 is the best") && note.contains("voter = \"judge\""), "{note}");
    let (ballots, _, note) =
        read("id,age,ash,birch,cedar\n101,23,1,2,3\n102,31,2,NA,1\n103,40,3,1,2\n", &ReadOptions::default()).unwrap();
    assert_eq!(wins(&ballots), ["ash>birch 1", "ash>cedar 1", "birch>ash 1", "birch>cedar 2", "cedar>ash 2"], "{note}");
    assert!(
        note.contains("1 of 3 rankings leaves out some of the 3 items") && note.contains("not used: id, age"),
        "{note}"
    );
    means(
        "judge,1st,2nd,3rd\nx,ash,birch,cedar\ny,birch,ash,\n",
        &["ash>birch 1", "ash>cedar 1", "birch>ash 1", "birch>cedar 1"],
    );
    means("voter,rank1,rank2\nx,ash,birch\ny,cedar,ash\n", &["ash>birch 1", "cedar>ash 1"]);
    let ratings = ReadOptions {
        wide: WideOptions { rows: Some(RowKind::Ratings), ..WideOptions::default() },
        ..ReadOptions::default()
    };
    let text = "judge,ash,birch,cedar\n1,5,2,2\n2,4,5,1\n";
    assert_eq!(
        wins(&read(text, &ratings).unwrap().0),
        ["ash>birch 1", "ash>cedar 2", "birch=cedar 1", "birch>ash 1", "birch>cedar 1"]
    );
    refused(text, &ReadOptions::default(), &["no two columns"]);
    let some = WideOptions {
        rows: Some(RowKind::Ranks),
        columns: vec!["ash".into(), "cedar".into()],
        ..WideOptions::default()
    };
    let some = ReadOptions { wide: some, ..ReadOptions::default() };
    assert_eq!(wins(&read("who,ash,birch,cedar\n1,1,2,3\n", &some).unwrap().0), ["ash>cedar 1"]);
    refused("who,1st,2nd\nx,ash,ash\n", &ReadOptions::default(), &["line 2", "two places"]);
}

#[test]
fn rankings_in_one_cell() {
    let note = means(
        "judge,ballot\nx,ash > birch > cedar\ny,birch>ash=cedar\nz,cedar\n",
        &["ash=cedar 1", "ash>birch 1", "ash>cedar 1", "birch>ash 1", "birch>cedar 2"],
    );
    assert!(note.contains("a ranking in \"ballot\", the best first") && note.contains("voter = \"judge\""), "{note}");
    assert!(note.contains("1 rank a single item"), "{note}");
    // So many ballots of a kind, and nothing else in the file.
    means(
        "ranking,count\nash>birch>cedar,3\ncedar>ash,2\n",
        &["ash>birch 3", "ash>cedar 3", "birch>cedar 3", "cedar>ash 2"],
    );
    let no_header =
        ReadOptions { table: TableOptions { no_header: true, ..TableOptions::default() }, ..ReadOptions::default() };
    let alone = "ash>birch\nash>cedar\nbirch>ash\n";
    assert_eq!(wins(&read(alone, &no_header).unwrap().0), ["ash>birch 1", "ash>cedar 1", "birch>ash 1"]);
    refused(alone, &ReadOptions::default(), &["--no-header"]);
    let told = |columns: &[&str], unranked| ReadOptions {
        wide: WideOptions {
            rows: Some(RowKind::Ballots),
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            ..WideOptions::default()
        },
        unranked,
        ..ReadOptions::default()
    };
    let two = "before,after\nash>birch,birch>ash\ncedar,\n";
    let after = read(two, &told(&["after"], Unranked::Unknown)).unwrap();
    assert_eq!(wins(&after.0), ["birch>ash 1"]);
    let last = read("ballot\nash>birch\ncedar\n", &told(&[], Unranked::Last)).unwrap();
    assert_eq!(wins(&last.0), ["ash>birch 1", "ash>cedar 1", "birch>cedar 1", "cedar>ash 1", "cedar>birch 1"]);
    let plain = ReadOptions::default();
    refused("ballot\nash>birch\nbirch>ash\nash>ash\n", &plain, &["line 4", "two places"]);
    let late = format!("ballot\n{}ash>>birch\n", "ash>birch\n".repeat(2000));
    refused(&late, &plain, &["line 2002", "a name is missing"]);
    refused("left,right,notes\na,b,x\n", &told(&[], Unranked::Unknown), &["--rows ballots", "--item-columns"]);
}

#[test]
fn work_that_was_rejected_is_spoken_of() {
    let text = "WorkerId,AssignmentStatus,Input.left,Input.right,Answer.choice\n\
                w1,Approved,ash,birch,left\nw2,Rejected,ash,birch,right\nw3,Submitted,birch,ash,left\n";
    let (ballots, _, note) = read(text, &ReadOptions::default()).unwrap();
    assert_eq!(ballots.used(), 3.0);
    assert!(
        note.contains("\"AssignmentStatus\" is Rejected count too (--where \"AssignmentStatus=Approved\""),
        "{note}"
    );
    // A name of two words is one argument of a shell all the same.
    let spaced = text.replace("AssignmentStatus", "Assignment Status");
    let (_, _, note) = read(&spaced, &ReadOptions::default()).unwrap();
    assert!(note.contains("--where \"Assignment Status=Approved\""), "{note}");
    let approved = ["Approved", "Submitted"].map(|word| ("AssignmentStatus".to_owned(), word.to_owned()));
    let extra = ExtraColumns { only: approved.to_vec(), ..ExtraColumns::default() };
    let (ballots, _, note) = read(text, &ReadOptions { extra, ..ReadOptions::default() }).unwrap();
    assert_eq!(ballots.used(), 2.0);
    assert!(!note.contains("warning"), "{note}");
}

#[test]
fn names_that_are_nearly_equal() {
    let text = "winner,loser\nSANTOS,Flamengo\nFlamengo,Santos\n Santos ,Atl\u{e9}tico\nAtle\u{301}tico,santos\n";
    let (ballots, _, note) = read(text, &ReadOptions::default()).unwrap();
    assert_eq!(ballots.items().len(), 6);
    assert!(
        note.contains("warning") && note.contains("\"SANTOS\" and \"Santos\"") && note.contains("--fold-names"),
        "{note}"
    );
    let folded = ReadOptions { fold_names: true, ..ReadOptions::default() };
    let (ballots, _, note) = read(text, &folded).unwrap();
    assert_eq!(ballots.items(), ["SANTOS", "Flamengo", "Atl\u{e9}tico"]);
    assert!(!note.contains("warning"), "{note}");
    // An answer may be spelt otherwise than the item.
    let (ballots, ..) = read("left,right,winner\nSantos,Flamengo,SANTOS\nFlamengo,santos,tie\n", &folded).unwrap();
    assert_eq!(wins(&ballots), ["Flamengo=Santos 1", "Santos>Flamengo 1"]);
    assert!(!read("winner,loser\na,b\n", &ReadOptions::default()).unwrap().2.contains("warning"));
}

#[test]
fn words_may_be_numbers_below_zero() {
    let words = Words { left: vec!["1".into()], right: vec!["-1".into()], tie: vec!["0".into()], ..Words::default() };
    let options = ReadOptions { words, ..ReadOptions::default() };
    assert_eq!(
        wins(&read("left,right,winner\na,b,1\na,c,-1\nb,c,0\n", &options).unwrap().0),
        ["a>b 1", "b=c 1", "c>a 1"]
    );
    let signed = columns(Columns { scale: Some(Scale::Signed), ..Columns::default() });
    assert_eq!(
        wins(&read("left,right,winner\na,b,1\na,c,-1\nb,c,0\n", &signed).unwrap().0),
        ["a>b 1", "b=c 1", "c>a 1"]
    );
}

fn everything(text: &str, extra: ExtraColumns) -> Result<Everything, String> {
    let mut reader = VoteReader::new(ReadOptions { extra, ..ReadOptions::default() });
    reader.read_bytes("votes", Cursor::new(text.as_bytes().to_vec())).map_err(|error| error.to_string())?;
    Ok(reader.finish_all())
}

const BATTLES: &str = "model_a,model_b,winner,judge,language,length_a,length_b,day,prompt\n\
    ash,birch,model_a,j1,en,100,50,2024-01-03,p1\n\
    birch,cedar,tie,j2,en,70,80,2024-01-05,p2\n\
    ash,cedar,model_b,j1,de,10,90,2024-02-01,p2\n\
    cedar,birch,model_b,j3,de,40,40,2024-03-01,p1\n";

#[test]
fn other_columns_choose_and_group_votes() {
    let only = vec![("language".to_owned(), "en".to_owned())];
    let read = everything(BATTLES, ExtraColumns { only, ..ExtraColumns::default() }).unwrap();
    assert_eq!(wins(&read.ballots), ["ash>birch 1", "birch=cedar 1"]);
    assert_eq!((read.rows.read, read.rows.unwanted), (4, 2));
    assert!(read.notes[0].contains("only language = en"), "{:?}", read.notes);

    let read =
        everything(BATTLES, ExtraColumns { by: Some("language".to_owned()), ..ExtraColumns::default() }).unwrap();
    let by: Vec<_> = read.extra.by.iter().map(|(value, ballots)| (value.as_str(), wins(ballots))).collect();
    assert_eq!(by[0], ("en", vec!["ash>birch 1".to_owned(), "birch=cedar 1".to_owned()]));
    assert_eq!(by[1], ("de", vec!["birch>cedar 1".to_owned(), "cedar>ash 1".to_owned()]));
    assert!(read.extra.by.iter().all(|(_, ballots)| ballots.items() == read.ballots.items()));

    let read = everything(BATTLES, ExtraColumns { over: Some("day".to_owned()), ..ExtraColumns::default() }).unwrap();
    let names: Vec<String> = read.extra.over.iter().map(borduel_votes::Stretch::name).collect();
    assert_eq!(names, ["2024-01-03", "2024-01-05", "2024-02-01", "2024-03-01"]);
    let votes: f64 = read.extra.over.iter().map(|stretch| stretch.ballots.used()).sum();
    assert_eq!(votes, read.ballots.used());
}

#[test]
fn numbers_and_second_clusters_are_read() {
    let numbers = vec!["length_a-length_b".to_owned(), "length_a".to_owned()];
    let read = everything(BATTLES, ExtraColumns { numbers, ..ExtraColumns::default() }).unwrap();
    assert_eq!(read.extra.circumstances.unwrap().names(), ["length_a-length_b", "length_a"]);
    let read =
        everything(BATTLES, ExtraColumns { cluster: Some("prompt".to_owned()), ..ExtraColumns::default() }).unwrap();
    let (second, both) = read.extra.crossed.unwrap();
    assert_eq!((read.ballots.copies().len(), second.copies().len(), both.copies().len()), (3, 2, 4));
    assert_eq!(second.used(), read.ballots.used());
}

#[test]
fn other_columns_that_make_no_sense_are_refused() {
    let refuse = |text: &str, extra: ExtraColumns| everything(text, extra).map(|read| read.notes).unwrap_err();
    let adjust = |name: &str| ExtraColumns { numbers: vec![name.to_owned()], ..ExtraColumns::default() };
    assert!(refuse(BATTLES, adjust("size")).contains("size"));
    assert!(refuse(BATTLES, adjust("language")).contains("is not a number"));
    assert!(
        refuse(BATTLES, ExtraColumns { over: Some("language".to_owned()), ..ExtraColumns::default() })
            .contains("nor a date")
    );
    assert!(
        refuse("1,2,3\n2,1,3\n3,2,1\n", ExtraColumns { by: Some("x".to_owned()), ..ExtraColumns::default() })
            .contains("--by")
    );
    let matrix = ",a,b,c\na,0,3,2\nb,1,0,4\nc,2,2,0\n";
    assert!(refuse(matrix, ExtraColumns { by: Some("a".to_owned()), ..ExtraColumns::default() }).contains("--by"));
    let many: String =
        (0..300).flat_map(|n| ["ash,birch,model_a,g".to_owned(), n.to_string(), "\n".to_owned()]).collect();
    let many = format!("model_a,model_b,winner,group\n{many}");
    assert!(
        refuse(&many, ExtraColumns { by: Some("group".to_owned()), ..ExtraColumns::default() }).contains("no groups")
    );
}

#[test]
fn very_many_moments_become_a_few_stretches() {
    let mut text = "model_a,model_b,winner,time\n".to_owned();
    for n in 0..9_000_u32 {
        // In no order, and very unevenly spread.
        let time = 1e9 + f64::from(n * 7919 % 9_000).powi(2);
        text += &format!("ash,birch,model_a,{time}\n");
    }
    let read = everything(&text, ExtraColumns { over: Some("time".to_owned()), ..ExtraColumns::default() }).unwrap();
    let stretches = &read.extra.over;
    assert!((8..=12).contains(&stretches.len()), "{}", stretches.len());
    assert!(stretches.windows(2).all(|two| two[0].to < two[1].from));
    assert_eq!(stretches.iter().map(|s| s.ballots.used()).sum::<f64>(), 9_000.0);
    assert!(stretches.iter().all(|s| (200.0..2_500.0).contains(&s.ballots.used())));
}

#[test]
fn long_tables_and_tables_of_pairs_are_understood() {
    let long = "judge,item,rank\nj1,ash,1\nj1,birch,2\nj1,cedar,2\nj2,birch,1\nj2,ash,2\n";
    let note = means(long, &["ash>birch 1", "ash>cedar 1", "birch=cedar 1", "birch>ash 1"]);
    assert!(note.contains("its rank in \"rank\""), "{note}");
    let ratings = "user,movie,rating\nu1,ash,5\nu1,birch,3\nu2,ash,4\nu2,birch,4.5\n";
    means(ratings, &["ash>birch 1", "birch>ash 1"]);
    let twice = "judge,item,rank\nj1,ash,1\nj1,ash,2\nj1,birch,3\nj1,cedar,4\n";
    refused(twice, &ReadOptions::default(), &["line 3", "second row"]);

    let contests = "subject,ash-birch,ash-cedar,birch-cedar\ns1,1,0,1\ns2,0,NA,0.5\n";
    let note = means(contests, &["ash>birch 1", "birch=cedar 1", "birch>ash 1", "birch>cedar 1", "cedar>ash 1"]);
    assert!(note.contains("one column a pair") && note.contains("1 is the first item"), "{note}");
    means(
        "ash vs birch,birch vs cedar,ash vs cedar\nash,cedar,ash\nbirch,birch,ash\n",
        &["ash>birch 1", "ash>cedar 2", "birch>ash 1", "birch>cedar 1", "cedar>birch 1"],
    );
    means("id,a:b,a:c,b:c\n1,1,2,2\n2,2,1,1\n", &["a>b 1", "a>c 1", "b>a 1", "b>c 1", "c>a 1", "c>b 1"]);
    refused("subject,ash-birch,ash-cedar,birch-cedar\ns1,1,0,1\ns2,0,7,1\n", &ReadOptions::default(), &["ash-cedar"]);
}

#[test]
fn runs_of_spaces_separate_as_one_does() {
    means("left   right  winner\nash    birch  left\nbirch  cedar  right\n", &["ash>birch 1", "cedar>birch 1"]);
    means("  winner loser\n  ash    birch\n\n  cedar  ash  \n", &["ash>birch 1", "cedar>ash 1"]);
}

#[test]
fn what_items_were_compared_on_is_found_and_never_taken_for_anything_else() {
    let found = |text: &str, given: Columns| {
        let (ballots, _, notes) = read(text, &columns(given)).unwrap();
        (ballots.context_names(), ballots.contexts_are().to_owned(), notes.clone())
    };
    let own = Columns::default;
    let (names, are, note) = found(BATTLES, own());
    assert_eq!((names, are.as_str()), (vec!["p1".to_owned(), "p2".to_owned()], "prompts"));
    assert!(note.contains("context = \"prompt\""), "{note}");
    // Named, or not wanted.
    let named = |name: &str| Columns { context: Some(name.to_owned()), ..own() };
    assert_eq!(found(BATTLES, named("none")).0.len(), 0);
    let (names, are, _) = found(BATTLES, named("language"));
    assert_eq!((names.len(), are.as_str()), (2, "contexts"));
    refused(BATTLES, &columns(named("where")), &["--context where", "no such column"]);
    refused(BATTLES, &columns(named("winner")), &["two things at once"]);
    // By several names; a missing value is none; a number of the row is none either.
    let text =
        "question_id,left,right,winner\nq1,ash,birch,left\nNA,ash,birch,left\nq1,ash,birch,right\n,ash,birch,left\n";
    let (ballots, ..) = read(text, &ReadOptions::default()).unwrap();
    assert_eq!((ballots.context_names(), ballots.contexts_are()), (vec!["q1".to_owned()], "questions"));
    let none: f64 = ballots.cells().iter().filter(|cell| cell.context.is_none()).map(|cell| cell.n).sum();
    assert_eq!((ballots.used(), none), (4.0, 2.0));
    let (names, _, note) = found("id,query_id,left,right,winner\n1,a,x,y,left\n2,b,x,y,left\n3,c,x,y,right\n", own());
    assert!(names.is_empty() && note.contains("not used: id, query_id"), "{note}");
    // Two columns of names beside a prompt that holds the same words are the items.
    let (ballots, ..) = read(
        "topic,first one,second one,better\nash,ash,birch,ash\nbirch,birch,ash,ash\nash,birch,ash,birch\n",
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!((ballots.items().len(), ballots.context_names()), (2, vec!["ash".to_owned(), "birch".to_owned()]));
    // Whatever else people call it, and several of them.
    for (name, several) in [
        ("prompt_id", "prompts"),
        ("Prompt Name", "prompts"),
        ("prompt_hash", "prompts"),
        ("questionId", "questions"),
        ("context_id", "contexts"),
        ("scene", "scenes"),
        ("task_id", "tasks"),
        ("query", "queries"),
        ("query_id", "queries"),
        ("document", "documents"),
        ("image", "images"),
        ("case", "cases"),
        ("instance_id", "instances"),
        ("turn", "turns"),
    ] {
        let text = format!("{name},left,right,winner\na,ash,birch,left\nb,ash,birch,right\na,birch,ash,left\n");
        let (names, are, note) = found(&text, own());
        assert_eq!((names, are.as_str()), (vec!["a".to_owned(), "b".to_owned()], several), "{name}: {note}");
        assert!(note.contains(&format!("context = \"{name}\"")), "{note}");
    }
    // Of two the one that says what was compared on; a search's words beside its results are no item.
    let (names, are, note) =
        found("turn,prompt_id,left,right,winner\n1,a,ash,birch,left\n2,a,ash,birch,right\n1,b,birch,ash,left\n", own());
    assert_eq!((names.len(), are.as_str()), (2, "prompts"), "{note}");
    let (names, are, note) = found(
        "query,left,right,winner\nred shoes,ash,birch,left\nred shoes,birch,ash,left\nwarm hat,birch,ash,left\n",
        own(),
    );
    assert_eq!((names, are.as_str()), (vec!["red shoes".to_owned(), "warm hat".to_owned()], "queries"), "{note}");
}

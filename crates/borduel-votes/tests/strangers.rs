//! Files of other sports, languages and tools, with invented values: each is understood, or asked about with the way
//! out.

mod reading;

use borduel_votes::{Columns, ReadOptions, Words};
use reading::{columns, means, read, refused};

fn none() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn games_of_chess_in_pgn() {
    let game = |white: &str, black: &str, result: &str, moves: &str| {
        format!(
            "[Event \"Club \\\"A\\\"\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} \
             {result}\n\n"
        )
    };
    let text = [
        game("Ash, A", "Birch, B", "1-0", "1. e4 {[%clk 0:03:00]\n[%eval 0.2]} e5"),
        game("Cedar", "Ash, A", "1/2-1/2", "1. d4"),
        game("Birch, B", "Cedar", "0-1", ""),
        game("Birch, B", "Ash, A", "*", "1. c4"),
    ]
    .concat();
    let note = means(&text, &["Ash, A=Cedar 1", "Ash, A>Birch, B 1", "Cedar>Birch, B 1"]);
    assert!(note.contains("games in PGN; left = \"White\", right = \"Black\", answer = \"Result\""), "{note}");
    assert!(note.contains("not used: Event"), "{note}");
    // Without an empty line between games, with comments in front, and with Windows' line ends.
    let tight = text.replace("\n\n", "\n").replace('\n', "\r\n");
    means(&format!("; from a club\r\n{tight}"), &["Ash, A=Cedar 1", "Ash, A>Birch, B 1", "Cedar>Birch, B 1"]);
    let broken = text.replacen("0-1\"", "white forfeits\"", 1);
    refused(&broken, &none(), &["line 16, column \"Result\"", "\"white forfeits\""]);
    let nobody = game("Elm", "", "1-0", "1. e4");
    refused(&(text + &nobody), &none(), &["line 30, column \"Black\"", "no item's name"]);
    // JSON is JSON.
    means("[{\"left\":\"a\",\"right\":\"b\",\"winner\":\"a\"}]", &["a>b 1"]);
}

#[test]
fn crosstables_of_tournaments() {
    let expected = [
        "Ash>Birch 1",
        "Ash>Cedar 0.5",
        "Ash>Elm 1",
        "Birch>Cedar 1",
        "Birch>Elm 0.5",
        "Cedar>Ash 0.5",
        "Cedar>Elm 1",
        "Elm>Birch 0.5",
    ];
    means(
        "No,Name,Rating,1,2,3,4,Points\n1,Ash,2100,*,1,½,1,2.5\n2,Birch,2050,0,*,1,½,1.5\n3,Cedar,2000,½,0,*,1,1.5\n\
            4,Elm,1900,0,½,0,*,0.5\n",
        &expected,
    );
    means(
        "Rank,Name,Ash,Birch,Cedar,Elm,Points\n1,Ash,X,1,½,1,2½\n2,Birch,0,X,1,½,1½\n3,Cedar,½,0,X,1,1½\n\
            4,Elm,0,½,0,X,½\n",
        &expected,
    );
    // Several games in a cell may be a number of wins.
    let twice = "No,Name,1,2,3\n1,Ash,*,11,½1\n2,Birch,00,*,10\n3,Cedar,½0,01,*\n";
    refused(twice, &none(), &["crosstable", "draws as half"]);
    // Whom everybody met in which round is no ranking.
    let swiss = "No,Name,Rd1,Rd2,Rd3,Pts\n1,Ash,4w1,3b½,2w1,2.5\n2,Birch,3w1,4b½,1b0,1.5\n3,Cedar,2b0,1w½,4w1,1.5\n\
        4,Elm,1b0,2w½,3b0,0.5\n";
    refused(swiss, &none(), &["Rd1"]);
}

#[test]
fn the_best_and_the_worst_of_several() {
    let text = "respondent,task,item1,item2,item3,item4,best,worst\n1,1,ash,birch,cedar,elm,ash,elm\n\
        1,2,birch,elm,ash,,birch,\n";
    let note = means(text, &["ash>birch 1", "ash>cedar 1", "ash>elm 1", "birch>ash 1", "birch>elm 2", "cedar>elm 1"]);
    assert!(note.contains("\"best\" won against all others, and they against \"worst\""), "{note}");
    assert!(note.contains("voter = \"respondent\"") && note.contains("not used: task"), "{note}");
    // Items may be numbers.
    means(
        "option_a,option_b,option_c,most,least\n1,2,3,1,3\n2,3,1,2,1\n",
        &["1>2 1", "1>3 1", "2>1 1", "2>3 2", "3>1 1"],
    );
    // The best and the worst may be told by the letters or numbers of their columns.
    means(
        "id,A,B,C,Most,Least\n1,ash,birch,cedar,A,C\n2,elm,ash,birch,C,A\n",
        &["ash>birch 1", "ash>cedar 1", "ash>elm 1", "birch>ash 1", "birch>cedar 1", "birch>elm 1"],
    );
    means("item_1,item_2,item_3,best,worst\nash,birch,cedar,2,3\n", &["ash>cedar 1", "birch>ash 1", "birch>cedar 1"]);
    let long = format!("{text}{}", "2,1,ash,birch,cedar,elm,cedar,elm\n".repeat(30));
    refused(
        &format!("{long}2,2,ash,birch,cedar,elm,fir,elm\n"),
        &none(),
        &["line 34", "\"fir\"", "not among the items"],
    );
    refused(&format!("{long}2,2,ash,birch,cedar,elm,elm,elm\n"), &none(), &["line 34", "the best and as the worst"]);
    refused(&format!("{long}2,2,ash,birch,ash,elm,ash,elm\n"), &none(), &["line 34", "twice in one row"]);
}

#[test]
fn what_is_compared_with_a_third_is_not_ranked() {
    let triplets = "subject,anchor,option_a,option_b,choice\n1,ash,birch,cedar,birch\n1,birch,ash,cedar,cedar\n\
        2,cedar,ash,birch,ash\n";
    refused(triplets, &none(), &["\"anchor\" holds a third item", "--left \"option_a\" --right \"option_b\""]);
    let told = columns(Columns { left: Some("option_a".into()), right: Some("option_b".into()), ..Columns::default() });
    assert_eq!(read(triplets, &told).unwrap().0.used(), 3.0);
    let abx = "subject,A,B,X,response\n1,ash,birch,ash,A\n1,birch,cedar,cedar,B\n2,cedar,ash,ash,A\n";
    refused(abx, &none(), &["X", "response", "--winner"]);
    refused(
        "subject,image1,image2,image3,odd\n1,ash,birch,cedar,birch\n1,birch,ash,cedar,cedar\n2,cedar,ash,birch,ash\n",
        &none(),
        &["more than two items"],
    );
    // Where it was played is no standard.
    let host = (0..40)
        .map(|n| format!("team {},team {},team {},team 0\n", n % 7 + 1, n % 5 + 8, n % 7 + 1))
        .collect::<Vec<_>>();
    let host = format!("home,away,winner,host\nteam 0,team 1,team 1,team 0\n{}", host.concat());
    assert_eq!(read(&host, &none()).unwrap().0.used(), 41.0);
    // Ratings of how sure somebody is are no items, although items are numbers too.
    let sure =
        (0..60).map(|n| format!("{},{},{},{}\n", n % 20, 20 + n % 17, n % 20, 1 + n % 5)).collect::<Vec<_>>().concat();
    assert_eq!(read(&format!("left,right,winner,confidence\n{sure}"), &none()).unwrap().0.used(), 60.0);
}

#[test]
fn questions_of_a_form_are_no_items() {
    let form = "Timestamp,Email,1. Which do you prefer?,2. Which do you prefer?,3. Which do you prefer?\n\
                1/5/2024,x@y.z,Logo A,Logo C,Logo A\n1/6/2024,a@y.z,Logo B,Logo C,Logo C\n1/7/2024,b@y.z,Logo A,Logo \
                B,Logo A\n";
    refused(form, &none(), &["are named alike", "--winner \"3. Which do you prefer?\"", "--rows contests"]);
    let answers = "{\"completions\":[{\"model\":\"ash\",\"score\":8},{\"model\":\"birch\",\"score\":5},\
        {\"model\":\"cedar\",\"score\":6}],\"models\":[\"ash\",\"birch\",\"cedar\"]}\n";
    refused(&answers.repeat(2), &none(), &["more than two items"]);
}

#[test]
fn a_board_is_no_answer() {
    // The result is not understood, and the number of the board does not take its place.
    let text = "Round,Board,White,Result,Black\n1,1,Ash,1 - 0,Birch\n1,2,Cedar,½ - ½,Elm\n2,1,Birch,0 - \
        1,Cedar\n2,2,Elm,1F - 0F,Ash\n";
    refused(text, &none(), &["line 5", "\"1F - 0F\"", "--left-value"]);
    let words = Words { left: vec!["1F - 0F".into()], ..Words::default() };
    assert_eq!(read(text, &ReadOptions { words, ..none() }).unwrap().0.used(), 4.0);
    refused(
        "White,Black,Board\nAsh,Birch,1\nCedar,Elm,2\nBirch,Cedar,1\nElm,Ash,2\n",
        &none(),
        &["none that says who won"],
    );
    // One side's number is not the side.
    means(
        "hometeam,awayteam,homescore,awayscore\nAsh,Birch,1,0\nBirch,Cedar,2,2\nCedar,Ash,1,3\n",
        &["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"],
    );
    refused("home,away,home_stars\nAsh,Birch,1\nBirch,Cedar,2\nCedar,Ash,1\n", &none(), &["none that says who won"]);
}

#[test]
fn ballots_with_empty_places() {
    let text = "ballot,rank1,rank2,rank3\n1,Ash,Birch,Cedar\n2,Birch,undervote,undervote\n3,Ash,overvote,Cedar\n\
        4,Cedar,Ash,skipped\n";
    means(text, &["Ash>Birch 1", "Ash>Cedar 2", "Birch>Cedar 1", "Cedar>Ash 1"]);
    means(
        "Year,Gold,Silver,Bronze\n2001,Ash,Birch,Cedar\n2005,Birch,Ash,Cedar\n",
        &["Ash>Birch 1", "Ash>Cedar 2", "Birch>Ash 1", "Birch>Cedar 2"],
    );
    means(
        "judge,best,second,third\nx,ash,birch,cedar\ny,birch,ash,cedar\n",
        &["ash>birch 1", "ash>cedar 2", "birch>ash 1", "birch>cedar 2"],
    );
}

#[test]
fn other_languages() {
    let expected = ["Ahorn=Ulme 1", "Ahorn>Birke 1", "Ulme=Zeder 1", "Zeder>Birke 1"];
    means(
        "Spieltag;Heimmannschaft;Gastmannschaft;Tore Heim;Tore \
         Gast\n1;Ahorn;Birke;2;1\n1;Zeder;Ulme;0;0\n2;Birke;Zeder;1;3\n2;Ulme;Ahorn;2;2\n",
        &expected,
    );
    means(
        "juge;gauche;droite;choix\nx;frêne;if;gauche\nx;if;cèdre;droite\ny;cèdre;frêne;égalité\ny;frêne;if;gauche\n",
        &["cèdre=frêne 1", "cèdre>if 1", "frêne>if 2"],
    );
    means("回答者,左,右,選択\nx,茶,珈琲,左\ny,珈琲,水,右\nz,水,茶,引き分け\n", &["水=茶 1", "水>珈琲 1", "茶>珈琲 1"]);
    means("选项A,选项B,选择\n茶,咖啡,A\n咖啡,水,B\n水,茶,平局\n", &["水=茶 1", "水>咖啡 1", "茶>咖啡 1"]);
    for header in ["Torneo,Ganador,Perdedor", "Турнир,Победитель,Проигравший", "Turnier,Sieger,Verlierer"]
    {
        let note = means(
            &format!("{header}\nX,Ash,Birch\nX,Birch,Cedar\nY,Ash,Cedar\n"),
            &["Ash>Birch 1", "Ash>Cedar 1", "Birch>Cedar 1"],
        );
        assert!(note.contains("sides unknown"), "{note}");
    }
}

#[test]
fn fixtures_and_logs() {
    let note = means(
        "team_h,team_a,team_h_score,team_a_score,finished\n1,2,2,1,True\n2,3,0,0,True\n3,1,1,4,True\n",
        &["1>2 1", "1>3 1", "2=3 1"],
    );
    assert!(note.contains("points = \"team_h_score\" and \"team_a_score\""), "{note}");
    means(
        "model_left,model_right,vote,taster\nash,birch,leftvote,x\nbirch,cedar,rightvote,y\ncedar,ash,tievote,x\n",
        &["ash=cedar 1", "ash>birch 1", "cedar>birch 1"],
    );
}

#[test]
fn draws_are_seen_however_their_column_is_called() {
    let expected = ["ash=birch 2", "ash>birch 12", "birch=cedar 1", "birch>ash 8", "birch>cedar 5", "cedar>birch 15"];
    for ties in ["n_tie", "number of draws", "ties"] {
        means(&format!("item1,item2,n_item1,n_item2,{ties}\nash,birch,12,8,2\nbirch,cedar,5,15,1\n"), &expected);
    }
    means(
        "a,b,a_better,b_better,equal\nash,birch,1,0,0\nbirch,cedar,0,0,1\ncedar,ash,0,1,0\n",
        &["ash>birch 1", "ash>cedar 1", "birch=cedar 1"],
    );
}

#[test]
fn the_number_of_the_winner_is_one_column() {
    let rows = "101,102,101\n103,101,101\n102,103,103\n101,103,101\n103,102,102\n";
    for header in ["player1_id,player2_id,winner_id", "p1_id,p2_id,winner_id", "home_id,away_id,winner_id"] {
        means(&format!("{header}\n{rows}"), &["101>102 1", "101>103 1", "101>103 1", "102>103 1", "103>102 1"]);
    }
}

#[test]
fn tools_that_write_json() {
    // Label Studio.
    let task = |left: &str, right: &str, selected: &str, by: u32| {
        format!(
            "{{\"id\":1,\"annotations\":[{{\"completed_by\":{by},\
                \"result\":[{{\"value\":{{\"selected\":\"{selected}\"}},\"type\":\"pairwise\"}}]}}],\
             \"data\":{{\"left\":\"{left}\",\"right\":\"{right}\"}}}}"
        )
    };
    let tasks = [task("ash", "birch", "left", 3), task("ash", "cedar", "right", 4), task("birch", "cedar", "left", 4)];
    let note = means(&format!("[{}]", tasks.join(",\n")), &["ash>birch 1", "birch>cedar 1", "cedar>ash 1"]);
    assert!(note.contains("voter = \"annotations.0.completed_by\""), "{note}");
    // Argilla.
    let record = |first: &str, second: &str, value: &str| {
        format!(
            "{{\"fields\":{{\"prompt\":\"hi \
             {first}\",\"response-1\":\"one\",\"response-2\":\"two\"}},\"metadata\":{{\"response-1-model\":\"{first}\",\
             \"response-2-model\":\"{second}\"}},\"responses\":[{{\"user_id\":\"u\",\
             \"values\":{{\"preference\":{{\"value\":\"{value}\"}}}}}}]}}\n"
        )
    };
    let records = [
        record("ash", "birch", "response-1"),
        record("birch", "cedar", "response-2"),
        record("cedar", "ash", "response-2"),
    ];
    means(&records.concat(), &["ash>birch 1", "ash>cedar 1", "cedar>birch 1"]);
    // chess.com, whose servers put all games into one object.
    let game = |white: &str, how: &str, black: &str, other: &str| {
        format!(
            "{{\"white\":{{\"username\":\"{white}\",\"result\":\"{how}\"}},\"black\":{{\"username\":\"{black}\",\
                \"result\":\"{other}\"}}}}"
        )
    };
    let games = [
        game("ash", "win", "birch", "checkmated"),
        game("birch", "agreed", "cedar", "agreed"),
        game("cedar", "timeout", "ash", "win"),
    ];
    let expected = ["ash>birch 1", "ash>cedar 1", "birch=cedar 1"];
    means(&games.join("\n"), &expected);
    let note = means(&format!("{{\"page\":1,\"games\":[{}]}}", games.join(",")), &expected);
    assert!(note.contains("the JSON list \"games\""), "{note}");
    means(&format!("{{\"data\":{{\"event\":{{\"games\":[{}]}}}}}}", games.join(",")), &expected);
    // A vote that holds a list is one vote.
    let vote = "{\"left\":\"a\",\"right\":\"b\",\"winner\":\"a\",\"turns\":[{\"left\":\"x\",\"right\":\"y\",\
        \"winner\":\"y\"},{\"left\":\"y\",\"right\":\"x\",\"winner\":\"y\"}]}";
    means(vote, &["a>b 1"]);
}

#[test]
fn answers_in_phrases_and_results_with_remarks() {
    means(
        "rater,response_a,response_b,answer\n1,ash,birch,A is much better\n1,birch,cedar,B is slightly \
         better\n2,cedar,ash,About the same\n",
        &["ash=cedar 1", "ash>birch 1", "cedar>birch 1"],
    );
    means(
        "model_a_name,model_b_name,winner\nash,birch,a\nbirch,cedar,b\ncedar,ash,tie\n",
        &["ash=cedar 1", "ash>birch 1", "cedar>birch 1"],
    );
    means(
        "boxer,opponent,opponent_record,result\nAsh,Birch,10-2-0,W KO\nAsh,Cedar,12-1-1,L UD\n\
            Birch,Cedar,12-1-1,D MD\n",
        &["Ash>Birch 1", "Birch=Cedar 1", "Cedar>Ash 1"],
    );
    means(
        "team,opponent,result\nAsh,Birch,W 3-1\nAsh,Cedar,L 0-2\nBirch,Cedar,T 1-1\n",
        &["Ash>Birch 1", "Birch=Cedar 1", "Cedar>Ash 1"],
    );
    means("p1,p2,winner\nash,birch,1\nbirch,cedar,2\ncedar,ash,1\n", &["ash>birch 1", "cedar>ash 1", "cedar>birch 1"]);
    means(
        "item_a,item_b,a_wins,total\nash,birch,12,20\nbirch,cedar,5,20\n",
        &["ash>birch 12", "birch>ash 8", "birch>cedar 5", "cedar>birch 15"],
    );
    means(
        "item_a,item_b,b_wins,total\nash,birch,12,20\nbirch,cedar,5,20\n",
        &["ash>birch 8", "birch>ash 12", "birch>cedar 15", "cedar>birch 5"],
    );
}

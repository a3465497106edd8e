//! Files as people have them that were read without a question and meant something else: each is understood now, or
//! asked about.

mod reading;

use borduel_votes::{Columns, ReadOptions, RowKind, Unranked, WideOptions, Words};
use reading::{columns, means, read, refused, wins};

/// Nothing is said by the user.
fn none() -> ReadOptions {
    ReadOptions::default()
}

fn told(rows: RowKind) -> ReadOptions {
    ReadOptions { wide: WideOptions { rows: Some(rows), ..WideOptions::default() }, ..none() }
}

#[test]
fn two_results_one_for_each_side_are_one_answer() {
    let expected = ["Ash>Birch 1", "Ash>Cedar 1", "Birch>Cedar 1"];
    for rows in [
        "Ash,Birch,1,0\nBirch,Cedar,1,0\nCedar,Ash,0,1\n",
        "Ash,Birch,True,False\nBirch,Cedar,True,False\nCedar,Ash,False,True\n",
        "Ash,Birch,Win,Loss\nBirch,Cedar,Win,Loss\nCedar,Ash,Loss,Win\n",
        "Ash,Birch,W,L\nBirch,Cedar,W,L\nCedar,Ash,L,W\n",
    ] {
        means(&format!("blueTeam,redTeam,bResult,rResult\n{rows}"), &expected);
        means(&format!("home,away,home_result,away_result\n{rows}"), &expected);
    }
    means(
        "blueTeam,redTeam,bResult,rResult\nAsh,Birch,1,0\nBirch,Cedar,0.5,0.5\nCedar,Ash,0,1\n",
        &["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"],
    );
    // Where they contradict each other, somebody has to say which is true.
    refused("blueTeam,redTeam,bResult,rResult\nAsh,Birch,1,1\nBirch,Ash,0,1\n", &none(), &["bResult", "--winner"]);
    refused("home,away,home_result,away_result\nAsh,Birch,W,W\nBirch,Ash,L,W\n", &none(), &["home_result", "--winner"]);
    // Nobody won: a draw, or no contest.
    refused("blueTeam,redTeam,bResult,rResult\nAsh,Birch,1,0\nBirch,Ash,0,0\n", &none(), &["line 3", "--left-points"]);
    // Two judges are no sides, although they are numbered like the items.
    refused(
        "model_1,model_2,g1_winner,g2_winner\nAsh,Birch,1,2\nBirch,Ash,2,1\nCedar,Ash,1,1\n",
        &none(),
        &["g1_winner", "--winner"],
    );
}

#[test]
fn numbers_go_with_the_items_however_they_are_named() {
    let away_first = columns(Columns { left: Some("away".into()), right: Some("home".into()), ..Columns::default() });
    let text = "home,away,home_score,away_score\nAsh,Birch,3,1\nBirch,Cedar,0,2\n";
    assert_eq!(wins(&read(text, &away_first).unwrap().0), ["Ash>Birch 1", "Cedar>Birch 1"]);
    let text = "home,away,h_goals,a_goals\nAsh,Birch,3,1\nBirch,Cedar,0,2\n";
    assert_eq!(wins(&read(text, &away_first).unwrap().0), ["Ash>Birch 1", "Cedar>Birch 1"]);
    means(text, &["Ash>Birch 1", "Cedar>Birch 1"]);
}

#[test]
fn words_in_columns_about_something_else_are_no_draws() {
    let rows = "ash,birch,same\nbirch,ash,different\nash,cedar,same\n";
    for column in ["country", "type", "condition"] {
        means(&format!("winner,loser,{column}\n{rows}"), &["ash>birch 1", "ash>cedar 1", "birch>ash 1"]);
    }
    means(&format!("winner,loser,result\n{rows}"), &["ash=birch 1", "ash=cedar 1", "birch>ash 1"]);
    // A tie may be worn.
    let text = "winner,loser,wears\nash,birch,tie\nbirch,ash,scarf\n";
    refused(text, &none(), &["\"wears\"", "\"tie\"", "--ties-column \"wears\"", "--ties-column none"]);
    let ties = |name: &str| columns(Columns { ties: Some(name.into()), ..Columns::default() });
    assert_eq!(wins(&read(text, &ties("none")).unwrap().0), ["ash>birch 1", "birch>ash 1"]);
    assert_eq!(wins(&read(text, &ties("wears")).unwrap().0), ["ash=birch 1", "birch>ash 1"]);
    // The main draw of a tournament is no draw.
    means("winner,loser,type\nash,birch,Main Draw\nbirch,ash,Qualifying\n", &["ash>birch 1", "birch>ash 1"]);
}

#[test]
fn hertz_and_kilograms_are_no_counts_and_no_weights() {
    let sounds = "listener,left,right,winner,frequency\n\
                  x,ash,birch,ash,250\nx,ash,birch,ash,500\nx,birch,ash,ash,1000\ny,ash,birch,birch,250\n\
                  y,birch,ash,ash,4000\n";
    refused(sounds, &none(), &["\"frequency\"", "--count \"frequency\"", "--count none"]);
    let count = |name: &str| columns(Columns { count: Some(name.into()), ..Columns::default() });
    assert_eq!(read(sounds, &count("none")).unwrap().0.used(), 5.0);
    assert_eq!(read(sounds, &count("frequency")).unwrap().0.used(), 6000.0);
    // Without listeners: the same votes come again, which they do not in a table of frequencies.
    let rows = "ash,birch,ash,250\nash,birch,ash,500\nbirch,ash,ash,1000\nbirch,ash,ash,440\n";
    refused(&format!("left,right,winner,frequency\n{rows}"), &none(), &["--count none"]);
    refused("winner,loser,count\nash,birch,1.2\nbirch,ash,3\n", &none(), &["\"count\"", "fractions", "--count none"]);
    // A table of frequencies stays one, however large they are.
    means("winner,loser,frequency\nash,birch,250\nbirch,ash,440\n", &["ash>birch 250", "birch>ash 440"]);
    means("winner,loser,count\nash,birch,250\nash,birch,440\n", &["ash>birch 690"]);

    // A fighter's weight.
    let weight = |item: &str| match item {
        "ash" => "72.5",
        "birch" => "80.1",
        _ => "91",
    };
    let mut fights = "winner,loser,weight\n".to_owned();
    for (winner, loser) in [("ash", "birch"), ("birch", "cedar"), ("cedar", "ash")].repeat(4) {
        fights += &format!("{winner},{loser},{}\n", weight(winner));
    }
    refused(&fights, &none(), &["\"weight\"", "always the same for an item", "--weight none"]);
    refused("winner,loser,weight\nash,birch,155\nbirch,ash,170\n", &none(), &["\"weight\"", "large", "--weight none"]);
    // Weights of voters may be of any size, and weights of votes small.
    let weight = |voter: u32| ["1500.5", "820", "2400.25"][voter as usize];
    let mut survey = "voter,left,right,winner,weight\n".to_owned();
    for n in 0..12 {
        survey += &format!("v{0},ash,birch,{1},{2}\n", n % 3, ["ash", "birch"][n % 2], weight(n as u32 % 3));
    }
    assert_eq!(read(&survey, &none()).unwrap().0.used(), 12.0);
    assert_eq!(read("winner,loser,weight\nash,birch,0.5\nbirch,ash,1.25\n", &none()).unwrap().0.used(), 2.0);
}

#[test]
fn percents_are_no_wins() {
    for matrix in [
        ",ash,birch,cedar\nash,0,70,55\nbirch,30,0,60\ncedar,45,40,0\n",
        ",ash,birch,cedar\nash,0,70.5,55\nbirch,29.5,0,60.1\ncedar,45,39.9,0\n",
        ",ash,birch\nash,-,70%\nbirch,30%,-\n",
        // With draws the shares of two do not add up to 1.
        ",ash,birch,cedar\nash,0,0.6,0.5\nbirch,0.3,0,0.7\ncedar,0.4,0.2,0\n",
        ",ash,birch,cedar\nash,0,6.3,5\nbirch,3,0,7.1\ncedar,4,2,0\n",
    ] {
        refused(matrix, &none(), &["multiply each by the number of votes"]);
    }
    // Every pair may have a hundred votes, and votes may be weighted, if somebody says so.
    let text = ",ash,birch\nash,0,70\nbirch,30,0\n";
    assert_eq!(wins(&read(text, &told(RowKind::Matrix)).unwrap().0), ["ash>birch 70", "birch>ash 30"]);
    assert!(read(",ash,birch\nash,0,6.3\nbirch,3,0\n", &told(RowKind::Matrix)).is_ok());
    means(",ash,birch\nash,0,7.5\nbirch,2.5,0\n", &["ash>birch 7.5", "birch>ash 2.5"]);
    // Shares in a table of pairs are none either.
    let shares = "item_a,item_b,wins_a,wins_b\nash,birch,0.63,0.37\nash,cedar,0.5,0.5\n";
    refused(shares, &none(), &["shares", "\"wins_a\"", "--left-wins"]);
    refused(
        "model_a,model_b,win_rate_a,win_rate_b\nash,birch,63,37\nash,cedar,50,50\n",
        &none(),
        &["none that says who won"],
    );
}

#[test]
fn cells_of_a_design_are_no_pairs() {
    let text = "subject,small_red,small_blue,large_red,large_blue\n1,1,2,3,4\n2,2,1,4,3\n";
    let note = means(
        text,
        &[
            "large_blue>large_red 1",
            "large_red>large_blue 1",
            "small_blue>large_blue 2",
            "small_blue>large_red 2",
            "small_blue>small_red 1",
            "small_red>large_blue 2",
            "small_red>large_red 2",
            "small_red>small_blue 1",
        ],
    );
    assert!(note.contains("1 is the best"), "{note}");
    refused(
        "subject,small_red,small_blue,large_red,large_blue\n1,1,0,1,0\n2,0,1,1,1\n",
        &none(),
        &["no two columns", "--rows ratings"],
    );
    // Three of each.
    let names: Vec<String> =
        ["s", "m", "l"].iter().flat_map(|a| ["x", "y", "z"].map(|b| format!("{a}1_{b}2"))).collect();
    refused(&format!("{}\n1,0,1,0,1,0,1,0,1\n0,1,1,1,0,0,0,1,1\n", names.join(",")), &none(), &["--rows ratings"]);
    // Told that they are pairs, they are.
    let four = "ash_birch,ash_cedar,elm_birch,elm_cedar\n1,0,1,0\n";
    assert_eq!(read(four, &told(RowKind::Contests)).unwrap().0.used(), 4.0);
}

#[test]
fn a_vote_is_on_two_items() {
    for text in [
        "{\"models\":[\"ash\",\"birch\",\"cedar\"],\"winner\":\"ash\"}\n\
            {\"models\":[\"birch\",\"ash\",\"cedar\"],\"winner\":\"ash\"}\n",
        "{\"answers\":[{\"model\":\"ash\",\"score\":3},{\"model\":\"birch\",\"score\":1},{\"model\":\"cedar\",\
            \"score\":9}]}\n\
         {\"answers\":[{\"model\":\"birch\",\"score\":3},{\"model\":\"ash\",\"score\":1},{\"model\":\"cedar\",\
         \"score\":9}]}\n",
        "item1,item2,item3,winner\nash,birch,cedar,ash\nbirch,ash,cedar,ash\n",
        "model_a,model_b,model_c,winner\nash,birch,cedar,ash\nbirch,cedar,ash,birch\n",
    ] {
        refused(text, &none(), &["more than two items", "--left and --right", "--rows long-ranks"]);
    }
    // Two answers of each of two models are two models, and what is no item is no third one.
    means(
        "{\"models\":[\"ash\",\"birch\"],\"winner\":\"ash\"}\n{\"models\":[\"birch\",\"ash\"],\"winner\":\"ash\"}\n",
        &["ash>birch 1", "ash>birch 1"],
    );
    means("option_a,option_b,option_c,winner\nash,birch,,ash\nbirch,ash,,ash\n", &["ash>birch 1", "ash>birch 1"]);
}

#[test]
fn a_winner_with_equal_points_is_asked_about() {
    for header in ["winner,loser,winner_score,loser_score", "WTeam,LTeam,WScore,LScore"] {
        let text = format!("{header}\nash,birch,20,10\nbirch,cedar,17,17\ncedar,ash,9,3\nash,birch,7,3\n");
        refused(&text, &none(), &["line 3, column 3", "\"17\"", "--left-points", "--ties-column none"]);
        let none = columns(Columns { ties: Some("none".into()), ..Columns::default() });
        assert_eq!(read(&text, &none).unwrap().0.used(), 4.0);
    }
    let text = "winner,loser,score\nash,birch,2-1\nbirch,cedar,1–1\ncedar,ash,3:0\n";
    refused(text, &none(), &["line 3, column 3", "\"1–1\"", "--winner", "--ties-column none"]);
    let scores = columns(Columns {
        left: Some("winner".into()),
        right: Some("loser".into()),
        winner: Some("score".into()),
        ..Columns::default()
    });
    assert_eq!(wins(&read(text, &scores).unwrap().0), ["ash>birch 1", "birch=cedar 1", "cedar>ash 1"]);
    // Far below the first rows too.
    let long = format!("winner,loser,winner_score,loser_score\n{}b,a,1,1\n", "a,b,2,1\n".repeat(2000));
    refused(&long, &none(), &["line 2002", "--left-points"]);
    // What a column of draws says is believed, and a remark too.
    let text = "winner,loser,winner_score,loser_score,draw\nash,birch,2,1,0\nbirch,ash,3,3,1\nbirch,cedar,1,1,0\n";
    means(text, &["ash=birch 1", "ash>birch 1", "birch>cedar 1"]);
    let text = "winner,loser,winner_score,loser_score,result\nash,birch,2,1,win\nbirch,ash,3,3,draw\n";
    means(text, &["ash=birch 1", "ash>birch 1"]);
    // Ranking points are no points of the match: the one with fewer wins often enough; and nobody is level in sets for
    // good.
    let tennis = "winner_name,loser_name,winner_rank_points,loser_rank_points,Wsets,Lsets,WPts,LPts\n\
                  ash,birch,900,900,1,1,800,700\nbirch,ash,700,900,2,0,600,700\nash,birch,900,700,2,0,700,700\n";
    means(tennis, &["ash>birch 2", "birch>ash 1"]);
}

#[test]
fn a_contest_that_does_not_count_has_no_winner() {
    let text = "winner,loser,result,method\nash,birch,win,KO/TKO\nbirch,ash,nc,Overturned\nash,cedar,draw,Decision - \
        Majority\n";
    let (ballots, _, note) = read(text, &none()).unwrap();
    assert_eq!(wins(&ballots), ["ash=cedar 1", "ash>birch 1"], "{note}");
    assert_eq!(ballots.totals().skip, 1.0);
    let text = "winner,loser,method\nash,birch,KO/TKO\nbirch,ash,No Contest (accidental)\nash,cedar,Draw (majority)\n";
    means(text, &["ash=cedar 1", "ash>birch 1"]);
    // Beside an answer that names a winner all the same.
    let text = "fighter1,fighter2,winner,result\nash,birch,ash,win\nbirch,ash,birch,draw\n";
    refused(text, &none(), &["\"result\"", "\"winner\"", "--ties-column \"result\"", "--ties-column none"]);
    let ties = columns(Columns { ties: Some("result".into()), ..Columns::default() });
    assert_eq!(wins(&read(text, &ties).unwrap().0), ["ash=birch 1", "ash>birch 1"]);
    // Points of a match that was called off.
    let text =
        "home,away,home_score,away_score,status\nash,birch,2,1,played\nbirch,ash,0,0,abandoned\nash,cedar,1,1,played\n";
    refused(text, &none(), &["\"status\"", "\"home_score\"", "--ties-column \"status\""]);
    let ties = columns(Columns { ties: Some("status".into()), ..Columns::default() });
    assert_eq!(wins(&read(text, &ties).unwrap().0), ["ash=cedar 1", "ash>birch 1"]);
    // Chess players write draws twice.
    means(
        "white,black,winner,victory_status\nash,birch,white,mate\nbirch,ash,draw,draw\n",
        &["ash=birch 1", "ash>birch 1"],
    );
}

#[test]
fn half_time_is_not_the_end() {
    let expected = ["Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"];
    let whole = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR\n\
                 E0,1/8,Ash,Birch,2,1,H,0,1,A\nE0,2/8,Birch,Cedar,0,0,D,0,0,D\nE0,3/8,Cedar,Ash,0,3,A,0,0,D\n";
    means(whole, &expected);
    let goals = "HomeTeam,AwayTeam,FTHG,FTAG,HTHG,HTAG,HTR\n\
                 Ash,Birch,2,1,0,1,A\nBirch,Cedar,0,0,0,0,D\nCedar,Ash,0,3,0,0,D\n";
    let note = means(goals, &expected);
    assert!(note.contains("points = \"FTHG\" and \"FTAG\""), "{note}");
    means("Home,Away,HG,AG\nAsh,Birch,2,1\nBirch,Cedar,0,0\nCedar,Ash,0,3\n", &expected);
    let half = "HomeTeam,AwayTeam,HTHG,HTAG,HTR\nAsh,Birch,0,1,A\nBirch,Cedar,0,0,D\nCedar,Ash,0,0,D\n";
    refused(half, &none(), &["none that says who won", "HTR", "half time"]);
    let told = columns(Columns { winner: Some("HTR".into()), ..Columns::default() });
    assert_eq!(wins(&read(half, &told).unwrap().0), ["Ash=Cedar 1", "Birch=Cedar 1", "Birch>Ash 1"]);
    refused(
        "team1,team2,toss_winner\nAsh,Birch,Ash\nBirch,Ash,Ash\nCedar,Ash,Cedar\nAsh,Cedar,Cedar\nBirch,Cedar,Cedar\n",
        &none(),
        &["none that says who won", "toss"],
    );
}

#[test]
fn a_goal_is_no_match() {
    let text = "date,home_team,away_team,team,scorer,minute,own_goal,penalty\n\
                1,Ash,Birch,Ash,x,4,FALSE,FALSE\n1,Ash,Birch,Birch,y,50,FALSE,TRUE\n1,Ash,Birch,Ash,x,70,FALSE,FALSE\n\
                2,Birch,Cedar,Cedar,z,9,FALSE,FALSE\n2,Birch,Cedar,Birch,y,11,TRUE,FALSE\n\
                3,Cedar,Ash,Ash,x,30,FALSE,FALSE\n";
    refused(text, &none(), &["\"scorer\"", "a goal and not a match", "--winner"]);
    let told = columns(Columns { winner: Some("team".into()), ..Columns::default() });
    assert_eq!(read(text, &told).unwrap().0.used(), 6.0);
}

#[test]
fn a_shoot_out_decides_no_match() {
    let text = "home_team,away_team,home_score,away_score,penalties_winner\n\
                Ash,Birch,2,1,\nBirch,Cedar,1,1,Cedar\nCedar,Ash,0,0,Ash\nAsh,Cedar,3,0,\nBirch,Ash,0,1,\n";
    let note = means(text, &["Ash=Cedar 1", "Ash>Birch 1", "Ash>Birch 1", "Ash>Cedar 1", "Birch=Cedar 1"]);
    assert!(note.contains("equal points are a draw, whatever \"penalties_winner\" says"), "{note}");
    let words = ReadOptions {
        columns: Columns { winner: Some("penalties_winner".into()), ..Columns::default() },
        words: Words { skip: vec![String::new()], ..Words::default() },
        ..none()
    };
    assert_eq!(wins(&read(text, &words).unwrap().0), ["Ash>Cedar 1", "Cedar>Birch 1"]);
}

#[test]
fn what_the_first_rankings_leave_out_is_known_only_at_the_end() {
    let text = "judge,1st,2nd\nx,ash,birch\ny,birch,ash\nz,cedar,elm\n";
    let (ballots, _, note) = read(text, &none()).unwrap();
    assert_eq!(ballots.used(), 3.0);
    assert!(note.contains("all 3 rankings leave out some of the 4 items"), "{note}");
    let last = ReadOptions { unranked: Unranked::Last, ..none() };
    let (ballots, _, note) = read(text, &last).unwrap();
    assert_eq!(ballots.used(), 15.0, "each ranks two, of which each wins against the two that are left out: {note}");
    assert!(wins(&ballots).contains(&"ash>elm 2".to_owned()), "{:?}", wins(&ballots));
    // What is listed and named by nobody is left out too.
    let ids: Vec<String> = ["ash", "birch", "cedar", "elm"].map(str::to_owned).to_vec();
    let items = borduel_votes::Items { names: vec![None; 4], ids, ..Default::default() };
    for text in ["judge,1st,2nd\nx,ash,birch\n", "judge,ash,birch\nx,1,2\n"] {
        let rows = text.contains("1st").then_some(RowKind::Places).or(Some(RowKind::Ranks));
        let wide = WideOptions { rows, ..WideOptions::default() };
        let mut reader = borduel_votes::VoteReader::new(ReadOptions { wide, ..last.clone() }).with_items(&items);
        reader.read_bytes("votes", text.as_bytes()).unwrap();
        let expected = ["ash>birch 1", "ash>cedar 1", "ash>elm 1", "birch>cedar 1", "birch>elm 1"];
        assert_eq!(wins(&reader.finish().0), expected);
    }
}

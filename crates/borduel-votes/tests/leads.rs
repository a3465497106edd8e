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
    let text = "home_team,away_team,home_goals,away_goals,finished\nAsh,Birch,2,1,True\nBirch,Cedar,1,2,True\n\
        Cedar,Ash,0,0,False\n";
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
    let league = "Pos,Team,P,W,D,L,GF,GA,Pts\n1,Ash,38,28,7,3,89,30,91\n2,Birch,38,25,6,7,75,40,81\n\
        3,Cedar,38,10,10,18,40,60,40\n";
    refused(league, &none(), &["table of totals", "who won against whom"]);
    let races = "raceId,driver,constructor,position,status\n1,Ash,Red,1,Finished\n1,Birch,Blue,2,Finished\n\
        1,Cedar,Red,\\N,Engine\n\
                 2,Ash,Red,3,Finished\n2,Birch,Blue,1,Finished\n2,Cedar,Red,2,Finished\n";
    refused(races, &none(), &["--rows long-ranks --voter \"raceId\" --item-columns \"driver,position\""]);
    let sets = "match,player,score\n1,ash,3\n1,birch,1\n2,cedar,0\n2,ash,2\n3,birch,2\n3,cedar,1\n";
    refused(sets, &none(), &["--rows long-ratings --voter \"match\" --item-columns \"player,score\""]);
}

#[test]
fn other_refusals_lead_to_the_flags() {
    let points = "from_country,to_country,points\nAsh,Birch,12\nAsh,Cedar,10\nBirch,Ash,12\nBirch,Cedar,10\n\
        Cedar,Ash,12\nCedar,Birch,10\n";
    refused(points, &none(), &["--rows long-ratings --voter \"from_country\" --item-columns \"to_country,points\""]);
    let sets = "match,player,score,won\n1,ash,3,TRUE\n1,birch,1,FALSE\n2,cedar,0,FALSE\n2,ash,2,TRUE\n3,birch,2,TRUE\n\
        3,cedar,1,FALSE\n";
    refused(sets, &none(), &["--voter \"match\" --item-columns \"player,score\""]);
    let golf = "player_a,player_b,strokes_a,strokes_b\nAsh,Birch,70,72\nBirch,Cedar,69,71\nCedar,Ash,68,70\n";
    refused(
        golf,
        &none(),
        &[
            "--left-points \"strokes_a\" --right-points \"strokes_b\"",
            "if the lower one does, --left-points \"strokes_b\"",
        ],
    );
    let keys = "participant,imgL,imgR,resp,rt\n1,ash,birch,f,0.5\n1,birch,cedar,j,0.6\n2,cedar,ash,f,0.4\n";
    refused(keys, &none(), &["--winner \"resp\" --left-value \"f\" --right-value \"j\"", "other way round"]);
    let two = "before,after\nash>birch,birch>ash\ncedar>ash,\n";
    refused(two, &none(), &["\"before\" holds whole rankings", "--rows ballots --item-columns \"before\""]);
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

#[test]
fn words_of_forms_and_of_judgement_tools_are_known() {
    means(
        "Judge,Chosen,Not Chosen\n7,ash,birch\n7,birch,cedar\n8,ash,cedar\n",
        &["ash>birch 1", "ash>cedar 1", "birch>cedar 1"],
    );
    means(
        "option_a,option_b,response\nash,birch,Strongly prefer A\nbirch,cedar,No preference\ncedar,ash,Slightly \
         prefer B\n",
        &["ash>birch 1", "ash>cedar 1", "birch=cedar 1"],
    );
    let note = means(
        "Ballot,Mayor Choice 1 of 3,Mayor Choice 2 of 3,Mayor Choice 3 of \
         3\nB1,ash,birch,cedar\nB2,birch,undervote,undervote\nB3,cedar,ash,birch\n",
        &["ash>birch 2", "ash>cedar 1", "birch>cedar 1", "cedar>ash 1", "cedar>birch 1"],
    );
    assert!(note.contains("in their places"), "{note}");
    means(
        "i,j,r_ij,w_ij,w_ji,t_ij\nash,birch,57,19,22,16\nbirch,cedar,47,16,19,12\n",
        &["ash=birch 16", "ash>birch 19", "birch=cedar 12", "birch>ash 22", "birch>cedar 16", "cedar>birch 19"],
    );
    means(
        "| left | right | winner |\n|:-----|-------|--------|\n| ash | birch | ash |\n| birch | cedar | tie |\n",
        &["ash>birch 1", "birch=cedar 1"],
    );
    let note = read(
        "3: ash > birch > cedar\n2: birch > cedar > ash\n",
        &ReadOptions { table: borduel_votes::TableOptions { no_header: true, ..Default::default() }, ..none() },
    )
    .unwrap()
    .2;
    assert!(note.contains("3 voters ranked ash > birch > cedar"), "{note}");
    let film = read("ballot\n2001: A Space Odyssey > Alien > Up\nUp > Alien\n", &none()).unwrap().2;
    assert!(film.contains("line 2: ranked 2001: A Space Odyssey > Alien > Up"), "{film}");
}

#[test]
fn sums_are_no_items() {
    let text = ",ash,birch,cedar,Summe\nash,-,3,5,8\nbirch,2,-,4,6\ncedar,1,6,-,7\nSumme,3,9,9,21\n";
    let (ballots, _, note) = read(text, &none()).unwrap();
    assert_eq!((ballots.items().len(), ballots.used()), (3, 21.0), "{note}");
    assert!(note.contains("not used: Summe"), "{note}");
    // An item may be called so.
    let text = ",ash,birch,Total\nash,0,3,5\nbirch,2,0,4\nTotal,1,6,0\n";
    assert_eq!(read(text, &none()).unwrap().0.items().len(), 3);
}

#[test]
fn leads_that_would_misread_are_not_given() {
    let said = |text: &str| {
        read(text, &none()).map(|(ballots, _, note)| format!("{:?} {note}", wins(&ballots))).expect_err(text)
    };
    let none_of = |text: &str, parts: &[&str]| {
        let message = said(text);
        assert!(!parts.iter().any(|part| message.contains(part)), "{message}");
        message
    };
    none_of(
        "choice,dist,cost.car,cost.bus,cost.rail,time.car,time.bus,time.rail\ncar,83,28,14,40,36,70,12\n\
            bus,83,21,11,42,47,62,25\nrail,83,27,21,33,51,63,14\n",
        &["say --rows ratings"],
    );
    let panda = none_of(
        "idx,cmp_key,annotator1,annotator2,annotator3\n0,bloom_llama,1,0,2\n1,llama_opt,2,2,1\n2,opt_bloom,0,1,1\n\
            3,llama_bloom,1,1,2\n",
        &["say --rows ratings"],
    );
    assert!(panda.contains("\"cmp_key\" holds both items"), "{panda}");
    none_of("Team,ash,birch,cedar\nash,—,2–1,0–0\nbirch,1–1,—,2–0\ncedar,0–2,1–1,—\n", &["--rows places"]);
    let freq = "\"\",cited,citing,Freq\n1,ash,ash,714\n2,birch,ash,33\n3,cedar,ash,320\n4,ash,birch,730\n\
        5,birch,birch,425\n6,cedar,birch,813\n7,ash,cedar,498\n8,birch,cedar,68\n9,cedar,cedar,1072\n";
    none_of(freq, &["--item-columns \"citing,\""]);
    let regatta = none_of(
        "Sailor,R1,R2,R3,Total\nash,1,2,1,4\nbirch,2,1,3,6\ncedar,3,3,2,8\nelm,4,4,4,12\n",
        &["more than two items"],
    );
    assert!(regatta.contains("If each row is an item, \"Sailor\""), "{regatta}");
    none_of("q,model,judgment\n1,ash,so [[A>B]]\n2,birch,so [[A>B]]\n3,ash,so [[A>B]]\n", &["--rows ballots"]);
    let import = none_of(
        "StartDate,img_left,img_right,Q1\nStart \
         Date,img_left,img_right,Which?\n\
         \"{\"\"ImportId\"\":\"\"s\"\"}\",\"{\"\"ImportId\"\":\"\"l\"\"}\",\"{\"\"ImportId\"\":\"\"r\"\"}\",\
         \"{\"\"ImportId\"\":\"\"q\"\"}\"\n1,ash,birch,Left\n2,birch,cedar,Right\n",
        &["--no-header --rows"],
    );
    assert!(import.contains("Qualtrics"), "{import}");
    let list = "{\"id\":1,\"completions\":[{\"model\":\"ash\",\"score\":3},{\"model\":\"birch\",\"score\":1},\
        {\"model\":\"cedar\",\"score\":2}]}\n";
    let list = format!("{list}{}", list.replace("ash", "elm").replace("cedar", "ash").replace("birch", "cedar"));
    none_of(&list, &["--rows places", "several judges"]);
}

#[test]
fn more_refusals_lead_on() {
    refused(
        "id,drink[1],drink[2],drink[3]\n1,A1,A2,A3\n2,A2,A3,A1\n3,A3,A1,A2\n",
        &none(),
        &["--rows places --item-columns \"drink[1],drink[2],drink[3]\"", "ranked A1 > A2 > A3"],
    );
    refused(
        "Home,,Away,\nTeam,Goals,Team,Goals\nash,2,birch,1\nbirch,0,cedar,0\ncedar,1,ash,3\n",
        &none(),
        &["The header takes two lines"],
    );
    refused("round,match\n1,ash def. birch 3-1\n2,birch def. cedar 3-0\n", &none(), &["\"match\" holds both items"]);
    refused(
        "Beer A,Beer B,% prefer A,% prefer B\nash,birch,55.2%,44.8%\nbirch,cedar,61%,39%\n",
        &none(),
        &["are shares", "--left-wins and --right-wins"],
    );
    refused(
        "[[\"ash\",\"birch\",\"ash\"],[\"birch\",\"cedar\",\"tie\"]]",
        &none(),
        &["not a JSON object but a list", "a name"],
    );
    refused(
        "item_a,item_b,wins_a,wins_b\nash,birch,\"1,234\",900\n",
        &none(),
        &["\"1,234\"", "without a unit or a mark for thousands"],
    );
    let nfl = "Week,Winner/tie,Loser/tie,PtsW,PtsL\n1,ash,birch,20,10\n1,cedar,ash,17,17\n2,birch,cedar,9,3\n";
    refused(
        nfl,
        &none(),
        &["--left \"Winner/tie\" --right \"Loser/tie\" --left-points \"PtsW\" --right-points \"PtsL\""],
    );
    let both = "model_1,model_2,g1_winner,g2_winner\nash,birch,model_1,tie\nbirch,cedar,model_2,model_2\n";
    refused(
        both,
        &none(),
        &[
            "any of g1_winner, g2_winner may be the answer",
            "--winner \"g1_winner\"; it reads line 2: ash beat birch",
            "--winner \"g2_winner\"; it reads line 2: ash and birch tied",
        ],
    );
}

#[test]
fn ranks_ratings_and_letters_are_told_apart() {
    means(
        "Bo,White,Rtg,Black,Rtg,Res\n1,ash,2400,birch,2390,1\n2,birch,2390,cedar,2350,½\n3,cedar,2350,ash,2400,0\n",
        &["ash>birch 1", "ash>cedar 1", "birch=cedar 1"],
    );
    let platz = "race;rider;platz\n1;ash;1.\n1;birch;2.\n1;cedar;3.\n2;birch;1.\n2;ash;2.\n2;cedar;3.\n";
    refused(platz, &none(), &["--rows long-ranks --voter \"race\" --item-columns \"rider,platz\""]);
    let level = "voter,ash,birch,cedar,elm\nx,1,1,3,4\ny,2,1,4,3\nz,1,2,2,4\n";
    refused(
        level,
        &none(),
        &[
            "1 is the best, say --rows ranks --item-columns \"ash,birch,cedar,elm\"",
            "judge x ranked ash = birch > cedar > elm",
        ],
    );
}

#[test]
fn letters_name_the_first_and_the_second() {
    means(
        "judge,first,second,choice\n1,ash,birch,A\n1,birch,cedar,B\n2,cedar,ash,tie\n",
        &["ash=cedar 1", "ash>birch 1", "cedar>birch 1"],
    );
}

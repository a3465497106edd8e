//! Every format of votes, in a file of its own, read back to the same ballots.

use borduel_rank::ballots::{Ballots, BothBad, Ties};
use borduel_testing::skip;
use borduel_votes::columns::{Batches, Column, Layout, Sample};
use borduel_votes::{
    Columns, Items, ReadOptions, Rows, Scale, TableOptions, Unranked, VoteReader, Words, read_items, read_pairs,
};
use std::io::Write;
use std::path::PathBuf;

fn data(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).to_string_lossy().into_owned()
}

fn read_with(name: &str, options: &ReadOptions) -> (Ballots, Rows, String) {
    let mut reader = VoteReader::new(options.clone());
    reader.read(&data(name)).unwrap_or_else(|error| panic!("{error}"));
    let (ballots, rows, notes) = reader.finish();
    (ballots, rows, notes.join("\n"))
}

fn read(name: &str) -> (Ballots, Rows, String) {
    read_with(name, &ReadOptions::default())
}

/// (left, right, used, Σw, Σwr) by name, sorted: what a ranking sees.
fn sums(ballots: &Ballots) -> Vec<(String, String, f64, f64, f64)> {
    let name = |item: u32| ballots.items()[item as usize].clone();
    let mut all: Vec<_> = ballots.cells().iter().map(|c| (name(c.left), name(c.right), c.n, c.w, c.wr)).collect();
    all.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    all
}

fn cell(left: &str, right: &str, n: f64, w: f64, wr: f64) -> (String, String, f64, f64, f64) {
    (left.into(), right.into(), n, w, wr)
}

#[test]
fn left_right_winner() {
    let (ballots, rows, note) = read("left_right_winner.csv");
    assert_eq!(rows, Rows { read: 5, ..Rows::default() });
    // left, right, tie, the item's name, skip.
    assert_eq!(sums(&ballots), [cell("cocoa", "tea", 1.0, 1.0, 1.0), cell("tea", "coffee", 3.0, 3.0, 1.5)]);
    let totals = ballots.totals();
    assert_eq!((totals.left, totals.right, totals.tie, totals.skip), (2.0, 1.0, 1.0, 1.0));
    assert!(ballots.sides_known());
    assert!(note.contains("CSV") && note.contains("answer = \"winner\""), "{note}");
}

#[test]
fn arena() {
    for (ties, both_bad, used) in [
        (Ties::Half, BothBad::Drop, 3.0),
        (Ties::Half, BothBad::Tie, 4.0),
        (Ties::Drop, BothBad::Drop, 2.0),
        (Ties::Drop, BothBad::Tie, 2.0),
    ] {
        let (ballots, _, note) = read_with("arena.jsonl", &ReadOptions { ties, both_bad, ..ReadOptions::default() });
        assert_eq!(ballots.used(), used);
        assert_eq!((ballots.totals().tie, ballots.totals().both_bad), (1.0, 1.0));
        assert!(note.contains("JSON lines") && note.contains("voter = \"judge\""), "{note}");
    }
    // The same as one array over several lines.
    assert_eq!(sums(&read("arena.json").0), sums(&read("arena.jsonl").0));
}

#[test]
fn one_hot() {
    let (ballots, _, note) = read("one_hot.csv");
    assert_eq!(sums(&ballots), [cell("ant", "bee", 2.0, 2.0, 1.5), cell("bee", "cat", 1.0, 1.0, 0.0)]);
    assert!(note.contains("wins = \"winner_model_a\" and \"winner_model_b\", tie = \"winner_tie\""), "{note}");
}

#[test]
fn winner_loser_has_no_sides() {
    let (ballots, _, note) = read("winner_loser.tsv");
    assert_eq!(sums(&ballots), [cell("112", "79", 2.0, 2.0, 2.0), cell("79", "112", 1.0, 1.0, 1.0)]);
    assert!(!ballots.sides_known() && note.contains("TSV") && note.contains("sides unknown"), "{note}");
    assert_eq!(ballots.shares().len(), 3);
}

#[test]
fn worker_label_names_the_item() {
    let (ballots, _, _) = read("worker_label.csv");
    assert_eq!(sums(&ballots), [cell("x", "y", 2.0, 2.0, 1.0), cell("y", "z", 1.0, 1.0, 0.0)]);
    assert_eq!(ballots.copies(), [1.0, 1.0]);
}

#[test]
fn preference_from_one_to_two() {
    let (ballots, _, note) = read("alpaca.json");
    assert_eq!(sums(&ballots), [cell("base", "mine", 3.0, 3.0, 1.0 + 0.0 + 0.25)]);
    assert_eq!(ballots.totals().soft, 1.0);
    assert!(note.contains("JSON array") && note.contains("from 1"), "{note}");
}

#[test]
fn aggregated_counts() {
    let (ballots, rows, note) = read("counts.csv");
    assert_eq!(rows.read, 2);
    assert_eq!(sums(&ballots), [cell("a1", "b1", 10.0, 10.0, 7.0), cell("b1", "c1", 4.0, 4.0, 0.0)]);
    assert!(!ballots.sides_known() && note.contains("counts"), "{note}");
    assert_eq!(sums(&read("wins_of_total.csv").0), [cell("a1", "b1", 10.0, 10.0, 7.0)]);
    assert_eq!(
        sums(&read("winner_loser_count.csv").0),
        [cell("a1", "b1", 7.0, 7.0, 7.0), cell("b1", "a1", 3.0, 3.0, 3.0)]
    );
}

#[test]
fn preflib_rankings() {
    for name in ["ranking.toc", "ranking_old.toc", "incomplete.soi"] {
        let (ballots, rows, note) = read(name);
        assert!(note.contains("PrefLib") && !ballots.sides_known(), "{note}");
        if name == "incomplete.soi" {
            // Two voters rank only a and c: nothing is said about b.
            assert_eq!(sums(&ballots), [cell("a", "c", 2.0, 2.0, 2.0)]);
            continue;
        }
        assert_eq!(rows.read, 2);
        // Three voters a > {b, c}; one voter c > b > a.
        assert_eq!(
            sums(&ballots),
            [
                cell("a", "b", 3.0, 3.0, 3.0),
                cell("a", "c", 3.0, 3.0, 3.0),
                cell("b", "a", 1.0, 1.0, 1.0),
                cell("b", "c", 3.0, 3.0, 1.5),
                cell("c", "a", 1.0, 1.0, 1.0),
                cell("c", "b", 1.0, 1.0, 1.0),
            ]
        );
        assert_eq!(ballots.copies(), [3.0, 1.0]);
    }
}

#[test]
fn what_a_ranking_leaves_out() {
    // Two voters rank a before c and leave b out; three name b alone; one ranks all.
    let text = "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n2: 1,3\n3: 2\n1: 1,2,3\n";
    let with = |unranked| {
        let mut reader = VoteReader::new(ReadOptions { unranked, ..ReadOptions::default() });
        reader.read_bytes("v.soi", text.as_bytes()).unwrap();
        let (ballots, rows, notes) = reader.finish();
        assert_eq!(rows.read, 3);
        (sums(&ballots), notes.join("\n"))
    };
    let (votes, note) = with(Unranked::Unknown);
    assert_eq!(votes, [cell("a", "b", 1.0, 1.0, 1.0), cell("a", "c", 3.0, 3.0, 3.0), cell("b", "c", 1.0, 1.0, 1.0)]);
    assert!(
        note.contains("5 of 6 rankings leave out some of the 3 items") && note.contains("--unranked last"),
        "{note}"
    );
    assert!(note.contains("3 rank a single item, and so say nothing"), "{note}");
    let (votes, note) = with(Unranked::Last);
    let expected = [
        cell("a", "b", 3.0, 3.0, 3.0),
        cell("a", "c", 3.0, 3.0, 3.0),
        cell("b", "a", 3.0, 3.0, 3.0),
        cell("b", "c", 4.0, 4.0, 4.0),
        cell("c", "b", 2.0, 2.0, 2.0),
    ];
    assert_eq!(votes, expected);
    assert!(note.contains("lost against all that are ranked") && note.contains("3 rank a single item"), "{note}");
}

#[test]
fn weights_counts_and_soft_answers() {
    let (ballots, _, note) = read("soft_weighted.csv");
    // 0.7 once with weight 2; 1 three times with weight 0.5.
    assert_eq!(sums(&ballots), [cell("p", "q", 4.0, 3.5, 1.4 + 1.5)]);
    assert!(ballots.weighted() && note.contains("weight = \"weight\"") && note.contains("count = \"count\""), "{note}");
}

#[test]
fn every_column_and_word_can_be_named() {
    let options = ReadOptions {
        columns: Columns {
            left: Some("1".into()),
            right: Some("2".into()),
            winner: Some("3".into()),
            voter: Some("4".into()),
            ..Columns::default()
        },
        words: Words {
            left: vec!["L".into()],
            right: vec!["R".into()],
            tie: vec!["=".into()],
            both_bad: vec!["-".into()],
            skip: vec!["?".into()],
        },
        table: TableOptions { no_header: true, delimiter: Some(';'), ..TableOptions::default() },
        ..ReadOptions::default()
    };
    let (ballots, rows, _) = read_with("no_header.txt", &options);
    assert_eq!(rows.read, 5);
    let t = ballots.totals();
    assert_eq!((t.left, t.right, t.tie, t.both_bad, t.skip), (1.0, 1.0, 1.0, 1.0, 1.0));
    let scale =
        ReadOptions { columns: Columns { scale: Some(Scale::OneTwo), ..Columns::default() }, ..ReadOptions::default() };
    let mut reader = VoteReader::new(scale);
    reader.read_bytes("x", "left,right,winner\na,b,1.25\n".as_bytes()).unwrap();
    assert_eq!(reader.finish().0.cells()[0].wr, 0.75);
}

#[test]
fn packed_files_and_marks_are_recognised_by_their_bytes() {
    let plain = std::fs::read(data("left_right_winner.csv")).unwrap();
    let expected = sums(&read("left_right_winner.csv").0);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(plain.as_slice(), 1).unwrap();
    let marked = [b"\xef\xbb\xbf".as_slice(), &plain].concat();
    let windows = String::from_utf8(plain.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    // Two gzip members one after the other are one file.
    let (head, tail) = plain.split_at(30);
    let mut members = Vec::new();
    for part in [head, tail] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(part).unwrap();
        members.extend(encoder.finish().unwrap());
    }
    // So are two frames of zstd, with one between them that readers are to skip.
    let skipped = [&0x184d_2a53_u32.to_le_bytes()[..], &5_u32.to_le_bytes(), b"notes"].concat();
    let [first, second] = [head, tail].map(|part| zstd::encode_all(part, 3).unwrap());
    let frames = [first, skipped, second].concat();
    for (kind, bytes) in
        [("gzip", gzip), ("zstd", zstd), ("CSV", marked), ("CSV", windows), ("gzip", members), ("zstd", frames)]
    {
        let mut reader = VoteReader::new(ReadOptions::default());
        reader.read_bytes("votes", std::io::Cursor::new(bytes)).unwrap();
        let (ballots, _, notes) = reader.finish();
        assert_eq!(sums(&ballots), expected, "{kind}");
        assert!(notes[0].contains(kind), "{}", notes[0]);
    }
}

#[test]
fn a_sheet_of_design_may_be_half_filled_in() {
    let (ballots, rows, _) = read("sheet.csv");
    assert_eq!((rows.read, rows.unanswered, ballots.used()), (3, 2, 1.0));
}

#[test]
fn several_files_make_one_box() {
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read(&data("winner_loser_count.csv")).unwrap();
    reader.read(&data("counts.csv")).unwrap();
    let (ballots, _, notes) = reader.finish();
    assert_eq!((ballots.used(), notes.len()), (24.0, 4));
}

#[test]
fn columns_give_the_same_as_a_file() {
    let names = ["worker", "model_a", "model_b", "winner", "weight"].map(str::to_owned);
    let text = "worker,model_a,model_b,winner,weight\nv,x,y,model_a,2\nw,y,z,tie,0.5\nv,z,x,NA,1\nw,x,z,z,1\n";
    let mut file = VoteReader::new(ReadOptions::default());
    file.read_bytes("votes", text.as_bytes()).unwrap();
    let (file, file_rows, _) = file.finish();
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (voters, items, answers) =
        (list(&["v", "w"]), list(&["x", "y", "z"]), list(&["model_a", "tie", "z", "NA", "what"]));
    let sample = Sample::new(vec![list(&["v", "x", "y", "model_a", "2"])]);
    let layout = Layout::find("votes", &names, &sample, &Columns::default()).unwrap();
    let batch =
        |voter: &[i32], left: &[i32], right: &[i32], answer: &[i32], weight: &[f64], batches: &mut Batches<'_, '_>| {
            batches.add(&[
                Column::Codes { codes: voter, names: &voters },
                Column::Codes { codes: left, names: &items },
                Column::Codes { codes: right, names: &items },
                Column::Codes { codes: answer, names: &answers },
                Column::Numbers(weight),
            ])
        };
    let mut reader = VoteReader::new(ReadOptions::default());
    let mut batches = reader.batches("votes", &names, layout.clone());
    batch(&[0, 1], &[0, 1], &[1, 2], &[0, 1], &[2.0, 0.5], &mut batches).unwrap();
    batch(&[0, 1], &[2, 0], &[0, 2], &[3, 2], &[1.0, 1.0], &mut batches).unwrap();
    batches.finish(&Sample::default());
    let (ballots, rows, notes) = reader.finish();
    assert_eq!((sums(&ballots), rows), (sums(&file), file_rows));
    assert_eq!((ballots.shares(), ballots.items()), (file.shares(), file.items()));
    assert!(notes[0].contains("voter = \"worker\""), "{notes:?}");
    // Errors name the row, counted through all batches; a missing item and a code without a name are errors.
    for (left, answer, parts) in
        [(0, 4, ["line 3", "\"what\""]), (-1, 0, ["line 3", "no item's name"]), (9, 0, ["line 3", "has no name"])]
    {
        let mut reader = VoteReader::new(ReadOptions::default());
        let mut batches = reader.batches("votes", &names, layout.clone());
        batch(&[0, 1], &[0, 1], &[1, 2], &[0, 1], &[2.0, 0.5], &mut batches).unwrap();
        let error = batch(&[0], &[left], &[1], &[answer], &[1.0], &mut batches).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
        assert!(batch(&[0, 0], &[0], &[1], &[0], &[1.0], &mut batches).unwrap_err().to_string().contains("length"));
    }
}

#[test]
fn items_and_pairs() {
    let expected = Items {
        ids: vec!["1".into(), "2".into()],
        names: vec![Some("Tea".into()), Some("Coffee".into())],
        feature_names: vec!["price".into(), "heat".into()],
        features: vec![2.5, 0.0, 3.0, -1.0],
        unused: Vec::new(),
    };
    let options = TableOptions::default();
    assert_eq!(read_items(&data("items.csv"), &options).unwrap(), expected);
    assert_eq!(read_items(&data("items.jsonl"), &options).unwrap(), expected);
    let unused = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/tables/unused.csv");
    assert_eq!(read_items(&unused.to_string_lossy(), &options).unwrap().unused, ["price"]);
    // Votes may call an item by its id or its name.
    let mut reader = VoteReader::new(ReadOptions::default()).with_items(&expected);
    reader.read_bytes("v", "left,right,winner\n1,2,left\nTea,Coffee,Tea\n".as_bytes()).unwrap();
    let ballots = reader.finish().0;
    assert_eq!((ballots.items().len(), ballots.cells().len(), ballots.cells()[0].wr), (2, 1, 2.0));
    // A name that two items share is neither of them.
    let twins = Items { names: vec![Some("Tea".to_owned()); 2], ..expected.clone() };
    let mut reader = VoteReader::new(ReadOptions::default()).with_items(&twins);
    let error = reader.read_bytes("v", "left,right,winner\n1,2,left\nTea,2,Tea\n".as_bytes()).unwrap_err().to_string();
    assert!(error.contains("\"Tea\" is the name of 2 items: call them by their ids (1, 2)"), "{error}");
    let pairs = read_pairs(&data("pairs.csv"), None, &options).unwrap();
    assert_eq!(pairs.pairs, [("1".to_owned(), "2".to_owned())]);
    assert_eq!((pairs.columns, pairs.values), (vec!["u".to_owned(), "v".to_owned()], vec![0.5, -1.0]));
    assert_eq!(read_pairs(&data("pairs.csv"), Some("cost"), &options).unwrap().values, [3.0]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_names_the_feature_it_needs() {
    let mut reader = VoteReader::new(ReadOptions::default());
    let error = reader.read_bytes("v.parquet", "PAR1....".as_bytes()).unwrap_err().to_string();
    assert!(error.contains("feature `parquet`"), "{error}");
}

/// Votes from the real files, where they are at hand.
#[test]
fn real_files() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.is_dir() {
        skip("reading real files of votes", "../shared/data is not here");
        return;
    }
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read(&folder.join("llmfao/crowd-comparisons.csv").to_string_lossy()).unwrap();
    let (ballots, rows, _) = reader.finish();
    let t = ballots.totals();
    assert_eq!((rows.read, ballots.items().len(), t.left, t.right, t.tie), (8931, 59, 2911.0, 2549.0, 3471.0));
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read(&folder.join("eventtime/votes.csv").to_string_lossy()).unwrap();
    let (ballots, rows, _) = reader.finish();
    assert_eq!((rows.read, ballots.items().len(), ballots.used()), (15090, 100, 15090.0));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet() {
    let (ballots, rows, note) = read("votes.parquet");
    assert_eq!(rows.read, 3);
    assert_eq!(sums(&ballots), [cell("112", "79", 2.0, 2.0, 1.5), cell("79", "112", 1.0, 1.0, 0.0)]);
    assert!(note.contains("Parquet") && note.contains("weight = \"weight\""), "{note}");
    let mut reader = VoteReader::new(ReadOptions::default());
    let bytes = std::fs::read(data("votes.parquet")).unwrap();
    let error =
        reader.read_bytes("x", std::io::Cursor::new(bytes[..bytes.len() / 2].to_vec())).unwrap_err().to_string();
    assert!(error.contains("damaged Parquet"), "{error}");
}

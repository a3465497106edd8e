//! Every reader, fed with files that went wrong at random: no panic, no number that is none, bounded memory.
//!
//! The files of `tests/corpus` are changed at random. What a file leads to, with everything in quotation marks and all
//! numbers left out, is its outcome; a changed file with an outcome never seen before is kept and changed further,
//! which leads into the corners that no single accident reaches. `./fuzz MINUTES` goes on for longer than `./test`
//! does.

use borduel_rank::ballots::{Ballots, BothBad, Ties};
use borduel_rank::stream::{Stream, stream};
use borduel_testing::mutate::{Budget, corpus, keep, mutated, seed};
use borduel_votes::{
    Columns, Encoding, ExtraColumns, ReadOptions, RowKind, Scale, TableOptions, Unranked, VoteReader, WideOptions,
    Words, read_items, read_pairs,
};
use std::collections::HashSet;
use std::io::{Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The most memory, in MiB, that reading one of these files may take.
const MOST_MEMORY: u64 = 320;

fn pick<'a, T>(values: &'a [T], stream: &mut Stream) -> &'a T {
    &values[stream.below(values.len())]
}

/// Half of the time everything is left to be found out.
fn options(stream: &mut Stream) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.table.lenient = stream.below(2) == 0;
    if stream.below(2) == 0 {
        return options;
    }
    let column = |stream: &mut Stream| {
        let names = ["1", "2", "3", "4", "left", "right", "winner", "loser", "none", "nowhere", "", "meta.model_a"];
        (stream.below(4) == 0).then(|| (*pick(&names, stream)).to_owned())
    };
    let word = |stream: &mut Stream| {
        let words = ["left", "a", "1", "-1", "0", "NA", "tie", "", "ash"];
        if stream.below(6) == 0 { vec![(*pick(&words, stream)).to_owned()] } else { Vec::new() }
    };
    let scales = [
        Scale::Names,
        Scale::Items,
        Scale::Sides,
        Scale::Unit,
        Scale::OneTwo,
        Scale::Signed,
        Scale::Score,
        Scale::Margin,
    ];
    let kinds = [
        RowKind::Pairs,
        RowKind::Matrix,
        RowKind::Ranks,
        RowKind::Ratings,
        RowKind::Places,
        RowKind::Ballots,
        RowKind::LongRanks,
        RowKind::LongRatings,
        RowKind::Contests,
        RowKind::BestWorst,
        RowKind::Choices,
    ];
    ReadOptions {
        columns: Columns {
            left: column(stream),
            right: column(stream),
            winner: column(stream),
            loser: column(stream),
            voter: column(stream),
            context: column(stream),
            weight: column(stream),
            count: column(stream),
            left_wins: column(stream),
            right_wins: column(stream),
            left_points: column(stream),
            right_points: column(stream),
            ties: column(stream),
            scale: (stream.below(3) == 0).then(|| *pick(&scales, stream)),
        },
        words: Words {
            left: word(stream),
            right: word(stream),
            tie: word(stream),
            both_bad: word(stream),
            skip: word(stream),
        },
        table: TableOptions {
            delimiter: (stream.below(4) == 0).then(|| *pick(&[',', ';', '\t', ' ', '"', '\n', 'é', '\0'], stream)),
            no_header: stream.below(4) == 0,
            encoding: *pick(&[Encoding::Utf8, Encoding::Utf8, Encoding::Latin1], stream),
            ..options.table
        },
        ties: *pick(&[Ties::Half, Ties::Drop, Ties::Error], stream),
        both_bad: *pick(&[BothBad::Drop, BothBad::Tie], stream),
        unranked: *pick(&[Unranked::Unknown, Unranked::Last], stream),
        wide: WideOptions {
            rows: (stream.below(3) == 0).then(|| *pick(&kinds, stream)),
            columns: column(stream).into_iter().collect(),
            task: (stream.below(8) == 0).then(|| column(stream)).flatten(),
            transpose: stream.below(2) == 0,
        },
        fold_names: stream.below(2) == 0,
        extra: ExtraColumns {
            only: column(stream).map(|name| (name, "1".to_owned())).into_iter().collect(),
            but: column(stream).map(|name| (name, "0".to_owned())).into_iter().collect(),
            where_there: stream.below(4) == 0,
            by: column(stream),
            over: column(stream),
            numbers: column(stream).into_iter().collect(),
            cluster: column(stream),
            took: column(stream),
        },
    }
}

/// What reading these bytes as votes leads to.
fn votes(bytes: &[u8], stream: &mut Stream) -> String {
    let mut reader = VoteReader::new(options(stream));
    let outcome = reader.read_bytes("votes", Cursor::new(bytes.to_vec()));
    if let Err(error) = outcome {
        return error.to_string();
    }
    let (ballots, rows, notes) = reader.finish();
    assert!(rows.set_aside + rows.unanswered <= rows.read, "{rows:?}");
    check(&ballots);
    notes.join("\n")
}

fn check(ballots: &Ballots) {
    for cell in ballots.cells() {
        let sums = [cell.n, cell.w, cell.wr, cell.w2, cell.w2r, cell.w2r2, cell.counts.total()];
        assert!(sums.iter().all(|sum| sum.is_finite() && *sum >= 0.0), "{cell:?}");
        assert!(
            cell.left != cell.right && cell.wr <= cell.w * (1.0 + 1e-12) && cell.n <= cell.counts.total(),
            "{cell:?}"
        );
    }
    let items = ballots.items().len() as u32;
    assert!(ballots.cells().iter().all(|cell| cell.left < items && cell.right < items));
    assert!(ballots.shares().iter().all(|share| (share.voter as usize) < ballots.copies().len()));
}

/// What reading these bytes as items and as pairs leads to.
fn tables(bytes: &[u8], stream: &mut Stream) -> String {
    let path = std::env::temp_dir().join(format!("borduel-fuzz-{}.csv", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let name = path.to_string_lossy();
    let table = options(stream).table;
    let items = read_items(&name, &table);
    let pairs = read_pairs(&name, *pick(&[None, Some("cost"), Some("feat_x"), Some("")], stream), &table);
    if let Ok(items) = &items {
        assert!(
            items.features.len() == items.ids.len() * items.feature_names.len() && items.ids.len() == items.names.len()
        );
        assert!(items.features.iter().all(|x| x.is_finite()));
    }
    if let Ok(pairs) = &pairs {
        assert_eq!(pairs.values.len(), pairs.pairs.len() * pairs.columns.len());
    }
    std::fs::remove_file(&path).unwrap();
    let text = |error: Option<borduel_votes::Error>| error.map_or_else(|| "read".to_owned(), |error| error.to_string());
    format!("{}\n{}", text(items.err()), text(pairs.err()))
}

/// A text without what stands in quotation marks, and without digits.
fn outline(text: &str) -> String {
    let unquoted: String = text.split('"').step_by(2).collect();
    unquoted.chars().filter(|c| !c.is_ascii_digit()).take(300).collect()
}

/// Feeds a reader with the corpus as it is, and then with changed files until the budget is spent.
fn fuzz(name: &str, inputs: usize, read: fn(&[u8], &mut Stream) -> String) {
    let mut pool: Vec<Vec<u8>> = corpus(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name))
        .into_iter()
        .map(|(_, bytes)| bytes)
        .collect();
    let (whole, mut seen) = (pool.len(), HashSet::new());
    let mut budget = Budget::new(whole + inputs);
    while let Some(input) = budget.next_input() {
        let path = [input as u64, 0];
        let mut choices = stream(seed(), &path);
        let mut bytes = match pool.get(input).filter(|_| input < whole) {
            Some(bytes) => bytes.clone(),
            None => mutated(&pool[choices.below(pool.len())], &pool, &mut |n| choices.below(n)),
        };
        let plain = bytes.clone();
        if choices.below(20) == 0 {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(&bytes).unwrap();
            bytes = packed.finish().unwrap();
        }
        let mut outcome = Ok(String::new());
        let used = allocation_counter::measure(|| {
            outcome = catch_unwind(AssertUnwindSafe(|| read(&bytes, &mut choices)));
        });
        assert!(used.bytes_max < MOST_MEMORY << 20, "input {input} of {name}: {} MiB", used.bytes_max >> 20);
        let outcome = outcome.unwrap_or_else(|_| {
            let place = keep(&format!("{name}-{input}"), &bytes);
            panic!("input {input} of {name} (BORDUEL_FUZZ_SEED={}) panics: {place}", seed());
        });
        if seen.insert(outline(&outcome)) && input >= whole && pool.len() < 5000 {
            pool.push(plain);
        }
    }
    println!("{name}: {} inputs, {} different outcomes", budget.done(), seen.len());
    assert!(seen.len() > 10, "hardly anything was reached");
}

#[test]
fn votes_that_went_wrong() {
    fuzz("votes", 6000, votes);
}

#[test]
fn items_and_pairs_that_went_wrong() {
    fuzz("tables", 2000, tables);
}

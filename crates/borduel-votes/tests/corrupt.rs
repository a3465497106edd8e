//! Every kind of broken input gives one clear error, with the place and the remedy.

use borduel_rank::ballots::Ties;
use borduel_votes::{Error, ReadOptions, TableOptions, VoteReader, read_items, read_pairs};
use std::io::{Cursor, Write};

fn read_bytes(bytes: impl Into<Vec<u8>>, options: ReadOptions) -> Result<(), Error> {
    VoteReader::new(options).read_bytes("votes.csv", Cursor::new(bytes.into()))
}

fn message(bytes: impl Into<Vec<u8>>) -> String {
    read_bytes(bytes, ReadOptions::default()).expect_err("must be refused").to_string()
}

/// The message holds all of these.
#[track_caller]
fn expect(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no \"{part}\" in: {message}");
    }
}

fn votes(rows: usize) -> String {
    let mut text = "left,right,winner\n".to_owned();
    for row in 0..rows {
        text += ["a,b,left\n", "b,c,right\n", "c,a,tie\n"][row % 3];
    }
    text
}

/// Bytes that gzip cannot shrink to nothing, so that a cut falls in the middle.
fn packed(rows: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(votes(rows).as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn truncated_and_damaged_compression() {
    for rows in [10, 100_000] {
        let whole = packed(rows);
        expect(&message(&whole[..whole.len() - 9]), &["votes.csv", "truncated"]);
        expect(&message(&whole[..whole.len() / 2]), &["truncated"]);
        let mut damaged = whole.clone();
        let at = damaged.len() - 6;
        damaged[at] ^= 0xff;
        expect(&message(damaged), &["votes.csv", "damaged"]);
        let zstd = zstd::encode_all(votes(rows).as_bytes(), 1).unwrap();
        expect(&message(&zstd[..zstd.len() - 4]), &["votes.csv", "truncated"]);
        expect(&message([&zstd[..], b"x,y"].concat()), &["votes.csv", "truncated"]);
        expect(&message([&zstd[..], b"x,y,left"].concat()), &["votes.csv", "damaged"]);
        let mut summed = zstd::Encoder::new(Vec::new(), 1).unwrap();
        summed.include_checksum(true).unwrap();
        summed.write_all(votes(rows).as_bytes()).unwrap();
        let mut summed = summed.finish().unwrap();
        // The last four bytes are the checksum.
        let at = summed.len() - 2;
        summed[at] ^= 1;
        expect(&message(summed), &["votes.csv", "damaged"]);
    }
    // The header of a frame with a window of 1 GB, and of one that needs a dictionary.
    expect(&message(b"\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00".to_vec()), &["votes.csv", "window", "unpack it first"]);
    expect(&message(b"\x28\xb5\x2f\xfd\x21\x07\x03\x01\x00\x00".to_vec()), &["dictionary", "unpack it first"]);
    expect(&message(b"PK\x03\x04...".to_vec()), &["zip archive", "unpack"]);
    expect(&message(b"PK\x03\x04\x14\0[Content_Types].xml".to_vec()), &["spreadsheet", "save it as CSV"]);
    expect(&message(b"\xd0\xcf\x11\xe0\xa1".to_vec()), &["spreadsheet", "save it as CSV"]);
    expect(&message(b"BZh91AY".to_vec()), &["bzip2"]);
    expect(&message(b"\xfd7zXZ\0..".to_vec()), &["xz"]);
}

#[test]
fn wrong_encoding() {
    let latin = [b"left,right,winner\na,b,left\ncaf\xe9,b,left\n".as_slice()].concat();
    expect(&message(latin), &["votes.csv, line 3", "0xE9", "UTF-8", "iconv"]);
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(votes(2).encode_utf16().flat_map(u16::to_le_bytes)).collect();
    expect(&message(utf16), &["UTF-16", "iconv"]);
    expect(&message(b"{\"left\":\"a\",\"right\":\"b\",\"winner\":\"l\xe9ft\"}\n".to_vec()), &["line 1", "UTF-8"]);
}

#[test]
fn nul_bytes() {
    expect(&message("left,right,winner\na,b,left\na,\0b,left\n"), &["line 3", "NUL"]);
    expect(&message("{\"left\":\"a\",\"right\":\"b\\u0000\",\"winner\":\"left\"}"), &["line 1", "\"right\"", "NUL"]);
    expect(&message(vec![0_u8; 4096]), &["NUL"]);
}

#[test]
fn a_million_columns() {
    let header = vec!["x"; 1_000_000].join(",");
    expect(&message(format!("{header}\n{header}\n")), &["1000000 columns"]);
    let object = (0..1_000_000).map(|i| format!("\"c{i}\":1")).collect::<Vec<_>>().join(",");
    expect(&message(format!("{{{object}}}\n")), &["1000000 columns"]);
    // A sound header, and then a row of a million fields.
    expect(&message(format!("left,right,winner\n{header}\n")), &["line 2", "1000000 fields", "header has 3"]);
}

#[test]
fn an_item_against_itself() {
    expect(&message("left,right,winner\na,b,left\na,a,left\n"), &["line 3, column 2 (\"right\")", "\"a\"", "itself"]);
    expect(&message("winner,loser\na,a\n"), &["line 2", "itself"]);
}

#[test]
fn weights_and_counts_that_are_none() {
    for (value, what) in
        [("-1", "negative"), ("NaN", "finite"), ("inf", "finite"), ("", "finite"), ("x", "finite"), ("1e999", "finite")]
    {
        let text = format!("left,right,winner,weight\na,b,left,1\na,b,left,{value}\n");
        expect(&message(text), &["line 3, column 4 (\"weight\")", &format!("\"{value}\""), what]);
        expect(&message(format!("winner,loser,count\na,b,{value}\n")), &["line 2, column 3 (\"count\")", what]);
    }
    expect(&message("i,j,wins,total\na,b,7,5\n"), &["line 2", "less than the wins"]);
}

#[test]
fn duplicate_ids_and_bad_features() {
    let path = std::env::temp_dir().join(format!("borduel-items-{}.csv", std::process::id()));
    let with = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_items(&path.to_string_lossy(), &TableOptions::default()).unwrap_err().to_string()
    };
    expect(&with("id,name\n1,x\n2,y\n1,z\n"), &["line 4, column 1 (\"id\")", "\"1\"", "two items"]);
    expect(&with("id,feat_a\n1,2\n2,NaN\n"), &["line 3, column 2 (\"feat_a\")", "finite"]);
    expect(&with("id,feat_a\n1,2\n2,\n"), &["line 3", "finite"]);
    expect(&with("id,feat_a\n1,2\n"), &["fewer than two"]);
    expect(&with("foo,bar\n1,2\n"), &["no column \"id\""]);
    std::fs::write(&path, "left,right,feat_x\na,a,1\n").unwrap();
    expect(
        &read_pairs(&path.to_string_lossy(), None, &TableOptions::default()).unwrap_err().to_string(),
        &["line 2", "itself"],
    );
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_row_without_an_end_is_refused_in_bounded_memory() {
    /// As many bytes of one kind as anybody wants, after a beginning.
    fn endless(begin: &'static str, byte: u8) -> impl std::io::Read {
        std::io::Read::chain(begin.as_bytes(), std::io::repeat(byte))
    }
    let refused = |begin: &'static str, byte: u8| {
        let table = TableOptions { lenient: true, ..TableOptions::default() };
        let mut said = String::new();
        let used = allocation_counter::measure(|| {
            let mut reader = VoteReader::new(ReadOptions { table, ..ReadOptions::default() });
            said = reader.read_bytes("votes.csv", endless(begin, byte)).expect_err("must be refused").to_string();
        });
        // A row of 64 MiB, in a buffer that doubles, while it is copied once.
        assert!(used.bytes_max < 320 << 20, "{begin:?}: {} MiB", used.bytes_max >> 20);
        said
    };
    expect(&refused("left,right,winner\na,b,left\n", b'x'), &["line 3", "64 MiB", "quotation mark"]);
    expect(&refused("left,right,winner\na,\"b,left\n", b'\n'), &["line 2", "64 MiB"]);
    expect(&refused("", b'x'), &["line 1", "64 MiB"]);
    expect(&refused("", 0), &["NUL"]);
    expect(&refused("{\"left\":\"", b'x'), &["line 1", "64 MiB"]);
    let array = "[{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"},\n{\"left\":\"";
    expect(&refused(array, b'x'), &["line 2", "64 MiB"]);
    expect(&refused("# ALTERNATIVE NAME 1: ", b'x'), &["line 1", "64 MiB"]);
    expect(&refused("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: ", b'1'), &["line 3", "64 MiB"]);
    // The same, packed a thousand times smaller than it is.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::copy(&mut std::io::Read::take(endless("left,right,winner\na,b,", b'x'), 80 << 20), &mut encoder).unwrap();
    expect(&message(encoder.finish().unwrap()), &["line 2", "64 MiB"]);
}

#[test]
fn a_quotation_mark_that_is_never_closed() {
    // In a column that nobody needs it would swallow the rest of the file.
    let text = "left,right,winner,note\na,b,left,fine\na,b,left,\"not closed\nc,d,right,fine\ne,f,left,fine\n";
    expect(&message(text), &["line 3", "never closed"]);
    // Closed ones with lines in them are fine, also at the very end.
    for end in ["\n", "", "\r\n"] {
        read_bytes(format!("left,right,winner,note\na,b,left,\"two\nlines\"{end}"), ReadOptions::default()).unwrap();
    }
}

#[test]
fn something_after_the_array_or_between_its_objects() {
    let vote = "{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"}";
    read_bytes(format!(" [{vote},\n{vote}]\n \n"), ReadOptions::default()).unwrap();
    expect(&message(format!("[{vote}]\n{vote}")), &["line 2", "after the bracket"]);
    expect(&message(format!("[{vote}],{vote}")), &["line 1", "after the bracket"]);
    expect(&message(format!("[{vote}\n{vote}]")), &["line 2", "comma is missing"]);
    expect(&message(format!("[{vote},]")), &["line 1", "no object between"]);
    expect(&message(format!("[[{vote}]]")), &["not a JSON object"]);
}

#[test]
fn control_characters_are_data() {
    let text = "left,right,winner\n\"a\u{1b}[31m\",\"b\nc\",left\nx\u{7},\u{85}y\u{200b},right\n";
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read_bytes("votes.csv", Cursor::new(text)).unwrap();
    assert_eq!(reader.finish().0.items(), ["a\u{1b}[31m", "b\nc", "x\u{7}", "y\u{200b}"]);
    // In messages they are spelt out.
    expect(&message("left,right,winner\na\u{1b}[31m,a\u{1b}[31m,left\n"), &["a\\u{1b}[31m"]);
}

#[test]
fn numbers_that_cannot_be_counted_with() {
    for text in [
        "winner,loser,count\na,b,1e308\n",
        "left,right,left_wins,right_wins\na,b,1e300,1\n",
        "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1e308: 1,2\n",
        "winner,loser,weight\na,b,1e308\n",
        "winner,loser,weight\na,b,1e-320\n",
    ] {
        expect(&message(text), &["line", "refused"]);
    }
}

#[test]
fn mixed_line_ends() {
    for text in [
        "left,right,winner\r\na,b,left\r\na,b,right\na,b,tie\r\n",
        "left,right,winner\na,b,left\r\n\r\na,b,right\n\na,b,tie",
        "left,right,winner\ra,b,left\ra,b,right\r\ra,b,tie\r",
        "left,right,note,winner\r\na,b,\"x\ny\",left\r\n\r\na,b,,right\na,b,,tie",
    ] {
        let mut reader = VoteReader::new(ReadOptions::default());
        reader.read_bytes("votes.csv", Cursor::new(text)).unwrap();
        let totals = reader.finish().0.totals();
        assert_eq!((totals.left, totals.right, totals.tie, totals.total()), (1.0, 1.0, 1.0, 3.0), "{text:?}");
    }
}

#[test]
fn answers_that_are_none() {
    let text = "left,right,winner\na,b,left\na,b,lefft\n";
    expect(&message(text), &["votes.csv, line 3, column 3 (\"winner\")", "\"lefft\"", "not an answer", "--left-value"]);
    expect(&message("left,right,winner\na,b,\n"), &["line 2, column 3", "no answer", "--skip-value"]);
    expect(&message("left,right,winner\na,b,c\n"), &["\"c\" is not an answer"]);
    expect(&message("left,right,outcome\na,b,1\na,b,infinity\n"), &["line 3", "\"infinity\""]);
    expect(&message("left,right,outcome\na,b,0.5\na,b,1.5\n"), &["line 3", "[0, 1]"]);
    expect(&message("item_1,item_2,preference\na,b,0\n"), &["line 2", "[1, 2]", "--tie-value"]);
    expect(
        &message("model_a,model_b,winner_model_a,winner_model_b,winner_tie\na,b,1,1,0\n"),
        &["line 2, column 4", "exactly one"],
    );
    expect(
        &message("model_a,model_b,winner_model_a,winner_model_b,winner_tie\na,b,0,0,0\n"),
        &["exactly one must be 1"],
    );
    expect(&message("model_a,model_b,winner_model_a,winner_model_b\na,b,2,0\n"), &["\"2\" is neither 0 nor 1"]);
    let strict = ReadOptions { ties: Ties::Error, ..ReadOptions::default() };
    expect(&read_bytes(votes(3), strict).unwrap_err().to_string(), &["line 4, column 3", "tie"]);
}

#[test]
fn files_that_are_no_votes() {
    expect(&message(""), &["votes.csv", "empty"]);
    expect(&message("\n\n"), &["empty"]);
    expect(&message("hello\nworld\n"), &["columns are hello", "--left"]);
    expect(&message("left,right,winner\na,b\n"), &["line 2", "2 fields where the header has 3"]);
    expect(&message("left,right,winner\na,\"b,left\nc,d,left\n"), &["line 2", "fields"]);
    expect(
        &message("{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"}\n{\"left\":\n"),
        &["line 2", "not a JSON object"],
    );
    expect(&message("[{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"},"), &["truncated"]);
    expect(&message("[{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"},\n3]"), &["line 2", "not a JSON object"]);
    expect(&message("[}"), &["not a JSON object"]);
    expect(&message("{\"left\":[1,2,3,4,5],\"right\":\"b\",\"winner\":\"left\"}"), &["\"left\"", "not one value"]);
    let first = "{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"}\n";
    let twice = "{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\",\"winner\":\"\"}\n";
    expect(&message(first.to_owned() + twice), &["line 2", "\"winner\"", "given twice"]);
    expect(&message("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,3\n"), &["line 3", "item 3"]);
    expect(&message("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,1\n"), &["line 3", "twice"]);
    expect(&message("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: {1,2\n"), &["line 3", "not closed"]);
    expect(&message("# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: a\n1: 1,2\n"), &["name of two items"]);
    expect(&message("worker,left,right,winner\nv,a,b,left\n,a,b,left\n"), &["column 1 (\"worker\")", "--voter none"]);
    let mut reader = VoteReader::new(ReadOptions::default());
    expect(&reader.read("no/such/file.csv").unwrap_err().to_string(), &["no/such/file.csv", "no such file"]);
    expect(&reader.read(".").unwrap_err().to_string(), &["directory"]);
}

#[test]
fn lenient_reading_sets_rows_aside_and_counts_them() {
    let text = "worker,left,right,winner\nv,a,b,left\nv,c,d,what\nv,a\nv,a,b,right\nv,e,e,left\n";
    let options =
        ReadOptions { table: TableOptions { lenient: true, ..TableOptions::default() }, ..ReadOptions::default() };
    let mut aside = Vec::new();
    let mut reader = VoteReader::new(options).set_aside(|error, row| {
        aside.push((error.line, row.to_owned()));
        Ok(())
    });
    reader.read_bytes("votes.csv", Cursor::new(text)).unwrap();
    let (ballots, rows, _) = reader.finish();
    assert_eq!((rows.read, rows.set_aside, ballots.used()), (5, 3, 2.0));
    assert_eq!(ballots.items(), ["a", "b"], "a row set aside leaves no item behind");
    assert_eq!(aside, [(3, "v,c,d,what".to_owned()), (4, "v,a".to_owned()), (6, "v,e,e,left".to_owned())]);
}

#[test]
fn bytes_at_random_never_panic() {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize
    };
    let sound = [
        votes(5),
        "[{\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"}]".to_owned(),
        "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n1: 1,{2}\n".to_owned(),
    ];
    for round in 0..20_000 {
        let mut bytes = sound[round % 3].clone().into_bytes();
        for _ in 0..=(next() % 4) {
            let at = next() % bytes.len();
            match next() % 3 {
                0 => bytes[at] = (next() % 256) as u8,
                1 => bytes.insert(at, b",\"{}[]\n\r:0"[next() % 10]),
                _ => {
                    bytes.truncate(at + 1);
                }
            }
        }
        let lenient = TableOptions { lenient: round % 2 == 0, ..TableOptions::default() };
        let _ = read_bytes(bytes, ReadOptions { table: lenient, ..ReadOptions::default() });
    }
}

//! Changes a file at random, as accidents and enemies do; every choice comes from a stream of the caller's, so that it
//! can be made again.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is put into files besides single bytes.
const PIECES: &[&str] = &[
    ",",
    ";",
    "\t",
    "|",
    " ",
    "\"",
    "\"\"",
    "'",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\u{feff}",
    "\u{1b}[31m",
    "\u{301}",
    "{",
    "}",
    "[",
    "]",
    ":",
    "NA",
    "NaN",
    "inf",
    "-inf",
    "null",
    "None",
    "true",
    "FALSE",
    "tie",
    "draw",
    "left",
    "right",
    "winner",
    "loser",
    "model_a",
    "model_b",
    "weight",
    "count",
    "feat_x",
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "2",
    "1e308",
    "-1e308",
    "1e-320",
    "1e999",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "4294967296",
    "0x10",
    "1_000",
    "é",
    "ﬁ",
    "SANTOS",
    "# ALTERNATIVE NAME 1: a",
    "{1,2}",
    "=1+1",
    "../x",
    "%s",
    "\\u0000",
    "\\ud800",
    "kind = \"hard\"",
    "[[policies]]",
];

/// A whole number below this one, drawn from a stream.
pub type Below<'a> = &'a mut dyn FnMut(usize) -> usize;

/// How long a fuzzer goes on: a number of inputs, or a time given by the environment.
pub struct Budget {
    inputs: usize,
    until: Option<Instant>,
    done: usize,
}

impl Budget {
    /// So many inputs, or `BORDUEL_FUZZ_SECONDS`.
    pub fn new(inputs: usize) -> Self {
        let seconds = std::env::var("BORDUEL_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
        Self { inputs, until: seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)), done: 0 }
    }

    /// The number of the next input, as long as there is one.
    pub fn next_input(&mut self) -> Option<usize> {
        let more = self.until.map_or(self.done < self.inputs, |until| Instant::now() < until);
        self.done += 1;
        more.then_some(self.done - 1)
    }

    /// How many inputs there were.
    pub fn done(&self) -> usize {
        self.done.saturating_sub(1)
    }
}

/// Where all choices come from: `BORDUEL_FUZZ_SEED`, or 1.
pub fn seed() -> u64 {
    std::env::var("BORDUEL_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// The files of a folder, by name.
pub fn corpus(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds no files", path.display());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

/// Writes an input that did harm where a person finds it, and says where.
pub fn keep(name: &str, bytes: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz");
    let path = folder.join(name);
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, bytes));
    written.map_or_else(|error| format!("(not kept: {error})"), |()| path.display().to_string())
}

/// A file with a few changes; parts of `others` may find their way into it.
pub fn mutated(original: &[u8], others: &[Vec<u8>], below: Below<'_>) -> Vec<u8> {
    const LONGEST: usize = 1 << 17;
    let mut bytes = original.to_vec();
    for _ in 0..=below(4) {
        change(&mut bytes, others, below);
        bytes.truncate(LONGEST);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, others: &[Vec<u8>], below: Below<'_>) {
    let at = below(bytes.len() + 1);
    match below(10) {
        0 if at < bytes.len() => bytes[at] = below(256) as u8,
        1 => insert(bytes, at, PIECES[below(PIECES.len())].as_bytes()),
        2 => bytes.truncate(at),
        3 => {
            let end = (at + 1 + below(20)).min(bytes.len());
            bytes.drain(at..end);
        }
        4 => {
            // Something again and again.
            let end = (at + 1 + below(40)).min(bytes.len());
            let piece = bytes[at..end].repeat(1 + below(200));
            insert(bytes, at, &piece);
        }
        5 if !others.is_empty() => {
            let other = &others[below(others.len())];
            let (from, to) = (below(other.len() + 1), below(other.len() + 1));
            let piece = other[from.min(to)..from.max(to)].to_vec();
            insert(bytes, at, &piece);
        }
        6 | 7 => exchange_word(bytes, at, below),
        8 => move_line(bytes, below),
        _ => exchange_word(bytes, 0, below),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Puts another word in the place of the first one from here on.
fn exchange_word(bytes: &mut Vec<u8>, at: usize, below: Below<'_>) {
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    let Some(start) = bytes[at..].iter().position(word).map(|offset| at + offset) else { return };
    let end = bytes[start..].iter().position(|b| !word(b)).map_or(bytes.len(), |offset| start + offset);
    let piece = PIECES[below(PIECES.len())].bytes();
    bytes.splice(start..end, piece);
}

/// Takes a line out and puts it, once or twice, somewhere else.
fn move_line(bytes: &mut Vec<u8>, below: Below<'_>) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let line = lines.remove(below(lines.len()));
    for _ in 0..=below(2) {
        lines.insert(below(lines.len() + 1), line.clone());
    }
    *bytes = lines.concat();
}

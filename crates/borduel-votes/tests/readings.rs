//! Small files of many kinds, invented before anybody looked at what is read, each with what it means: what is read is
//! read right, what is asked is answered by one of the flags that are offered, and nothing is misread without a word.

mod reading;

use borduel_rank::ballots::Ballots;
use borduel_votes::ReadOptions;
use reading::{options, read_bytes, wins};
use std::collections::BTreeMap;
use std::path::Path;

/// What becomes of a file.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    /// It is read without help.
    Read,
    /// It is refused, and some of the flags that are offered read it.
    Asked,
    /// It is refused, and no reading that is offered is the right one: if words help, the file is changed first.
    Changed,
    /// It holds no comparisons, and is refused.
    Refused,
}

/// All flags that a message offers, each reading's by themselves: `• If …, say FLAGS; it reads …; if …, FLAGS`.
fn offered(message: &str) -> Vec<String> {
    let readings = message.split(" • ").skip(1).flat_map(|one| {
        let (first, others) = one.split_once("; it reads ").unwrap_or((one, ""));
        std::iter::once(first).chain(others.split("; if ").skip(1))
    });
    readings.filter_map(|one| one.find("--").map(|at| one[at..].trim().to_owned())).collect()
}

/// How often each item won against each other, of lines such as `ash>birch 2`, whichever side it stood on.
fn counted<S: AsRef<str>>(lines: impl IntoIterator<Item = S>) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for line in lines {
        let (pair, count) = line.as_ref().rsplit_once(' ').unwrap();
        *counts.entry(pair.to_owned()).or_default() += count.parse::<f64>().unwrap();
    }
    counts
}

/// What becomes of a file that means this.
fn fate(name: &str, bytes: &[u8], meaning: &BTreeMap<String, f64>) -> Fate {
    let message = match read_bytes(bytes, &ReadOptions::default()) {
        Ok((ballots, _, note)) => {
            assert_eq!(&counted(wins(&ballots)), meaning, "{name} is misread without a word: {note}");
            return Fate::Read;
        }
        Err(message) => message,
    };
    if meaning.is_empty() {
        return Fate::Refused;
    }
    let means = |ballots: &Ballots| counted(wins(ballots)) == *meaning;
    let reads = |flags: &String| read_bytes(bytes, &options(flags)).is_ok_and(|(ballots, ..)| means(&ballots));
    if offered(&message).iter().any(reads) { Fate::Asked } else { Fate::Changed }
}

#[test]
fn files_that_nobody_tuned_for_are_read_right_or_asked_about() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readings");
    let meanings = std::fs::read_to_string(folder.join("meanings.txt")).unwrap();
    let (mut asked, mut changed) = (0, 0);
    for line in meanings.lines().filter(|line| !line.starts_with('#')) {
        let [name, expected, meaning] = line.split('|').collect::<Vec<_>>().try_into().expect(line);
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let meaning = counted(meaning.split(';').filter(|won| !won.is_empty()));
        let found = fate(name, &bytes, &meaning);
        assert_eq!(format!("{found:?}").to_lowercase(), expected, "{name}");
        asked += usize::from(found == Fate::Asked);
        changed += usize::from(found == Fate::Changed);
    }
    assert!(asked + changed > 20, "{asked} files asked about and {changed} to be changed");
}

//! Large files, and several, read on all cores: each part by a reader of its own, and the boxes merged in the order of
//! the files.
//!
//! This is a short cut and never another way of reading. It is taken only where rows are strictly read, and a file is
//! cut only if it is plain text whose lines are its rows (no quotation mark anywhere). Wherever a part cannot be read,
//! or is understood in another way than the first, nothing of it counts, and everything is read in order from the
//! beginning: errors and their places are those of one reader. Sums are exact, so that nothing shows how it was done.

use super::{Rows, VoteReader};
use crate::blt;
use crate::delimited::{mixes_blanks, told_delimiter};
use crate::error::Result;
use crate::index::ItemIndex;
use crate::layout::Layout;
use crate::options::ReadOptions;
use crate::preflib;
use crate::source::Source;
use borduel_rank::ballots::Ballots;
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A part is about this long at least: less is read before a thread has begun.
const PART: u64 = 1 << 22;

/// A file, or a part of one.
struct Part<'p> {
    path: &'p str,
    /// The header, where there is one, and where it begins and ends; `None` for a whole file.
    cut: Option<(Vec<u8>, u64, u64)>,
    /// Whether it is the first of its file.
    first: bool,
}

/// What was read of a part.
struct Done {
    ballots: Ballots,
    rows: Rows,
    notes: Vec<String>,
    layout: Option<Layout>,
    first: bool,
}

impl VoteReader<'_> {
    /// Reads several files, at once where there are cores for it. The result is that of reading them one after the
    /// other.
    ///
    /// # Errors
    /// See [`Error`](crate::Error). After an error the reader is of no further use.
    pub fn read_all(&mut self, paths: &[String]) -> Result<()> {
        match self.at_once(paths, PART) {
            Some(parts) => {
                parts.into_iter().for_each(|part| self.take_in(part));
                Ok(())
            }
            None => paths.iter().try_for_each(|path| self.read(path)),
        }
    }

    /// All parts of these files, or nothing where they have to be read in order.
    fn at_once(&self, paths: &[String], part: u64) -> Option<Vec<Done>> {
        let threads = rayon::current_num_threads() as u64;
        let plain = !self.options.table.lenient && self.spelling.is_none() && self.options.extra.is_empty();
        if threads < 2 || !plain {
            return None;
        }
        let mut parts = Vec::new();
        for path in paths {
            let size = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
            parts.extend(cut(path, size, threads.min(size / part).max(1), self.options.table.no_header)?);
        }
        if parts.len() < 2 {
            return None;
        }
        // Listed items come first in every box, in their order.
        let listed = self.known.as_ref().map(|known| (known, self.ballots.items()));
        let options = &self.options;
        let done: Option<Vec<Done>> = parts.into_par_iter().map(|part| part.read(options, listed)).collect();
        // All parts of a file must have been understood alike, as rows of votes.
        let alike = |two: &[Done]| two[1].first || (two[1].layout.is_some() && two[0].layout == two[1].layout);
        done.filter(|done| done.windows(2).all(alike))
    }

    /// Adds what a part says behind what is there.
    fn take_in(&mut self, part: Done) {
        let untouched = self.ballots.cells().is_empty() && self.ballots.sides_known();
        if untouched && (self.known.is_some() || self.ballots.items().is_empty()) {
            // The part began with the same items, and nothing else is there.
            self.ballots = part.ballots;
        } else {
            // The rules are those of this reader's options, so that nothing is refused.
            let merged = self.ballots.merge(&part.ballots);
            debug_assert!(merged.is_ok());
        }
        self.rows.read += part.rows.read;
        self.rows.unanswered += part.rows.unanswered;
        if part.first {
            self.notes.extend(part.notes);
        }
    }
}

/// The parts of a file, about as many as wanted; `None` if it cannot be read.
fn cut(path: &str, size: u64, wanted: u64, no_header: bool) -> Option<Vec<Part<'_>>> {
    let whole = vec![Part { path, cut: None, first: true }];
    let mut source = Source::open(path).ok()?;
    let packed = !source.packing.is_empty();
    let head = source.head().ok()?;
    let begins = head.iter().find(|b| !b.is_ascii_whitespace()).copied();
    let other = packed
        || preflib::is_preflib(head)
        || blt::is_blt(head)
        || head.starts_with(b"PAR1")
        || matches!(begins, None | Some(b'{' | b'['));
    // A first line that tells the delimiter is not the header.
    if wanted < 2 || other || !head.contains(&b'\n') || told_delimiter(head).is_some() || mixes_blanks(head) {
        return Some(whole);
    }
    let mut file = BufReader::new(File::open(path).ok()?);
    // What every part is read with. A byte order mark is the first part's alone, and no row of the others begins with
    // one.
    let mut header = Vec::new();
    if !no_header {
        file.read_until(b'\n', &mut header).ok()?;
    }
    let mut start = header.len() as u64;
    let mut parts = Vec::new();
    for number in 1..=wanted {
        let mut end = size;
        if number < wanted {
            // To the end of the line in which the part would end.
            let aim = start.max(size / wanted * number);
            file.seek(SeekFrom::Start(aim)).ok()?;
            end = aim + file.read_until(b'\n', &mut Vec::new()).ok()? as u64;
        }
        if end > start {
            parts.push(Part { path, cut: Some((header.clone(), start, end)), first: parts.is_empty() });
        }
        start = end;
    }
    Some(parts)
}

impl Part<'_> {
    /// Reads it into a box of its own; `None` if that has to be left to one reader for all.
    fn read(&self, options: &ReadOptions, listed: Option<(&ItemIndex, &[String])>) -> Option<Done> {
        let mut reader = VoteReader::new(options.clone());
        if let Some((known, items)) = listed {
            items.iter().for_each(|id| {
                reader.ballots.item(id);
            });
            reader.known = Some(known.clone());
        }
        let quoted = Arc::new(AtomicBool::new(false));
        match &self.cut {
            None => reader.read(self.path).ok()?,
            Some((header, start, end)) => {
                let mut file = File::open(self.path).ok()?;
                file.seek(SeekFrom::Start(*start)).ok()?;
                let rows = Unquoted { inner: file.take(end - start), quoted: Arc::clone(&quoted) };
                reader.read_bytes(self.path, Cursor::new(header.clone()).chain(rows)).ok()?;
            }
        }
        // Where rows may have line ends in them, the cut may have gone through one.
        if quoted.load(Ordering::Relaxed) {
            return None;
        }
        let VoteReader { ballots, rows, notes, layout, .. } = reader;
        Some(Done { ballots, rows, notes, layout, first: self.first })
    }
}

/// Bytes in which quotation marks are noticed.
struct Unquoted<R> {
    inner: R,
    quoted: Arc<AtomicBool>,
}

impl<R: Read> Read for Unquoted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if buffer[..read].contains(&b'"') {
            self.quoted.store(true, Ordering::Relaxed);
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: usize, oddity: &str) -> String {
        let mut text = "left,right,winner,voter,weight\n".to_owned();
        for n in 0..rows {
            let (left, right) = (n * 7 % 13, n * 7 % 13 + 1 + n % 4);
            text += &format!(
                "item {left},item {right},{},voter {},0.{}\n",
                ["left", "right", "tie"][n % 3],
                n % 97,
                n % 9 + 1
            );
            if n == rows / 2 {
                text += oddity;
            }
        }
        text
    }

    /// What comes out of files, one after the other or in parts of some bytes.
    fn outcome(paths: &[String], part: Option<u64>) -> (bool, String) {
        read(paths, part, ReadOptions::default())
    }

    fn read(paths: &[String], part: Option<u64>, options: ReadOptions) -> (bool, String) {
        let mut reader = VoteReader::new(options);
        let parts = part.and_then(|part| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
            let options = reader.options.clone();
            pool.install(move || VoteReader::new(options).at_once(paths, part))
        });
        let at_once = parts.is_some();
        let read = match parts {
            Some(parts) => {
                parts.into_iter().for_each(|part| reader.take_in(part));
                Ok(())
            }
            None => paths.iter().try_for_each(|path| reader.read(path)),
        };
        let text = match read {
            Ok(()) => {
                let (ballots, rows, notes) = reader.finish();
                format!("{} {rows:?} {notes:?}", serde_json::to_string(&ballots).unwrap())
            }
            Err(error) => error.to_string(),
        };
        (at_once, text)
    }

    #[test]
    fn parts_of_files_give_the_same_bytes_and_the_same_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let plain = path("plain.csv", &file(3_000, ""));
        let more = path("more.csv", &file(700, "item 90,item 91,left,voter x,1\n"));
        let quoted = path("quoted.csv", &file(3_000, "\"item\n1\",item 2,left,voter 1,1\n"));
        let broken = path("broken.csv", &file(3_000, "item 1,item 2,left,voter 1,-1\n"));
        // The first line is not the header, which no part but the first would have.
        let told = path("told.csv", &format!("sep=,\n{}", file(3_000, "")));
        for (paths, expected) in [
            (vec![told], false),
            (vec![plain.clone()], true),
            (vec![plain.clone(), more.clone()], true),
            (vec![more, plain.clone()], true),
            (vec![quoted], false),
            (vec![plain, broken], false),
        ] {
            let (_, in_order) = outcome(&paths, None);
            for part in [1 << 9, 1 << 12, 1 << 14] {
                let (at_once, text) = outcome(&paths, Some(part));
                assert_eq!(at_once, expected, "{paths:?}");
                assert!(text == in_order, "{paths:?} in parts of {part} bytes");
            }
        }
    }

    /// Every way to be told how a file is read, in parts as in one piece.
    #[test]
    fn parts_agree_with_one_reader_whatever_is_said_about_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (_, rows) =
            file(1_000, "").split_once('\n').map(|(head, rows)| (head.to_owned(), rows.to_owned())).unwrap();
        let mut paths = Vec::new();
        for (name, text) in [
            ("with header", file(1_000, "")),
            ("without", rows.clone()),
            ("marked", format!("\u{feff}{rows}")),
            ("other delimiter", file(1_000, "").replace(',', ";")),
            ("old lines", file(1_000, "").replace('\n', "\r\n")),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            paths.push(path.to_str().unwrap().to_owned());
        }
        let by_number = || {
            let column = |number: &str| Some(number.to_owned());
            crate::Columns { left: column("1"), right: column("2"), winner: column("3"), ..Default::default() }
        };
        let base = ReadOptions::default;
        let mut flags: Vec<(&str, ReadOptions)> = vec![("none", base())];
        let mut add = |name, change: &dyn Fn(&mut ReadOptions)| {
            let mut options = base();
            change(&mut options);
            flags.push((name, options));
        };
        add("--no-header", &|o| {
            o.table.no_header = true;
            o.columns = by_number();
        });
        add("--no-header alone", &|o| o.table.no_header = true);
        add("--delimiter ,", &|o| o.table.delimiter = Some(','));
        add("--delimiter ;", &|o| o.table.delimiter = Some(';'));
        add("--lenient", &|o| o.table.lenient = true);
        add("columns", &|o| o.columns = by_number());
        let mut at_once_with_none = false;
        for (name, options) in &flags {
            for path in &paths {
                let path = std::slice::from_ref(path);
                let (_, in_order) = read(path, None, options.clone());
                for part in [1 << 10, 1 << 13] {
                    let (at_once, text) = read(path, Some(part), options.clone());
                    assert!(text == in_order, "{name}, {path:?} in parts of {part} bytes:\n{text}\n{in_order}");
                    at_once_with_none |= at_once && *name == "--no-header";
                }
            }
        }
        assert!(at_once_with_none, "files without a header are cut as well");
    }
}

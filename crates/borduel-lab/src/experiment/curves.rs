//! Curves of finished runs: in memory while they are few, and then in a file without a name, so that memory does not
//! grow with them.

use borduel::experiment::Finished;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes of curves that are held in memory.
const HELD: usize = 32 << 20;

/// The curves of a plan's runs, by combination and replication.
#[derive(Debug)]
pub(super) struct Curves {
    /// Of every combination, those in memory and those in the file.
    held: Vec<Rows>,
    away: Vec<Vec<Block>>,
    /// Bytes in memory, and how many there may be.
    bytes: usize,
    most: usize,
    /// A directory with room for the file; that of temporary files, if there is none.
    place: Option<PathBuf>,
    file: Option<File>,
    end: u64,
}

/// Curves of one combination in memory: row by row, the notions of regret side by side.
#[derive(Debug, Clone, Default)]
struct Rows {
    replications: Vec<u32>,
    values: Vec<f64>,
    points: usize,
}

/// The same in the file: column by column, so that a checkpoint is read in one piece.
#[derive(Debug)]
struct Block {
    replications: Vec<u32>,
    start: u64,
}

impl Curves {
    pub(super) fn new(combinations: usize, place: Option<&Path>) -> Self {
        Self {
            held: vec![Rows::default(); combinations],
            away: (0..combinations).map(|_| Vec::new()).collect(),
            bytes: 0,
            most: HELD,
            place: place.map(Path::to_owned),
            file: None,
            end: 0,
        }
    }

    /// Keeps the curves of a run; one that is kept again takes the place of what was there.
    pub(super) fn add(&mut self, combination: usize, replication: u32, finished: &Finished) -> io::Result<()> {
        let rows = &mut self.held[combination];
        rows.points = finished.regret.len();
        rows.replications.push(replication);
        let before = rows.values.len();
        rows.values.extend(&finished.regret);
        finished.others.iter().for_each(|other| rows.values.extend(other));
        self.bytes += size_of::<f64>() * (rows.values.len() - before);
        if self.bytes > self.most { self.put_away() } else { Ok(()) }
    }

    /// Moves everything from memory to the file.
    fn put_away(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(self.place.as_ref().map_or_else(tempfile::tempfile, tempfile::tempfile_in)?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        // What an earlier attempt may have left half written is written over.
        file.seek(SeekFrom::Start(self.end))?;
        let (mut writer, mut end) = (BufWriter::with_capacity(1 << 20, &*file), self.end);
        let mut starts = Vec::new();
        for Rows { replications, values, .. } in &self.held {
            starts.push(end);
            let width = values.len() / replications.len().max(1);
            for column in 0..width {
                for value in values.iter().skip(column).step_by(width) {
                    writer.write_all(&value.to_le_bytes())?;
                }
            }
            end += size_of_val(&values[..]) as u64;
        }
        writer.flush()?;
        drop(writer);
        for ((rows, away), start) in self.held.iter_mut().zip(&mut self.away).zip(starts) {
            rows.values = Vec::new();
            let replications = std::mem::take(&mut rows.replications);
            if !replications.is_empty() {
                away.push(Block { replications, start });
            }
        }
        (self.end, self.bytes) = (end, 0);
        Ok(())
    }

    /// Regret at a checkpoint in a notion, of so many replications of a combination.
    pub(super) fn column(
        &self,
        combination: usize,
        notion: usize,
        checkpoint: usize,
        runs: usize,
    ) -> io::Result<Vec<f64>> {
        let mut found = vec![f64::NAN; runs];
        let rows = &self.held[combination];
        let column = notion * rows.points + checkpoint;
        for Block { replications, start } in &self.away[combination] {
            let Some(mut file) = self.file.as_ref() else { continue };
            let mut bytes = vec![0; size_of::<f64>() * replications.len()];
            file.seek(SeekFrom::Start(start + (column * bytes.len()) as u64))?;
            file.read_exact(&mut bytes)?;
            for (replication, value) in replications.iter().zip(bytes.as_chunks().0) {
                found[*replication as usize] = f64::from_le_bytes(*value);
            }
        }
        let width = rows.values.len() / rows.replications.len().max(1);
        for (replication, row) in rows.replications.iter().zip(rows.values.chunks_exact(width.max(1))) {
            found[*replication as usize] = row[column];
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_away_is_found_again() {
        let value = |replication: usize, combination: usize, column: usize| {
            (replication * 100 + combination * 10 + column) as f64 + 0.1
        };
        for most in [0, 100, 500, HELD] {
            let mut curves = Curves { most, ..Curves::new(3, None) };
            // Not in order, some of them twice, one combination shorter than the others, one with nothing.
            for replication in [3, 0, 1, 4, 2, 3, 0] {
                for (combination, points) in [(0, 4), (2, 3)] {
                    let all = |first: usize| (0..points).map(|c| value(replication, combination, first + c)).collect();
                    let mut finished = Finished::default();
                    (finished.regret, finished.others) = (all(0), vec![all(points)]);
                    curves.add(combination, replication as u32, &finished).unwrap();
                }
            }
            assert_eq!(curves.file.is_some(), most < HELD);
            for (combination, points) in [(0, 4), (2, 3)] {
                for column in 0..2 * points {
                    let expected: Vec<f64> = (0..5).map(|r| value(r, combination, column)).collect();
                    let found = curves.column(combination, column / points, column % points, 5).unwrap();
                    assert_eq!(found, expected, "{most} bytes, column {column}");
                }
            }
        }
    }
}

//! Reads files of votes and says what was in them, how long it took and how much memory it needed.

use borduel_votes::{ReadOptions, VoteReader};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        let mut reader = VoteReader::new(ReadOptions::default());
        reader.read(&path)?;
        let (ballots, rows, notes) = reader.finish();
        println!("{}", notes.join("\n"));
        println!(
            "{} rows, {} items, {} ordered pairs, {} voters, {} (voter, pair) combinations in {:.2?}",
            rows.read,
            ballots.items().len(),
            ballots.cells().len(),
            ballots.copies().len(),
            ballots.shares().len(),
            start.elapsed()
        );
    }
    // Linux only; elsewhere nothing is said.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for line in status.lines().filter(|line| line.starts_with("VmHWM")) {
        println!("{line}");
    }
    Ok(())
}

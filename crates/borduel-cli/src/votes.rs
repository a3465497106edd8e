//! Votes from a CSV file with columns winner,loser or left,right,winner.

use borduel::environment::crowd::Wins;
use csv::StringRecord;
use std::collections::BTreeSet;

/// Who won against whom, and by how much: ½ each way for a tie.
struct Vote {
    winner: String,
    loser: String,
    tie: bool,
}

/// How often each item won against each other. Items are in the order of their ids: by number if all are numbers.
pub(crate) fn read(text: &str) -> Result<Wins, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| headers.iter().position(|header| header.eq_ignore_ascii_case(name));
    let columns = match (column("winner"), column("loser"), column("left"), column("right")) {
        (Some(winner), Some(loser), ..) => Columns::Outright { winner, loser },
        (Some(winner), None, Some(left), Some(right)) => Columns::Sides { left, right, winner },
        _ => {
            let found = headers.iter().collect::<Vec<_>>().join(",");
            return Err(format!("line 1: columns winner,loser or left,right,winner are needed, found {found}"));
        }
    };
    let mut votes = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        votes.push(columns.vote(&record).map_err(|message| format!("line {line}: {message}"))?);
    }
    let names: BTreeSet<&str> = votes.iter().flat_map(|vote| [vote.winner.as_str(), vote.loser.as_str()]).collect();
    let mut names: Vec<&str> = names.into_iter().collect();
    if let Some(numbers) = names.iter().map(|name| name.parse::<u64>().ok()).collect::<Option<Vec<_>>>() {
        let mut numbered: Vec<_> = numbers.into_iter().zip(names).collect();
        numbered.sort_unstable();
        names = numbered.into_iter().map(|entry| entry.1).collect();
    }
    let place: std::collections::HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let mut wins = Wins::new(names.len()).map_err(|error| error.to_string())?;
    for vote in &votes {
        let (winner, loser) = (place[vote.winner.as_str()], place[vote.loser.as_str()]);
        let share = if vote.tie { 0.5 } else { 1.0 };
        wins.add(winner, loser, share).map_err(|error| error.to_string())?;
        if vote.tie {
            wins.add(loser, winner, share).map_err(|error| error.to_string())?;
        }
    }
    Ok(wins)
}

/// Where in a row the vote is.
enum Columns {
    Outright { winner: usize, loser: usize },
    Sides { left: usize, right: usize, winner: usize },
}

impl Columns {
    fn vote(&self, record: &StringRecord) -> Result<Vote, String> {
        let cell = |column: usize| match record.get(column) {
            None | Some("") => Err(format!("column {} is empty", column + 1)),
            Some(text) => Ok(text.to_owned()),
        };
        let (winner, loser, tie) = match self {
            Self::Outright { winner, loser } => (cell(*winner)?, cell(*loser)?, false),
            Self::Sides { left, right, winner } => {
                let (left, right, winner) = (cell(*left)?, cell(*right)?, cell(*winner)?);
                match winner.to_lowercase().as_str() {
                    "left" => (left, right, false),
                    "right" => (right, left, false),
                    "tie" => (left, right, true),
                    _ if winner == left => (left, right, false),
                    _ if winner == right => (right, left, false),
                    _ => return Err(format!("winner \"{winner}\" is none of left, right, tie, {left}, {right}")),
                }
            }
        };
        if winner == loser {
            return Err(format!("\"{winner}\" is compared with itself"));
        }
        Ok(Vote { winner, loser, tie })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_shapes_are_read() {
        let outright = read("worker,winner,loser\n1,10,9\n1,9,10\n2,10,2\n").unwrap();
        // By number: 2, 9, 10.
        assert_eq!((outright.items(), outright.get(2, 1), outright.get(1, 2), outright.get(2, 0)), (3, 1.0, 1.0, 1.0));
        let sides = read("left,right,winner\na,b,left\na,b,right\na,b,tie\nb,a,b\n").unwrap();
        assert_eq!((sides.get(0, 1), sides.get(1, 0)), (1.5, 2.5));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        let error = |text: &str| read(text).unwrap_err();
        assert!(error("a,b\n1,2\n").contains("found a,b"));
        assert!(error("left,right,winner\na,b,left\na,b,both\n").starts_with("line 3: winner \"both\""));
        assert!(error("winner,loser\na,b\na,a\n").starts_with("line 3: \"a\" is compared with itself"));
        assert!(error("winner,loser\na,\n").starts_with("line 2: column 2 is empty"));
        assert!(error("winner,loser\n").contains("at least 2"));
    }
}

//! A file of votes as wins of items over items, in the order of the items' ids.

use borduel::ballots::Ballots;
use borduel::environment::crowd::Wins;
use borduel_votes::{ReadOptions, VoteReader};
use std::io::Cursor;

/// How often each item won against each other. Items are in the order of their ids: by number if all are numbers.
pub(crate) fn read(name: &str, bytes: Vec<u8>) -> Result<Wins, String> {
    let mut reader = VoteReader::new(ReadOptions::default());
    reader.read_bytes(name, Cursor::new(bytes)).map_err(|error| error.to_string())?;
    wins(&reader.finish().0).map_err(|error| format!("{name}: {error}"))
}

fn wins(ballots: &Ballots) -> borduel::Result<Wins> {
    let names = ballots.items();
    let mut order: Vec<usize> = (0..names.len()).collect();
    let numbers: Option<Vec<u64>> = names.iter().map(|name| name.parse().ok()).collect();
    match numbers {
        Some(numbers) => order.sort_by_key(|item| numbers[*item]),
        None => order.sort_by_key(|item| &names[*item]),
    }
    let mut place = vec![0; names.len()];
    order.iter().enumerate().for_each(|(rank, item)| place[*item] = rank);
    let mut wins = Wins::new(names.len())?;
    for cell in ballots.cells() {
        let (left, right) = (place[cell.left as usize], place[cell.right as usize]);
        wins.add(left, right, cell.wr)?;
        wins.add(right, left, cell.w - cell.wr)?;
    }
    Ok(wins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Wins, String> {
        super::read("v.csv", text.as_bytes().to_vec())
    }

    #[test]
    fn both_shapes_are_read() {
        let outright = read("worker,winner,loser\n1,10,9\n1,9,10\n2,10,2\n").unwrap();
        // By number: 2, 9, 10.
        assert_eq!((outright.items(), outright.get(2, 1), outright.get(1, 2), outright.get(2, 0)), (3, 1.0, 1.0, 1.0));
        let sides = read("left,right,winner\na,b,left\na,b,right\na,b,tie\nb,a,left\n").unwrap();
        assert_eq!((sides.get(0, 1), sides.get(1, 0)), (1.5, 2.5));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_place() {
        for (text, part) in [
            ("left,right,winner\na,b,left\na,b,perhaps\n", "v.csv, line 3"),
            ("winner,loser\na,b\na,a\n", "v.csv, line 3"),
            ("winner,loser\n", "at least 2"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
    }
}

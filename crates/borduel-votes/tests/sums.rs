//! Files of votes in any pieces and any order make the same sums, to the byte.

use borduel_rank::ballots::{Answer, Ballot, Ballots};
use borduel_votes::{Columns, Items, ReadOptions, Scale, VoteReader};
use std::io::Cursor;

fn items() -> Items {
    let ids: Vec<String> = (0..7).map(|item| format!("item {item}")).collect();
    Items { names: vec![None; ids.len()], ids, ..Items::default() }
}

/// Row `n` of a file of votes: soft answers, weights that are no sums of powers of two, and voters.
fn row(n: usize) -> (usize, usize, usize, f64, f64) {
    let left = n * 5 % 7;
    let right = (left + 1 + n * 3 % 6) % 7;
    (left, right, n * n % 11, [0.1, 1.0, 1.0 / 3.0][n % 3], [1.0, 0.0, 0.7, 0.3, 0.5][n % 5])
}

fn file(rows: impl Iterator<Item = usize>) -> String {
    let line = |n: usize| {
        let (left, right, voter, weight, answer) = row(n);
        format!("item {left},item {right},{answer},voter {voter},{weight}\n")
    };
    "left,right,winner,voter,weight\n".to_owned() + &rows.map(line).collect::<String>()
}

fn read(parts: &[String]) -> Ballots {
    read_about(&items(), parts)
}

fn read_about(items: &Items, parts: &[String]) -> Ballots {
    let columns = Columns { scale: Some(Scale::Unit), ..Columns::default() };
    let options = ReadOptions { columns, ..ReadOptions::default() };
    let mut reader = VoteReader::new(options).with_items(items);
    for part in parts {
        reader.read_bytes("votes", Cursor::new(part.clone())).unwrap();
    }
    reader.finish().0
}

fn bytes(ballots: &Ballots) -> String {
    serde_json::to_string(ballots).unwrap()
}

#[test]
fn any_split_of_a_file_gives_the_same_bytes() {
    let n = 500;
    let whole = bytes(&read(&[file(0..n)]));
    for cuts in [vec![0, 1, n], vec![0, 250, n], vec![0, 3, 200, 201, 499, n]] {
        let parts: Vec<String> = cuts.windows(2).map(|cut| file(cut[0]..cut[1])).collect();
        // One reader for all, or a box each, merged in either order.
        assert_eq!(bytes(&read(&parts)), whole);
        for reversed in [false, true] {
            let mut boxes: Vec<Ballots> = parts.iter().map(|part| read(std::slice::from_ref(part))).collect();
            if reversed {
                boxes.reverse();
            }
            let mut all = boxes.remove(0);
            for part in &boxes {
                all.merge(part).unwrap();
            }
            assert_eq!(bytes(&all.finish()), whole);
        }
    }
    // Whatever the order of the rows.
    assert_eq!(bytes(&read(&[file((0..n).rev())])), whole);
}

fn take_back(ballots: &mut Ballots, n: usize) {
    let (left, right, voter, weight, answer) = row(n);
    let voter = Some(ballots.voter(&format!("voter {voter}")));
    let [left, right] = [left, right].map(|item| {
        let name = format!("item {item}");
        ballots.items().iter().position(|known| *known == name).unwrap() as u32
    });
    let ballot = Ballot::new(left, right, Answer::Soft(answer)).with_voter(voter).with_weight(weight);
    ballots.take_back(&ballot).unwrap();
}

/// Restricting, merging and taking back, whichever comes first, are a file of what remains about the items that remain.
#[test]
fn any_order_of_changes_leaves_the_bytes_of_a_file_of_what_remains() {
    let (n, gone) = (400, 250..330);
    let kept = [6_u32, 1, 3, 4];
    let inside = |n: &usize| [row(*n).0, row(*n).1].iter().all(|item| kept.contains(&(*item as u32)));
    let ids: Vec<String> = kept.iter().map(|item| format!("item {item}")).collect();
    let some = Items { names: vec![None; ids.len()], ids, ..Items::default() };
    let remaining = file((0..n).filter(|n| !gone.contains(n) && inside(n)));
    let expected = bytes(&read_about(&some, &[remaining]).finish());
    let steps: [&[&str]; 4] = [
        &["restrict", "merge", "take back"],
        &["merge", "restrict", "take back"],
        &["merge", "take back", "restrict"],
        &["take back", "restrict", "merge"],
    ];
    for order in steps {
        let cuts = [0, 7, 333, n];
        let mut boxes: Vec<(std::ops::Range<usize>, Ballots)> =
            cuts.windows(2).map(|cut| (cut[0]..cut[1], read(&[file(cut[0]..cut[1])]))).collect();
        let mut restricted = false;
        for step in order {
            match *step {
                "restrict" => {
                    boxes.iter_mut().for_each(|(_, part)| *part = part.restrict(&kept).unwrap());
                    restricted = true;
                }
                "merge" => {
                    let mut all = boxes.remove(2).1;
                    boxes.iter().for_each(|(_, part)| all.merge(part).unwrap());
                    boxes = vec![(0..n, all)];
                }
                _ => {
                    for (rows, part) in &mut boxes {
                        gone.clone()
                            .filter(|n| rows.contains(n) && (!restricted || inside(n)))
                            .for_each(|n| take_back(part, n));
                    }
                }
            }
        }
        let [(_, left)] = &boxes[..] else { panic!("not merged") };
        assert_eq!(bytes(&left.clone().finish()), expected, "{order:?}");
    }
}

#[test]
fn votes_taken_back_leave_the_bytes_of_a_file_without_them() {
    let mut ballots = read(&[file(0..300)]);
    (100..300).rev().for_each(|n| take_back(&mut ballots, n));
    assert_eq!(bytes(&ballots.finish()), bytes(&read(&[file(0..100)])));
}

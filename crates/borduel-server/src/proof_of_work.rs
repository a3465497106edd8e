//! Proof of work before somebody joins: whoever wants to join many times computes as many times (Back 2002, Hashcash).
//!
//! A puzzle is a time, a number and their HMAC, so that nothing of it is kept. It is solved by `PUZZLE:NUMBER` whose
//! SHA-256 begins with so many zero bits, which takes 2^bits trials on average. A solution lets in one voter.

use crate::problem::Problem;
use borduel_study::event::Millis;
use borduel_study::hex::{self, Hash};
use borduel_study::hmac::hmac;
use borduel_study::token::random_u64;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long a puzzle may be solved: a page may be read before somebody starts.
const LASTS: Millis = 30 * 60_000;

/// The most digits of the number that solves it. With it everything fits into one block of SHA-256.
const DIGITS: usize = 12;

/// Those that were solved, by the time at which they end. Every replica has its own: a solution lets in one voter of
/// each.
#[derive(Debug, Default)]
pub(crate) struct Solved(Mutex<HashMap<String, Millis>>);

/// A new puzzle: the milliseconds since 1970, 32 bits of chance and 64 of HMAC-SHA256, in hexadecimal.
///
/// # Errors
/// A system that has no random numbers.
pub(crate) fn puzzle(secret: &Hash, now: Millis) -> borduel_study::Result<String> {
    let stem = format!("{now:011x}{:08x}", random_u64()? >> 32);
    Ok(stem.clone() + &seal(secret, &stem))
}

fn seal(secret: &Hash, stem: &str) -> String {
    hex::text(&hmac(secret, &[b"proof of work", stem.as_bytes()])[..8])
}

/// How many zero bits the hash of this text begins with.
fn zeros(text: &str) -> u32 {
    let mut bits = 0;
    for byte in Sha256::digest(text) {
        bits += byte.leading_zeros();
        if byte != 0 {
            break;
        }
    }
    bits
}

impl Solved {
    /// Takes a solution, once.
    ///
    /// # Errors
    /// Something that solves nothing, has ended or was taken before.
    pub(crate) fn take(&self, secret: &Hash, bits: u32, solution: &str, now: Millis) -> Result<(), Problem> {
        let wanted = |why: &str| {
            let how = "fetch proof-of-work of the study, find its number, and send work with it";
            Problem::new("work-wanted", format!("{why}: {how}"))
        };
        let (puzzle, number) = solution.split_once(':').ok_or_else(|| wanted("this study wants a proof of work"))?;
        let stem = puzzle.get(..19).unwrap_or_default();
        let digits = (1..=DIGITS).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
        if !digits || puzzle.get(19..) != Some(seal(secret, stem).as_str()) {
            return Err(wanted("this is no solution of a puzzle of this study"));
        }
        let made = Millis::from_str_radix(&stem[..11], 16).unwrap_or(0);
        if !(made..made + LASTS).contains(&now) {
            return Err(wanted("the puzzle has ended, half an hour after it was made"));
        }
        if zeros(solution) < bits {
            return Err(wanted(&format!("the hash begins with {} zero bits, and must with {bits}", zeros(solution))));
        }
        let mut solved = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        solved.retain(|_, &mut ends| ends > now);
        if solved.insert(puzzle.to_owned(), made + LASTS).is_some() {
            return Err(wanted("this solution has let somebody in before"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: Hash = [7; 32];

    fn solve(puzzle: &str, bits: u32) -> String {
        (0..u64::MAX).map(|number| format!("{puzzle}:{number}")).find(|solution| zeros(solution) >= bits).unwrap()
    }

    #[test]
    fn a_solution_lets_in_one_voter_of_its_study_in_its_time() {
        let (solved, now) = (Solved::default(), 1_800_000_000_000);
        let solution = solve(&puzzle(&SECRET, now).unwrap(), 8);
        let refused = |secret: &Hash, bits, solution: &str, now| {
            solved.take(secret, bits, solution, now).expect_err(solution).detail
        };
        assert!(refused(&SECRET, 8, "", now).contains("wants a proof of work"));
        assert!(refused(&[8; 32], 8, &solution, now).contains("no solution"), "of another study");
        assert!(refused(&SECRET, 8, &solution.replace(':', ":x"), now).contains("no solution"));
        assert!(refused(&SECRET, 8, &format!("{solution}0000000000000"), now).contains("no solution"));
        assert!(refused(&SECRET, 8, "é:1", now).contains("no solution"));
        assert!(refused(&SECRET, 40, &solution, now).contains("must with 40"));
        assert!(refused(&SECRET, 8, &solution, now + LASTS).contains("has ended"));
        assert!(refused(&SECRET, 8, &solution, now - 1).contains("has ended"), "not made yet");
        solved.take(&SECRET, 8, &solution, now + LASTS - 1).unwrap();
        assert!(refused(&SECRET, 8, &solution, now + LASTS - 1).contains("before"));
        // Another number for the same puzzle is the same puzzle.
        let (puzzle, number) = solution.split_once(':').unwrap();
        let next = number.parse::<u64>().unwrap() + 1;
        let another =
            (next..u64::MAX).map(|number| format!("{puzzle}:{number}")).find(|solution| zeros(solution) >= 8).unwrap();
        assert!(refused(&SECRET, 8, &another, now).contains("before"));
        // What has ended is forgotten.
        let later = now + LASTS;
        solved.take(&SECRET, 8, &solve(&super::puzzle(&SECRET, later).unwrap(), 8), later).unwrap();
        assert_eq!(solved.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn it_takes_as_many_trials_as_it_says() {
        // Geometric with mean 2^8: the mean of 400 has a standard error of 2^8 / 20.
        let trials = |seed: i64| {
            let solution = solve(&format!("{seed:011x}{:08x}", 1), 8);
            solution.split_once(':').unwrap().1.parse::<f64>().unwrap() + 1.0
        };
        let mean = (0..400).map(trials).sum::<f64>() / 400.0;
        assert!((mean - 256.0).abs() < 4.0 * 256.0 / 20.0, "{mean}");
    }
}

//! The verdict at any time, for people.

use crate::plain;
use crate::ranking::words::{NameOf, names, percent, round_up};
use borduel::ranking::VerdictKind;
use borduel::sequential::{Goal, Judgement};

/// The verdict in one sentence.
pub fn verdict(judgement: &Judgement, name: NameOf<'_>) -> String {
    let points = percent(judgement.options.margin);
    let list = |items: &[usize]| names(items, 5, name);
    let provided =
        judgement.options.trust.assumption().map_or_else(String::new, |what| format!(", provided that {what}"));
    let sure = format!("{} % confidence, however often one looked{provided}", percent(judgement.options.level));
    match (judgement.kind, judgement.options.goal) {
        (VerdictKind::NotEnough, _) => format!(
            "Not enough votes: {} of {} items may still be best ({}); about {} more well-chosen votes would settle it.",
            judgement.contenders.len(),
            judgement.items.len(),
            list(&judgement.contenders),
            round_up(judgement.needed.max(1.0))
        ),
        (_, Goal::Top(k)) => format!(
            "The best {k}: {}; nobody else is better than one of them by more than {points} points ({sure}).",
            list(&judgement.winners)
        ),
        (_, Goal::All) => {
            format!("The order is settled up to {points} points ({sure}): {}.", list(&judgement.winners))
        }
        (VerdictKind::Tie, _) => {
            format!("Tie at the top: {} differ by less than {points} points ({sure}).", list(&judgement.winners))
        }
        (VerdictKind::ClearWinner, _) => format!(
            "Winner: {} beats a random other item in {:.1} % of votes, and nobody is better by more than {points} points ({sure}).",
            name(judgement.items[0].item),
            100.0 * judgement.items[0].borda
        ),
    }
}

/// With fewer voters nothing can be said about how much they differ.
const FEWEST_VOTERS: usize = 4;

/// Whose verdict it is, where one voter answered everything (whose name is `first`, if there is one), and that a few
/// speak for nobody else;
/// `None` for a crowd's.
pub fn whose(first: Option<&str>, voters: usize) -> Option<String> {
    match voters {
        1 => {
            let who = first.map_or("this judge".into(), plain);
            Some(format!("By {who}: whether others agree, these answers cannot tell."))
        }
        2..FEWEST_VOTERS => {
            Some(format!("Answers of {voters} voters cannot speak for others: at least {FEWEST_VOTERS} are needed."))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::sequential::{Options, Trust, Votes, judge};
    use borduel::{Duel, Features};

    #[test]
    fn verdicts_in_words() {
        let features = Features::one_hot(3).unwrap();
        let name = |i: usize| ["tea", "coffee", "mud"][i].to_owned();
        let mut votes = Votes::new(3);
        let said = |votes: &Votes, goal: Goal| {
            verdict(&judge(&features, votes, &Options { goal, ..Options::default() }).unwrap(), &name)
        };
        let few = said(&votes, Goal::Winner);
        assert!(few.contains("3 of 3 items may still be best"), "{few}");
        for vote in 0..20_000 {
            votes.add(Duel(0, 1), f64::from(vote % 2));
            votes.add(Duel(1, 2), f64::from(u8::from(vote % 4 > 0)));
            votes.add(Duel(0, 2), f64::from(u8::from(vote % 4 > 0)));
        }
        let tie = said(&votes, Goal::Winner);
        assert!(tie.starts_with("Tie at the top: tea, coffee differ by less than 2 points"), "{tie}");
        let top = said(&votes, Goal::Top(2));
        assert!(top.starts_with("The best 2: tea, coffee"), "{top}");
        let trusting = Options { trust: Trust::Typical, ..Options::default() };
        let typical = verdict(&judge(&features, &votes, &trusting).unwrap(), &name);
        assert!(typical.contains("provided that the features are wrong about no item in particular"), "{typical}");
    }
}

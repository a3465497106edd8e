//! A pass: what an answer that waits in a browser carries, so that it counts for whoever gave it, whoever votes there
//! by then.
//!
//! It is a voter's number and its HMAC, so that nothing of it is kept. It lets give and take back this voter's answers,
//! and nothing else: unlike the token, scripts may read it.

use borduel_study::hex::{self, Hash};
use borduel_study::hmac::hmac;

/// The pass of a voter, by the secret of the study.
pub(super) fn pass(secret: &Hash, voter: u32) -> String {
    let seal = hmac(secret, &[b"pass", &voter.to_be_bytes()]);
    format!("{voter}.{}", hex::text(&seal[..16]))
}

/// Whose pass it is.
pub(super) fn voter(secret: &Hash, shown: &str) -> Option<u32> {
    let voter = shown.split_once('.')?.0.parse().ok()?;
    // Hashes are compared, so that how long it takes tells nothing of the pass.
    let sealed = |pass: &str| hmac(secret, &[pass.as_bytes()]);
    (sealed(&pass(secret, voter)) == sealed(shown)).then_some(voter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_of_one_voter_of_one_study() {
        let (here, there) = ([7; 32], [8; 32]);
        let mine = pass(&here, 12);
        assert_eq!(voter(&here, &mine), Some(12));
        assert_eq!(voter(&there, &mine), None);
        for wrong in
            [mine.replace("12.", "13."), mine.replace("12.", "012."), format!("{mine}0"), "12".into(), "12.".into()]
        {
            assert_eq!(voter(&here, &wrong), None, "{wrong}");
        }
    }
}

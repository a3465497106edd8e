//! Tokens: 160 random bits that are shown once; only their hashes are kept. Nothing to guess, hence nothing slow.

use crate::error::{Error, Result};
use crate::event::Hash;
use sha2::{Digest, Sha256};

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything on the server.
    Admin,
    /// Everything in one study.
    Organiser,
    /// To vote, as a person.
    Voter,
    /// To vote, as a program.
    Judge,
    /// To see the results of one study.
    Viewer,
}

impl Scope {
    /// What tokens of this scope begin with, so that people and scanners of leaked secrets know them.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Admin => "bd_srv_",
            Self::Organiser => "bd_org_",
            Self::Voter => "bd_vot_",
            Self::Judge => "bd_jud_",
            Self::Viewer => "bd_see_",
        }
    }

    /// The scope of a token by its beginning.
    pub fn of(token: &str) -> Option<Self> {
        let all = [Self::Admin, Self::Organiser, Self::Voter, Self::Judge, Self::Viewer];
        all.into_iter().find(|scope| token.starts_with(scope.prefix()))
    }
}

/// The digits of tokens: no vowels that make words, nothing that looks like something else.
const DIGITS: &[u8; 32] = b"0123456789bcdfghjkmnpqrstvwxyzBC";

/// A new token and its hash.
///
/// # Errors
/// A system that has no random numbers.
pub fn new(scope: Scope) -> Result<(String, Hash)> {
    let mut bits = [0_u8; 32];
    fill(&mut bits)?;
    Ok(written(scope, &bits))
}

/// Fills this with random bits of the system.
pub(crate) fn fill(bits: &mut [u8]) -> Result<()> {
    getrandom::fill(bits).map_err(|error| Error::Invalid(format!("the system gives no random numbers: {error}")))
}

/// The token of whoever comes with this id, and its hash: always the same in a study, so that an id is one voter
/// wherever it is opened. It is as secret as the id.
pub fn of_id(seed: u64, id: &str) -> (String, Hash) {
    let bits = Sha256::new().chain_update(b"voter").chain_update(seed.to_le_bytes()).chain_update(id).finalize();
    written(Scope::Voter, &bits)
}

fn written(scope: Scope, bits: &[u8]) -> (String, Hash) {
    let mut token = scope.prefix().to_owned();
    token.extend(bits.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])));
    let hash = hash(&token);
    (token, hash)
}

/// The hash under which a token is kept.
pub fn hash(token: &str) -> Hash {
    Sha256::digest(token.as_bytes()).into()
}

/// 64 random bits of the system: a seed, or a number.
///
/// # Errors
/// A system that has no random numbers.
pub fn random_u64() -> Result<u64> {
    getrandom::u64().map_err(|error| Error::Invalid(format!("the system gives no random numbers: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_known_by_their_scope_and_never_the_same() {
        for scope in [Scope::Admin, Scope::Organiser, Scope::Voter, Scope::Judge, Scope::Viewer] {
            let (one, two) = (new(scope).unwrap(), new(scope).unwrap());
            assert_eq!((one.0.len(), Scope::of(&one.0)), (39, Some(scope)));
            assert_eq!(hash(&one.0), one.1);
            assert_ne!(one, two);
        }
        assert_eq!(Scope::of("bd_xyz_1"), None);
        let of = |seed, id| of_id(seed, id).0;
        assert_eq!((of(1, "5f3a").len(), Scope::of(&of(1, "5f3a"))), (39, Some(Scope::Voter)));
        assert_eq!(of(1, "5f3a"), of(1, "5f3a"));
        assert!(of(1, "5f3a") != of(2, "5f3a") && of(1, "5f3a") != of(1, "5f3b"));
    }
}

//! The one error of this library: every way in which an input can be wrong, naming the culprit and the remedy.

use crate::duel::Arm;

/// The result of anything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// What was wrong with an input.
///
/// Every message says what was found, where, and what would be right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A choice needs something to choose from.
    #[error("{found} item(s) given: a comparison needs at least 2")]
    TooFewItems {
        /// How many items were given.
        found: usize,
    },
    /// An array does not have the length that its shape asks for.
    #[error("{what} holds {found} numbers, {expected} are needed ({shape})")]
    Shape {
        /// The name of the array.
        what: &'static str,
        /// How the needed length comes about, such as `K × d = 3 × 2`.
        shape: String,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{what} is {value}: every entry must be a finite number")]
    NotFinite {
        /// The entry, by its name and place.
        what: String,
        /// The value that is refused.
        value: f64,
    },
    /// A pair's two orders do not carry opposite vectors.
    #[error(
        "φ({i},{j}) and φ({j},{i}) are not opposite in coordinate {coordinate}: φ(i,j) = −φ(j,i) must hold, and φ(i,i) \
         = 0"
    )]
    NotAntisymmetric {
        /// The first item of the pair.
        i: Arm,
        /// The second item of the pair.
        j: Arm,
        /// The first coordinate that differs.
        coordinate: usize,
    },
    /// A feature vector is longer than 1.
    #[error("‖φ({i},{j})‖ = {norm} exceeds 1: multiply all features by {factor}, or use the constructor that scales")]
    NormTooLarge {
        /// The first item of the longest pair found.
        i: Arm,
        /// The second item of the pair.
        j: Arm,
        /// The norm that was found.
        norm: f64,
        /// A factor that brings every norm to at most 1.
        factor: f64,
    },
    /// All feature vectors are so short that computing with them loses digits.
    #[error(
        "‖φ({i},{j})‖ = {norm:e} is the longest, too short to compute with: multiply all features by {factor:e}, or \
         use the constructor that scales"
    )]
    NormTooSmall {
        /// The first item of the longest pair found.
        i: Arm,
        /// The second item of the pair.
        j: Arm,
        /// The norm of φ(i,j).
        norm: f64,
        /// A factor that brings the longest to about 1.
        factor: f64,
    },
    /// A number that cannot be computed with beside the others, or at all.
    #[error("{what} is {value:e}: it {remedy}")]
    Unrepresentable {
        /// The number, by its name.
        what: String,
        /// Its place in the array that was given, or would have been.
        position: usize,
        /// The value that is refused.
        value: f64,
        /// What is wrong, and what would be right.
        remedy: String,
    },
    /// All feature vectors are zero.
    #[error("all feature vectors are zero: no comparison can teach anything; give items that differ in some feature")]
    RankZero,
    /// A probability lies outside [0, 1].
    #[error(
        "p({i},{j}) = {probability}{when} lies outside [0, 1]: make θ or the features smaller, or take a link that \
         cannot leave it"
    )]
    NotAProbability {
        /// The first item of the pair.
        i: Arm,
        /// The second item of the pair.
        j: Arm,
        /// The probability that was found.
        probability: f64,
        /// Empty, or from which round on.
        when: String,
    },
    /// A preference matrix whose two halves disagree.
    #[error("p({i},{j}) + p({j},{i}) = {sum}: the two must add up to 1 (and p(i,i) must be ½)")]
    NotComplementary {
        /// The first item of the pair.
        i: Arm,
        /// The second item of the pair.
        j: Arm,
        /// The sum p(i,j) + p(j,i) that was found.
        sum: f64,
    },
    /// A setting has a value that makes no sense.
    #[error("{name} = {value}: {remedy}")]
    Setting {
        /// The name of the setting.
        name: &'static str,
        /// The value that is refused.
        value: String,
        /// What would be right.
        remedy: String,
    },
    /// A notion of regret that an instance does not have.
    #[error("{notion} regret is not defined here: {why}")]
    NoSuchRegret {
        /// The notion that is not defined here.
        notion: &'static str,
        /// What is in the way, and what to choose instead.
        why: String,
    },
    /// Something larger than can be.
    #[error("that would be {wanted} {what}; at most {most} are possible: {remedy}")]
    TooLarge {
        /// How many were asked for.
        wanted: u128,
        /// What they are, in the plural.
        what: &'static str,
        /// The most there can be.
        most: u64,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A name that is not on the list.
    #[error("unknown {kind} \"{name}\"{suggestion}; known are: {known}")]
    Unknown {
        /// What kind of thing was named.
        kind: &'static str,
        /// The name that is not known.
        name: String,
        /// The nearest known name, as ` (did you mean "…"?)`, or nothing.
        suggestion: String,
        /// All names that are known, in one line.
        known: String,
    },
    /// A saved value of another version.
    #[error("{what} was written in version {found} of its format; this program reads version {known}")]
    Version {
        /// The saved value that was read, such as a policy.
        what: &'static str,
        /// The version that was found.
        found: u32,
        /// The version this library reads.
        known: u32,
    },
    /// Something that belongs to another problem.
    #[error(
        "{what} belongs to another problem (fingerprint {found:016x}, here {here:016x}): use it with the features, \
         link and horizon it was made for"
    )]
    OtherProblem {
        /// What belongs to it, such as a policy.
        what: &'static str,
        /// The fingerprint of its problem.
        found: u64,
        /// The fingerprint of the problem at hand.
        here: u64,
    },
    /// A saved value that is not what was saved.
    #[error(
        "the saved state is not what was written (checksum {found:016x}, its contents have {here:016x}): it was \
         changed, or passed through a format that loses digits"
    )]
    Tampered {
        /// The checksum that was saved with it.
        found: u64,
        /// The checksum of what was read.
        here: u64,
    },
    /// An item that is not there.
    #[error("there is no item {item}: the problem has items 0 to {last}")]
    NoSuchItem {
        /// The number of the item.
        item: Arm,
        /// The last one there is.
        last: Arm,
    },
    /// A ticket that was never handed out.
    #[error("question {number} was never asked here: the last one was {last}")]
    UnknownTicket {
        /// The number of the ticket.
        number: u64,
        /// The number of the last question asked.
        last: u64,
    },
    /// A ticket that has come back before.
    #[error("question {number} has been answered or cancelled already: every ticket counts once")]
    UsedTicket {
        /// The number of the ticket.
        number: u64,
    },
    /// A ticket of another desk.
    #[error(
        "question {number} ({left} or {right}?) was asked at another desk: hand the ticket in where it was given out"
    )]
    ForeignTicket {
        /// The number of the ticket.
        number: u64,
        /// The first item on it.
        left: Arm,
        /// The second item on it.
        right: Arm,
    },
    /// Data that cannot be used, in words.
    #[error("{0}")]
    Data(String),
}

impl Error {
    /// A setting's error, in one line.
    pub fn setting(name: &'static str, value: impl std::fmt::Display, remedy: impl Into<String>) -> Self {
        Self::Setting { name, value: value.to_string(), remedy: remedy.into() }
    }

    /// The error for a name that is not among `known`, with the nearest known name.
    pub fn unknown(kind: &'static str, name: &str, known: &[&str]) -> Self {
        let nearest = known
            .iter()
            .map(|candidate| (edit_distance(name, candidate), candidate))
            .min()
            .filter(|(distance, candidate)| *distance <= candidate.len().max(3) / 2);
        Self::Unknown {
            kind,
            name: name.to_owned(),
            suggestion: nearest.map_or_else(String::new, |(_, c)| format!(" (did you mean \"{c}\"?)")),
            known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        }
    }
}

/// The Levenshtein distance, by the usual row of running costs.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let error = Error::unknown("policy", "bexp", &["betc-glm", "bexp3", "uniform"]);
        assert_eq!(
            error.to_string(),
            "unknown policy \"bexp\" (did you mean \"bexp3\"?); known are: betc-glm, bexp3, uniform"
        );
        let nothing = Error::unknown("key", "beta", &[]);
        assert_eq!(nothing.to_string(), "unknown key \"beta\"; known are: none");
        assert!(!Error::unknown("policy", "zzzzzzzzz", &["bexp3"]).to_string().contains("did you mean"));
    }
}

//! What a verdict is made of: claims about two items.

use crate::duel::Arm;

/// "`ahead` is not worse than `behind` by more than the margin", and the evidence for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Claim {
    pub(crate) ahead: Arm,
    pub(crate) behind: Arm,
    pub(crate) lead: f64,
    pub(crate) variance: f64,
    pub(crate) log_e: f64,
}

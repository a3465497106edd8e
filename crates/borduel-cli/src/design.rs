//! `borduel design`: which pairs to ask, and what precision that will buy.
use crate::failure::Failure;
use clap::Args;
/// x
#[derive(Debug, Args)]
pub(crate) struct Design {}
pub(crate) fn main(_: &Design) -> Result<(), Failure> {
    Ok(())
}

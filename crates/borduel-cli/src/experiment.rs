//! Experiments: their files, and how they are played so that nothing finished is ever lost.

pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod journal;
pub(crate) mod labels;
pub(crate) mod play;
pub(crate) mod played;
pub(crate) mod prepare;
mod sources;
mod spans;

pub(crate) use sources::fingerprint;

//! Hashes, and their hexadecimal text.

use serde::{Deserialize, Deserializer, Serializer, de::Error};
use std::fmt::Write;

/// The 32 bytes of a SHA-256 hash.
pub type Hash = [u8; 32];

/// The text of a hash.
pub fn text(hash: &[u8]) -> String {
    let mut text = String::with_capacity(2 * hash.len());
    for byte in hash {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The hash of a text.
pub fn parse(text: &str) -> Option<Hash> {
    let digits = text.as_bytes();
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut hash = Hash::default();
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(hash)
}

pub(crate) fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        serializer.serialize_str(&text(hash))
    } else {
        serde::Serialize::serialize(hash, serializer)
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
    if deserializer.is_human_readable() {
        let text = String::deserialize(deserializer)?;
        parse(&text).ok_or_else(|| D::Error::custom("a hash has 64 hexadecimal digits"))
    } else {
        Hash::deserialize(deserializer)
    }
}

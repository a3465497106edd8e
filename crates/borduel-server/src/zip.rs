//! Reading zip files, as people send folders: names and bytes, nothing written anywhere, never more than is allowed.
//!
//! Entries are those of the directory at the end (APPNOTE 4.3.12), stored or deflated, without encryption and below 4
//! GB.

use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::Read;

/// The most files.
const FILES: usize = 20_000;
/// The most bytes of all files, unpacked.
const BYTES: u64 = 200 * 1024 * 1024;

/// How every zip file begins, with a file in it.
const BEGINS: [u8; 4] = *b"PK\x03\x04";
/// How an entry of the directory begins.
const ENTRY: [u8; 4] = *b"PK\x01\x02";
/// How the end of the directory begins.
const END: [u8; 4] = *b"PK\x05\x06";

/// A file of a zip.
pub(crate) struct File {
    /// Its path, with `/` between folders.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Whether these bytes are a zip file.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(&BEGINS) || bytes.starts_with(&END)
}

/// The files of a zip, without folders.
///
/// # Errors
/// What is wrong with which file.
pub(crate) fn files(bytes: &[u8]) -> Result<Vec<File>, String> {
    let broken = || "the zip file is broken: pack it again".to_owned();
    // A comment of up to 65,535 bytes may follow the end.
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = (from..bytes.len().saturating_sub(21)).rev().find(|&at| bytes[at..].starts_with(&END));
    let end = end.ok_or_else(broken)?;
    let number = |at: usize, length: usize| number(bytes, at, length).ok_or_else(broken);
    let (count, mut at) = (number(end + 10, 2)?, number(end + 16, 4)?);
    if count == 0xffff || at == 0xffff_ffff {
        return Err("the zip file is of the large kind (zip64): pack fewer files".to_owned());
    }
    if count > FILES {
        return Err(format!("the zip file has {count} files: at most {FILES} are taken"));
    }
    let (mut files, mut total) = (Vec::new(), 0);
    for _ in 0..count {
        if !bytes.get(at..).is_some_and(|rest| rest.starts_with(&ENTRY)) {
            return Err(broken());
        }
        let (flags, method, crc) = (number(at + 8, 2)?, number(at + 10, 2)?, number(at + 16, 4)?);
        let (packed, size, start) = (number(at + 20, 4)?, number(at + 24, 4)?, number(at + 42, 4)?);
        let lengths = (number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?);
        let name = bytes.get(at + 46..at + 46 + lengths.0).ok_or_else(broken)?;
        let path = String::from_utf8_lossy(name).replace('\\', "/");
        at += 46 + lengths.0 + lengths.1 + lengths.2;
        if path.ends_with('/') {
            continue;
        }
        total += size as u64;
        if total > BYTES {
            return Err(format!("the zip file has more than {} MB, unpacked: split it", BYTES / 1024 / 1024));
        }
        if flags & 1 == 1 {
            return Err(format!("{path} is encrypted: pack it without a password"));
        }
        let data = start + 30 + number(start + 26, 2)? + number(start + 28, 2)?;
        let packed = bytes.get(data..data + packed).ok_or_else(broken)?;
        let bytes = unpack(packed, method, size).ok_or_else(|| format!("{path} cannot be unpacked: pack it again"))?;
        let mut check = Crc::new();
        check.update(&bytes);
        if check.sum() as usize != crc {
            return Err(format!("{path} is damaged: pack it again"));
        }
        files.push(File { path, bytes });
    }
    Ok(files)
}

/// A number of 2 or 4 bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let found = bytes.get(at..at.checked_add(length)?)?;
    Some(found.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

/// The bytes of a file of this size; nothing where it has another one.
fn unpack(packed: &[u8], method: usize, size: usize) -> Option<Vec<u8>> {
    match method {
        0 => (packed.len() == size).then(|| packed.to_vec()),
        8 => {
            let mut bytes = Vec::new();
            // One more than it should be is enough to see that it lies.
            DeflateDecoder::new(packed).take(size as u64 + 1).read_to_end(&mut bytes).ok()?;
            (bytes.len() == size).then_some(bytes)
        }
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::io::Write;

    /// A zip of these files, deflated but for the first.
    pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut body, mut directory) = (Vec::new(), Vec::new());
        for (at, (path, bytes)) in files.iter().enumerate() {
            let mut check = Crc::new();
            check.update(bytes);
            let (method, packed) = if at == 0 {
                (0_u16, bytes.to_vec())
            } else {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(bytes).unwrap();
                (8, encoder.finish().unwrap())
            };
            let start = body.len() as u32;
            let mut shared = Vec::new();
            shared.extend([20, 0, 0, 8]);
            shared.extend(method.to_le_bytes());
            shared.extend([0; 4]);
            for number in [check.sum(), packed.len() as u32, bytes.len() as u32] {
                shared.extend(number.to_le_bytes());
            }
            shared.extend((path.len() as u16).to_le_bytes());
            shared.extend([0; 2]);
            body.extend(BEGINS);
            body.extend(&shared);
            body.extend(path.as_bytes());
            body.extend(packed);
            directory.extend(ENTRY);
            directory.extend([20, 0]);
            directory.extend(&shared);
            directory.extend([0; 10]);
            directory.extend(start.to_le_bytes());
            directory.extend(path.as_bytes());
        }
        let start = body.len() as u32;
        let size = directory.len() as u32;
        body.extend(directory);
        body.extend(END);
        body.extend([0; 4]);
        body.extend((files.len() as u16).to_le_bytes());
        body.extend((files.len() as u16).to_le_bytes());
        body.extend(size.to_le_bytes());
        body.extend(start.to_le_bytes());
        body.extend([0; 2]);
        body
    }

    #[test]
    fn files_come_out_as_they_went_in() {
        let long = "a word and ".repeat(5_000);
        let packed = zip(&[("a/one.txt", b"1"), ("a/", b""), ("b\\two.txt", long.as_bytes()), ("é.md", b"")]);
        assert!(is_zip(&packed) && packed.len() < 2_000);
        let found: Vec<(String, usize)> =
            files(&packed).unwrap().into_iter().map(|file| (file.path, file.bytes.len())).collect();
        let expected = [("a/one.txt", 1), ("b/two.txt", long.len()), ("é.md", 0)];
        assert!(found.iter().map(|(path, length)| (&**path, *length)).eq(expected));
        assert!(files(&zip(&[])).unwrap().is_empty() && is_zip(&zip(&[])));
    }

    #[test]
    fn what_lies_or_is_damaged_is_refused_and_nothing_panics() {
        let whole = zip(&[("a/one.txt", b"one"), ("a/two.txt", &[7; 3_000])]);
        for cut in 0..whole.len() {
            assert!(files(&whole[..cut]).is_err(), "{cut}");
        }
        let mut chance = borduel_rank::stream::stream(1, &[12]);
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut bytes = whole.clone();
            for _ in 0..=chance.below(3) {
                let at = chance.below(bytes.len());
                bytes[at] = chance.below(256) as u8;
            }
            refused += usize::from(files(&bytes).is_err());
        }
        assert!(refused > 10_000, "{refused}");
        // A bomb says a small size, or a large one.
        let mut bomb = zip(&[("a", b"x"), ("b", &vec![0; 100_000])]);
        let size = 100_000_u32.to_le_bytes();
        let places: Vec<usize> = (0..bomb.len() - 4).filter(|&at| bomb[at..at + 4] == size).collect();
        for at in places {
            bomb[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
        }
        assert!(files(&bomb).is_err());
    }
}

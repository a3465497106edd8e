//! Where bytes come from: a file or standard input, decompressed, with its kind told by its first bytes.

use crate::encoding::{Encoding, Latin1};
use crate::error::{Error, Result};
use crate::zstd_decoder::Unpacked;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// The bytes of one input, decompressed.
pub(crate) struct Source {
    /// The name for messages.
    pub(crate) name: String,
    /// How the bytes were packed, for the note on what was detected: `""` or `"gzip, "` or `"zstd, "`.
    pub(crate) packing: &'static str,
    /// The bytes, without a byte order mark.
    pub(crate) reader: Box<dyn BufRead>,
}

/// How many bytes are looked at to tell what something is.
const PEEK: usize = 1 << 18;

impl Source {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &str) -> Result<Self> {
        let (name, raw): (String, Box<dyn Read>) = if path == "-" {
            ("standard input".to_owned(), Box::new(io::stdin()))
        } else {
            let file = File::open(path).map_err(|e| Error::io(path, 0, e))?;
            if file.metadata().is_ok_and(|m| m.is_dir()) {
                return Err(Error::file(path, "is a directory, not a file"));
            }
            (path.to_owned(), Box::new(file))
        };
        Self::new(name, raw)
    }

    /// Wraps any bytes.
    pub(crate) fn new(name: String, raw: Box<dyn Read>) -> Result<Self> {
        let (head, raw) = peek(&name, raw)?;
        let (packing, plain): (_, Box<dyn Read>) = match head.as_slice() {
            [0x1f, 0x8b, ..] => {
                ("gzip, ", Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(PEEK, raw))))
            }
            [0x28, 0xb5, 0x2f, 0xfd, ..] => ("zstd, ", Box::new(Unpacked::new(raw))),
            [b'P', b'K', 3, 4, ..] if is_workbook(&name, &head) => {
                return Err(Error::file(&name, "is a spreadsheet (xlsx or ods): open it and save it as CSV (UTF-8)"));
            }
            [0xd0, 0xcf, 0x11, 0xe0, ..] => {
                return Err(Error::file(&name, "is an old spreadsheet (xls): open it and save it as CSV (UTF-8)"));
            }
            [b'P', b'K', 3, 4, ..] => return Err(Error::file(&name, "is a zip archive: unpack it first")),
            [b'%', b'P', b'D', b'F', ..] => {
                return Err(Error::file(
                    &name,
                    "is a PDF: copy its table into a spreadsheet and save that as CSV (UTF-8)",
                ));
            }
            [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => {
                return Err(Error::file(
                    &name,
                    "is a picture: type its table into a spreadsheet and save that as CSV (UTF-8)",
                ));
            }
            [b'B', b'Z', b'h', ..] => {
                return Err(Error::file(&name, "is packed with bzip2: unpack it first (bunzip2)"));
            }
            [0xfd, b'7', b'z', b'X', b'Z', ..] => {
                return Err(Error::file(&name, "is packed with xz: unpack it first (unxz)"));
            }
            _ => ("", raw),
        };
        let (head, mut plain) = if packing.is_empty() { (head, plain) } else { peek(&name, plain)? };
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(Error::file(&name, "is written in UTF-16: convert it (iconv -f UTF-16 -t UTF-8)"));
        }
        if head.starts_with(&[0xef, 0xbb, 0xbf]) {
            // The byte order mark; it was read already, so these three bytes are there.
            plain.read_exact(&mut [0; 3]).map_err(|e| Error::io(&name, 0, e))?;
        }
        Ok(Self { name, packing, reader: Box::new(BufReader::with_capacity(PEEK, plain)) })
    }

    /// The same letters in UTF-8.
    pub(crate) fn decoded(self, encoding: Encoding) -> Self {
        match encoding {
            Encoding::Utf8 => self,
            Encoding::Latin1 => {
                Self { reader: Box::new(BufReader::with_capacity(PEEK, Latin1::new(self.reader))), ..self }
            }
        }
    }

    /// The first bytes, which stay to be read. Empty at the end of the input.
    pub(crate) fn head(&mut self) -> Result<&[u8]> {
        self.reader.fill_buf().map_err(|e| Error::io(&self.name, 0, e))
    }

    /// A source of its own of the first bytes, which stay to be read, and whether there may be more than those.
    pub(crate) fn beginning(&mut self) -> Result<(Self, bool)> {
        let bytes = self.head()?.to_vec();
        let cut = bytes.len() + 3 >= PEEK;
        Ok((Self { name: self.name.clone(), packing: self.packing, reader: Box::new(Cursor::new(bytes)) }, cut))
    }
}

/// Whether a zip archive is a spreadsheet: it is called so, or its first entry is or says so.
fn is_workbook(name: &str, head: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    if [".xlsx", ".xlsm", ".ods"].iter().any(|ending| name.ends_with(ending)) {
        return true;
    }
    let contains = |what: &[u8]| head.windows(what.len()).any(|window| window == what);
    contains(b"[Content_Types].xml") || contains(b"xl/") || contains(b"opendocument.spreadsheet")
}

/// Reads up to [`PEEK`] bytes and puts them back in front, whatever sizes a pipe hands them over in.
fn peek(name: &str, mut raw: Box<dyn Read>) -> Result<(Vec<u8>, Box<dyn Read>)> {
    let mut head = Vec::new();
    raw.by_ref().take(PEEK as u64).read_to_end(&mut head).map_err(|e| Error::io(name, 0, e))?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(raw))))
}

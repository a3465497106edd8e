//! How letters are written as bytes: UTF-8, or one byte a letter as older programs do.

use std::io::{self, BufRead, Read};

/// How the letters of a file are written as bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a mark at the beginning.
    #[default]
    Utf8,
    /// Latin-1, with the quotation marks and dashes that Windows puts where it has none (Windows-1252).
    Latin1,
}

/// What is said of files that hold no text in any encoding.
pub(crate) const NOT_TEXT: &str = "this is no text, it has NUL or control bytes: the file is a picture, a program or \
    damaged; votes are read from CSV, JSON and the like";

/// What is said of bytes that are not UTF-8.
pub(crate) const NOT_UTF8: &str = "is not valid UTF-8: say --encoding latin1 if a spreadsheet or an older program \
                                   wrote it, or convert the file (iconv)";

/// The letters of the bytes from 0x80 to 0x9F in Windows-1252; where it has none, Latin-1's own, which cannot be seen.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Bytes of Latin-1, read as UTF-8.
pub(crate) struct Latin1<R> {
    inner: R,
    /// What was translated, and how much of it was handed over.
    text: String,
    read: usize,
}

impl<R> Latin1<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, text: String::new(), read: 0 }
    }
}

impl<R: BufRead> Read for Latin1<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.text.len() {
            let letter = |&byte: &u8| match byte {
                0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
                other => char::from(other),
            };
            let bytes = self.inner.fill_buf()?;
            self.text = bytes.iter().map(letter).collect();
            self.read = 0;
            let consumed = bytes.len();
            self.inner.consume(consumed);
        }
        let ready = &self.text.as_bytes()[self.read..];
        let length = ready.len().min(buffer.len());
        buffer[..length].copy_from_slice(&ready[..length]);
        self.read += length;
        Ok(length)
    }
}

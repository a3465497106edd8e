//! JSON objects of any length and layout, found by counting brackets outside strings.

use crate::error::{Error, Result};
use crate::limit::{LONGEST_ROW, too_long};
use std::io::BufRead;

/// What the objects stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// An array, with commas between them.
    Array,
    /// The file itself, with nothing but white space between them.
    File,
}

/// What may come next outside an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The bracket that opens the array.
    Open,
    /// The first object of the array, or its end.
    First,
    /// A further object of the array.
    Object,
    /// A comma, or the end of the array.
    Separator,
    /// Nothing: the array is closed.
    End,
}

/// Finds one object after the other.
pub(super) struct Elements {
    within: Within,
    next: Next,
    /// The line that has been reached.
    line: u64,
}

/// Where the scan of an element stands.
#[derive(Default)]
struct Scan {
    depth: u32,
    in_string: bool,
    escaped: bool,
    scalar: bool,
}

impl Scan {
    /// Takes in a byte of the element; `true` if it is its last one.
    fn ends(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        self.scalar = self.depth == 0;
        false
    }
}

impl Elements {
    pub(super) fn new(within: Within) -> Self {
        let next = if within == Within::Array { Next::Open } else { Next::Object };
        Self { within, next, line: 1 }
    }

    pub(super) fn within(&self) -> Within {
        self.within
    }

    /// Copies the next element into `row`: whether there was one, and the line on which it begins.
    pub(super) fn next(&mut self, file: &str, reader: &mut dyn BufRead, row: &mut Vec<u8>) -> Result<(bool, u64)> {
        row.clear();
        let mut begins = self.line;
        let mut scan = Scan::default();
        loop {
            let buffer = reader.fill_buf().map_err(|e| Error::io(file, self.line, e))?;
            if buffer.is_empty() {
                return self.at_end(file, row, begins);
            }
            let (mut used, mut complete) = (0, false);
            for &byte in buffer {
                if row.is_empty() {
                    used += 1;
                    self.line += u64::from(byte == b'\n');
                    if byte.is_ascii_whitespace() || !self.starts(file, byte)? {
                        continue;
                    }
                    begins = self.line;
                } else {
                    // A scalar in place of an object ends where something else begins; the parser will refuse it.
                    if scan.scalar && !scan.in_string && (matches!(byte, b',' | b']') || byte.is_ascii_whitespace()) {
                        complete = true;
                        break;
                    }
                    used += 1;
                    self.line += u64::from(byte == b'\n');
                }
                row.push(byte);
                if scan.ends(byte) {
                    complete = true;
                    break;
                }
            }
            reader.consume(used);
            if row.len() > LONGEST_ROW {
                return Err(too_long(file, begins));
            }
            if complete {
                self.next = if self.within == Within::Array { Next::Separator } else { Next::Object };
                return Ok((true, begins));
            }
        }
    }

    /// Takes in a byte between elements; `true` if it is the first of one.
    fn starts(&mut self, file: &str, byte: u8) -> Result<bool> {
        self.next = match (self.next, byte) {
            (Next::Open, b'[') => Next::First,
            (Next::First | Next::Separator, b']') => Next::End,
            (Next::Separator, b',') => Next::Object,
            (Next::First | Next::Object, _) if byte != b']' || self.within == Within::File => return Ok(true),
            (next, _) => {
                let what = match next {
                    Next::End => {
                        "there is something after the bracket that ends the array: put it inside, or take it away"
                    }
                    Next::Object => "a comma, and no object between it and the bracket that ends the array",
                    _ => "a comma is missing between two objects of the array",
                };
                return Err(Error::file(file, format!("line {}: {what}", self.line)));
            }
        };
        Ok(false)
    }

    fn at_end(&self, file: &str, row: &[u8], begins: u64) -> Result<(bool, u64)> {
        let whole = row.is_empty() && (self.within == Within::File || self.next == Next::End);
        if whole {
            return Ok((false, begins));
        }
        let what = if self.within == Within::Array { "array" } else { "object" };
        Err(Error::file(
            file,
            format!("the JSON {what} ends too early, after line {}: the file is truncated", self.line),
        ))
    }
}

/// Whether the first object goes on beyond its first line, and another line of it can be seen.
pub(super) fn is_spread_over_lines(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let Some(end) = head.iter().position(|&b| b == b'\n') else { return false };
    let mut scan = Scan::default();
    head.first() == Some(&b'{')
        && !head[..end].iter().any(|&byte| scan.ends(byte))
        && !scan.in_string
        && !head[end..].trim_ascii_start().starts_with(b"{")
}

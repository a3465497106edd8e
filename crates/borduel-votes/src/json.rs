//! One JSON object a line, or one array of objects.

mod flat;

use crate::error::{Error, Result, RowError};
use crate::source::Source;
use crate::table::{Table, check_header, trim};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

/// The longest row that is read: longer ones are a file of another kind.
const LONGEST_ROW: usize = 1 << 28;

/// A table of JSON objects; its columns are the keys of the first one.
pub(crate) struct Json {
    file: String,
    packing: &'static str,
    reader: Box<dyn BufRead>,
    array: bool,
    /// Whether the bracket that ends the array was seen.
    closed: bool,
    columns: Vec<String>,
    wanted: Vec<String>,
    /// Room for [`Pick::seen`].
    seen: Vec<bool>,
    /// The bytes of the current row, without what follows it.
    row: Vec<u8>,
    pending: bool,
    /// The line on which the current row begins, and the line the reader has reached.
    line: u64,
    reached: u64,
}

impl Json {
    /// Reads the first object, for its keys.
    pub(crate) fn open(mut source: Source) -> Result<Self> {
        let array = source.head()?.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[');
        let mut table = Self {
            file: source.name,
            packing: source.packing,
            reader: source.reader,
            array,
            closed: false,
            columns: Vec::new(),
            wanted: Vec::new(),
            seen: Vec::new(),
            row: Vec::new(),
            pending: true,
            line: 0,
            reached: 1,
        };
        if !table.read_row()? {
            return Err(Error::file(&table.file, "holds no objects"));
        }
        let keys: Keys = serde_json::from_slice(&table.row).map_err(|e| table.error(None, None, &not_an_object(&e)))?;
        table.columns = keys.0;
        check_header(&table.file, &table.columns)?;
        Ok(table)
    }

    /// Reads the bytes of the next object: a line, or an element of the array.
    fn read_row(&mut self) -> Result<bool> {
        if self.array {
            return self.read_element();
        }
        loop {
            self.row.clear();
            let limit = LONGEST_ROW as u64;
            let mut limited = std::io::Read::take(&mut self.reader, limit);
            let read = limited.read_until(b'\n', &mut self.row).map_err(|e| Error::io(&self.file, self.reached, e))?;
            if read == 0 {
                return Ok(false);
            }
            self.line = self.reached;
            self.reached += 1;
            self.check_length()?;
            if !self.row.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    fn check_length(&self) -> Result<()> {
        if self.row.len() >= LONGEST_ROW {
            return Err(Error::file(
                &self.file,
                format!("line {} is longer than 256 MiB: is it the right file?", self.line),
            ));
        }
        Ok(())
    }

    /// Copies the next element of the array, found by counting brackets outside strings.
    fn read_element(&mut self) -> Result<bool> {
        self.row.clear();
        let (mut depth, mut in_string, mut escaped) = (0_u32, false, false);
        loop {
            let buffer = self.reader.fill_buf().map_err(|e| Error::io(&self.file, self.reached, e))?;
            if buffer.is_empty() {
                if self.row.is_empty() && self.closed {
                    return Ok(false);
                }
                return Err(Error::file(
                    &self.file,
                    format!("the JSON array ends too early, after line {}: the file is truncated", self.line),
                ));
            }
            let mut used = 0;
            let mut complete = false;
            for &byte in buffer {
                used += 1;
                if byte == b'\n' {
                    self.reached += 1;
                }
                // Between elements: brackets of the array itself, commas, white space.
                if depth == 0 && self.row.is_empty() {
                    self.closed |= byte == b']';
                    if byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b',') {
                        continue;
                    }
                    self.line = self.reached;
                }
                // A scalar in place of an object ends at the next comma or bracket; the parser will refuse it.
                if depth == 0 && !in_string && matches!(byte, b',' | b']') {
                    self.closed |= byte == b']';
                    complete = true;
                    break;
                }
                self.row.push(byte);
                if in_string {
                    match byte {
                        _ if escaped => escaped = false,
                        b'\\' => escaped = true,
                        b'"' => in_string = false,
                        _ => {}
                    }
                } else {
                    match byte {
                        b'"' => in_string = true,
                        b'{' | b'[' => depth += 1,
                        b'}' | b']' => {
                            depth = depth.saturating_sub(1);
                            complete = depth == 0;
                        }
                        _ => {}
                    }
                }
                if complete {
                    break;
                }
            }
            self.reader.consume(used);
            self.check_length()?;
            if complete {
                return Ok(true);
            }
        }
    }

    fn error(&self, column: Option<&str>, value: Option<String>, what: &str) -> Error {
        let column = column.map(|name| (0, name.to_owned()));
        Error::Row(Box::new(RowError {
            file: self.file.clone(),
            line: self.line,
            column,
            value,
            what: what.to_owned(),
        }))
    }
}

impl Table for Json {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn kind(&self) -> String {
        format!("{}{}", self.packing, if self.array { "JSON array" } else { "JSON lines" })
    }

    fn numbered(&self) -> bool {
        false
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.iter().map(|&column| self.columns[column].clone()).collect();
        self.seen = vec![false; wanted.len()];
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        if !std::mem::take(&mut self.pending) && !self.read_row()? {
            return Ok(false);
        }
        let text = match std::str::from_utf8(&self.row) {
            Ok(text) => text,
            Err(error) => {
                let what = format!("the byte 0x{:02X} is not valid UTF-8", self.row[error.valid_up_to()]);
                return Err(self.error(None, None, &what));
            }
        };
        fields.iter_mut().for_each(String::clear);
        if flat::pick(text, &self.wanted, fields, &mut self.seen) {
            return Ok(true);
        }
        fields.iter_mut().for_each(String::clear);
        self.seen.fill(false);
        let mut fault = None;
        // From text rather than bytes: the parser then need not check every string again.
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let visitor = Pick { wanted: &self.wanted, fields, seen: &mut self.seen, fault: &mut fault };
        let parsed = deserializer.deserialize_map(visitor).and_then(|()| deserializer.end());
        parsed.map_err(|e| self.error(None, None, &not_an_object(&e)))?;
        if let Some((index, what)) = fault {
            return Err(self.error(Some(&self.wanted[index]), None, what));
        }
        if let Some(index) = fields.iter().position(|field| field.contains('\0')) {
            return Err(self.error(Some(&self.wanted[index]), None, "a NUL byte: the file is damaged"));
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn raw(&self) -> String {
        String::from_utf8_lossy(&self.row).trim_end().to_owned()
    }
}

fn not_an_object(error: &serde_json::Error) -> String {
    format!("not a JSON object ({error}): one object a line, or one array of objects, is expected")
}

/// The keys of an object, in their order.
struct Keys(Vec<String>);

impl<'de> serde::Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Keys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry::<String, _>()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// Writes the wanted values of an object into their fields and skips everything else.
struct Pick<'a> {
    wanted: &'a [String],
    fields: &'a mut [String],
    /// Which of them this object has given already.
    seen: &'a mut [bool],
    /// A field that does not hold one value, and why.
    fault: &'a mut Option<(usize, &'static str)>,
}

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let Some(index) = self.wanted.iter().position(|name| *name == key.0) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if map.next_value_seed(Scalar(&mut self.fields[index]))? == Kind::Nested {
                *self.fault = Some((index, "holds a list or an object, not one value"));
            }
            if std::mem::replace(&mut self.seen[index], true) {
                *self.fault = Some((index, "is given twice in one object"));
            }
        }
        Ok(())
    }
}

/// A key, borrowed from the input where it has no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Borrow;
        impl<'de> Visitor<'de> for Borrow {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> std::result::Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> std::result::Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrow)
    }
}

/// Whether a value was one thing or a collection of things.
#[derive(PartialEq)]
enum Kind {
    Scalar,
    Nested,
}

/// Appends the text of a string, number or truth value to a field; nothing for `null`.
struct Scalar<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Scalar<'_> {
    type Value = Kind;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Kind, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Scalar<'_> {
    fn write<E: serde::de::Error>(self, value: fmt::Arguments<'_>) -> std::result::Result<Kind, E> {
        fmt::Write::write_fmt(self.0, value).map_err(E::custom)?;
        Ok(Kind::Scalar)
    }
}

impl<'de> Visitor<'de> for Scalar<'_> {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Kind, E> {
        self.0.push_str(trim(text));
        Ok(Kind::Scalar)
    }

    fn visit_unit<E>(self) -> std::result::Result<Kind, E> {
        Ok(Kind::Scalar)
    }

    fn visit_bool<E: serde::de::Error>(self, flag: bool) -> std::result::Result<Kind, E> {
        self.write(format_args!("{flag}"))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> std::result::Result<Kind, E> {
        self.write(format_args!("{number}"))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> std::result::Result<Kind, E> {
        self.write(format_args!("{number}"))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> std::result::Result<Kind, E> {
        // With its point, so that 1.0 stays what it is in the file.
        self.write(format_args!("{number:?}"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Kind, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Kind::Nested)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Kind, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Kind::Nested)
    }
}

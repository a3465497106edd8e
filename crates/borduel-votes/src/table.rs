//! Rows of named columns, whatever file they come from.

use crate::encoding::Encoding;
use crate::error::{Error, Result};

/// A stream of rows, of which some columns are wanted.
pub(crate) trait Table {
    /// The names of all columns.
    fn columns(&self) -> &[String];
    /// What the table is, for the note on what was detected, such as `CSV (comma)`.
    fn kind(&self) -> String;
    /// Whether columns have an order, so that a column's number means something.
    fn numbered(&self) -> bool;
    /// Chooses the columns that [`Table::next`] will hand over, in this order.
    fn select(&mut self, wanted: &[usize]);
    /// Writes the wanted fields of the next row, empty where there is none; `false` at the end. After an [`Error::Row`]
    /// the next row can be asked for.
    fn next(&mut self, fields: &mut [String]) -> Result<bool>;
    /// The line on which the current row begins.
    fn line(&self) -> u64;
    /// The current row as it stands in the file, as far as that is known.
    fn raw(&self) -> String;
    /// How many rows the current one stands for: itself, and later ones like it that are not handed over again.
    fn times(&self) -> u64 {
        1
    }
}

/// How a table is to be opened.
#[derive(Clone, Debug, Default)]
pub struct TableOptions {
    /// The character between the fields of a row; found out when not given.
    pub delimiter: Option<char>,
    /// Whether the first row is data already; columns are then named `1`, `2`, ….
    pub no_header: bool,
    /// Whether rows that are not understood are set aside rather than stop the program.
    pub lenient: bool,
    /// How letters are written as bytes.
    pub encoding: Encoding,
}

/// The most columns a table may have: more is a mistake in the file, not a table.
pub(crate) const MOST_COLUMNS: usize = 10_000;

/// A column's name reduced to what matters when names are compared: lower case, with `_` between words.
pub(crate) fn normal(name: &str) -> String {
    name.trim().chars().map(|c| if matches!(c, ' ' | '-' | '.') { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// A value without the white space around it. Nearly all values have none, which two letters tell.
pub(crate) fn trim(value: &str) -> &str {
    match value.as_bytes() {
        [] | [b'!'..=b'~'] | [b'!'..=b'~', .., b'!'..=b'~'] => value,
        _ => value.trim(),
    }
}

/// A number, which may have a decimal comma, the typesetter's minus, or a half (`1½`). `1,234` is none: it may be a
/// thousand and more.
pub(crate) fn decimal(value: &str) -> Option<f64> {
    value.parse().ok().or_else(|| {
        if let Some(whole) = value.strip_suffix('½') {
            let whole = if whole.is_empty() { Some(0) } else { whole.parse::<u32>().ok() };
            return whole.map(|whole| f64::from(whole) + 0.5);
        }
        if let Some(rest) = value.strip_prefix('\u{2212}') {
            return decimal(rest).filter(|x| x.is_sign_positive()).map(|x| -x);
        }
        let (whole, part) = value.split_once(',')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let whole = whole.strip_prefix('-').unwrap_or(whole);
        let thousands = part.len() == 3 && whole != "0";
        (digits(whole) && digits(part) && !thousands).then(|| value.replace(',', ".").parse().ok())?
    })
}

/// Whether numbers that add up to these sums are shares or percents, with the fractions that counts do not have.
pub(crate) fn are_shares(mut sums: impl Iterator<Item = f64>, mut parts: impl Iterator<Item = f64>) -> bool {
    let broken = parts.any(|x| x.fract() != 0.0 && x.fract() != 0.5);
    let whole = |sum: f64| (sum - 1.0).abs() < 0.002 || (sum - 100.0).abs() < 0.2;
    broken && sums.all(whole)
}

/// What stands in brackets at the end of a name, as forms call the columns of one question: `Which is better? [ash vs
/// birch]`.
pub(crate) fn bracketed(name: &str) -> Option<&str> {
    let (_, inner) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some(inner.trim()).filter(|inner| !inner.is_empty())
}

/// Refuses a header that no table has.
pub(crate) fn check_header(file: &str, columns: &[String]) -> Result<()> {
    if columns.len() > MOST_COLUMNS {
        let what = format!(
            "has {} columns, more than the {MOST_COLUMNS} any table needs: is it the right file?",
            columns.len()
        );
        return Err(Error::file(file, what));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_a_decimal_comma() {
        for (text, number) in
            [("1.5", 1.5), ("−1", -1.0), ("0,5", 0.5), ("-1,25", -1.25), ("0,125", 0.125), ("1e3", 1000.0), ("½", 0.5)]
        {
            assert_eq!(decimal(text), Some(number), "{text}");
        }
        for text in ["−-1", "1,234", "1,", ",5", "1,2,3", "a,b", "", "1.5,2", "-½", "x½"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}

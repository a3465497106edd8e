//! The library's errors as Python's: `ValueError`s with the same sentences, and what they are about as attributes.

use borduel_lab::Failure;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    borduel,
    Error,
    PyValueError,
    "What was wrong with an input: found what, where, and what would be right; ``name``, ``value``, ``remedy``, \
     ``file``, ``row`` and ``column`` say so where they are known, and are None otherwise."
);
create_exception!(borduel, SettingError, Error, "A setting makes no sense: see ``name``, ``value`` and ``remedy``.");
create_exception!(
    borduel,
    UnknownNameError,
    SettingError,
    "A name that is not on the list; ``suggestion`` is the nearest one, or None."
);
create_exception!(
    borduel,
    DataError,
    Error,
    "Data cannot be used; ``file``, ``row``, ``column`` and ``value`` say where, or are None."
);
create_exception!(borduel, VersionError, Error, "Something was saved in another version of its format.");
create_exception!(borduel, OtherProblemError, Error, "A saved state belongs to another problem.");
create_exception!(
    borduel,
    ProposalError,
    Error,
    "A question was answered or cancelled before, or was asked by another policy."
);

/// What an answer means, by the flag that says it on the command line.
const WORDS: [(&str, &str); 5] = [
    ("left-value", "left"),
    ("right-value", "right"),
    ("tie-value", "tie"),
    ("both-bad-value", "both bad"),
    ("skip-value", "skip"),
];

/// Words that flags take.
const VALUES: [&str; 24] = [
    "none",
    "names",
    "items",
    "sides",
    "unit",
    "zero-one",
    "one-two",
    "signed",
    "score",
    "margin",
    "pairs",
    "matrix",
    "ranks",
    "ratings",
    "places",
    "ballots",
    "long-ranks",
    "long-ratings",
    "contests",
    "best-worst",
    "choices",
    "latin1",
    "half",
    "drop",
];

/// Flags without a value.
const SWITCHES: [&str; 4] = ["no-header", "lenient", "fold-names", "transpose"];

/// A text of the command line, with Python's keywords in the place of flags: `--answer-scale margin` is
/// `answer_scale="margin"`, and
/// `--left-value "A"` is `words={"A": "left"}`.
pub(crate) fn pythonic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, flag) = (&rest[..at], &rest[at + 2..]);
        let name =
            flag.split(|c: char| !(c.is_ascii_lowercase() || c == '-')).next().unwrap_or("").trim_end_matches('-');
        out += before;
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || before.ends_with(|c: char| c.is_alphanumeric()) {
            out += "--";
            rest = flag;
            continue;
        }
        rest = &flag[name.len()..];
        let value = value(rest);
        let keyword = name.replace('-', "_");
        if let Some((_, meaning)) = WORDS.iter().find(|(word, _)| *word == name) {
            out += &format!("words={{{}: \"{meaning}\"}}", value.as_ref().map_or("…", |(quoted, _)| quoted));
        } else if SWITCHES.contains(&name) {
            out += &format!("{keyword}=True");
        } else {
            out += &keyword;
            out.extend(value.iter().map(|(quoted, _)| format!("={quoted}")));
        }
        rest = value.map_or(rest, |(_, length)| &rest[length..]);
    }
    let mut text = out + rest;
    for between in ["}, words={", "} and words={", "} words={"] {
        text = text.replace(between, ", ");
    }
    text.replace(" (Features::standardised does)", ": (x - x.mean(0)) / x.std(0)")
}

/// The value behind a flag, in quotation marks, and how long it is with the space before it.
fn value(rest: &str) -> Option<(String, usize)> {
    let behind = rest.strip_prefix(' ')?;
    if let Some(quoted) = behind.strip_prefix('"') {
        let end = quoted.find('"')?;
        return Some((behind[..end + 2].to_owned(), end + 3));
    }
    let word = behind.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')).next()?;
    VALUES.contains(&word).then(|| (format!("\"{word}\""), word.len() + 1))
}

/// An error with attributes.
fn with<T: for<'py> IntoPyObject<'py>>(error: PyErr, attributes: Vec<(&str, T)>) -> PyErr {
    Python::attach(|py| {
        for (name, value) in attributes {
            // An exception takes any attribute; if it does not, its message still says everything.
            let _ = error.value(py).setattr(name, value);
        }
    });
    error
}

/// An error of the library.
pub(crate) fn core(error: &borduel::Error) -> PyErr {
    use borduel::Error as E;
    let text = pythonic(&error.to_string());
    match error {
        E::Setting { name, value, remedy } => {
            let (value, remedy) = (value.clone(), pythonic(remedy));
            with(SettingError::new_err(text), vec![("name", (*name).to_owned()), ("value", value), ("remedy", remedy)])
        }
        E::Unknown { kind, name, suggestion, .. } => {
            let suggestion = suggestion.split('"').nth(1).map(str::to_owned);
            let remedy = text.split_once("; ").map_or("", |(_, remedy)| remedy).to_owned();
            let error = UnknownNameError::new_err(text);
            let error = with(error, vec![("name", (*kind).to_owned()), ("value", name.clone()), ("remedy", remedy)]);
            with(error, vec![("suggestion", suggestion)])
        }
        E::Version { .. } => VersionError::new_err(text),
        E::OtherProblem { .. } => OtherProblemError::new_err(text),
        E::UsedTicket { .. } | E::ForeignTicket { .. } | E::UnknownTicket { .. } => ProposalError::new_err(text),
        _ => place_of(DataError::new_err(text), None, None, None, None),
    }
}

/// A setting that makes no sense.
pub(crate) fn setting(name: &str, value: &str, remedy: &str) -> PyErr {
    let error = SettingError::new_err(format!("{name} = {value}: {remedy}"));
    with(error, vec![("name", name), ("value", value), ("remedy", remedy)])
}

/// A setting that makes no sense, in words that begin with its name, where they do.
pub(crate) fn setting_in_words(text: &str) -> PyErr {
    let text = pythonic(text);
    let parts = text.split_once(": ").and_then(|(what, remedy)| what.split_once(" = ").map(|what| (what, remedy)));
    let error = SettingError::new_err(text.clone());
    match parts {
        Some(((name, value), remedy)) => with(error, vec![("name", name), ("value", value), ("remedy", remedy)]),
        None => with(error, vec![("remedy", text)]),
    }
}

/// The same of a setting whose name and value are known otherwise, if they are. A name that is not known is refused as
/// such.
pub(crate) fn of_setting(text: &str, wrong: Option<(String, String)>) -> PyErr {
    let Some((name, value)) = wrong else { return setting_in_words(text) };
    let text = pythonic(text);
    let suggestion = text.split_once("did you mean \"").and_then(|(_, rest)| rest.split('"').next()).map(str::to_owned);
    let is_unknown = text.contains("unknown key") || text.contains("unknown name");
    let error = if is_unknown { UnknownNameError::new_err(text.clone()) } else { SettingError::new_err(text.clone()) };
    let error = with(error, vec![("name", name), ("value", value.trim_matches('"').to_owned()), ("remedy", text)]);
    if is_unknown { with(error, vec![("suggestion", suggestion)]) } else { error }
}

/// The attributes that every exception has, whoever raises it, so that whoever catches any of them may look.
pub(crate) fn declare(py: Python<'_>) -> PyResult<()> {
    let none = py.None();
    for name in ["name", "value", "remedy", "file", "row", "column"] {
        py.get_type::<Error>().setattr(name, &none)?;
    }
    py.get_type::<UnknownNameError>().setattr("suggestion", &none)
}

/// Data that cannot be used.
pub(crate) fn data(text: &str) -> PyErr {
    place_of(DataError::new_err(pythonic(text)), None, None, None, None)
}

fn place_of(
    error: PyErr,
    file: Option<String>,
    row: Option<u64>,
    column: Option<String>,
    value: Option<String>,
) -> PyErr {
    let error = with(error, vec![("file", file), ("column", column), ("value", value)]);
    with(error, vec![("row", row)])
}

/// An error of reading votes that somebody holds: rows are counted from 0, as everywhere in Python, where the file that
/// they would be has so many lines before them.
pub(crate) fn votes_held(error: &borduel_votes::Error, before: u64) -> PyErr {
    let borduel_votes::Error::Row(row) = error else { return votes(error) };
    let index = row.line.saturating_sub(before);
    let (line, index_text) = (format!("{}, line {}", row.file, row.line), format!("{}, row {index}", row.file));
    let text = pythonic(&error.to_string().replacen(&line, &index_text, 1));
    let column = row.column.as_ref().map(|(_, name)| name.clone());
    place_of(DataError::new_err(text), Some(row.file.clone()), Some(index), column, row.value.clone())
}

/// An error of reading files of votes.
pub(crate) fn votes(error: &borduel_votes::Error) -> PyErr {
    use borduel_votes::Error as E;
    use std::io::ErrorKind;
    let text = pythonic(&error.to_string());
    match error {
        E::Io { source, file, .. } => match (source.kind(), source.raw_os_error()) {
            // Damaged or truncated data are the data's fault, not the disk's.
            (ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof, _) => data(&text),
            // Python chooses the kind by the number: FileNotFoundError, PermissionError and so on.
            (_, Some(number)) => Python::attach(|py| {
                let why = py.import("os").and_then(|os| os.call_method1("strerror", (number,))?.extract::<String>());
                PyOSError::new_err((number, why.unwrap_or(text), file.clone()))
            }),
            _ => PyOSError::new_err(text),
        },
        E::Row(row) => {
            let column = row.column.as_ref().map(|(_, name)| name.clone());
            place_of(DataError::new_err(text), Some(row.file.clone()), Some(row.line), column, row.value.clone())
        }
        E::File { file, .. } => place_of(DataError::new_err(text), Some(file.clone()), None, None, None),
        _ => data(&text),
    }
}

/// A failure of the command's library.
pub(crate) fn failure(failure: &Failure) -> PyErr {
    let text = pythonic(&failure.to_string());
    match failure {
        Failure::Usage(_) => setting_in_words(&text),
        Failure::Data(_) => data(&text),
        Failure::Interrupted(_) => PyKeyboardInterrupt::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

//! The library's errors as Python's: `ValueError`s with the same sentences, and what they are about as attributes.

use borduel_cli::Failure;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    borduel,
    Error,
    PyValueError,
    "What was wrong with an input: found what, where, and what would be right."
);
create_exception!(borduel, SettingError, Error, "A setting makes no sense: see ``name``, ``value`` and ``remedy``.");
create_exception!(
    borduel,
    UnknownName,
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
create_exception!(borduel, OtherFeatures, Error, "A saved state belongs to another problem.");
create_exception!(
    borduel,
    AlreadyAnswered,
    Error,
    "A question was answered or cancelled before, or was asked by another policy."
);

/// A text of the command line, with Python's names in the place of flags: `--most-per-pair` is `most_per_pair`.
fn pythonic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, flag) = rest.split_at(at);
        let name = flag[2..].split(|c: char| !(c.is_ascii_lowercase() || c == '-')).next().unwrap_or("");
        let is_flag =
            name.starts_with(|c: char| c.is_ascii_lowercase()) && !before.ends_with(|c: char| c.is_alphanumeric());
        out += before;
        if is_flag {
            out += &name.trim_end_matches('-').replace('-', "_");
            rest = &flag[2 + name.trim_end_matches('-').len()..];
        } else {
            out += "--";
            rest = &flag[2..];
        }
    }
    out + rest
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
            let error = with(UnknownName::new_err(text), vec![("name", *kind), ("value", name)]);
            with(error, vec![("suggestion", suggestion)])
        }
        E::Version { .. } => VersionError::new_err(text),
        E::OtherProblem { .. } => OtherFeatures::new_err(text),
        E::UsedTicket { .. } | E::ForeignTicket { .. } | E::UnknownTicket { .. } => AlreadyAnswered::new_err(text),
        _ => place(DataError::new_err(text), None, None, None, None),
    }
}

/// A setting that makes no sense.
pub(crate) fn setting(name: &str, value: &str, remedy: &str) -> PyErr {
    let error = SettingError::new_err(format!("{name} = {value}: {remedy}"));
    with(error, vec![("name", name), ("value", value), ("remedy", remedy)])
}

/// Data that cannot be used.
pub(crate) fn data(text: &str) -> PyErr {
    place(DataError::new_err(pythonic(text)), None, None, None, None)
}

fn place(error: PyErr, file: Option<String>, row: Option<u64>, column: Option<String>, value: Option<String>) -> PyErr {
    let error = with(error, vec![("file", file), ("column", column), ("value", value)]);
    with(error, vec![("row", row)])
}

/// An error of reading votes.
pub(crate) fn votes(error: &borduel_votes::Error) -> PyErr {
    use borduel_votes::Error as E;
    use std::io::ErrorKind;
    let text = pythonic(&error.to_string());
    match error {
        E::Io { source, .. } => match source.kind() {
            ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
            ErrorKind::PermissionDenied => PyPermissionError::new_err(text),
            // Damaged or truncated data are the data's fault, not the disk's.
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof => data(&text),
            _ => PyOSError::new_err(text),
        },
        E::Row(row) => {
            let column = row.column.as_ref().map(|(_, name)| name.clone());
            place(DataError::new_err(text), Some(row.file.clone()), Some(row.line), column, row.value.clone())
        }
        E::File { file, .. } => place(DataError::new_err(text), Some(file.clone()), None, None, None),
        _ => data(&text),
    }
}

/// A failure of the command's library.
pub(crate) fn failure(failure: &Failure) -> PyErr {
    let text = pythonic(&failure.to_string());
    match failure {
        Failure::Usage(_) => SettingError::new_err(text),
        Failure::Data(_) => data(&text),
        Failure::Interrupted(_) => PyKeyboardInterrupt::new_err(text),
        _ => PyRuntimeError::new_err(text),
    }
}

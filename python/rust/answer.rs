//! What people and programs answer, as outcomes.

use crate::errors;
use borduel::Outcome;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

/// What an answer means.
#[inline]
pub(crate) fn outcome(answer: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    if let Ok(won) = answer.cast::<PyBool>() {
        return Ok(Outcome::from_win(won.is_true()));
    }
    if let Ok(word) = answer.cast::<PyString>() {
        return match &*word.to_cow()? {
            "left" => Ok(Outcome::Win),
            "right" => Ok(Outcome::Loss),
            "tie" => Ok(Outcome::Tie),
            other => Err(errors::setting("outcome", other, "must be \"left\", \"right\" or \"tie\"")),
        };
    }
    let number = answer.extract::<f64>().map_err(|_| {
        let found = answer.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
        PyTypeError::new_err(format!(
            "an outcome is True, False, 1, 0, 0.5, \"left\", \"right\" or \"tie\", not {found}"
        ))
    })?;
    reward(number)
}

/// What a number means.
pub(crate) fn reward(number: f64) -> PyResult<Outcome> {
    if number == 1.0 {
        Ok(Outcome::Win)
    } else if number == 0.0 {
        Ok(Outcome::Loss)
    } else if number == 0.5 {
        Ok(Outcome::Tie)
    } else {
        let remedy = "must be 1 (left), 0 (right) or 0.5 (a tie); round a probability, or draw an answer with it";
        Err(errors::setting("outcome", &number.to_string(), remedy))
    }
}

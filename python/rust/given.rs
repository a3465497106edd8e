//! What users give, as it comes: whole numbers and names of any library.

use crate::errors;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyString};

/// A whole number ≥ 0: Python's, numpy's, or a float without a fraction such as 1e3.
pub(crate) fn number(value: &Bound<'_, PyAny>) -> Option<u64> {
    const MOST: f64 = 9_007_199_254_740_992.0; // 2⁵³: every whole number up to it is a float.
    if value.is_instance_of::<PyBool>() {
        return None;
    }
    let real = || if value.is_instance_of::<PyFloat>() { value.extract::<f64>().ok() } else { None };
    let whole = || real().filter(|x| (0.0..=MOST).contains(x) && x.fract() == 0.0).map(|x| x as u64);
    value.extract().ok().or_else(whole)
}

/// The same for what is given by this name.
pub(crate) fn whole(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let refused = |given: &str| errors::setting(name, given, "must be a whole number from 0 on");
    number(value).map_or_else(|| Err(refused(&value.repr()?.to_string())), Ok)
}

/// Names: a list, a tuple, an array, a Series, an Index; a set, which has no order, is sorted.
pub(crate) struct Names(pub(crate) Vec<String>);

impl<'py> FromPyObject<'_, 'py> for Names {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            return Err(errors::setting("names", &value.repr()?.to_string(), "must be a list of names, not one"));
        }
        let mut names: Vec<String> =
            value.try_iter()?.map(|name| Ok(name?.str()?.to_string())).collect::<PyResult<_>>()?;
        if value.is_instance_of::<pyo3::types::PySet>() || value.is_instance_of::<pyo3::types::PyFrozenSet>() {
            names.sort();
        }
        Ok(Self(names))
    }
}

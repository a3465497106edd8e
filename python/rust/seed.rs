//! Seeds: an int as on the command line, or a word of one of numpy's generators.

use crate::errors;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

/// A seed as an int; None is one of the operating system's.
#[pyfunction]
#[pyo3(signature = (seed = None))]
pub(crate) fn seed_of(py: Python<'_>, seed: Option<Seed>) -> PyResult<u64> {
    Seed::or_any(seed, py)
}

/// A seed: an int as on the command line, or a word of one of numpy's generators.
#[derive(Clone, Copy)]
pub(crate) struct Seed(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Seed {
    type Error = PyErr;

    fn extract(seed: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(number) = seed.extract() {
            return Ok(Self(number));
        }
        if seed.hasattr("generate_state")? {
            return seed.call_method1("generate_state", (1, "uint64"))?.get_item(0)?.extract().map(Self);
        }
        if seed.hasattr("bit_generator")? {
            let bounds = [("high", 1_u128 << 64)].into_py_dict(seed.py())?;
            bounds.set_item("dtype", "uint64")?;
            return seed.call_method("integers", (0,), Some(&bounds))?.extract().map(Self);
        }
        let remedy = "must be an int from 0 to 2⁶⁴ − 1, a SeedSequence, a Generator or None";
        Err(errors::setting("seed", &seed.repr()?.to_string(), remedy))
    }
}

impl Seed {
    /// The seed, or one of the operating system's.
    pub(crate) fn or_any(seed: Option<Self>, py: Python<'_>) -> PyResult<u64> {
        match seed {
            Some(Self(seed)) => Ok(seed),
            None => py.import("secrets")?.call_method1("randbits", (64,))?.extract(),
        }
    }
}

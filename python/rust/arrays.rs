//! Arrays in and out, through the buffer protocol: numpy converts, and no type of numpy's is needed in Rust.

use crate::errors;
use pyo3::buffer::PyBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyModule};

fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind)).map(|module| module.bind(py))
}

/// Numbers of any kind as a contiguous array of this type, with its shape.
fn converted<'py>(any: &Bound<'py, PyAny>, dtype: &str) -> PyResult<(Bound<'py, PyAny>, Vec<usize>)> {
    let numpy = numpy(any.py())?;
    let array = numpy.call_method1(intern!(any.py(), "ascontiguousarray"), (any, dtype))?;
    let shape = array.getattr(intern!(any.py(), "shape"))?.extract()?;
    Ok((array, shape))
}

/// Anything that numpy makes floats of: the numbers in C order, and the shape.
pub(crate) fn floats(any: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let (array, shape) = converted(any, "float64")?;
    // A buffer cannot be had of an array without numbers on every numpy.
    let numbers = if shape.contains(&0) { Vec::new() } else { PyBuffer::<f64>::get(&array)?.to_vec(any.py())? };
    Ok((numbers, shape))
}

/// A list of floats.
pub(crate) fn float_list(any: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<f64>> {
    let (numbers, shape) = floats(any)?;
    if shape.len() == 1 {
        Ok(numbers)
    } else {
        Err(errors::data(&format!("{what} has {} dimensions, 1 is needed", shape.len())))
    }
}

/// Codes of names.
pub(crate) fn codes(any: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
    let (array, shape) = converted(any, "int32")?;
    if shape.contains(&0) { Ok(Vec::new()) } else { PyBuffer::<i32>::get(&array)?.to_vec(any.py()) }
}

/// A number as its bytes.
pub(crate) trait Number {
    /// What numpy calls it.
    const DTYPE: &'static str;
    /// Its bytes, `DTYPE`'s size many.
    fn write(self, out: &mut [u8]);
    /// How many bytes.
    const SIZE: usize;
}

macro_rules! number {
    ($($kind:ty = $name:literal),*) => {$(
        impl Number for $kind {
            const DTYPE: &'static str = $name;
            const SIZE: usize = size_of::<$kind>();
            fn write(self, out: &mut [u8]) {
                out.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}

number!(f64 = "float64", i32 = "int32", i64 = "int64");

/// A new array of these numbers.
pub(crate) fn array<T: Number>(
    py: Python<'_>,
    numbers: impl ExactSizeIterator<Item = T>,
) -> PyResult<Bound<'_, PyAny>> {
    let bytes = PyByteArray::new_with(py, numbers.len() * T::SIZE, |bytes| {
        bytes.chunks_exact_mut(T::SIZE).zip(numbers).for_each(|(out, number)| number.write(out));
        Ok(())
    })?;
    numpy(py)?.call_method1(intern!(py, "frombuffer"), (bytes, T::DTYPE))
}

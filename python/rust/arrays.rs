//! Arrays in and out, through the buffer protocol: numpy converts, and no type of numpy's is needed in Rust.

use crate::errors;
use pyo3::buffer::PyBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyByteArray, PyBytes, PyModule, PyString, PyType};

fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind)).map(|module| module.bind(py))
}

/// numpy's class of arrays.
fn ndarray(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static NDARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    NDARRAY.import(py, "numpy", "ndarray")
}

/// Anything that holds numbers, as a contiguous array of this type with its shape. Words, bytes, complex numbers and
/// times are refused, rather than cast to what numpy makes of them; what is masked or missing is NaN.
fn converted<'py>(any: &Bound<'py, PyAny>, dtype: &str) -> PyResult<(Bound<'py, PyAny>, Vec<usize>)> {
    let (py, numpy) = (any.py(), numpy(any.py())?);
    let refused = |error: PyErr| errors::data(&format!("these are no numbers: {}", error.value(py)));
    let mut array = numpy.call_method1(intern!(py, "asanyarray"), (any,)).map_err(refused)?;
    let kind = array.getattr(intern!(py, "dtype"))?;
    match &*kind.getattr(intern!(py, "kind"))?.extract::<String>()? {
        "b" | "i" | "u" | "f" => {}
        "O" => {
            for value in array.call_method0("ravel")?.try_iter()? {
                let value = value?;
                if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
                    return Err(errors::data(&format!("{} stands where a number is needed", value.repr()?)));
                }
            }
            // pandas has missing values of its own.
            if any.hasattr(intern!(py, "iloc"))? {
                let missing = [("na_value", f64::NAN)].into_py_dict(py)?;
                array = any.call_method("to_numpy", (dtype,), Some(&missing)).map_err(refused)?;
            }
        }
        _ => return Err(errors::data(&format!("an array of {kind} stands where numbers are needed"))),
    }
    if array.hasattr(intern!(py, "mask"))? {
        array = array.call_method1("astype", ("float64",))?.call_method1("filled", (f64::NAN,))?;
    }
    let array = numpy.call_method1(intern!(py, "ascontiguousarray"), (array, dtype)).map_err(refused)?;
    let shape = array.getattr(intern!(py, "shape"))?.extract()?;
    Ok((array, shape))
}

/// Anything that numpy makes floats of: the numbers in C order, and the shape.
pub(crate) fn floats(any: &Bound<'_, PyAny>) -> PyResult<(Vec<f64>, Vec<usize>)> {
    // The usual case, without numpy's help; what is masked is no plain array.
    if any.get_type().is(ndarray(any.py())?)
        && let Ok(buffer) = PyBuffer::<f64>::get(any)
    {
        return Ok((buffer.to_vec(any.py())?, buffer.shape().to_vec()));
    }
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

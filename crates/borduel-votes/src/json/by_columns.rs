//! One object that holds a list for every column, or an object from row to value, as data frames are often written.

use serde_json::{Map, Value};

/// The rows of such an object, each an object of its own; `None` if it is something else.
pub(super) fn rows(text: &str) -> Option<Vec<Vec<u8>>> {
    let columns: Map<String, Value> = serde_json::from_str(text).ok()?;
    let first = columns.values().next().filter(|_| columns.len() > 1)?;
    let rows: Vec<Map<String, Value>> = match first {
        Value::Array(list) => {
            (0..list.len()).map(|row| across(&columns, |column| column.get(row))).collect::<Option<_>>()?
        }
        Value::Object(named) => {
            named.keys().map(|row| across(&columns, |column| column.get(row))).collect::<Option<_>>()?
        }
        _ => return None,
    };
    let length = |column: &Value| column.as_array().map(Vec::len).or_else(|| column.as_object().map(Map::len));
    let even = columns.values().all(|column| length(column) == Some(rows.len()));
    // A single row is an object with short lists in it as well, and is read as that.
    (even && rows.len() > 1).then(|| rows.into_iter().map(|row| Value::Object(row).to_string().into_bytes()).collect())
}

/// One row: what each column has there, if that is a plain value.
fn across<'a>(
    columns: &'a Map<String, Value>,
    at: impl Fn(&'a Value) -> Option<&'a Value>,
) -> Option<Map<String, Value>> {
    let value = |(name, column): (&String, &'a Value)| {
        let value = at(column).filter(|value| !value.is_array() && !value.is_object())?;
        Some((name.clone(), value.clone()))
    };
    columns.iter().map(value).collect()
}

//! One object that holds all rows in a list, as the answers of servers do: `{"games": [{…}, {…}], "count": 2}`.

use serde_json::{Map, Value};

/// What a vote is known by.
const ANSWERS: [&str; 8] = ["winner", "result", "outcome", "preference", "choice", "label", "answer", "vote"];

/// Where evaluation tools keep their rows among other lists: promptfoo, Inspect.
const KNOWN: [&str; 2] = ["results.results", "samples"];

/// The path of the only list of objects, or of one that is known, and its objects; `None` where there is no such list,
/// or more than one.
pub(super) fn rows(text: &str) -> Option<(String, Vec<Vec<u8>>)> {
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    // What has an answer of its own is a vote, whatever lists it holds.
    let is_vote =
        ANSWERS.iter().any(|name| object.get(*name).is_some_and(|value| !value.is_array() && !value.is_object()));
    let known = |path: &str| {
        let list =
            path.split('.').skip(1).try_fold(object.get(path.split('.').next()?)?, |value, key| value.get(key))?;
        Some((path.to_owned(), list.as_array().filter(|list| list.len() > 1 && list.iter().all(Value::is_object))?))
    };
    let (path, list) = KNOWN.into_iter().find_map(known).or_else(|| find(&object)).filter(|_| !is_vote)?;
    Some((path, list.iter().map(|row| row.to_string().into_bytes()).collect()))
}

/// The list, in the object itself or in the only object within it that has one.
fn find(object: &Map<String, Value>) -> Option<(String, &Vec<Value>)> {
    let objects = |list: &&Vec<Value>| list.len() > 1 && list.iter().all(Value::is_object);
    let lists = object.iter().filter_map(|(name, value)| Some((name.clone(), value.as_array().filter(objects)?)));
    let within = object.iter().filter_map(|(name, value)| {
        let (path, list) = find(value.as_object()?)?;
        Some((format!("{name}.{path}"), list))
    });
    let mut all = lists.chain(within);
    all.next().filter(|_| all.next().is_none())
}

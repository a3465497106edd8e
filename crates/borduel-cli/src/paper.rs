//! The paper again: its experiments, its claims held against numbers, how regret grows, what it does not have, what others have,
//! what adversaries do, and worlds drawn at random.

pub(crate) mod adversarial;
pub(crate) mod beyond;
mod entries;
pub(crate) mod fewest;
mod numbers;
pub(crate) mod peers;
pub(crate) mod reproduction;
mod rows;
pub(crate) mod scaling;
pub(crate) mod worlds;

use crate::failure::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Environments or policies as an experiment file would have them.
fn parsed<T: DeserializeOwned>(list: Vec<Value>) -> Result<Vec<T>, Failure> {
    let one = |value: Value| serde_json::from_value(value).map_err(|error| Failure::Internal(error.to_string()));
    list.into_iter().map(one).collect()
}

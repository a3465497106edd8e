//! The paper again: its experiments, its claims held against numbers, how regret grows, what it does not have, what
//! others have, what adversaries do, and worlds drawn at random.

pub mod adversarial;
pub mod beyond;
mod entries;
pub mod fewest;
mod numbers;
pub mod peers;
pub mod reproduction;
mod rows;
pub mod scaling;
pub mod worlds;

use crate::failure::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Environments or policies as an experiment file would have them.
fn parsed<T: DeserializeOwned>(list: Vec<Value>) -> Result<Vec<T>, Failure> {
    let one = |value: Value| serde_json::from_value(value).map_err(|error| Failure::Internal(error.to_string()));
    list.into_iter().map(one).collect()
}

//! Features as they are written to a file, and what is checked when they come back.

use super::{Features, Store, build};
use crate::error::{Error, Result};
use crate::version::Version;
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// What is written. Everything else (rank, fingerprint) follows from it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Form {
    version: Version<1>,
    items: usize,
    given_dim: usize,
    scale: f64,
    /// The basis, column by column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<Vec<f64>>,
    vectors: Vec<f64>,
    /// `slot << 1 | negative` for every ordered pair; none for differences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    codes: Option<Vec<u32>>,
}

impl From<Features> for Form {
    fn from(features: Features) -> Self {
        let (vectors, codes) = match &features.store {
            Store::Dictionary { vectors, codes } => (vectors.to_vec(), Some(codes.to_vec())),
            Store::Differences { items } => (items.to_vec(), None),
        };
        let Features { items, given_dim, scale, basis, .. } = features;
        Self {
            version: Version,
            items,
            given_dim,
            scale,
            basis: basis.map(|basis| basis.as_slice().to_vec()),
            vectors,
            codes,
        }
    }
}

impl TryFrom<Form> for Features {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self> {
        let fault = |what: &str| Error::Data(format!("saved features: {what}; save them again"));
        let Form { items, given_dim, scale, basis, vectors, codes, .. } = form;
        if items < 2 || given_dim == 0 {
            return Err(fault("fewer than two items, or no dimension"));
        }
        if !(scale > 0.0 && scale.is_finite()) || vectors.iter().chain(basis.iter().flatten()).any(|x| !x.is_finite()) {
            return Err(fault("a number is not finite"));
        }
        let dim = match &basis {
            None => given_dim,
            Some(basis) if !basis.is_empty() && basis.len() % given_dim == 0 => basis.len() / given_dim,
            Some(_) => return Err(fault("the basis does not have a whole number of columns")),
        };
        if vectors.is_empty() || vectors.len() % dim != 0 {
            return Err(fault("the vectors do not have the dimension of the basis"));
        }
        let rows = vectors.len() / dim;
        let store = match codes {
            None if rows == items => Store::Differences { items: vectors.into() },
            None => return Err(fault("the number of vectors is not that of the items")),
            Some(codes) => {
                if codes.len() as u128 != (items as u128).pow(2) {
                    return Err(fault("the number of pairs is not that of the items"));
                }
                let opposite = |code: u32| if (code >> 1) as usize == rows { code } else { code ^ 1 };
                let right = |i: usize, j: usize| {
                    let code = codes[i * items + j];
                    let zero = rows << 1;
                    code as usize <= zero && codes[j * items + i] == opposite(code) && (i != j || code as usize == zero)
                };
                if !(0..items).all(|i| (0..=i).all(|j| right(i, j))) {
                    return Err(fault("φ(i,j) = −φ(j,i) does not hold"));
                }
                Store::Dictionary { vectors: vectors.into(), codes: codes.into() }
            }
        };
        let basis = basis.map(|basis| DMatrix::from_vec(given_dim, dim, basis));
        Ok(build::finish(items, given_dim, scale, basis, store))
    }
}

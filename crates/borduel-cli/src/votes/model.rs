//! Items and pairs as the command line names them, and the model that their features make.

use borduel::Features;
use borduel::ranking::Model;
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_votes::{ItemIndex, Items, Pairs, TableOptions, read_items, read_pairs};
use std::path::Path;

/// Reads a list of items, and says which of its columns are not used.
pub(crate) fn items(path: &Path, table: &TableOptions, quiet: bool) -> Result<Items, Failure> {
    let items = read_items(&path.to_string_lossy(), table).map_err(|error| Failure::Data(error.to_string()))?;
    if !quiet && !items.unused.is_empty() {
        let names = items.unused.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        write_line(&format!("{}: not used: {names}; a feature's column is called feat_…", path.display()));
    }
    Ok(items)
}

/// Reads a table of pairs: all `feat_` columns, or the one named.
pub(crate) fn pairs(path: &Path, column: Option<&str>, table: &TableOptions) -> Result<Pairs, Failure> {
    read_pairs(&path.to_string_lossy(), column, table).map_err(|error| Failure::Data(error.to_string()))
}

/// φ(i,j) from a table of pairs, which must name every pair once, in either order.
pub(crate) fn pair_features(path: &Path, table: &TableOptions, index: &ItemIndex) -> Result<Features, Failure> {
    let pairs = pairs(path, None, table)?;
    let (k, d) = (index.items(), pairs.columns.len());
    let fail = |what: String| Failure::Data(format!("{}: {what}", path.display()));
    if d == 0 {
        return Err(fail("has no column feat_…: one column per feature of a pair is expected".to_owned()));
    }
    // Each column in units of its own size, so that the fit is well conditioned; scores do not depend on units.
    let size = |c: usize| pairs.values.iter().skip(c).step_by(d).fold(0.0, |most: f64, x| most.max(x.abs()));
    let sizes: Vec<f64> = (0..d).map(|c| if size(c) > 0.0 { size(c) } else { 1.0 }).collect();
    let mut phi: Vec<Option<Vec<f64>>> = vec![None; k * k];
    for ((left, right), values) in pairs.pairs.iter().zip(pairs.values.chunks_exact(d)) {
        let find = |name: &str| index.find(name).map_err(|why| fail(format!("\"{name}\" {why}")));
        let (i, j) = (find(left)?, find(right)?);
        let sign = if i < j { 1.0 } else { -1.0 };
        let vector: Vec<f64> = values.iter().zip(&sizes).map(|(x, size)| sign * x / size).collect();
        let place = &mut phi[i.min(j) * k + i.max(j)];
        if place.as_ref().is_some_and(|known| *known != vector) {
            return Err(fail(format!(
                "the pair {left}, {right} is given twice, and the two rows do not say the same (φ(j,i) must be −φ(i,j))"
            )));
        }
        *place = Some(vector);
    }
    let missing =
        (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).filter(|&(i, j)| phi[i * k + j].is_none()).count();
    if missing > 0 {
        return Err(fail(format!(
            "{missing} of {} pairs are missing: scores need the features of every pair",
            k * (k - 1) / 2
        )));
    }
    Features::from_fn_scaled(k, d, |i, j, out| {
        if let Some(vector) = &phi[i * k + j] {
            out.copy_from_slice(vector);
        }
    })
    .map_err(|error| fail(error.to_string()))
}

/// The model of a list of items: its features when it has any, one parameter per item otherwise.
///
/// # Errors
/// Features that no model can be made of.
pub fn item_model(items: &Items) -> Result<Model, Failure> {
    let (k, d) = (items.ids.len(), items.feature_names.len());
    if d == 0 {
        return Ok(Model::OneHot);
    }
    Features::standardised(k, d, &items.features).map(Model::Features).map_err(|error| match error {
        borduel::Error::Unrepresentable { position, value, remedy, .. } => Failure::Data(format!(
            "the feature {} of item \"{}\" is {value:e}: it {remedy}",
            items.feature_names[position % d],
            items.ids[position / d]
        )),
        other => Failure::from_command(&other),
    })
}

/// Does some work on so many threads, or on one a core.
///
/// # Errors
/// Threads that cannot be had.
pub fn with_jobs<T: Send>(jobs: Option<u64>, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let Some(jobs) = jobs else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs as usize).build();
    pool.map(|pool| pool.install(work)).map_err(|error| Failure::Internal(error.to_string()))
}

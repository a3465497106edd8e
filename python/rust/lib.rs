//! The extension module `borduel._core`: everything that is hot or has a state; frames, plots and judges are Python.

mod answer;
mod arrays;
mod command;
mod design;
mod errors;
mod experiment;
mod foreign;
mod given;
mod in_contexts;
mod judging;
mod policy;
mod problem;
mod proposal;
mod ranking;
mod seed;
mod votes;
mod watch;

/// The module: a list of names. It does without the lock of Python's interpreter only once that has been tested.
#[pyo3::pymodule(gil_used = true)]
mod _core {
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::design::{Design, design};
    #[pymodule_export]
    use crate::errors::{
        DataError, Error, OtherProblemError, ProposalError, SettingError, UnknownNameError, VersionError,
    };
    #[pymodule_export]
    use crate::experiment::{Journal, Plan, figure, join, json_of, toml_of};
    #[pymodule_export]
    use crate::in_contexts::InContexts;
    #[pymodule_export]
    use crate::judging::{JudgeWorth, judge};
    #[pymodule_export]
    use crate::policy::{Policy, policies, whose};
    #[pymodule_export]
    use crate::problem::{Features, Problem};
    #[pymodule_export]
    use crate::proposal::{Proposal, Proposals};
    #[pymodule_export]
    use crate::ranking::{Ranked, rank};
    #[pymodule_export]
    use crate::seed::seed_of;
    #[pymodule_export]
    use crate::votes::{Ballots, Items, read_columns, read_files};

    use pyo3::prelude::*;

    /// The version of the package.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::errors::declare(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

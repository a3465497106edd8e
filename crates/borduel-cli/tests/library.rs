//! The command as a library: what Python and others call.

mod common;

use borduel::Experiment;
use borduel::experiment::EnvironmentConfig;
use borduel_cli::Failure;
use borduel_cli::experiment::folder::Folder;
use borduel_cli::experiment::journal::Journal;
use borduel_cli::experiment::perform::collect;
use borduel_cli::experiment::play::{play, rounds_left};
use borduel_cli::experiment::prepare::{Prepared, prepare};
use common::User;
use std::cell::Cell;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};

fn small() -> Prepared {
    let hard = EnvironmentConfig::Hard { d: 2, gap: None };
    let mut experiment = Experiment::new("small", vec![hard], Experiment::paper_policies());
    (experiment.runs, experiment.horizons, experiment.checkpoints) = (40, vec![100_000], 5);
    prepare(&experiment).unwrap()
}

/// A policy of one's own is part of what an experiment is: its runs are not taken for those of another plan.
#[test]
fn what_was_added_to_a_plan_makes_another_experiment() {
    let mut prepared = small();
    let before = prepared.fingerprint().unwrap();
    assert_eq!(small().fingerprint().unwrap(), before);
    let mut added = |n: u64| {
        let build = move |problem: &_, stream| {
            let mut config = borduel::policy::ucb_borda::Config::default();
            config.alpha = n as f64;
            borduel::PolicyConfig::UcbBorda(config).build(problem, stream)
        };
        prepared.plan.add_policy("mine", "Mine", build).unwrap();
        prepared.fingerprint().unwrap()
    };
    let (one, two) = (added(1), added(2));
    assert!(before != one && one != two && before != two);
}

/// Progress is told on the calling thread, so that it may hold what cannot be shared, and may set the flag.
#[test]
fn a_stopped_experiment_goes_on_to_the_same_runs() {
    let user = User::new();
    let prepared = small();
    let fingerprint = prepared.fingerprint().unwrap();
    let plan = &prepared.plan;
    let never = AtomicBool::new(false);
    let whole = Folder::open(&user.path("whole")).unwrap();
    let mut journal = Journal::open(&whole, plan, &fingerprint, false).unwrap();
    let (total, told) = (rounds_left(plan, &journal), Cell::new(0));
    assert_eq!(total, 40 * 6 * 100_000);
    play(plan, &mut journal, 2, &never, &|rounds| {
        assert!(rounds >= told.get());
        told.set(rounds);
    })
    .unwrap();
    assert_eq!((journal.runs().len(), told.get(), rounds_left(plan, &journal)), (240, total, 0));
    let all = collect(&prepared, journal.runs()).unwrap().0;
    assert_eq!(all, plan.run_all().unwrap());

    let part = Folder::open(&user.path("part")).unwrap();
    let (stop, ticks) = (AtomicBool::new(false), Cell::new(0));
    let mut journal = Journal::open(&part, plan, &fingerprint, false).unwrap();
    let stopped = play(plan, &mut journal, 1, &stop, &|_| {
        ticks.set(ticks.get() + 1);
        stop.store(true, Ordering::Relaxed);
    });
    assert!(ticks.get() > 0);
    drop(journal);
    let mut journal = Journal::open(&part, plan, &fingerprint, false).unwrap();
    // A machine that plays all of it within a tenth of a second has nothing to go on with.
    assert!(matches!(stopped, Err(Failure::Interrupted(_))) || journal.runs().len() == 240);
    play(plan, &mut journal, 2, &never, &|_| ()).unwrap();
    assert_eq!(collect(&prepared, journal.runs()).unwrap().0, all);
}

#[test]
fn the_whole_command_runs_from_arguments() {
    let user = User::new();
    user.write("v.csv", "left,right,winner\na,b,left\na,b,right\n");
    let run = |line: &[&str]| borduel_cli::main(line.iter().map(OsString::from));
    let votes = user.path("v.csv");
    assert_eq!(run(&["borduel", "rank", votes.to_str().unwrap(), "-q", "--require-winner"]), 4);
    assert_eq!(run(&["borduel", "rank", "no such file"]), 3);
    assert_eq!(run(&["borduel", "nonsense"]), 2);
    assert_eq!(run(&["borduel", "--version"]), 0);
}

//! The command as a library: what Python and others call.

mod common;

use borduel::environment::Environment;
use borduel::experiment::EnvironmentConfig;
use borduel::{Duel, Experiment, Features, Link, Problem};
use borduel_lab::Failure;
use borduel_lab::experiment::folder::Folder;
use borduel_lab::experiment::journal::Journal;
use borduel_lab::experiment::perform::collect;
use borduel_lab::experiment::play::{play, rounds_left};
use borduel_lab::experiment::prepare::{Prepared, prepare};
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

/// A world of one's own: two items, of which the first wins with this chance.
struct Coin {
    problem: Problem,
    chance: f64,
}

impl Coin {
    fn new(chance: f64) -> Self {
        Self { problem: Problem::new(Features::one_hot(2).unwrap(), Link::Logistic, Some(20_000)).unwrap(), chance }
    }
}

impl Environment for Coin {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn probability(&self, _: u64, duel: Duel) -> f64 {
        match duel {
            Duel(0, 1) => self.chance,
            Duel(1, 0) => 1.0 - self.chance,
            _ => 0.5,
        }
    }
}

/// Runs in a world of one's own are kept and gone on with, and never taken for those in another world of the same name.
#[test]
fn worlds_of_ones_own_have_journals() {
    let user = User::new();
    let with = |chance: f64| {
        let mut prepared = small();
        prepared.plan.add_world("coin", Coin::new(chance)).unwrap();
        let print = prepared.fingerprint().unwrap();
        (prepared, print)
    };
    let ((prepared, print), (_, other)) = (with(0.6), with(0.7));
    assert_eq!(print, with(0.6).1);
    assert_ne!(print, other);
    let folder = Folder::open(&user.path("own")).unwrap();
    let (plan, stop) = (&prepared.plan, AtomicBool::new(false));
    let mut journal = Journal::open(&folder, plan, &print, false).unwrap();
    // Stopped at the first word of progress, or done by then.
    let _ = play(plan, &mut journal, 1, &stop, &|_| stop.store(true, Ordering::Relaxed));
    drop(journal);
    assert!(Journal::open(&folder, plan, &other, false).is_err());
    let mut journal = Journal::open(&folder, plan, &print, false).unwrap();
    play(plan, &mut journal, 2, &AtomicBool::new(false), &|_| ()).unwrap();
    assert_eq!(collect(&prepared, journal.runs()).unwrap().0, plan.run_all().unwrap());
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

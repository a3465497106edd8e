//! What is written is found again, what is damaged is not believed, what is foreign is not touched.

use super::*;
use borduel::PolicyConfig;
use borduel::experiment::{EnvironmentConfig, Finished, NoSources, RunStore};
use std::fs;

fn entry(job: usize) -> Entry {
    let mut finished = Finished::default();
    (finished.regret, finished.estimate, finished.stepped) = (vec![0.1 + 0.2, 1.0 / 3.0], 4, 17);
    Entry { job, seconds: 0.5, setup: 0.25, finished }
}

/// Ten runs of two checkpoints among eight items.
fn plan() -> Plan {
    let hard = EnvironmentConfig::Hard { d: 2, gap: None };
    let uniform = vec![PolicyConfig::named("uniform").unwrap()];
    let mut experiment = borduel::Experiment::new("ten", vec![hard], uniform);
    (experiment.runs, experiment.horizons, experiment.checkpoints) = (10, vec![20], 2);
    experiment.plan(&NoSources).unwrap()
}

/// A directory with a journal of runs 0, 1 and 2.
fn three() -> (tempfile::TempDir, Folder) {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    let mut journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    (0..3).for_each(|job| journal.add(&entry(job)).unwrap());
    (dir, folder)
}

fn jobs(journal: &Journal) -> Vec<usize> {
    (0..plan().jobs()).filter(|job| journal.runs().contains(*job)).collect()
}

#[test]
fn what_was_finished_is_found_again() {
    let (_dir, folder) = three();
    let mut journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    assert_eq!((jobs(&journal), journal.runs().estimates(0)), (vec![0, 1, 2], vec![4; 3]));
    for (checkpoint, regret) in entry(0).finished.regret.iter().enumerate() {
        assert_eq!(journal.runs().regrets(0, 0, checkpoint).unwrap()[..3], [*regret; 3]);
    }
    assert!(matches!(Journal::open(&folder, &plan(), "abc", false), Err(Failure::Usage(m)) if m.contains("at work")));
    journal.add(&entry(3)).unwrap();
    drop(journal);
    // Killed while writing a line.
    File::options().append(true).open(folder.file(NAME)).unwrap().write_all(b"{\"check\":\"12").unwrap();
    let mut journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    assert_eq!((jobs(&journal), journal.notes()), (vec![0, 1, 2, 3], &[][..]));
    journal.add(&entry(5)).unwrap();
    drop(journal);
    assert_eq!(jobs(&Journal::open(&folder, &plan(), "abc", false).unwrap()), [0, 1, 2, 3, 5]);
}

#[test]
fn a_journal_killed_in_its_first_line_is_begun_again() {
    let (_dir, folder) = three();
    let text = fs::read(folder.file(NAME)).unwrap();
    for length in [0, 1, 20] {
        fs::write(folder.file(NAME), &text[..length]).unwrap();
        assert!(Journal::open(&folder, &plan(), "abc", false).unwrap().runs().is_empty());
    }
}

#[test]
fn another_experiment_is_refused_unless_forced() {
    let (_dir, folder) = three();
    assert!(matches!(Journal::open(&folder, &plan(), "abd", false), Err(Failure::Usage(_))));
    assert!(Journal::open(&folder, &plan(), "abd", true).unwrap().runs().is_empty());
    fs::write(folder.file(NAME), "{\"borduel_journal\":1,\"experiment\":\"abc\"}\n").unwrap();
    assert!(matches!(Journal::open(&folder, &plan(), "abc", false), Err(Failure::Usage(m)) if m.contains("version 1")));
    assert!(Journal::open(&folder, &plan(), "abc", true).is_ok());
}

/// Every byte of the second line changed in turn, and the usual ways of being clever.
#[test]
fn what_does_not_check_is_said_and_left_out() {
    let (_dir, folder) = three();
    let good = fs::read(folder.file(NAME)).unwrap();
    let ends: Vec<usize> = good.iter().enumerate().filter(|b| *b.1 == b'\n').map(|b| b.0).collect();
    for at in ends[0] + 1..ends[1] {
        let mut bad = good.clone();
        bad[at] = if bad[at] == b'7' { b'8' } else { b'7' };
        fs::write(folder.file(NAME), &bad).unwrap();
        let journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
        assert_eq!(jobs(&journal), [1, 2], "byte {at}: {}", String::from_utf8_lossy(&bad));
        assert!(journal.notes()[0].contains("line 2 "), "{:?}", journal.notes());
        drop(journal);
        // It was taken out: the next reader has nothing to complain about.
        let journal = Journal::open(&folder, &plan(), "abc", true).unwrap();
        assert_eq!((jobs(&journal), journal.notes().len()), (vec![1, 2], 0));
    }
    let text = String::from_utf8(good).unwrap();
    for (bad, left) in [
        (text.replace("\"estimate\":4", "\"estimate\":999999"), vec![]),
        (text.replacen("0.30000000000000004,", "", 1), vec![1, 2]),
        (format!("{text}rubbish\n"), vec![0, 1, 2]),
        (format!("{text}\n\n"), vec![0, 1, 2]),
    ] {
        fs::write(folder.file(NAME), bad).unwrap();
        let journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
        assert_eq!((jobs(&journal), journal.notes().len()), (left, 1));
    }
    fs::write(folder.file(NAME), [text.as_bytes(), b"\xff\xfe\n"].concat()).unwrap();
    assert_eq!(Journal::open(&folder, &plan(), "abc", false).unwrap().notes().len(), 1);
}

#[test]
fn of_two_lines_that_disagree_neither_is_believed() {
    let (_dir, folder) = three();
    let mut journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    journal.add(&entry(1)).unwrap();
    drop(journal);
    let journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    assert_eq!((jobs(&journal), journal.notes().len()), (vec![0, 1, 2], 0), "the same twice is no harm");
    drop(journal);
    let mut journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    let mut other = entry(1);
    other.finished.estimate = 5;
    journal.add(&other).unwrap();
    drop(journal);
    let journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    assert_eq!((jobs(&journal), journal.notes().len()), (vec![0, 2], 1));
}

#[test]
fn what_is_not_ours_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(dir.path()).unwrap();
    for foreign in ["hello", "my diary\nday one\n", "{\"borduel\":1}\n", "\u{0}\n"] {
        fs::write(folder.file(NAME), foreign).unwrap();
        for force in [false, true] {
            let refused = Journal::open(&folder, &plan(), "abc", force);
            assert!(matches!(&refused, Err(Failure::Usage(m)) if m.contains("not touched")), "{refused:?}");
            assert_eq!(fs::read_to_string(folder.file(NAME)).unwrap(), foreign);
        }
    }
}

#[test]
fn what_cannot_be_of_the_plan_is_said_and_played_again() {
    let (_dir, folder) = three();
    let mut journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    let mut wrong = [entry(3), entry(4), entry(10)];
    wrong[0].finished.regret.pop();
    wrong[1].finished.estimate = 8;
    for entry in &wrong {
        let line = journal.line(entry).unwrap();
        journal.append(&line).unwrap();
    }
    drop(journal);
    let journal = Journal::open(&folder, &plan(), "abc", false).unwrap();
    assert_eq!(jobs(&journal), [0, 1, 2]);
    assert!(journal.notes()[0].contains("3 runs are not of this experiment's shape"), "{:?}", journal.notes());
}

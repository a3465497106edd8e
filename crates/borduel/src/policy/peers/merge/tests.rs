//! When a stage of merging ends, and what it then joins.

use super::*;
use crate::stream::stream;

fn state(items: usize) -> State {
    let problem = Problem::without_features(items).unwrap();
    let mut state = Config::default().build(&problem, stream(1, &[])).unwrap();
    state.turn();
    state
}

/// Batches of these sizes in the place of those there are.
fn cut(state: &mut State, sizes: &[usize]) {
    let mut items = 0..;
    state.batches = sizes.iter().map(|n| Batch::new(&items.by_ref().take(*n).collect::<Vec<_>>())).collect();
    state.left = sizes.iter().sum();
}

fn sizes(state: &State) -> Vec<usize> {
    state.batches.iter().map(|batch| batch.items().len()).collect()
}

#[test]
fn the_first_stage_ends_when_half_of_the_items_are_out() {
    let mut state = state(40);
    assert_eq!(sizes(&state), [16, 16, 8], "nothing is joined before the first question");
    for (before, after) in [([9, 9, 3], vec![9, 9, 3]), ([9, 9, 2], vec![11, 9])] {
        cut(&mut state, &before);
        state.turn();
        assert_eq!(sizes(&state), after);
    }
    assert_eq!(state.stage, 2);
}

#[test]
fn a_stage_joins_batches_once_and_small_ones_once_more() {
    let mut state = state(64);
    // Two batches of four stay, though they are small; batches of thirteen do not fit together.
    for (before, after) in [(vec![1; 8], vec![4, 4]), (vec![9; 4], vec![18, 18]), (vec![13; 4], vec![13; 4])] {
        cut(&mut state, &before);
        state.end_stage();
        assert_eq!(sizes(&state), after);
    }
    assert_eq!(state.stage, 4);
}

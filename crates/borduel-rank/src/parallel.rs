//! Data parallelism: [rayon](https://docs.rs/rayon) with the feature `parallel`, one thread without it.
//!
//! Whatever is computed side by side goes through one loop over numbered parts that knows nothing of its callers. So it
//! is compiled once, and not for each of them (rayon's iterators were a fifth of this crate's code). No result depends
//! on the number of threads, so that both ways give the same bytes. Without the feature the crate builds where there
//! are no threads (`wasm32-unknown-unknown`).

use std::cmp::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many parts keep all threads busy where some take longer than others.
const PARTS: usize = 256;

/// Does the work of so many parts, on all threads of rayon's pool.
#[cfg(feature = "parallel")]
fn for_each_part(parts: usize, work: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    (0..parts).into_par_iter().for_each(work);
}

/// Does the work of so many parts, one after the other.
#[cfg(not(feature = "parallel"))]
fn for_each_part(parts: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..parts).for_each(work);
}

/// A part that panics takes the whole computation along, so that nobody sees what it has left behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// f(0), …, f(n − 1).
pub fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    map_init(n, || (), |(), at| f(at))
}

/// The same with a value that is made once in a while, to be used again for many of them.
pub fn map_init<S, T: Send>(n: usize, init: impl Fn() -> S + Sync, f: impl Fn(&mut S, usize) -> T + Sync) -> Vec<T> {
    let parts = n.min(PARTS);
    let made: Vec<Mutex<Vec<T>>> = (0..parts).map(|_| Mutex::default()).collect();
    for_each_part(parts, &|part| {
        let mut state = init();
        let values = (part * n / parts..(part + 1) * n / parts).map(|at| f(&mut state, at)).collect();
        *lock(&made[part]) = values;
    });
    made.into_iter().flat_map(|values| values.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Changes every value, a part of them on each thread.
pub fn for_each_mut<T: Send>(values: &mut [T], f: impl Fn(&mut T) + Sync) {
    let size = values.len().div_ceil(PARTS).max(1);
    let parts: Vec<Mutex<&mut [T]>> = values.chunks_mut(size).map(Mutex::new).collect();
    for_each_part(parts.len(), &|part| lock(&parts[part]).iter_mut().for_each(&f));
}

/// Sorts; what is equal may change places.
pub fn sort_unstable_by<T: Send>(values: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
    #[cfg(feature = "parallel")]
    rayon::slice::ParallelSliceMut::par_sort_unstable_by(values, compare);
    #[cfg(not(feature = "parallel"))]
    values.sort_unstable_by(compare);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_mapped_once_and_in_its_place() {
        for n in [0, 1, 2, PARTS - 1, PARTS, PARTS + 1, 10 * PARTS + 7] {
            assert_eq!(map(n, |at| 3 * at), (0..n).map(|at| 3 * at).collect::<Vec<_>>());
            let counted = map_init(n, || 0, |seen: &mut usize, at| (std::mem::replace(seen, *seen + 1), at));
            assert!(counted.iter().zip(0..).all(|((_, at), place)| *at == place));
            let mut values: Vec<usize> = (0..n).collect();
            for_each_mut(&mut values, |value| *value += n);
            assert_eq!(values, (n..2 * n).collect::<Vec<_>>());
            sort_unstable_by(&mut values, |a, b| b.cmp(a));
            assert_eq!(values, (n..2 * n).rev().collect::<Vec<_>>());
        }
    }
}

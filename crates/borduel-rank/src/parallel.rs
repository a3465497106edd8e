//! Data parallelism: [rayon](https://docs.rs/rayon) with the feature `parallel`, the same calls on one thread without
//! it.
//!
//! No result depends on the number of threads, so that both give the same bytes. Without the feature the crate builds
//! where there are no threads (`wasm32-unknown-unknown`).

#[cfg(feature = "parallel")]
pub use rayon::{join, prelude};
#[cfg(not(feature = "parallel"))]
pub use serial::{join, prelude};

/// What is used of rayon's interface, on the calling thread.
#[cfg(not(feature = "parallel"))]
mod serial {
    /// Runs both, one after the other.
    pub fn join<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
        (a(), b())
    }

    /// As rayon's prelude.
    pub mod prelude {
        /// Sequential stand-in of rayon's trait.
        pub trait IntoParallelIterator: IntoIterator + Sized {
            /// [`IntoIterator::into_iter`].
            fn into_par_iter(self) -> Self::IntoIter {
                self.into_iter()
            }
        }

        impl<T: IntoIterator> IntoParallelIterator for T {}

        /// Sequential stand-in of rayon's traits of slices.
        pub trait ParallelSlice<T> {
            /// `iter`.
            fn par_iter(&self) -> std::slice::Iter<'_, T>;
            /// `iter_mut`.
            fn par_iter_mut(&mut self) -> std::slice::IterMut<'_, T>;
            /// `sort_unstable_by`.
            fn par_sort_unstable_by(&mut self, compare: impl FnMut(&T, &T) -> std::cmp::Ordering);
            /// `sort_unstable_by_key`.
            fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
        }

        impl<T> ParallelSlice<T> for [T] {
            fn par_iter(&self) -> std::slice::Iter<'_, T> {
                self.iter()
            }

            fn par_iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
                self.iter_mut()
            }

            fn par_sort_unstable_by(&mut self, compare: impl FnMut(&T, &T) -> std::cmp::Ordering) {
                self.sort_unstable_by(compare);
            }

            fn par_sort_unstable_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
                self.sort_unstable_by_key(key);
            }
        }

        /// Sequential stand-in of what only rayon's iterators have.
        pub trait ParallelIterator: Iterator + Sized {
            /// Maps with a value that is made once, to be used again for every element.
            fn map_init<S, R>(
                self,
                init: impl FnOnce() -> S,
                mut map: impl FnMut(&mut S, Self::Item) -> R,
            ) -> impl Iterator<Item = R> {
                let mut state = init();
                self.map(move |item| map(&mut state, item))
            }
        }

        impl<I: Iterator> ParallelIterator for I {}
    }
}

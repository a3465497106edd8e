//! Options are set one after the other: `RankOptions::default().with_level(0.99).with_margin(0.01)`.

/// Writes a method `with_…` for each of these fields of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($options:ty { $($with:ident: $field:ident: $value:ty),* $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                #[must_use]
                pub fn $with(self, $field: $value) -> Self {
                    Self { $field, ..self }
                }
            )*
        }
    };
}

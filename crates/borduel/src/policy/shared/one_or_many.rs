//! Lists that mostly have one entry, saved as that entry.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form<T, L> {
    Many(L),
    One(T),
}

/// One as itself, several as a list.
pub(in crate::policy) fn serialize<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let form = if let [one] = list { Form::One(one) } else { Form::Many(list) };
    form.serialize(serializer)
}

/// Either of them.
pub(in crate::policy) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(match Form::<T, Vec<T>>::deserialize(deserializer)? {
        Form::Many(list) => list,
        Form::One(one) => vec![one],
    })
}

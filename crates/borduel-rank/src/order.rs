//! Items in the order of their scores: the sorts that nearly everything here needs, compiled once.

/// All places of these values, the largest value first; of equal ones the lower place.
pub(crate) fn descending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    sort_descending(&mut order, values);
    order
}

/// All places of these values, the smallest value first; of equal ones the lower place.
pub(crate) fn ascending(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    sort_ascending(&mut order, values);
    order
}

/// Sorts some places by their values, the largest first; of equal ones the lower place.
pub(crate) fn sort_descending(places: &mut [usize], values: &[f64]) {
    places.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
}

/// Sorts some places by their values, the smallest first; of equal ones the lower place.
pub(crate) fn sort_ascending(places: &mut [usize], values: &[f64]) {
    places.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_stay_in_their_order() {
        let values = [0.5, 2.0, 0.5, -1.0, 2.0];
        assert_eq!(descending(&values), [1, 4, 0, 2, 3]);
        assert_eq!(ascending(&values), [3, 0, 2, 1, 4]);
        let mut some = vec![4, 3, 1];
        sort_descending(&mut some, &values);
        assert_eq!(some, [1, 4, 3]);
    }
}

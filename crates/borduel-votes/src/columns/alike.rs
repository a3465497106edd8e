//! Rows that are alike: ten million votes on a hundred items are a few ten thousand different rows.

use super::Column;

/// The most cells in which rows are counted, for each row: beyond it most rows differ, or the cells outgrow the rows.
const CELLS: usize = 4;

/// The first row of every kind of rows that have the same values in these columns, and how many they are, in the order
/// of the first ones. Nothing where the columns are not all codes, or have too many values, or a code without a name,
/// which is for whoever reads row by row to say.
pub(super) fn groups(batch: &[Column<'_>], used: &[usize], length: usize) -> Option<Vec<(usize, u64)>> {
    let mut cells = 1_usize;
    // Every row's cell: its codes, from 1 with 0 for whatever is missing, as the digits of one number.
    let mut cell_of = vec![0_u32; length];
    for &column in used {
        let Column::Codes { codes, names } = batch[column] else { return None };
        let digits = names.len() + 1;
        cells = cells.checked_mul(digits).filter(|cells| *cells <= CELLS.saturating_mul(length))?;
        if codes.iter().any(|code| usize::try_from(*code).is_ok_and(|code| code >= names.len())) {
            return None;
        }
        let digits = u32::try_from(digits).ok().filter(|_| u32::try_from(cells).is_ok())?;
        for (cell, code) in cell_of.iter_mut().zip(codes) {
            *cell = *cell * digits + (code.max(&-1) + 1).cast_unsigned();
        }
    }
    let mut group_of = vec![u32::MAX; cells];
    let mut groups: Vec<(usize, u64)> = Vec::new();
    for (row, &cell) in cell_of.iter().enumerate() {
        let group = &mut group_of[cell as usize];
        if *group == u32::MAX {
            // Fewer than there are cells.
            *group = groups.len() as u32;
            groups.push((row, 0));
        }
        groups[*group as usize].1 += 1;
    }
    Some(groups)
}

//! How the answers are written: by the names of the columns, and by the values.

use super::answer_columns::names_sides;
use super::codes::{codes, is_doubtful};
use super::header::Header;
use super::twins::{repeats_items, side};
use super::{Columns, Shape};
use crate::error::{Error, Result, shortened};
use crate::outcome::{Dictionary, Scale, Words};
use crate::sample::{Sample, is_missing};
use borduel_rank::ballots::Answer;

/// Whether an answer that is a word for a side as well as an item's name means the one or the other: what all other
/// answers are.
fn settled(header: &Header<'_>, sample: &Sample, (left, right, answer): (usize, usize, usize)) -> Scale {
    let dictionary = Dictionary::new(&header.names[left], &header.names[right], &Words::default());
    let (mut both, mut item_only, mut side_only) = (false, false, false);
    for row in sample.rows.iter().filter(|row| !is_missing(&row[answer])) {
        let item = row[answer] == row[left] || row[answer] == row[right];
        let side = dictionary.is_side(&row[answer]);
        both |= item && side;
        item_only |= item && !side;
        side_only |= side && !item;
    }
    match (both, item_only, side_only) {
        (true, true, false) => Scale::Items,
        (true, false, true) => Scale::Sides,
        _ => Scale::Names,
    }
}

/// Whether these are the columns of `AlpacaEval`, to which an answer of 0 is a tie, like 1.5, and a missing one a judge
/// that failed.
pub(crate) fn is_alpaca_eval(header: &Header<'_>, shape: &Shape) -> bool {
    let &Shape::Answer { left, right, answer } = shape else { return false };
    [left, right, answer].map(|column| header.names[column].as_str()) == ["generator_1", "generator_2", "preference"]
}

/// How the answers are written, by the name of their column and their values.
///
/// # Errors
/// Numbers for sides in a file that has the columns in an unusual order, and does not say which of them 1 means.
pub(crate) fn scale(header: &Header<'_>, sample: &Sample, shape: &Shape, given: &Columns) -> Result<Option<Scale>> {
    let &Shape::Answer { left, right, answer } = shape else { return Ok(None) };
    let numbered = header.names[left].ends_with('1') && header.names[right].ends_with('2');
    if matches!(header.names[answer].as_str(), "preference" | "preferred") && numbered {
        return Ok(Some(Scale::OneTwo));
    }
    let named = repeats_items(sample, left, right, answer) || names_sides(header, sample, (left, right), answer);
    let by_name = ["winner", "label", "choice", "chosen", "vote", "chosen_model", "chosen_model_name", "better"];
    let by_name = by_name.contains(&header.names[answer].as_str());
    // The words by which the names of the two items differ, and the item that the answer's name is about.
    let own = |a: usize, b: usize| header.words[a].iter().filter(move |word| !header.words[b].contains(word));
    let about = side(&header.words[left], &header.words[right], &header.words[answer], false);
    let counted_from_zero = own(left, right).eq(["0"]) && own(right, left).eq(["1"]);
    Ok(match codes(header, sample, answer) {
        Some(_) if named => Some(settled(header, sample, (left, right, answer))),
        // `b_wins` is 1 where B has won.
        Some(Scale::Unit) if about == Some(Answer::Right) => Some(Scale::ZeroOne),
        Some(scale @ (Scale::Unit | Scale::OneTwo))
            if right < left && given.left.is_none() && about != Some(Answer::Left) =>
        {
            let usual = [["a", "b"], ["1", "2"], ["first", "second"], ["one", "two"]];
            if scale == Scale::OneTwo && usual.iter().any(|[a, b]| own(left, right).eq([a]) && own(right, left).eq([b]))
            {
                return Ok(Some(scale));
            }
            let name = |column: usize| shortened(&header.columns[column]);
            let what = format!(
                "in the column \"{}\", is 1 the item in \"{}\" or the one in \"{}\"? Give that one as --left, and the \
                 other as --right",
                name(answer),
                name(right),
                name(left)
            );
            return Err(Error::file(header.file, what));
        }
        Some(scale) => Some(scale),
        None if is_doubtful(header, sample, answer) => {
            Some(if counted_from_zero { Scale::ZeroOne } else { settled(header, sample, (left, right, answer)) })
        }
        None if named || by_name => Some(settled(header, sample, (left, right, answer))),
        None => None,
    })
}

//! What was detected in files of votes, in few lines.

/// Notes on many files, each `file: what`: those that say the same are one line.
pub fn summed(notes: &[String]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    // Of files that are alike, the rows of the first show how they were read.
    let mut alike = false;
    for note in notes {
        let (file, said) = note.split_once(": ").unwrap_or(("", note));
        if said.starts_with("as read: ") && alike {
            continue;
        }
        alike = groups.iter().any(|(known, _)| *known == said);
        match groups.iter_mut().find(|(known, _)| *known == said) {
            Some((_, files)) => files.push(file),
            None => groups.push((said, vec![file])),
        }
    }
    let line = |(said, files): (&str, Vec<&str>)| match files.as_slice() {
        [] | [""] => said.to_owned(),
        [file] => format!("{file}: {said}"),
        [first, .., last] => format!("{} files ({first} … {last}): {said}", files.len()),
    };
    groups.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_that_are_alike_are_one_line() {
        let alike: Vec<String> = (1..=44).map(|n| format!("{n}.csv: CSV (comma), left = a")).collect();
        assert_eq!(summed(&alike), ["44 files (1.csv … 44.csv): CSV (comma), left = a"]);
        let other = [&alike[..2], &["x.json: JSON".to_owned()]].concat();
        assert_eq!(summed(&other), ["2 files (1.csv … 2.csv): CSV (comma), left = a", "x.json: JSON"]);
    }
}

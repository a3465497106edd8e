//! What the address of a study says of whoever comes from a crowd platform.

/// The most parameters that are kept beside the id.
const MOST: usize = 10;
/// The columns that the file of people has anyway.
const TAKEN: [&str; 6] = ["voter", "name", "state", "counted", "answers", "finished"];
/// What addresses of voters say themselves.
const OURS: [&str; 5] = ["embed", "started", "end", "criterion", "pair"];

/// Checks the names of the parameter with the id and of those that are kept with it.
pub(super) fn check(id: &str, kept: &[String]) -> Result<(), String> {
    let fine = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !fine(id) {
        return Err(format!("settings.id_parameter is {id:?}: it is made of the characters A-Z a-z 0-9 _ - ."));
    }
    if kept.len() > MOST {
        return Err(format!("settings.keep_parameters has {} names: at most {MOST} are kept", kept.len()));
    }
    if id.is_empty() && !kept.is_empty() {
        let needed = "settings.keep_parameters goes with id_parameter: name the parameter with the voter's id, too";
        return Err(needed.to_owned());
    }
    for (at, name) in kept.iter().enumerate() {
        if name.is_empty() || name.len() > 64 || !fine(name) {
            let rule = "write 1 to 64 of the characters A-Z a-z 0-9 _ - .";
            return Err(format!("settings.keep_parameters: {name:?} is no name of a parameter; {rule}"));
        }
        let taken = [&TAKEN[..], &OURS[..], &[id]].concat().contains(&name.as_str());
        if taken || kept[..at].contains(name) {
            return Err(format!("settings.keep_parameters: the name {name:?} is taken; choose another"));
        }
    }
    Ok(())
}

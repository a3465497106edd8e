//! Files that appear whole or not at all, and never in the place of what is being read.

use crate::failure::Failure;
use same_file::Handle;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a file beside its place and moves it there, so that nobody ever sees half of it. What is no file (a pipe, a
/// terminal, `/dev/null`) is written to as it is.
pub(crate) fn write_whole(place: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(place).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return fs::write(place, bytes);
    }
    let mut draft = draft(place)?;
    draft.write_all(bytes)?;
    finish(draft, place)?;
    Ok(())
}

/// A new file beside a place, under a name that nobody can foresee; it goes away by itself unless it is finished.
pub(crate) fn draft(place: &Path) -> io::Result<NamedTempFile> {
    if place.is_dir() || place.file_name().is_none() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    builder.prefix(".borduel-").suffix(".part");
    // As any other new file: what others may do with it is the umask's business.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(parent).map_err(|error| error.kind().into())
}

/// Moves a draft to its place, once it is safely on the disk.
pub(crate) fn finish(draft: NamedTempFile, place: &Path) -> io::Result<fs::File> {
    draft.as_file().sync_all()?;
    draft.persist(place).map_err(|error| error.error)
}

/// Files that are read, by what they are rather than by what they are called.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<(String, Handle)>);

impl Inputs {
    /// These files, `-` being standard input. What cannot be opened is somebody else's error.
    pub(crate) fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let open = |path: &Path| if path == Path::new("-") { Handle::stdin().ok() } else { file(path) };
        Self(paths.into_iter().filter_map(|path| Some((path.display().to_string(), open(path)?))).collect())
    }

    /// Refuses to write where something is read from, whatever links lead there.
    pub(crate) fn refuse(&self, flag: &str, output: &Path) -> Result<(), Failure> {
        // What is not there yet is nobody's input.
        let Some(output_file) = file(output) else { return Ok(()) };
        match self.0.iter().find(|(_, input)| *input == output_file) {
            Some((input, _)) => {
                let place = output.display();
                let reason = format!("{flag} {place}: is the file that is read as {input}, and would be overwritten");
                Err(Failure::Usage(reason + "; name another file"))
            }
            None => Ok(()),
        }
    }
}

/// What a path leads to, if that is a file: to open a pipe would be to wait for whoever writes it, and to take what it says.
fn file(path: &Path) -> Option<Handle> {
    if fs::metadata(path).ok()?.is_file() { Handle::from_path(path).ok() } else { None }
}

/// Refuses two outputs in one place.
pub(crate) fn apart(outputs: &[(&str, &Path)]) -> Result<(), Failure> {
    for (at, (flag, place)) in outputs.iter().enumerate() {
        for (other_flag, other) in &outputs[..at] {
            if same_place(place, other) {
                let reason = format!("{other_flag} and {flag} both write {}: name two files", place.display());
                return Err(Failure::Usage(reason));
            }
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, be it there already or not.
fn same_place(a: &Path, b: &Path) -> bool {
    let full = |path: &Path| -> Option<PathBuf> {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(parent).ok()?.join(path.file_name()?))
    };
    match (file(a), file(b)) {
        (Some(a), Some(b)) => a == b,
        _ => full(a).is_some() && full(a) == full(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_by_any_number_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("x.html");
        std::thread::scope(|scope| {
            for writer in 0..8_u8 {
                let place = &place;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write_whole(place, &vec![writer; 10_000]).unwrap();
                    }
                });
            }
        });
        let bytes = fs::read(&place).unwrap();
        assert!(bytes.len() == 10_000 && bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no draft stays");
        assert!(write_whole(dir.path(), b"").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn inputs_are_known_through_links() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("votes.csv"), "x").unwrap();
        fs::write(path("other.csv"), "x").unwrap();
        std::os::unix::fs::symlink(path("votes.csv"), path("soft")).unwrap();
        fs::hard_link(path("votes.csv"), path("hard")).unwrap();
        let inputs = Inputs::new([path("votes.csv").as_path()]);
        for name in ["votes.csv", "soft", "hard", "../NAME/votes.csv"] {
            let name = name.replace("NAME", dir.path().file_name().unwrap().to_str().unwrap());
            assert!(matches!(inputs.refuse("--html", &path(&name)), Err(Failure::Usage(_))), "{name}");
        }
        assert!(inputs.refuse("--html", &path("other.csv")).is_ok() && inputs.refuse("--html", &path("new")).is_ok());
        assert!(apart(&[("--html", &path("a")), ("--set-aside", &path("./a"))]).is_err());
        assert!(apart(&[("--html", &path("a")), ("--set-aside", &path("b"))]).is_ok());
    }
}

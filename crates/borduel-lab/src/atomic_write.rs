//! Files that appear whole or not at all, and never in the place of what is being read.

use crate::failure::Failure;
use same_file::Handle;
use std::fs::{self, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Writes a file whole or not at all.
pub fn write_whole(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut output = Output::open(place)?;
    output.write_all(bytes)?;
    output.finish()
}

/// Something that is being written: a file beside its place, which it is moved to when it is whole, so that nobody ever
/// sees half of it. Links stay, and what they lead to is replaced. What is no file (a pipe, a terminal, `/dev/null`) is
/// written to as it is.
pub enum Output {
    /// A draft, and the place that it is moved to.
    Draft(NamedTempFile, PathBuf),
    /// What is no file.
    Straight(fs::File),
    /// Standard output, whatever path named it.
    Stdout(io::Stdout),
}

impl Output {
    /// Opens what is to be written at this place.
    pub fn open(place: &Path) -> io::Result<Self> {
        // `/dev/stdout` into a file, say: to replace that would leave the rest of standard output nowhere.
        if file(place).is_some_and(|file| Handle::stdout().is_ok_and(|stdout| stdout == file)) {
            return Ok(Self::Stdout(io::stdout()));
        }
        if fs::metadata(place).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
            return Ok(Self::Straight(fs::File::options().write(true).open(place)?));
        }
        let place = target(place)?;
        Ok(Self::Draft(draft(&place)?, place))
    }

    /// Moves it to its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Self::Draft(draft, place) => finish(draft, &place).map(drop),
            Self::Straight(_) | Self::Stdout(_) => Ok(()),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Draft(file, _) => file.write(bytes),
            Self::Straight(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Draft(file, _) => file.flush(),
            Self::Straight(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
    }
}

/// So many links in a row, and they lead in a circle.
const MOST_LINKS: usize = 40;

/// Where links lead, whether anything is there or not.
pub fn target(place: &Path) -> io::Result<PathBuf> {
    let mut place = place.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(link) => place = place.parent().unwrap_or(Path::new("")).join(link),
            // It is no link, or not there.
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

const PREFIX: &str = ".borduel-";
const SUFFIX: &str = ".part";

/// A new file beside a place, under a name that nobody can foresee; it goes away by itself unless it is finished. Those
/// that a kill left behind go away with it.
pub fn draft(place: &Path) -> io::Result<NamedTempFile> {
    if place.is_dir() || place.file_name().is_none() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let parent = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    sweep(parent);
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    // As any other new file: what others may do with it is the umask's business.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let draft = builder.tempfile_in(parent).map_err(|error| io::Error::from(error.kind()))?;
        // Whoever sweeps takes a file that is not locked for one that was left behind, and may have been quicker.
        let locked = draft.as_file().lock().is_ok();
        if !locked || draft.path().exists() {
            return Ok(draft);
        }
    }
}

/// Takes away the drafts in a directory whose owners have gone: the others are locked. What cannot be looked at stays.
fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if !ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = fs::File::options().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Moves a draft to its place, once it is safely on the disk. It stays locked as long as the file that is returned is
/// open.
pub fn finish(draft: NamedTempFile, place: &Path) -> io::Result<fs::File> {
    draft.as_file().sync_all()?;
    draft.persist(place).map_err(|error| error.error)
}

/// Opens a file that is kept while one works, made if it is missing, and locks it against everybody else.
pub fn open_locked(path: &Path, remedy: &str) -> Result<fs::File, Failure> {
    // A pipe would be waited for without end, a device swallow everything.
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return Err(Failure::Usage(format!("{}: is not a file; it is not touched; {remedy}", path.display())));
    }
    let failed = |error: io::Error| {
        let message = format!("{}: cannot be written ({error}); {remedy}", path.display());
        if is_full(&error) { Failure::Internal(message) } else { Failure::Usage(message) }
    };
    loop {
        let file =
            fs::File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        match file.try_lock() {
            // Another one may have taken its place meanwhile: then that is the one to be had.
            Ok(()) if file.try_clone().and_then(Handle::from_file).ok() == Handle::from_path(path).ok() => {
                return Ok(file);
            }
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let place = path.display();
                return Err(Failure::Usage(format!(
                    "{place}: another borduel is at work here; wait for it, or {remedy}"
                )));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// Whether a file could not be written for want of room.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

/// Files that are read, by what they are rather than by what they are called.
#[derive(Debug, Default)]
pub struct Inputs(Vec<(String, Handle)>);

impl Inputs {
    /// These files, `-` being standard input. What cannot be opened is somebody else's error.
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let open = |path: &Path| if path == Path::new("-") { Handle::stdin().ok() } else { file(path) };
        Self(paths.into_iter().filter_map(|path| Some((path.display().to_string(), open(path)?))).collect())
    }

    /// Refuses to write where something is read from, whatever links lead there.
    pub fn refuse(&self, flag: &str, output: &Path) -> Result<(), Failure> {
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

/// What a path leads to, if that is a file: to open a pipe would be to wait for whoever writes it, and to take what it
/// says.
fn file(path: &Path) -> Option<Handle> {
    if fs::metadata(path).ok()?.is_file() { Handle::from_path(path).ok() } else { None }
}

/// Refuses two outputs in one place.
pub fn apart(outputs: &[(&str, &Path)]) -> Result<(), Failure> {
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
    fn links_stay_and_what_they_lead_to_is_written() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("there")).unwrap();
        fs::write(path("there/old"), "old").unwrap();
        for (link, to) in [("known", "there/old"), ("new", "there/new"), ("far", "known"), ("a", "b"), ("b", "a")] {
            symlink(to, path(link)).unwrap();
        }
        for (link, file) in [("known", "there/old"), ("new", "there/new"), ("far", "there/old")] {
            write_whole(&path(link), link.as_bytes()).unwrap();
            assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink(), "{link}");
            assert_eq!(fs::read_to_string(path(file)).unwrap(), link);
        }
        assert!(write_whole(&path("a"), b"").unwrap_err().to_string().contains("circle"));
        symlink("/dev/null", path("nowhere")).unwrap();
        write_whole(&path("nowhere"), b"x").unwrap();
        assert!(fs::symlink_metadata(path("nowhere")).unwrap().is_symlink());
    }

    #[test]
    fn drafts_of_the_dead_are_swept_and_those_at_work_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let left = dir.path().join(".borduel-x1y2z3.part");
        let other = dir.path().join(".borduel-notes");
        fs::write(&left, "half").unwrap();
        fs::write(&other, "mine").unwrap();
        let at_work = draft(&dir.path().join("a.html")).unwrap();
        assert!(!left.exists() && other.exists());
        write_whole(&dir.path().join("b.html"), b"b").unwrap();
        assert!(at_work.path().exists());
        drop(at_work);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
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
        assert!(apart(&[("--html", &path("a")), ("--rejected", &path("./a"))]).is_err());
        assert!(apart(&[("--html", &path("a")), ("--rejected", &path("b"))]).is_ok());
    }
}

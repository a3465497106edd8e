//! The directory that receives everything: files appear there whole or not at all.

use crate::failure::Failure;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// An output directory.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The directory of this path, made if it is missing.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Failure::writing(path, &error),
            _ => {
                let reason = format!("{}: no directory can be made here ({error})", path.display());
                Failure::Usage(format!("{reason}; choose another one with --out"))
            }
        })?;
        Ok(Self { path: path.to_owned() })
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let place = self.file(name);
        write_whole(&place, bytes).map_err(|error| Failure::writing(&place, &error))
    }
}

/// Writes a file beside its place and moves it there, so that nobody ever sees half of it. What is no file (a pipe, a
/// terminal, `/dev/null`) is written to as it is.
pub(crate) fn write_whole(place: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(place).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        return fs::write(place, bytes);
    }
    let name = place.file_name().ok_or(ErrorKind::IsADirectory)?;
    let mut draft = OsString::from(".");
    draft.push(name);
    draft.push(".part");
    let draft = place.with_file_name(draft);
    let written = File::create(&draft)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&draft, place));
    written.inspect_err(|_| {
        // The draft is of no use; that it may not have come into being is no second error.
        let _ = fs::remove_file(&draft);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(&dir.path().join("a/b")).unwrap();
        folder.write("x.txt", b"one").unwrap();
        folder.write("x.txt", b"two").unwrap();
        assert_eq!(fs::read(folder.file("x.txt")).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(matches!(Folder::open(&folder.file("x.txt")), Err(Failure::Usage(_))));
    }
}

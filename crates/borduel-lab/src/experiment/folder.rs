//! The directory that receives everything: files appear there whole or not at all.

use crate::atomic_write::write_whole;
use crate::failure::Failure;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder that an experiment writes its files into.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The directory of this path, made if it is missing.
    ///
    /// # Errors
    /// A place where no directory can be made.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(path).map_err(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Failure::writing(path, &error),
            _ => {
                let reason = format!("{}: no directory can be made here ({error})", path.display());
                Failure::Usage(format!("{reason}; choose another one with --out"))
            }
        })?;
        Ok(Self { path: path.to_owned() })
    }

    /// The folder's path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let place = self.file(name);
        write_whole(&place, bytes).map_err(|error| Failure::writing(&place, &error))
    }
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

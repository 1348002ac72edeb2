//! Files that are whole or as they were.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::corpus::Problem;

/// Writes every file beside its place first and moves all of them there afterwards, so that a
/// folder that cannot be written, or a disk that is full, leaves the old files as they were.
///
/// What is no ordinary file (a pipe, `/dev/null`) is written to as it is.
pub fn write_all(files: &[(PathBuf, String)]) -> Result<(), Problem> {
    let failed = |path: &Path, error: io::Error| Problem::file(path, format!("cannot be written: {error}"));
    let mut staged = Vec::with_capacity(files.len());
    for (path, text) in files {
        staged.push((path, stage(path, text).map_err(|error| failed(path, error))?));
    }
    for (path, stage) in staged {
        let moved = match stage {
            Staged::Beside(file, target) => file.persist(target).map(drop).map_err(|error| error.error),
            Staged::Direct(text) => std::fs::OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut file| file.write_all(text.as_bytes())),
        };
        moved.map_err(|error| failed(path, error))?;
    }
    Ok(())
}

enum Staged<'a> {
    /// A temporary file and where it goes.
    Beside(NamedTempFile, PathBuf),
    /// The text of something that is no file.
    Direct(&'a str),
}

fn stage<'a>(path: &Path, text: &'a str) -> io::Result<Staged<'a>> {
    match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::Error::other("is a directory")),
        Ok(there) if !there.is_file() => return Ok(Staged::Direct(text)),
        _ => {}
    }
    // What a link points to is replaced, not the link.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = builder(&target).tempfile_in(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other("its folder does not exist"),
        // The message would name the temporary file.
        kind => io::Error::other(kind.to_string()),
    })?;
    // Past the wrapper, whose errors name the temporary file.
    let inner = file.as_file_mut();
    inner.write_all(text.as_bytes()).and_then(|()| inner.sync_all())?;
    Ok(Staged::Beside(file, target))
}

/// Temporary files are private by default; a report is as readable as any other file, or as the
/// one that it replaces.
#[cfg(unix)]
fn builder(target: &Path) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(target).map_or(0o666, |there| there.permissions().mode() & 0o777);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".compare-").permissions(std::fs::Permissions::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn builder(_: &Path) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".compare-");
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_fails_leaves_all_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let (good, bad) = (folder.path().join("a"), folder.path().join("none/b"));
        std::fs::write(&good, "old").unwrap();
        let files = [(good.clone(), "new".to_string()), (bad, "new".to_string())];
        let error = write_all(&files).unwrap_err().to_string();
        assert!(error.ends_with("none/b: cannot be written: its folder does not exist"), "{error}");
        assert_eq!(std::fs::read_to_string(&good).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        write_all(&files[..1]).unwrap();
        assert_eq!(std::fs::read_to_string(&good).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_all(&[(link.clone(), "new".into()), ("/dev/null".into(), "new".into())]).unwrap();
        assert!(link.is_symlink() && !Path::new("/dev/null").is_file());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }
}

//! A run that is killed, or that meets a full or read-only disk, leaves old files whole.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Scratch;

/// What a file that is not finished is called; a run that is killed may leave it behind.
const UNFINISHED: &str = ".compare-";

const ENGINE: &str = "candle-metal-model";

const TRIALS: usize = 24;

fn spawn(scratch: &Scratch, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compare"));
    command.current_dir(scratch.path("")).env_remove("CARGO_MANIFEST_DIR").args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Signal {
    Kill,
    Interrupt,
}

impl Signal {
    fn send(self, child: &mut Child) {
        // One that has ended in the meantime cannot be killed, and need not be.
        let _ = match self {
            Signal::Kill => child.kill().map_err(drop),
            Signal::Interrupt => Command::new("kill")
                .args(["-INT", &child.id().to_string()])
                .stderr(Stdio::null())
                .status()
                .map(drop)
                .map_err(drop),
        };
    }
}

/// The files of a folder that are not finished.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let named = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(UNFINISHED);
    files.filter(named).collect()
}

/// When a run is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// So long after it began.
    After(Duration),
    /// As soon as it writes, and so much later.
    Writing(Duration),
}

/// Kills a run at a moment; whether it was at work then.
fn interrupt(scratch: &Scratch, folder: &Path, arguments: &[&str], moment: Moment, signal: Signal) -> bool {
    let mut child = spawn(scratch, arguments);
    let wait = match moment {
        Moment::After(wait) => wait,
        Moment::Writing(wait) => {
            while unfinished(folder).is_empty() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(20));
            }
            wait
        }
    };
    std::thread::sleep(wait);
    signal.send(&mut child);
    child.wait().unwrap().code().is_none()
}

/// Kills the run many times, by both signals; after each, every file is as it was or as the run
/// makes it, and nothing else is there but files of the documented name.
fn interrupted_many_times(scratch: &Scratch, arguments: &[&str], folder: &str, files: &[&str]) {
    let old: Vec<String> = files.iter().map(|file| scratch.read(file)).collect();
    let started = Instant::now();
    assert!(spawn(scratch, arguments).wait().unwrap().code().is_some());
    let whole_run = started.elapsed();
    let new: Vec<String> = files.iter().map(|file| scratch.read(file)).collect();
    assert!(old.iter().zip(&new).all(|(old, new)| old != new), "the run rewrites every file");
    let folder = scratch.path(folder);
    let there = |folder: &Path| fs::read_dir(folder).unwrap().count();
    let expected = there(&folder);

    let (mut at_work, mut mid_write) = (0, 0);
    for trial in 0..TRIALS {
        for (file, text) in files.iter().zip(&old) {
            scratch.write(file, text);
        }
        let part = (trial / 2) as u32;
        let moment = match trial % 2 {
            0 => Moment::After(whole_run * part / (TRIALS as u32 / 2)),
            _ => Moment::Writing(Duration::from_micros(100) * part),
        };
        let signal = if trial % 4 < 2 { Signal::Kill } else { Signal::Interrupt };
        at_work += usize::from(interrupt(scratch, &folder, arguments, moment, signal));
        let left = unfinished(&folder);
        mid_write += usize::from(!left.is_empty());
        for (file, (old, new)) in files.iter().zip(old.iter().zip(&new)) {
            let found = scratch.read(file);
            assert!(found == *old || found == *new, "{file} is neither old nor new: {moment:?} {signal:?}");
        }
        assert_eq!(there(&folder), expected + left.len(), "{moment:?} {signal:?}");
        left.iter().for_each(|file| fs::remove_file(file).unwrap());
    }
    assert!(at_work > TRIALS / 4, "only {at_work} of {TRIALS} runs were at work when they were killed");
    assert!(mid_write > 0, "no run was killed while it wrote");
    // The next run is as if nothing had happened.
    spawn(scratch, arguments).wait().unwrap();
    assert_eq!(files.iter().map(|file| scratch.read(file)).collect::<Vec<_>>(), new);
}

#[test]
fn reports() {
    let scratch = Scratch::with_suite("red_ref");
    let files = ["r.json", "r.html", "r.xml", "r.md"];
    files.iter().for_each(|file| scratch.write(file, "old"));
    let outputs = files.iter().flat_map(|file| ["-o", file]);
    let arguments: Vec<&str> = outputs.chain(["-k", "dim1"]).collect();
    interrupted_many_times(&scratch, &arguments, "", &files);
}

#[test]
fn bless() {
    let scratch = Scratch::with_suite("reduce");
    fs::create_dir(scratch.path("golden/known")).unwrap();
    let ledger = format!("golden/known/{ENGINE}.toml");
    scratch.write(&ledger, "# Old.\n");
    let arguments = ["--engine", ENGINE, "--bless", "--why", "So it is.", "--source", "a page"];
    interrupted_many_times(&scratch, &arguments, "golden/known", &[&ledger]);
}

/// A small file system of its own, for as long as the value lives.
struct Mounted(PathBuf);

impl Mounted {
    /// None where this process may not mount, which is then said.
    fn new(folder: PathBuf, options: &str) -> Option<Mounted> {
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&folder).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Mounted(folder)),
            Ok(output) => {
                eprintln!("skipped, no mount: {}", String::from_utf8_lossy(&output.stderr).trim());
                None
            }
            Err(error) => {
                eprintln!("skipped, no mount: {error}");
                None
            }
        }
    }

    fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// One clear message and exit status 2.
fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let run = scratch.compare(arguments);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    run.stderr.replace(&scratch.path("").display().to_string(), "")
}

#[test]
fn a_full_disk() {
    let scratch = Scratch::with_suite("red_ref");
    fs::create_dir(scratch.path("disk")).unwrap();
    let Some(disk) = Mounted::new(scratch.path("disk"), "size=32k") else { return };
    scratch.write("disk/r.md", "old");
    let said = refused(&scratch, &["-o", "disk/r.md", "-o", "disk/r.html"]);
    assert_eq!(said, "compare: disk/r.html: cannot be written: No space left on device (os error 28)\n");
    assert_eq!(scratch.read("disk/r.md"), "old");
    assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_ledger_on_a_full_disk() {
    let scratch = Scratch::with_suite("reduce");
    fs::create_dir(scratch.path("golden/known")).unwrap();
    let Some(disk) = Mounted::new(scratch.path("golden/known"), "size=8k") else { return };
    let ledger = format!("golden/known/{ENGINE}.toml");
    scratch.write(&ledger, "# Old.\n");
    scratch.write("golden/known/full", &"x".repeat(4096));
    let arguments = ["--engine", ENGINE, "--bless", "--why", "So it is.", "--source", "a page"];
    let said = refused(&scratch, &arguments);
    assert_eq!(
        said,
        format!("compare: {ledger}: cannot be written: No space left on device (os error 28)\n")
    );
    assert_eq!(scratch.read(&ledger), "# Old.\n");
    assert_eq!(fs::read_dir(&disk.0).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn a_folder_that_is_only_read() {
    let scratch = Scratch::with_suite("reduce");
    fs::create_dir(scratch.path("golden/known")).unwrap();
    let Some(disk) = Mounted::new(scratch.path("golden/known"), "size=64k") else { return };
    let ledger = format!("golden/known/{ENGINE}.toml");
    scratch.write(&ledger, "# Old.\n");
    disk.remount("ro");
    for arguments in [
        &["-o", "golden/known/r.json"][..],
        &["--engine", ENGINE, "--bless", "--why", "So it is.", "--source", "a page"],
    ] {
        let said = refused(&scratch, arguments);
        assert!(said.contains(": cannot be written: read-only filesystem or storage medium"), "{said}");
    }
    assert_eq!(scratch.read(&ledger), "# Old.\n");
}

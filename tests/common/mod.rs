//! A corpus in a temporary folder, and the real binary run on it.
#![allow(dead_code, unreachable_pub, reason = "each test target uses its own part of this")]

pub mod generated;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// What a run ended with.
#[derive(Debug)]
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The repository's own folder of that name.
pub fn repository(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// Runs `compare` in a folder.
pub fn compare_in(folder: &Path, arguments: &[&str]) -> Run {
    run(folder, arguments, &[])
}

/// Runs `compare` in a folder, with variables of the environment.
fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = Command::cargo_bin("compare").unwrap();
    for name in ["CARGO_MANIFEST_DIR", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let variables = variables.iter().copied();
    let output = command.current_dir(folder).envs(variables).args(arguments).output().unwrap();
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `compare` on the repository's corpus.
pub fn compare(arguments: &[&str]) -> Run {
    compare_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// A corpus of its own, with the repository's tolerances.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub fn new() -> Scratch {
        let folder = TempDir::new().unwrap();
        for name in ["fixtures", "golden"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let scratch = Scratch { folder };
        scratch.copy("golden/tolerances.json");
        scratch
    }

    /// With a whole suite of the repository's.
    pub fn with_suite(suite: &str) -> Scratch {
        let scratch = Scratch::new();
        scratch.copy(&format!("fixtures/{suite}.json"));
        scratch.copy(&format!("golden/{suite}.json"));
        scratch
    }

    /// With one small suite `s` of one case: `sum` of two float32 numbers.
    pub fn with_one_case() -> Scratch {
        let scratch = Scratch::new();
        scratch.write("fixtures/s.json", FIXTURE);
        scratch.write("golden/s.json", GOLDEN);
        scratch
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn copy(&self, file: &str) {
        std::fs::copy(repository(file), self.path(file)).unwrap();
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path(file)).unwrap()
    }

    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    /// Replaces the one place in a file that reads so.
    pub fn replace(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert_eq!(text.matches(from).count(), 1, "'{from}' in {file}");
        self.write(file, &text.replacen(from, to, 1));
    }

    /// Every file with what it holds.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => drop(files.insert(path.clone(), std::fs::read(path).unwrap())),
                }
            }
        }
        files
    }

    pub fn compare(&self, arguments: &[&str]) -> Run {
        compare_in(self.folder.path(), arguments)
    }

    pub fn compare_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        run(self.folder.path(), arguments, variables)
    }
}

pub const FIXTURE: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","cases":[
{"id":"s/sum/two","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{"dim":0}}
]}
"#;

pub const GOLDEN: &str = r#"{"schema":1,"suite":"s","generator":"python/s.py","torch":{"version":"2.15.0","cpu_capability":"AVX2","threads":1,"platform":"linux-x86_64"},"outcomes":{
"s/sum/two":{"outputs":[{"dtype":"float32","shape":[],"data":[3.0]}]}
}}
"#;

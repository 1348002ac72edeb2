//! The command line as data: what `compare` understands, and what it says about itself.

mod engine;
mod progress;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::corpus::{Filter, FilterError, MAX_ELEMENTS, Source};
use crate::engines::external::Terms;
use crate::engines::{self, Profile};
use crate::partition::Partition;
use crate::report::{Form, Format, tolerances};

use engine::EngineParser;
pub use progress::Progress;

const EXAMPLES: &str = "\
Examples:
  compare                                every suite on the native engine
  compare --suite red_ref --strict       the 64 x 1000 reductions, to the bit
  compare -k 'op:sum and not error'      some of the cases
  compare -o report.html -o report.json  the table, and two reports from the same run
  compare --rerun-failed report.json     what diverged then, again
  compare explain reduce/sum/dim1        one case whole
  compare --engine all                   every engine of this build, side by side
  compare --engine 'exec:python my.py'   your own engine, in any language

Exit status:
  0  parity; divergences that golden/known/ENGINE.toml explains included
  1  drift: some case diverges unexplained, or a ledger says what is not so
  2  could not judge: usage, bad input, nothing selected, a report that cannot be written";

const MERGE_EXAMPLES: &str = "\
Examples:
  compare --partition hash:1/2 -o part-1.json     on one machine
  compare --partition hash:2/2 -o part-2.json     on another
  compare merge part-1.json part-2.json -o report.html

The exit status is the one that a single run of everything would have had.";

const DRIFT_EXAMPLES: &str = "\
Examples:
  compare drift ../before/golden golden           PyTorch moved
  compare drift old.json new.json --format json   an engine moved

Exit status: 0 nothing changed, 1 something did, 2 they cannot be compared";

const BENCH_EXAMPLES: &str = "\
Examples:
  compare bench                                    the native engine alone
  compare bench --python \"$(scripts/venv.sh)\"     beside PyTorch
  compare bench argmax softmax                     some rows
  compare bench --engine native --engine candle    a build with candle

TORCH_PARITY_CPU=portable, avx2 or avx512 holds the native engine to those instructions.";

const TOLERANCES_EXIT: &str = "\
largest and spread are in the rule's own unit: ULPs, the factor of a scaled sum, the absolute part.
In brackets stands what was measured beyond the corpus, as the rule's reason says.

Exit status: 0 every figure is justified; 1 a rule is unused, is narrower than PyTorch's own
spread, or admits more than four times what it has to";

const SERVE_EXAMPLES: &str = "\
Examples:
  compare --engine 'exec:compare serve'                    this build, judged from outside
  compare --engine 'exec:old/compare serve' -o old.json    another build
  compare serve --engine argminmax                         another engine

A line for each line, until stdin ends. The protocol is in docs/format.md.";

const FILTER: &str = "\
How -k chooses cases.

Terms:
  word                      ids that contain it, in upper or lower case; ops and tags of that
                            very name
  op:sum                    cases of that op
  tag:nan                   cases with that tag
  suite:reduce              cases of that suite
  id:reduce/sum/dim1        that very case

Operators, as in Python:
  not A                     binds tightest
  A and B
  A or B                    binds loosest
  ( )

Two words need an operator between them. `compare list -k EXPR` shows what an expression selects,
`compare list --ops` which ops there are.";

const FILTER_EXAMPLES: &str = "\
Examples:
  compare -k 'op:sum and not error'
  compare -k 'gather or scatter'
  compare -k 'suite:reduce and (nan or inf) and not tag:float16'";

/// Where, and by how much, does a tensor engine differ from PyTorch?
#[derive(Debug, Parser)]
#[command(name = "compare", version, after_help = EXAMPLES, args_conflicts_with_subcommands = false)]
pub struct Cli {
    /// What else to do than compare.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Which cases.
    #[command(flatten)]
    pub selection: Selection,
    /// Which engine, and how strictly.
    #[command(flatten)]
    pub judging: Judging,
    /// What to record.
    #[command(flatten)]
    pub blessing: Blessing,
    /// Which reports.
    #[command(flatten)]
    pub output: Output,
    /// Say where the time went.
    #[arg(short, long)]
    pub verbose: bool,
    /// Use this many threads [default: one per core].
    #[arg(short, long, value_name = "N", global = true)]
    pub jobs: Option<NonZero<usize>>,
    /// Print only the closing line.
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Colours; `auto` means on a terminal, and heeds NO_COLOR and CLICOLOR_FORCE.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true)]
    pub color: Color,
}

/// What else there is to do than compare.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show one case whole: inputs, both outcomes, the verdict and its rule.
    Explain {
        /// The case's id, such as reduce/sum/dim1.
        id: String,
    },
    /// Run deliberately wrong engines: every op has to reject every one that applies to it.
    ///
    /// The rate is of the mutants that apply to an op those that one of its cases rejects. A case
    /// is idle where it rejects none for what it holds: any case at all refuses a panic, a NaN for
    /// a number, or another dtype. Exit status: 1 where a mutant survives or a case is idle.
    Mutants {
        /// Print the ids of idle cases and nothing else; only they make the exit status 1.
        #[arg(long)]
        idle: bool,
    },
    /// Show what each rule of golden/tolerances.json decided, the largest error that it admitted,
    /// and whether its figure is justified.
    #[command(after_help = TOLERANCES_EXIT)]
    Tolerances {
        /// How to show it.
        #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
        format: tolerances::Form,
        /// Say why each figure is what it is.
        #[arg(long)]
        reasons: bool,
    },
    /// Print the ids of the selected cases without running them.
    List {
        /// Print PyTorch's functions with the number of cases of each, and whether the native
        /// engine has them.
        #[arg(long)]
        ops: bool,
    },
    /// Offer an engine of this build over stdin and stdout, as an external one.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve,
    /// Make one report of several JSON reports: of partitions, or of engines that ran apart.
    #[command(after_help = MERGE_EXAMPLES)]
    Merge {
        /// The JSON reports.
        #[arg(required = true, value_name = "REPORT")]
        reports: Vec<PathBuf>,
        /// Which reports to make of them.
        #[command(flatten)]
        output: Output,
    },
    /// Tell what changed between two golden folders, or between two JSON reports.
    #[command(after_help = DRIFT_EXAMPLES)]
    Drift {
        /// A golden folder or a JSON report, as it was.
        old: PathBuf,
        /// The same, as it is.
        new: PathBuf,
        /// How to show it.
        #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
        format: Form,
        /// Write it to this file instead of to stdout.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Time calls on engines and on PyTorch, in turns.
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Bench),
    /// Explain the expressions of -k.
    #[command(long_about = FILTER, after_help = FILTER_EXAMPLES)]
    Filter,
    /// Print completions for a shell: compare completions bash > FILE.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page: compare man | man -l -.
    Man,
}

/// What to time.
#[derive(Debug, Args)]
pub struct Bench {
    /// Only the rows whose name contains one of these words.
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// Instead of the rows, how time grows with size: five ops, 2^10 to 2^24 elements.
    #[arg(long)]
    pub growth: bool,
    /// A Python that has PyTorch, to time it too.
    #[arg(long, value_name = "PYTHON")]
    pub python: Option<PathBuf>,
    /// The threads that each engine has.
    #[arg(long, value_name = "N", default_value = "1")]
    pub threads: NonZero<usize>,
    /// How often the engines take turns.
    #[arg(long, value_name = "N", default_value = "7")]
    pub rounds: NonZero<usize>,
    /// How to show the times.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub format: Form,
}

/// Which cases.
#[derive(Debug, Args)]
pub struct Selection {
    /// Folder of the fixture files [default: the repository's, else beside the binary].
    #[arg(long, value_name = "DIR", global = true)]
    pub fixtures: Option<PathBuf>,
    /// Folder of the golden files [default: the repository's, else beside the binary].
    #[arg(long, value_name = "DIR", global = true)]
    pub golden: Option<PathBuf>,
    /// Only this suite; may be given several times.
    #[arg(long, value_name = "NAME", global = true)]
    pub suite: Vec<String>,
    /// Only cases that match: words, op:NAME, and, or, not; see `compare help filter`.
    #[arg(short = 'k', value_name = "EXPR", global = true)]
    pub filter: Option<String>,
    /// Only the cases in which the engine diverged in this JSON report.
    #[arg(long, value_name = "REPORT", global = true)]
    pub rerun_failed: Option<PathBuf>,
    /// Only the i-th of n parts of the selection, as hash:i/n, for machines that share the work.
    ///
    /// A case is in part 1 + XXH64(id) modulo n, whatever else is selected. `compare merge` puts
    /// the parts' JSON reports together.
    #[arg(long, value_name = "hash:I/N", global = true)]
    pub partition: Option<Partition>,
    /// Refuse tensors of more elements than this.
    #[arg(long, value_name = "N", default_value_t = MAX_ELEMENTS, global = true)]
    pub max_elements: usize,
}

/// Which engine, and how strictly.
#[derive(Debug, Args)]
pub struct Judging {
    /// The engine to run, or `all` of this build, or a command as exec:COMMAND; may be given
    /// several times.
    ///
    /// A command is split into words as by a shell, but no shell runs it. It starts a program that
    /// answers cases over stdin and stdout, as docs/format.md has it; `-j` says how many at once.
    #[arg(long, value_name = "NAME", default_value = "native", value_parser = EngineParser, global = true)]
    pub engine: Vec<String>,
    /// Give an external engine so long for each case, and to start.
    ///
    /// A case that takes longer diverges in class `timeout`; the engine is ended, with what it has
    /// started, and started again for the next case. Engines of this build run on threads, which
    /// cannot be ended: to them it does not apply.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = engine::seconds, global = true)]
    pub timeout: Duration,
    /// Append what external engines write to stderr to this file instead of showing it.
    #[arg(long, value_name = "FILE", global = true)]
    pub engine_log: Option<PathBuf>,
    /// Hold the engine to this profile's tolerances instead of its own.
    #[arg(long, value_enum, value_name = "NAME", global = true)]
    pub profile: Option<Profile>,
    /// Ignore the tolerances: everything must be equal to the bit. What the ledger of known
    /// divergences explains is explained all the same.
    #[arg(long, global = true)]
    pub strict: bool,
}

/// What to record.
#[derive(Debug, Args)]
pub struct Blessing {
    /// Bring golden/known/ENGINE.toml and golden/accuracy.json up to date.
    ///
    /// Writes an entry for each op and class of new divergences, records sizes anew, and drops
    /// entries that are true of no case any more. Comments and order stay. Where there is an
    /// accuracy.json, records the largest errors inside the tolerances.
    #[arg(long)]
    pub bless: bool,
    /// Why the new divergences are there: one sentence, for --bless.
    #[arg(long, value_name = "TEXT", requires = "bless")]
    pub why: Option<String>,
    /// Where that is said (a document, an issue, the engine's source), for --bless.
    #[arg(long, value_name = "TEXT", requires = "bless")]
    pub source: Option<String>,
}

/// Stands for every engine of the build.
const ALL: &str = "all";

impl Judging {
    /// How external engines are run, for tensors of at most so many elements.
    pub fn terms(&self, max_elements: usize) -> Terms {
        Terms { timeout: self.timeout, log: self.engine_log.clone(), max_elements }
    }

    /// The engines to run, each once: names, and commands behind `exec:`.
    pub fn engines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in &self.engine {
            let meant = if name == ALL { engines::names().collect() } else { vec![name.as_str()] };
            for name in meant {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

/// Which reports.
#[derive(Debug, Args)]
pub struct Output {
    /// Form of the report; may be given several times, the first for the first -o, and so on.
    ///
    /// One without an -o goes to stdout in place of the table.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Vec<Format>,
    /// Write a report to a file as well; may be given several times.
    ///
    /// Where there are fewer --format than -o, the form is what the name says: .txt, .json,
    /// .jsonl, .xml (junit), .md, .html. `-` is stdout. A file is written whole or left as it was.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> anstream::ColorChoice {
        match color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
    }
}

impl Selection {
    /// Whether it is less than the whole corpus, the partition aside.
    pub fn is_part(&self) -> bool {
        !self.suite.is_empty() || self.filter.is_some() || self.rerun_failed.is_some()
    }

    /// Where the corpus is, and what of it to load.
    pub fn source(&self) -> Result<Source, FilterError> {
        let filter = match &self.filter {
            Some(expression) => expression.parse()?,
            None => Filter::All,
        };
        let folder = |given: &Option<PathBuf>, name: &str| match given {
            Some(folder) => folder.clone(),
            None => default_root().join(name),
        };
        Ok(Source {
            fixtures: folder(&self.fixtures, "fixtures"),
            golden: folder(&self.golden, "golden"),
            suites: self.suite.clone(),
            filter,
            max_elements: self.max_elements,
        })
    }
}

/// The nearest folder that holds both `fixtures` and `golden`: this one or one above it, else
/// the package's (under `cargo run`), else the binary's.
fn default_root() -> PathBuf {
    let is_root = |folder: &Path| folder.join("fixtures").is_dir() && folder.join("golden").is_dir();
    let here = std::env::current_dir().unwrap_or_default();
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let binary = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf));
    let mut candidates = here.ancestors().map(Path::to_path_buf).chain(package).chain(binary);
    candidates.find(|folder| is_root(folder)).unwrap_or_else(|| PathBuf::from("."))
}

/// The completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "compare", &mut script);
    script
}

/// The manual page of the program and of its subcommands.
pub fn manual() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(page)
}

/// The page about -k.
pub fn filter_help() -> String {
    format!("{FILTER}\n\n{FILTER_EXAMPLES}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_timeout_is_the_documented_one() {
        assert_eq!(Cli::parse_from(["compare"]).judging.timeout, engines::external::TIMEOUT);
    }
}

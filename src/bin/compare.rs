//! `compare`: arguments in, exit status out.

use std::io::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand, ValueEnum};
use torch_parity::corpus::{Corpus, Filter, MAX_ELEMENTS, Source};
use torch_parity::engines::{self, Engine, Profile};
use torch_parity::judge::Tolerances;
use torch_parity::replay::{replay, run_and_judge};
use torch_parity::report::table::Rows;
use torch_parity::report::{EngineReport, ExitStatus, Report, Timing, explain, json, list, mutants, table};

const EXAMPLES: &str = "\
Examples:
  compare                                every suite on the native engine
  compare --suite red_ref --strict       the 64 x 1000 reductions, to the bit
  compare -k 'op:sum and not error'      some of the cases
  compare explain reduce/sum/dim1        one case whole

Exit status:
  0  parity
  1  drift: some case diverges
  2  could not judge: usage, bad input, nothing selected";

/// Where, and by how much, does a tensor engine differ from PyTorch?
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, args_conflicts_with_subcommands = false)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    judging: Judging,
    /// Say where the time went.
    #[arg(short, long)]
    verbose: bool,
    /// Use this many threads [default: one per core].
    #[arg(short, long, value_name = "N", global = true)]
    jobs: Option<NonZero<usize>>,
    /// How to print the report.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show one case whole: inputs, both outcomes, the verdict and its rule.
    Explain {
        /// The case's id, such as reduce/sum/dim1.
        id: String,
    },
    /// Run deliberately wrong engines: every op has to reject every one that applies to it.
    Mutants,
    /// Print the ids of the selected cases without running them.
    List {
        /// Print PyTorch's functions with the number of cases of each, and whether the native
        /// engine has them.
        #[arg(long)]
        ops: bool,
    },
}

#[derive(Debug, Args)]
struct Selection {
    /// Folder of the fixture files [default: the repository's, else beside the binary].
    #[arg(long, value_name = "DIR", global = true)]
    fixtures: Option<PathBuf>,
    /// Folder of the golden files [default: the repository's, else beside the binary].
    #[arg(long, value_name = "DIR", global = true)]
    golden: Option<PathBuf>,
    /// Only this suite; may be given several times.
    #[arg(long, value_name = "NAME", global = true)]
    suite: Vec<String>,
    /// Only cases that match: words of ids, op:NAME, tag:NAME, suite:NAME, id:ID, and, or, not, ( ).
    #[arg(short = 'k', value_name = "EXPR", global = true)]
    filter: Option<String>,
    /// Refuse tensors of more elements than this.
    #[arg(long, value_name = "N", default_value_t = MAX_ELEMENTS, global = true)]
    max_elements: usize,
}

#[derive(Debug, Args)]
struct Judging {
    /// The engine to run.
    #[arg(long, value_name = "NAME", default_value = "native", value_parser = engines::NAMES, global = true)]
    engine: String,
    /// Hold the engine to this profile's tolerances instead of its own.
    #[arg(long, value_enum, value_name = "NAME", global = true)]
    profile: Option<Profile>,
    /// Ignore the tolerances: everything must be equal to the bit.
    #[arg(long, global = true)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A row per op; for a single small suite, a row per case.
    Table,
    /// Everything, for programs.
    Json,
}

/// A single suite of at most this many cases is shown case by case.
const SMALL_SUITE: usize = 64;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match execute(&cli) {
        Ok(status) => ExitCode::from(status as u8),
        Err(error) => {
            eprintln!("compare: {error:#}");
            ExitCode::from(ExitStatus::CannotJudge as u8)
        }
    }
}

fn execute(cli: &Cli) -> anyhow::Result<ExitStatus> {
    if let Some(jobs) = cli.jobs {
        rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build_global()?;
    }
    let mut source = source(&cli.selection)?;
    match &cli.command {
        Some(Command::List { ops }) => {
            let corpus = Corpus::load(&source)?;
            print(&if *ops { list::ops(&corpus) } else { list::ids(&corpus) })?;
            Ok(ExitStatus::Parity)
        }
        Some(Command::Mutants) => {
            let (engine, _, tolerances) = judging(&cli.judging, &source.golden)?;
            let corpus = Corpus::load(&source)?;
            let trial = torch_parity::mutants::run(&corpus, engine.as_ref(), &tolerances);
            print(&mutants::render(&trial))?;
            Ok(mutants::status(&trial))
        }
        Some(Command::Explain { id }) => {
            source.filter = Filter::Id(id.clone());
            explain_case(&source, &cli.judging).with_context(|| format!("explain {id}"))
        }
        None => compare(&source, cli),
    }
}

fn compare(source: &Source, cli: &Cli) -> anyhow::Result<ExitStatus> {
    let (engine, profile, tolerances) = judging(&cli.judging, &source.golden)?;
    let started = Instant::now();
    let corpus = Corpus::load(source)?;
    let loaded = started.elapsed();
    let cases = replay(&corpus, engine.as_ref(), profile, &tolerances);
    let timing = Timing { cases: cases.len(), loading: loaded, replaying: started.elapsed() - loaded };
    let rows = match source.suites.len() {
        1 if cases.len() <= SMALL_SUITE => Rows::Cases,
        _ => Rows::Ops,
    };
    let report =
        Report { torch: &corpus.torch, engines: vec![EngineReport::new(engine.as_ref(), profile, cases)] };
    match cli.format {
        Format::Table => {
            print(&table::render(&report, rows))?;
            if cli.verbose {
                print(&format!("{timing}\n"))?;
            }
        }
        Format::Json => print(&json::render(&report)?)?,
    }
    Ok(report.status())
}

fn explain_case(source: &Source, options: &Judging) -> anyhow::Result<ExitStatus> {
    let (engine, profile, tolerances) = judging(options, &source.golden)?;
    let corpus = Corpus::load(source)?;
    let entry = corpus.entries.first().context("no case of that id")?;
    let (outcome, judged) = run_and_judge(entry, engine.as_ref(), profile, &tolerances);
    print(&explain::render(&judged, engine.as_ref(), &outcome, &tolerances, profile))?;
    let engines = vec![EngineReport::new(engine.as_ref(), profile, vec![judged])];
    Ok(Report { torch: &corpus.torch, engines }.status())
}

fn judging(options: &Judging, golden: &Path) -> anyhow::Result<(Box<dyn Engine>, Profile, Tolerances)> {
    let engine = engines::by_name(&options.engine).context("no such engine in this build")?;
    let profile = options.profile.unwrap_or(engine.profile());
    let tolerances = match options.strict {
        true => Tolerances::strict(),
        false => Tolerances::load(&golden.join("tolerances.json"))?,
    };
    Ok((engine, profile, tolerances))
}

fn source(selection: &Selection) -> anyhow::Result<Source> {
    let filter = match &selection.filter {
        Some(expression) => expression.parse()?,
        None => Filter::All,
    };
    let folder = |given: &Option<PathBuf>, name: &str| match given {
        Some(folder) => folder.clone(),
        None => default_root().join(name),
    };
    Ok(Source {
        fixtures: folder(&selection.fixtures, "fixtures"),
        golden: folder(&selection.golden, "golden"),
        suites: selection.suite.clone(),
        filter,
        max_elements: selection.max_elements,
    })
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

/// Writes to stdout; a reader that went away (`| head`) is no failure.
fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to stdout"),
    }
}

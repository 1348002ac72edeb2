//! `compare`: arguments in, exit status out.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Parser as _;
use torch_parity::bench;
use torch_parity::bless::{self, Reason};
use torch_parity::cli::{self, Blessing, Cli, Color, Command, Output, Progress};
use torch_parity::corpus::{self, Corpus, Filter, Selectable, Source};
use torch_parity::cpu;
use torch_parity::drift;
use torch_parity::engines::{self, Engine, Profile};
use torch_parity::judge::{Accuracy, Ledger, Tolerances};
use torch_parity::replay::{replay, replay_observed, run_and_judge};
use torch_parity::report::table::{self, Rows};
use torch_parity::report::tolerances::{self, RulesReport};
use torch_parity::report::{
    EngineReport, Evidence, ExitStatus, Form, Format, Plan, Report, Share, Timing, explain, github, html,
    json, junit, list, markdown, merge, mutants, write_all,
};
use torch_parity::serve::serve;

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
    cpu::requested()?;
    if let Some(jobs) = cli.jobs {
        rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build_global()?;
    }
    if cli.command.is_some() && (!cli.output.format.is_empty() || !cli.output.output.is_empty()) {
        bail!("--format and -o belong behind the subcommand");
    }
    if cli.command.is_some() && cli.blessing.bless {
        bail!("--bless belongs to a run, not to a subcommand");
    }
    let mut source = cli.selection.source()?;
    match &cli.command {
        Some(Command::List { ops }) => {
            let runs = match &cli.selection.rerun_failed {
                Some(_) => judging(cli, &source.golden)?.0,
                None => Vec::new(),
            };
            let mut heads = corpus::heads(&source)?;
            select(&mut heads, cli, &runs)?;
            print(&if *ops { list::ops(&heads) } else { list::ids(&heads) }, cli.color)?;
            Ok(ExitStatus::Parity)
        }
        Some(Command::Mutants { idle }) => {
            let (runs, tolerances) = judging(cli, &source.golden)?;
            let [run] = runs.as_slice() else { bail!("mutants are of one engine: say one --engine") };
            let mut corpus = Corpus::load(&source)?;
            select(&mut corpus.entries, cli, &runs)?;
            let trial = torch_parity::mutants::run(&corpus, run.engine.as_ref(), &tolerances);
            let text = if *idle { mutants::idle(&trial) } else { mutants::render(&trial) };
            print(&text, cli.color)?;
            Ok(mutants::status(&trial, *idle))
        }
        Some(Command::Tolerances { format, reasons }) => {
            let (runs, tolerances) = judging(cli, &source.golden)?;
            if cli.judging.strict {
                bail!("--strict ignores the tolerances");
            }
            let mut corpus = Corpus::load(&source)?;
            let whole = select(&mut corpus.entries, cli, &runs)?.is_none() && !cli.selection.is_part();
            let rules = |run: &Run| {
                let cases = replay(&corpus, run.engine.as_ref(), run.profile, &tolerances);
                tolerances::of_engine(run.engine.as_ref(), run.profile, &tolerances, &cases, whole)
            };
            let report = RulesReport::new(&corpus.torch, runs.iter().map(rules).collect());
            print(&tolerances::render(&report, *format, *reasons)?, cli.color)?;
            Ok(report.status())
        }
        Some(Command::Explain { id }) => {
            source.filter = Filter::Id(id.clone());
            explain_case(&source, cli).with_context(|| format!("explain {id}"))
        }
        Some(Command::Serve) => {
            let engine = match cli.judging.engines().as_slice() {
                [name] => engines::by_name(name).context("serve offers an engine of this build")?,
                _ => bail!("serve offers one engine: say one --engine"),
            };
            serve(engine.as_ref(), cli.selection.max_elements, io::stdin().lock(), io::stdout().lock())?;
            Ok(ExitStatus::Parity)
        }
        Some(Command::Merge { reports, output }) => {
            let plan = Plan::new(&output.format, &output.output)?;
            let load = |path: &PathBuf| Ok((path.clone(), json::load(path)?));
            let report = merge(reports.iter().map(load).collect::<anyhow::Result<_>>()?)?;
            let corpus =
                if plan.any(|format| format == Format::Html) { Corpus::load(&source).ok() } else { None };
            Show { report: &report, corpus: corpus.as_ref(), source: &source, rows: Rows::Ops }
                .all(&plan, cli)?;
            Ok(report.status())
        }
        Some(Command::Drift { old, new, format, output }) => {
            let found = drift::drift(old, new, cli.selection.max_elements)?;
            let text = drift::render(&found, *format)?;
            match output {
                Some(path) => write_all(&[(path.clone(), text)])?,
                None => print(&text, cli.color).map(drop)?,
            }
            Ok(drift::status(&found))
        }
        Some(Command::Bench(options)) => bench(options, cli),
        Some(Command::Filter) => print(&cli::filter_help(), cli.color).map(|()| ExitStatus::Parity),
        Some(Command::Completions { shell }) => print_bytes(&cli::completions(*shell)),
        Some(Command::Man) => print_bytes(&cli::manual()?),
        None => compare(&source, cli),
    }
}

fn bench(options: &cli::Bench, cli: &Cli) -> anyhow::Result<ExitStatus> {
    let cli::Bench { rows, growth, python, threads, rounds, format } = options;
    let rows = if *growth { bench::Plan::growth(rows)? } else { bench::Plan::rows(rows)? };
    let engine = |name| engines::by_name(name).with_context(|| format!("{name}: no engine of this build"));
    let engines = cli.judging.engines().into_iter().map(engine).collect::<anyhow::Result<Vec<_>>>()?;
    let progress = Progress::new("timing", rows.len(), cli.quiet);
    let plan = bench::Plan {
        rows,
        rounds: rounds.get(),
        turn: Duration::from_millis(100),
        threads: threads.get(),
        python: python.clone(),
    };
    let timing = bench::run(&engines, &plan, || progress.step())?;
    drop(progress);
    let text = match format {
        Form::Table | Form::Markdown if *growth => bench::render_growth(&timing),
        form => bench::render(&timing, *form)?,
    };
    print(&text, cli.color)?;
    Ok(ExitStatus::Parity)
}

fn compare(source: &Source, cli: &Cli) -> anyhow::Result<ExitStatus> {
    let Output { format, output } = &cli.output;
    let plan = Plan::new(format, output)?;
    let (runs, tolerances) = judging(cli, &source.golden)?;
    let mut accuracy = Accuracy::load(&source.golden)?;
    let reason = reason(&cli.blessing)?;
    let started = Instant::now();
    let mut corpus = Corpus::load(source)?;
    let partition = select(&mut corpus.entries, cli, &runs)?;
    let loaded = started.elapsed();
    let evidence = runs.len() > 2 || plan.any(Format::shows_evidence);
    let held = |engines: Vec<EngineReport>| {
        let report = Report::new(&corpus.torch, engines).held_to(cli.judging.strict);
        let report = report.of_selection(cli.selection.is_part());
        match &partition {
            Some((share, positions)) => report.of_partition(*share, positions),
            None => report,
        }
    };
    let mut replayed = Vec::new();
    for Run { engine, profile, .. } in &runs {
        let progress = Progress::new(engine.name(), corpus.entries.len(), cli.quiet);
        replayed.push(replay_observed(&corpus, engine.as_ref(), *profile, &tolerances, |outcome, judged| {
            progress.step();
            if evidence { Evidence::of(outcome, judged) } else { Evidence::default() }
        }));
    }
    let mut ledgers: Vec<Ledger> = runs.iter().map(|run| run.ledger.clone()).collect();
    if cli.blessing.bless {
        let mut engines = Vec::new();
        for ((run, cases), ledger) in runs.iter().zip(&replayed).zip(&ledgers) {
            let cases = cases.iter().map(|(judged, _)| (judged.clone(), Evidence::default())).collect();
            engines.push(EngineReport::with_ledger(run.engine.as_ref(), run.profile, cases, ledger));
        }
        let report = held(engines);
        ledgers = bless::bless(&report, &corpus, &ledgers, reason.as_ref())?;
        let ratcheted: Vec<bool> = runs.iter().map(|run| run.ratcheted).collect();
        for change in bless::bless_accuracy(&report, &mut accuracy, &ratcheted)? {
            eprintln!("{}: {change}", accuracy.file.display());
        }
    }
    let timing = Timing {
        cases: replayed.iter().map(Vec::len).sum(),
        loading: loaded,
        replaying: started.elapsed() - loaded,
    };
    let rows = match source.suites.len() {
        1 if corpus.entries.len() <= SMALL_SUITE => Rows::Cases,
        _ => Rows::Ops,
    };
    let engines = runs.iter().zip(replayed).zip(&ledgers).map(|((run, cases), ledger)| {
        let report = EngineReport::with_ledger(run.engine.as_ref(), run.profile, cases, ledger);
        if run.ratcheted { report.ratcheted(&accuracy) } else { report }
    });
    let report = held(engines.collect());
    Show { report: &report, corpus: Some(&corpus), source, rows }.all(&plan, cli)?;
    if cli.verbose {
        eprintln!("{timing}");
    }
    Ok(report.status())
}

/// Why the new divergences are there, if that was said.
fn reason(blessing: &Blessing) -> anyhow::Result<Option<Reason>> {
    let given = |name: &str, text: &Option<String>| match text {
        Some(text) if text.trim().is_empty() => bail!("--{name} is empty"),
        text => Ok(text.clone()),
    };
    let (why, source) = (given("why", &blessing.why)?, given("source", &blessing.source)?);
    Ok(why.zip(source).map(|(why, source)| Reason { why, source }))
}

/// Keeps what `--rerun-failed` and `--partition` leave of a corpus; tells a partition's share of
/// it, and the positions of its cases.
fn select(
    cases: &mut Vec<impl Selectable>,
    cli: &Cli,
    runs: &[Run],
) -> anyhow::Result<Option<(Share, Vec<usize>)>> {
    if let Some(path) = &cli.selection.rerun_failed {
        let report = json::load(path)?;
        let mut failed: HashSet<String> = HashSet::new();
        for engine in runs.iter().map(|run| run.engine.name()) {
            failed.extend(
                report
                    .diverging(engine)
                    .with_context(|| format!("{}: no run of {engine} in it", path.display()))?,
            );
        }
        let there = failed.len();
        cases.retain(|case| failed.contains(case.id()));
        match cases.len() {
            0 => bail!("{}: none of the {there} cases that diverged there is selected", path.display()),
            kept if kept < there => {
                eprintln!("{} of the {there} cases that diverged there are not selected", there - kept);
            }
            _ => {}
        }
    }
    let Some(partition) = cli.selection.partition else { return Ok(None) };
    let of_cases = cases.len();
    let positions = partition.keep(cases);
    if positions.is_empty() {
        bail!("--partition {partition}: holds none of the {of_cases} selected cases");
    }
    Ok(Some((Share { index: partition.index, count: partition.count, of_cases }, positions)))
}

/// A report, and what its forms need beside it.
struct Show<'a> {
    report: &'a Report,
    corpus: Option<&'a Corpus>,
    source: &'a Source,
    rows: Rows,
}

impl Show<'_> {
    /// Writes the files, and then stdout.
    fn all(&self, plan: &Plan, cli: &Cli) -> anyhow::Result<()> {
        let file = |(format, path): &(Format, PathBuf)| {
            let text = self.render(*format)?;
            Ok((path.clone(), if *format == Format::Table { table::plain(&text) } else { text }))
        };
        write_all(&plan.files.iter().map(file).collect::<anyhow::Result<Vec<_>>>()?)?;
        match plan.stdout {
            Format::Table if cli.quiet => print(&table::summary(self.report), cli.color),
            Format::Table => print(&self.render(Format::Table)?, cli.color),
            format => print_bytes(self.render(format)?.as_bytes()).map(drop),
        }
    }

    fn render(&self, format: Format) -> anyhow::Result<String> {
        let Show { report, corpus, source, rows } = *self;
        Ok(match format {
            Format::Table => table::render(report, rows),
            Format::Json => json::render(report)?,
            Format::Jsonl => json::render_lines(report)?,
            Format::Junit => junit::render(report)?,
            Format::Markdown => markdown::render(report),
            Format::Html => html::render(report, corpus)?,
            Format::Github => github::render(report, from_here(&source.fixtures)),
        })
    }
}

/// A folder as seen from the working folder, which is how CI systems name files.
fn from_here(folder: &Path) -> &Path {
    let here = std::env::current_dir().ok();
    here.and_then(|here| folder.strip_prefix(here).ok()).unwrap_or(folder)
}

fn explain_case(source: &Source, cli: &Cli) -> anyhow::Result<ExitStatus> {
    let (runs, tolerances) = judging(cli, &source.golden)?;
    let corpus = Corpus::load(source)?;
    let entry = corpus.entries.first().context("no case of that id")?;
    let mut engines = Vec::new();
    let mut texts = Vec::new();
    for Run { engine, profile, ledger, .. } in &runs {
        let (outcome, judged) = run_and_judge(entry, engine.as_ref(), *profile, &tolerances);
        let held_to = explain::HeldTo { tolerances: &tolerances, profile: *profile, ledger };
        texts.push(explain::render(&judged, engine.as_ref(), &outcome, &held_to));
        let cases = vec![(judged, Evidence::default())];
        engines.push(EngineReport::with_ledger(engine.as_ref(), *profile, cases, ledger));
    }
    print(&texts.join("\n"), cli.color)?;
    Ok(Report::new(&corpus.torch, engines).of_selection(true).status())
}

/// An engine and what it is held to.
struct Run {
    engine: Box<dyn Engine>,
    profile: Profile,
    ledger: Ledger,
    /// Whether it is held to its recorded accuracy, which is that under its own tolerances.
    ratcheted: bool,
}

fn judging(cli: &Cli, golden: &Path) -> anyhow::Result<(Vec<Run>, Tolerances)> {
    let options = &cli.judging;
    let terms = options.terms(cli.selection.max_elements);
    let run = |argument| {
        let engine = engines::open(argument, &terms)?.context("no such engine in this build")?;
        let profile = options.profile.unwrap_or(engine.profile());
        let ledger = Ledger::load(golden, engine.name())?;
        let ratcheted = !options.strict && profile == engine.profile();
        Ok(Run { engine, profile, ledger, ratcheted })
    };
    let runs: Vec<Run> = options.engines().into_iter().map(run).collect::<anyhow::Result<_>>()?;
    let mut names = HashSet::new();
    if let Some(run) = runs.iter().find(|run| !names.insert(run.engine.name())) {
        bail!("two engines of the name {}: reports and ledgers could not tell them apart", run.engine.name());
    }
    let tolerances = match options.strict {
        true => Tolerances::strict(),
        false => Tolerances::load(&golden.join("tolerances.json"))?,
    };
    Ok((runs, tolerances))
}

/// Writes text with colours to stdout, which are taken out where they are not wanted.
fn print(text: &str, color: Color) -> anyhow::Result<()> {
    let mut stdout = anstream::AutoStream::new(std::io::stdout().lock(), color.into());
    gone_is_fine(stdout.write_all(text.as_bytes()))
}

fn print_bytes(bytes: &[u8]) -> anyhow::Result<ExitStatus> {
    gone_is_fine(std::io::stdout().lock().write_all(bytes)).map(|()| ExitStatus::Parity)
}

/// A reader that went away (`| head`) is no failure.
fn gone_is_fine(written: std::io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to stdout"),
    }
}

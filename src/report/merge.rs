//! One report out of those of partitions, and of engines that ran apart.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::accuracy::{self, AccuracyRow};
use super::ledger::LedgerRow;
use super::model::{CaseReport, EngineReport, Report, Share};
use crate::corpus::Problem;

/// A report and the file that it came from.
type Part = (PathBuf, Report);

/// Puts reports together. Each engine's partitions must be all there and apart, every report made
/// under the same PyTorch, and all engines run on the same cases.
pub fn merge(parts: Vec<Part>) -> Result<Report, Problem> {
    let Some((first, report)) = parts.first() else {
        return Err(Problem::file(Path::new("merge"), "no report to merge"));
    };
    let (torch, strict) = (report.torch.clone(), report.strict);
    let selection = parts.iter().any(|(_, report)| report.selection);
    if let Some((path, _)) = parts.iter().find(|(_, other)| other.torch != torch) {
        let what = format!("made under another PyTorch than {}", first.display());
        return Err(Problem::field(path, "torch", what));
    }
    if let Some((path, _)) = parts.iter().find(|(_, other)| other.strict != strict) {
        let what = format!("one of it and {} is of a --strict run", first.display());
        return Err(Problem::field(path, "strict", what));
    }
    let mut engines: Vec<(String, Vec<Piece>)> = Vec::new();
    for (path, Report { partition: share, engines: own, .. }) in parts {
        for report in own {
            let piece = Piece { path: path.clone(), share, report };
            match engines.iter_mut().find(|(name, _)| *name == piece.report.name) {
                Some((_, pieces)) => pieces.push(piece),
                None => engines.push((piece.report.name.clone(), vec![piece])),
            }
        }
    }
    let mut merged: Vec<(PathBuf, EngineReport)> = Vec::new();
    for (_, pieces) in engines {
        let path = pieces[0].path.clone();
        let engine = merge_engine(pieces)?;
        if let Some((other_path, other)) = merged.first() {
            same_cases((other_path, other), (&path, &engine))?;
        }
        merged.push((path, engine));
    }
    let engines = merged.into_iter().map(|(_, engine)| engine).collect();
    Ok(Report::new(torch, engines).held_to(strict).of_selection(selection))
}

/// One engine's part of a report.
struct Piece {
    path: PathBuf,
    share: Option<Share>,
    report: EngineReport,
}

fn merge_engine(mut pieces: Vec<Piece>) -> Result<EngineReport, Problem> {
    pieces.sort_by_key(|piece| piece.share.map_or(0, |share| share.index));
    let whole = check(&pieces)?;
    let EngineReport { name, version, command, profile, .. } = &pieces[0].report;
    let (name, version, command, profile) = (name.clone(), version.clone(), command.clone(), *profile);
    let mut seen: HashMap<String, PathBuf> = HashMap::new();
    let mut cases: Vec<CaseReport> = Vec::new();
    let mut ledger: Option<Vec<LedgerRow>> = None;
    let mut errors: Vec<AccuracyRow> = Vec::new();
    for Piece { path, report, .. } in pieces {
        ledger = Some(match ledger {
            None => report.ledger,
            Some(rows) => add(rows, report.ledger).ok_or_else(|| {
                let what = format!("{name} has another ledger here than in the other parts");
                Problem::field(&path, "ledger", what)
            })?,
        });
        errors = accuracy::add(errors, report.accuracy).ok_or_else(|| {
            let what = format!("{name} is held to another accuracy.json here than in the other parts");
            Problem::field(&path, "accuracy", what)
        })?;
        for case in report.cases {
            if let Some(other) = seen.insert(case.id.clone(), path.clone()) {
                let what = format!("{name}'s verdict on it is in {} too", other.display());
                return Err(Problem { case: Some(case.id), ..Problem::file(&path, what) });
            }
            cases.push(case);
        }
    }
    if let Some((path, of_cases)) = whole {
        cases.sort_by_key(|case| case.position);
        let whole = cases.iter().enumerate().all(|(i, case)| case.position == Some(i));
        if !whole || cases.len() != of_cases {
            let what = format!("the partitions hold {} of {of_cases} cases of {name}", cases.len());
            return Err(Problem::file(&path, what));
        }
        cases.iter_mut().for_each(|case| case.position = None);
    }
    let whole = EngineReport::of_cases(name, version, profile, cases, ledger.unwrap_or_default());
    Ok(EngineReport { command, accuracy: errors, ..whole })
}

/// The rows of one ledger in two partitions as one; none where the ledgers are not the same.
fn add(rows: Vec<LedgerRow>, others: Vec<LedgerRow>) -> Option<Vec<LedgerRow>> {
    if rows.len() != others.len() {
        return None;
    }
    rows.into_iter().zip(others).map(|(row, other)| row.add(other)).collect()
}

/// Whether the pieces make a whole; of partitions, the first file and the number of cases.
fn check(pieces: &[Piece]) -> Result<Option<(PathBuf, usize)>, Problem> {
    let first = &pieces[0];
    let name = &first.report.name;
    for piece in &pieces[1..] {
        let (one, other) = (&first.report, &piece.report);
        if one.version != other.version || one.profile != other.profile {
            let of = |report: &EngineReport| format!("{} ({})", report.version, report.profile.name());
            let what = format!("{name} is {}; in {} it is {}", of(other), first.path.display(), of(one));
            return Err(Problem::file(&piece.path, what));
        }
    }
    let mut expected = 1;
    for piece in pieces {
        let fail = |what: String| Err(Problem::field(&piece.path, "partition", what));
        match (first.share, piece.share) {
            (None, _) if pieces.len() == 1 => return Ok(None),
            (Some(whole), Some(share)) if (whole.count, whole.of_cases) == (share.count, share.of_cases) => {
                if share.index == 0 || share.index > share.count || share.index < expected {
                    return fail(format!("{}/{} of {name} is there twice", share.index, share.count));
                }
                if share.index > expected {
                    return fail(format!("{expected}/{} of {name} is missing", share.count));
                }
                expected += 1;
            }
            _ => return fail(format!("of another partition of {name} than {}", first.path.display())),
        }
    }
    match first.share {
        Some(share) if share.count >= expected => {
            let what = format!("{expected}/{} of {name} is missing", share.count);
            Err(Problem::field(&first.path, "partition", what))
        }
        share => Ok(share.map(|share| (first.path.clone(), share.of_cases))),
    }
}

fn same_cases(one: (&Path, &EngineReport), other: (&Path, &EngineReport)) -> Result<(), Problem> {
    let ids = |engine: &EngineReport| engine.cases.iter().map(|case| case.id.clone()).collect::<Vec<_>>();
    let (own, others) = (ids(one.1), ids(other.1));
    if own == others {
        return Ok(());
    }
    let what = format!(
        "{} ran on {} cases, not those {} of {} in {}",
        other.1.name,
        others.len(),
        own.len(),
        one.1.name,
        one.0.display()
    );
    Err(Problem::file(other.0, what))
}

//! Two JSON reports: how an engine stood to PyTorch, then and now.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::{Change, Drift, only_in};
use crate::report::{CaseReport, EngineReport, json};

pub(super) fn drift(old: &Path, new: &Path) -> anyhow::Result<Vec<Drift>> {
    let load = |path: &Path| json::load(path).with_context(|| path.display().to_string());
    let (before, after) = (load(old)?, load(new)?);
    let drifts: Vec<Drift> = after
        .engines
        .iter()
        .filter_map(|is| {
            let was = before.engines.iter().find(|was| was.name == is.name)?;
            Some(engine(was, is))
        })
        .collect();
    if drifts.is_empty() {
        bail!("{} and {}: no engine is in both", old.display(), new.display());
    }
    Ok(drifts)
}

fn engine(was: &EngineReport, is: &EngineReport) -> Drift {
    let by_id = |engine: &EngineReport| -> BTreeMap<String, CaseReport> {
        engine.cases.iter().map(|case| (case.id.clone(), case.clone())).collect()
    };
    let (old, new) = (by_id(was), by_id(is));
    let pairs = old.iter().filter_map(|(id, was)| Some((was, new.get(id)?)));
    Drift {
        subject: is.name.clone(),
        from: was.version.clone(),
        to: is.version.clone(),
        compared: pairs.clone().count(),
        changed: pairs.filter_map(|(was, is)| change(was, is)).collect(),
        appeared: only_in(&new, &old),
        gone: only_in(&old, &new),
    }
}

/// Another verdict, another class, or another distance from PyTorch.
fn change(was: &CaseReport, is: &CaseReport) -> Option<Change> {
    let standing = |case: &CaseReport| {
        let class = case.class.as_deref().unwrap_or_default();
        format!("{} {class}", case.verdict.name()).trim_end().to_string()
    };
    let distance = |case: &CaseReport| (case.max_ulp, case.max_abs.to_f64().to_bits());
    if standing(was) == standing(is) && distance(was) == distance(is) {
        return None;
    }
    let shown = |case: &CaseReport| format!("{}, {} ulp", standing(case), case.max_ulp);
    Some(Change {
        id: is.id.clone(),
        class: if was.verdict == is.verdict { "distance".into() } else { is.verdict.name().into() },
        detail: format!("was {}; is {}", shown(was), shown(is)),
        max_abs: is.max_abs.to_f64(),
        max_ulp: is.max_ulp,
    })
}

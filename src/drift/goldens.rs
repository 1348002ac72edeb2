//! Two golden trees: what PyTorch made of the same cases, then and now.

use std::path::Path;

use super::{Change, Drift, class, only_in};
use crate::corpus::{self, Backpropagated, Case, Fault, Golden, Outcome};
use crate::engines::Profile;
use crate::judge::{Judgement, Tolerances, Verdict, judge};
use crate::ops::Call;

pub(super) fn drift(old: &Path, new: &Path, max_elements: usize) -> anyhow::Result<Drift> {
    let (old, new) = (corpus::golden_tree(old, max_elements)?, corpus::golden_tree(new, max_elements)?);
    let tolerances = Tolerances::strict();
    let changed = old
        .outcomes
        .iter()
        .filter_map(|(id, was)| Some(change(id, was, new.outcomes.get(id)?, &tolerances)))
        .flatten();
    Ok(Drift {
        subject: "PyTorch".into(),
        from: old.torch.version,
        to: new.torch.version,
        compared: old.outcomes.keys().filter(|id| new.outcomes.contains_key(*id)).count(),
        changed: changed.collect(),
        appeared: only_in(&new.outcomes, &old.outcomes),
        gone: only_in(&old.outcomes, &new.outcomes),
    })
}

type Record = Result<Golden, Fault>;

/// What changed in one case. The judge compares, as if the new outcome were an engine's.
fn change(id: &str, was: &Record, is: &Record, tolerances: &Tolerances) -> Option<Change> {
    let is = match (was, is) {
        (Err(was), Err(is)) if was.what == is.what => return None,
        (_, Ok(is)) => &is.outcome,
        (_, Err(fault)) => return Some(unreadable(id, &fault.what)),
    };
    let op = id.split('/').nth(1).unwrap_or_default();
    let case = Case {
        id: id.to_string(),
        call: Call { op: op.to_string(), args: Default::default() },
        backward: None,
        tags: Vec::new(),
        note: None,
        foreign: None,
    };
    let verdict = judge(&case, was, is, tolerances, Profile::Cpu, "");
    let Judgement::Diverges(found, detail) = &verdict.judgement else { return None };
    let detail = match was {
        Ok(was) => describe(&was.outcome, is, &verdict).unwrap_or_else(|| detail.clone()),
        Err(fault) => format!("could not be read: {}", fault.what),
    };
    let measured = &verdict.measured;
    Some(Change {
        id: id.into(),
        class: class(*found),
        detail,
        max_abs: measured.max_abs,
        max_ulp: measured.max_ulp,
    })
}

fn unreadable(id: &str, what: &str) -> Change {
    let detail = format!("cannot be read: {what}");
    Change { id: id.into(), class: "unreadable".into(), detail, max_abs: 0.0, max_ulp: 0 }
}

/// What a case was and is; none where the judge's own words say it.
fn describe(was: &Outcome, is: &Outcome, verdict: &Verdict) -> Option<String> {
    let raised = |outcome: &Outcome| match outcome {
        Outcome::Raised { kind, message } => Some(format!("raised {kind}: {message}")),
        _ => None,
    };
    match (raised(was), raised(is)) {
        (Some(was), Some(is)) => return Some(format!("{was}; now {is}")),
        (Some(was), None) => return Some(format!("{was}; now returns")),
        (None, Some(is)) => return Some(format!("returned; now {is}")),
        (None, None) => {}
    }
    if let Some(first) = &verdict.measured.first {
        let measured = &verdict.measured;
        return Some(format!(
            "{} at {:?} was {}, is {} ({} of {} elements)",
            first.place, first.index, first.expected, first.got, measured.differing, measured.elements
        ));
    }
    let (
        Outcome::Returned { outputs: old, warnings: warned, backward: went_back },
        Outcome::Returned { outputs: new, warnings: warns, backward: goes_back },
    ) = (was, is)
    else {
        return None;
    };
    if old.len() != new.len() {
        return Some(format!("had {} outputs, has {}", old.len(), new.len()));
    }
    let shown = |tensor: &crate::tensor::Tensor| format!("{} {:?}", tensor.dtype(), tensor.shape());
    if let Some((i, (old, new))) =
        old.iter().zip(new).enumerate().find(|(_, (old, new))| shown(old) != shown(new))
    {
        return Some(format!("output {i} was {}, is {}", shown(old), shown(new)));
    }
    if warned != warns {
        return Some(format!("warned {warned:?}; now {warns:?}"));
    }
    let back = |backward: &Option<Backpropagated>| match backward {
        Some(Backpropagated::Gave(_)) => "gave gradients".to_string(),
        Some(Backpropagated::Raised { kind, message }) => format!("raised {kind}: {message}"),
        None => "was not asked for".into(),
    };
    let (went, goes) = (back(went_back), back(goes_back));
    (went != goes).then(|| format!("the backward pass {went}; now {goes}"))
}

//! Where, and by how much, does a tensor engine differ from PyTorch?
//!
//! Real PyTorch writes inputs to `fixtures/` and what it makes of them to `golden/`; an engine
//! replays the inputs; a judge compares the two outcomes, element by element.
//!
//! ```text
//! corpus ──► cases ──► engines ──► outcomes ──► judge ──► verdicts ──► report ──► exit status
//! ```
//!
//! Each module imports only from those before it: [`cpu`] (the instructions that kernels use),
//! [`tensor`] (data without arithmetic), [`ops`] (PyTorch's functions), [`corpus`] (files),
//! [`partition`], [`engines`], [`judge`], [`replay`], [`serve`] (an engine over stdin and stdout),
//! [`mutants`] (wrong engines that prove the judge), [`report`], [`bless`] (the ledger rewritten),
//! [`drift`] (what changed between two runs), [`mod@bench`] (how long calls take), [`cli`] (the command
//! line as data).
//!
//! # Example
//!
//! ```
//! use torch_parity::corpus::{Corpus, Filter, MAX_ELEMENTS, Source};
//! use torch_parity::engines::{Native, Profile};
//! use torch_parity::judge::Tolerances;
//! use torch_parity::replay::replay;
//! use torch_parity::report::{EngineReport, ExitStatus, Report};
//!
//! let source = Source {
//!     fixtures: "fixtures".into(),
//!     golden: "golden".into(),
//!     suites: vec!["reduce".into()],
//!     filter: "op:sum and not error".parse()?,
//!     max_elements: MAX_ELEMENTS,
//! };
//! let corpus = Corpus::load(&source)?;
//! let cases = replay(&corpus, &Native, Profile::Cpu, &Tolerances::strict());
//! let engines = vec![EngineReport::new(&Native, Profile::Cpu, cases)];
//! let report = Report::new(&corpus.torch, engines);
//! assert_eq!(report.status(), ExitStatus::Parity);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
pub mod bless;
pub mod cli;
pub mod corpus;
pub mod cpu;
pub mod drift;
pub mod engines;
pub mod judge;
pub mod mutants;
pub mod ops;
pub mod partition;
pub mod replay;
pub mod report;
pub mod serve;
pub mod tensor;
#[cfg(test)]
mod wrong_rules;

//! A bar on stderr while cases run.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A run that is over before this is not worth a bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far a run is; nothing at all unless a person watches, and waits.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    waiting: AtomicBool,
}

impl Progress {
    /// A bar of so many cases. There is none where stderr is no terminal, or under `CI`.
    pub fn new(engine: &str, cases: usize, quiet: bool) -> Progress {
        let watched = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none() && !quiet;
        let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {wide_bar:.dim} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(engine.to_string());
        Progress { bar, started: Instant::now(), waiting: AtomicBool::new(watched) }
    }

    /// One case more is done.
    pub fn step(&self) {
        self.bar.inc(1);
        if self.waiting.load(Ordering::Relaxed)
            && self.started.elapsed() > PATIENCE
            && self.waiting.swap(false, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

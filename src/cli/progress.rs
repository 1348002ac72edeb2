//! A bar on stderr while cases run.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a run is; nothing at all unless a person watches.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of so many cases. There is none where stderr is no terminal, or under `CI`.
    pub fn new(engine: &str, cases: usize, quiet: bool) -> Progress {
        let watched = std::io::stderr().is_terminal() && std::env::var_os("CI").is_none() && !quiet;
        let target = if watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(cases as u64), target);
        let style = ProgressStyle::with_template("{msg} {wide_bar:.dim} {human_pos}/{human_len} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(engine.to_string());
        Progress(bar)
    }

    /// One case more is done.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

//! Where a run's time went.

use std::fmt;
use std::time::Duration;

use super::number::thousands;

/// The time of a run by part.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How many cases there were.
    pub cases: usize,
    /// Reading files, checking and decoding them.
    pub loading: Duration,
    /// Running the engine and judging its outcomes.
    pub replaying: Duration,
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.loading + self.replaying;
        let rate = self.cases as f64 / total.as_secs_f64();
        write!(
            f,
            "{} cases in {:.2} s: {:.2} s reading, {:.2} s running and judging · {} cases/s",
            thousands(self.cases),
            total.as_secs_f64(),
            self.loading.as_secs_f64(),
            self.replaying.as_secs_f64(),
            // The clock can stand still over a run of one case; the cast then saturates.
            thousands(rate as usize),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_long_each_part_took() {
        let timing = Timing {
            cases: 1500,
            loading: Duration::from_millis(400),
            replaying: Duration::from_millis(100),
        };
        let text = "1,500 cases in 0.50 s: 0.40 s reading, 0.10 s running and judging · 3,000 cases/s";
        assert_eq!(timing.to_string(), text);
    }
}

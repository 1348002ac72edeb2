//! burn reports errors by panicking: its panics become text, without noise on stderr.

use crate::engines::quiet;

/// Runs `f` with its panics silent and as text on one line. burn's checks panic with a heading, the
/// operation and numbered reasons, a line each.
pub(super) fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    quiet::caught(f).map_err(|text| {
        let lines = text.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with("===")).collect::<Vec<_>>().join(" ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_lines() {
        let panicking =
            || -> () { panic!("\n=== Tensor Operation Error ===\n  Operation: 'X'\n  Reason:\n    1. Y.\n") };
        assert_eq!(caught(panicking), Err("Operation: 'X' Reason: 1. Y.".to_string()));
        assert_eq!(caught(|| 3), Ok(3));
    }
}

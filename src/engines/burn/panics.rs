//! burn reports errors by panicking: its panics become text, without noise on stderr.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// How many calls of the engine are on this thread's stack: a thread that waits for others
    /// may run a second case inside the first.
    static RUNNING: Cell<usize> = const { Cell::new(0) };
}

/// Runs `f` with its panics silent and as text. The rest of the program keeps its own.
pub(super) fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if RUNNING.get() == 0 {
                before(info);
            }
        }));
    });
    RUNNING.set(RUNNING.get() + 1);
    let result = catch_unwind(AssertUnwindSafe(f));
    RUNNING.set(RUNNING.get() - 1);
    result.map_err(|payload| text(payload.as_ref()))
}

/// A payload on one line. burn's checks panic with a heading, the operation and numbered reasons,
/// a line each.
fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let Some(text) = text.or_else(|| payload.downcast_ref::<&str>().copied()) else {
        return "a panic without a message".to_string();
    };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("==="));
    lines.collect::<Vec<_>>().join(" ")
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
        assert_eq!(RUNNING.get(), 0);
    }
}

//! Panics of an engine as values, without noise on stderr.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns, or the text of its panic. Panics elsewhere are reported as before, save
/// those of rayon's workers, to which a crate may hand a part of the work: rayon passes them on.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() && rayon::current_thread_index().is_none() {
                report(panic);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work)).map_err(|payload| text(payload.as_ref()));
    QUIET.set(outer);
    result
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_its_text() {
        assert_eq!(caught(|| 1), Ok(1));
        let number = 7;
        assert_eq!(
            caught(|| -> u8 { panic!("no unary function for {number}") }),
            Err("no unary function for 7".into())
        );
        assert_eq!(caught(|| -> u8 { panic!("plain") }), Err("plain".into()));
    }
}

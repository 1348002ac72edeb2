//! PyTorch's functions and their parameters, so that a misspelt name is told from one that an
//! engine lacks. `functions.json` is written from PyTorch itself by `python/functions.py`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

#[derive(serde::Deserialize)]
struct Functions {
    #[serde(borrow)]
    dtypes: Vec<&'static str>,
    #[serde(borrow)]
    functions: BTreeMap<&'static str, Vec<&'static str>>,
}

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    serde_json::from_str(include_str!("functions.json")).expect("functions.json is part of the build")
});

/// The parameters of a PyTorch function, if PyTorch has it.
pub(crate) fn parameters(op: &str) -> Option<&'static [&'static str]> {
    FUNCTIONS.functions.get(op).map(Vec::as_slice)
}

/// Whether PyTorch has a dtype of that bare name.
pub(crate) fn is_dtype(name: &str) -> bool {
    FUNCTIONS.dtypes.contains(&name)
}

/// The known names closest to a misspelt one, at most three.
pub(crate) fn similar(op: &str) -> Vec<&'static str> {
    let mut names: Vec<(usize, &str)> = FUNCTIONS
        .functions
        .keys()
        .map(|&name| (strsim::levenshtein(name, op), name))
        .filter(|&(distance, name)| distance <= 2 && distance < name.len())
        .collect();
    names.sort();
    names.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_pytorch() {
        assert!(parameters("sum").is_some_and(|names| names.contains(&"keepdim")));
        assert_eq!(parameters("summ"), None);
        assert!(similar("summ").contains(&"sum"));
        assert!(is_dtype("complex64") && !is_dtype("float33"));
    }
}

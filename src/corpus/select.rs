//! `-k`: a small algebra over case ids, ops and tags.
//!
//! | term | selects |
//! |---|---|
//! | `word` | ids that contain it, whatever the case; ops and tags of that very name |
//! | `op:sum` `tag:nan` `suite:reduce` `id:reduce/sum/dim1` | exactly that op, tag, suite, id |
//! | `not a`, `a and b`, `a or b`, `( )` | as in Python; `not` binds tightest, `or` loosest |

use std::str::FromStr;

use super::problem::one_line;
use super::{Case, Entry};

/// What is selected by its names.
pub trait Selectable {
    /// The case's id.
    fn id(&self) -> &str;
    /// The op's name.
    fn op(&self) -> &str;
    /// The case's tags.
    fn tags(&self) -> &[String];

    /// The suite, which is the first part of the id.
    fn suite(&self) -> &str {
        self.id().split('/').next().unwrap_or_default()
    }
}

impl Selectable for Case {
    fn id(&self) -> &str {
        &self.id
    }

    fn op(&self) -> &str {
        &self.call.op
    }

    fn tags(&self) -> &[String] {
        &self.tags
    }
}

impl Selectable for Entry {
    fn id(&self) -> &str {
        self.case.id()
    }

    fn op(&self) -> &str {
        self.case.op()
    }

    fn tags(&self) -> &[String] {
        self.case.tags()
    }
}

/// A parsed `-k` expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// Every case.
    #[default]
    All,
    /// A word: see the module's table.
    Word(String),
    /// `op:NAME`.
    Op(String),
    /// `tag:NAME`.
    Tag(String),
    /// `suite:NAME`.
    Suite(String),
    /// `id:ID`.
    Id(String),
    /// `not A`.
    Not(Box<Filter>),
    /// `A and B`.
    And(Box<Filter>, Box<Filter>),
    /// `A or B`.
    Or(Box<Filter>, Box<Filter>),
}

/// What is wrong with a `-k` expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("-k: {} at column {column} of '{}'", one_line(.what), one_line(.expression))]
pub struct FilterError {
    expression: String,
    column: usize,
    what: String,
}

impl Filter {
    /// Whether a case is selected.
    pub fn matches(&self, case: &impl Selectable) -> bool {
        match self {
            Filter::All => true,
            Filter::Word(word) => {
                // Without a copy of the id: a ledger asks this of every case, entry by entry.
                let has = |text: &str| {
                    let mut windows = text.as_bytes().windows(word.len().max(1));
                    word.is_empty() || windows.any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
                };
                let named = |text: &str| text.eq_ignore_ascii_case(word);
                has(case.id()) || named(case.op()) || case.tags().iter().any(|tag| named(tag))
            }
            Filter::Op(op) => case.op() == op,
            Filter::Tag(tag) => case.tags().contains(tag),
            Filter::Suite(suite) => case.suite() == suite,
            Filter::Id(id) => case.id() == id,
            Filter::Not(inner) => !inner.matches(case),
            Filter::And(a, b) => a.matches(case) && b.matches(case),
            Filter::Or(a, b) => a.matches(case) || b.matches(case),
        }
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(expression: &str) -> Result<Filter, FilterError> {
        let mut parser = Parser { expression, tokens: tokens(expression), next: 0 };
        let filter = parser.any_of()?;
        match parser.peek() {
            None => Ok(filter),
            Some(token) => Err(parser.error(&format!("unexpected '{token}'"))),
        }
    }
}

/// Words and parentheses, each with its column.
fn tokens(expression: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut start = None;
    for (at, c) in expression.char_indices() {
        if c.is_whitespace() || c == '(' || c == ')' {
            if let Some(start) = start.take() {
                tokens.push((start, &expression[start..at]));
            }
            if !c.is_whitespace() {
                tokens.push((at, &expression[at..at + 1]));
            }
        } else {
            start.get_or_insert(at);
        }
    }
    if let Some(start) = start {
        tokens.push((start, &expression[start..]));
    }
    tokens
}

struct Parser<'a> {
    expression: &'a str,
    tokens: Vec<(usize, &'a str)>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.next).map(|&(_, token)| token)
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    fn error(&self, what: &str) -> FilterError {
        let column = self.tokens.get(self.next).map_or(self.expression.len(), |&(at, _)| at) + 1;
        FilterError { expression: self.expression.to_string(), column, what: what.to_string() }
    }

    fn any_of(&mut self) -> Result<Filter, FilterError> {
        let mut filter = self.all_of()?;
        while self.accept("or") {
            filter = Filter::Or(Box::new(filter), Box::new(self.all_of()?));
        }
        Ok(filter)
    }

    fn all_of(&mut self) -> Result<Filter, FilterError> {
        let mut filter = self.term()?;
        while self.accept("and") {
            filter = Filter::And(Box::new(filter), Box::new(self.term()?));
        }
        Ok(filter)
    }

    fn term(&mut self) -> Result<Filter, FilterError> {
        // Depth is bounded by the token count; a loop over `not` keeps the stack flat there.
        let mut negate = false;
        while self.accept("not") {
            negate = !negate;
        }
        let filter = match self.peek() {
            None => return Err(self.error("a term is missing")),
            Some(")" | "and" | "or") => return Err(self.error("a term is missing")),
            Some("(") => {
                if self.tokens[..self.next].iter().filter(|&&(_, token)| token == "(").count() > 100 {
                    return Err(self.error("too many parentheses"));
                }
                self.next += 1;
                let inner = self.any_of()?;
                if !self.accept(")") {
                    return Err(self.error("')' is missing"));
                }
                inner
            }
            Some(word) => {
                self.next += 1;
                match word.split_once(':') {
                    Some(("op", name)) => Filter::Op(name.to_string()),
                    Some(("tag", name)) => Filter::Tag(name.to_string()),
                    Some(("suite", name)) => Filter::Suite(name.to_string()),
                    Some(("id", name)) => Filter::Id(name.to_string()),
                    Some((kind, _)) => {
                        self.next -= 1;
                        return Err(self.error(&format!("'{kind}:' is none of op, tag, suite, id")));
                    }
                    None => Filter::Word(word.to_ascii_lowercase()),
                }
            }
        };
        Ok(if negate { Filter::Not(Box::new(filter)) } else { filter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Call;

    fn selects(expression: &str) -> bool {
        let case = Case {
            id: "reduce/index_select/oob-5".into(),
            call: Call { op: "index_select".into(), args: Default::default() },
            backward: None,
            tags: vec!["error".into(), "float32".into()],
            note: None,
            foreign: None,
        };
        expression.parse::<Filter>().unwrap().matches(&case)
    }

    #[test]
    fn words_match_ids_ops_and_tags() {
        assert!(selects("INDEX") && selects("oob") && selects("error") && selects("op:index_select"));
        assert!(!selects("op:index") && !selects("tag:float") && selects("suite:reduce"));
    }

    #[test]
    fn the_algebra_is_pythons() {
        assert!(selects("nan or error and not int64"));
        assert!(!selects("(nan or error) and not float32"));
        assert!(selects("not not oob"));
    }

    #[test]
    fn mistakes_are_named_with_their_column() {
        let error = |expression: &str| expression.parse::<Filter>().unwrap_err().to_string();
        insta::assert_snapshot!(
            ["", "sum and", "(sum", "sum)", "a b", "dtype:f", "or"].map(error).join("\n"),
            @"
        -k: a term is missing at column 1 of ''
        -k: a term is missing at column 8 of 'sum and'
        -k: ')' is missing at column 5 of '(sum'
        -k: unexpected ')' at column 4 of 'sum)'
        -k: unexpected 'b' at column 3 of 'a b'
        -k: 'dtype:' is none of op, tag, suite, id at column 1 of 'dtype:f'
        -k: a term is missing at column 1 of 'or'
        "
        );
    }
}

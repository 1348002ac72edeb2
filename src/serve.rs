//! An engine of this build as an external one: the other end of [`External`](crate::engines::External).

use std::io::{self, BufRead, ErrorKind, Write};

use serde_json::json;

use crate::corpus::{answer_to_json, case_from_json, id_of};
use crate::engines::Engine;
use crate::engines::external::lines::{self, Line};
use crate::engines::external::{Handshake, longest_line};
use crate::replay;

/// The type of an error that is no exception of PyTorch's: the line was no case.
const NO_CASE: &str = "ProtocolError";

/// Introduces the engine and answers every line with a line, until there are no more. A line that
/// is no case is answered with an error of type `ProtocolError`.
pub fn serve(
    engine: &dyn Engine,
    max_elements: usize,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    match session(engine, max_elements, input, output) {
        // Nobody reads the answers any more.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn session(
    engine: &dyn Engine,
    max_elements: usize,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    let limit = longest_line(max_elements);
    let mut line = serde_json::to_string(&Handshake::of(engine))?;
    loop {
        line.push('\n');
        output.write_all(line.as_bytes())?;
        output.flush()?;
        line = match lines::read(&mut input, limit)? {
            Line::End => return Ok(()),
            Line::Whole(line) | Line::Partial(line) => answer(engine, &line, max_elements),
            Line::NotText => refusal("", "not UTF-8"),
            Line::TooLong => {
                lines::skip(&mut input)?;
                refusal("", &format!("more than {limit} bytes, for --max-elements {max_elements}"))
            }
        };
    }
}

/// The line for a line.
fn answer(engine: &dyn Engine, line: &str, max_elements: usize) -> String {
    match case_from_json(line, max_elements) {
        Ok(case) => answer_to_json(&case, &replay::run(engine, &case))
            .unwrap_or_else(|error| refusal(line, &error.to_string())),
        Err(fault) => refusal(line, &fault.to_string()),
    }
}

/// What is said of a line that is no case, under its id where it has one.
fn refusal(line: &str, why: &str) -> String {
    json!({"id": id_of(line), "error": {"type": NO_CASE, "message": format!("no case: {why}")}}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::Native;

    fn answers(input: &[u8], max_elements: usize) -> String {
        let mut output = Vec::new();
        serve(&Native, max_elements, input, &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let (handshake, answers) = output.split_once('\n').unwrap();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            handshake,
            format!(r#"{{"engine":"native","version":"{version}","profile":"cpu","schema":1}}"#)
        );
        answers.into()
    }

    #[test]
    fn a_case_is_answered_and_the_last_line_needs_no_end() {
        let case = r#"{"id":"s/sum/x","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,2.0]}},"attrs":{}}"#;
        insta::assert_snapshot!(
            answers(format!("{case}\n{case}").as_bytes(), 100),
            @r#"
        {"id":"s/sum/x","outputs":[{"dtype":"float32","shape":[],"data":[3.0]}]}
        {"id":"s/sum/x","outputs":[{"dtype":"float32","shape":[],"data":[3.0]}]}
        "#
        );
        assert_eq!(answers(b"", 100), "");
    }

    #[test]
    fn what_is_no_case_is_said_to_be_none() {
        let long = " ".repeat(longest_line(1) + 1);
        let lines = [
            "",
            "hello",
            "[]",
            r#"{"id":"s/sum/x"}"#,
            r#"{"id":"s/summ/x","op":"summ","inputs":{},"attrs":{}}"#,
            r#"{"id":"s/sum/x","op":"sum","inputs":{"input":{"dtype":"float33","shape":[],"data":[1.0]}},"attrs":{}}"#,
            r#"{"id":"s/sum/x","op":"sum","inputs":{"input":{"dtype":"float32","shape":[2],"data":[1.0,1.0]}},"attrs":{}}"#,
            r#"{"id":"s/sum/x","op":"mul","inputs":{},"attrs":{}}"#,
            &long,
        ];
        let mut input = lines.join("\n").into_bytes();
        input.extend(b"\n\xff\n");
        insta::assert_snapshot!(answers(&input, 1));
    }
}

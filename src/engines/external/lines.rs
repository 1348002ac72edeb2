//! Lines of bounded length.

use std::io::{self, BufRead, Read as _};

/// What was read where a line should be.
#[derive(Debug, PartialEq)]
pub(crate) enum Line {
    /// A line, without its end.
    Whole(String),
    /// Text that the input ends in, without a line's end.
    Partial(String),
    /// More bytes than a line may have. The rest of the line is still to come.
    TooLong,
    /// A line that is not UTF-8.
    NotText,
    /// Nothing: the input has ended.
    End,
}

/// Reads a line of at most `limit` bytes.
pub(crate) fn read(input: &mut impl BufRead, limit: usize) -> io::Result<Line> {
    let mut bytes = Vec::new();
    // One byte for the line's end, and no more: a line without end must not fill the memory.
    input.take(limit as u64 + 1).read_until(b'\n', &mut bytes)?;
    let whole = bytes.last() == Some(&b'\n');
    if whole {
        bytes.pop();
    }
    Ok(match String::from_utf8(bytes) {
        Ok(line) if whole => Line::Whole(line),
        Ok(line) if line.is_empty() => Line::End,
        Ok(line) if line.len() <= limit => Line::Partial(line),
        Err(error) if error.as_bytes().len() <= limit => Line::NotText,
        _ => Line::TooLong,
    })
}

/// Reads on to the end of a line that was too long.
pub(crate) fn skip(input: &mut impl BufRead) -> io::Result<()> {
    input.skip_until(b'\n').map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_partial_or_refused() {
        let mut input = &b"one\n\nfour\nfive5\n\xff\nsix"[..];
        let mut next = || read(&mut input, 4).unwrap();
        assert_eq!(next(), Line::Whole("one".into()));
        assert_eq!(next(), Line::Whole(String::new()));
        assert_eq!(next(), Line::Whole("four".into()));
        assert_eq!(next(), Line::TooLong);
        // The end of the line that was too long.
        assert_eq!(next(), Line::Whole(String::new()));
        assert_eq!(next(), Line::NotText);
        assert_eq!(next(), Line::Partial("six".into()));
        assert_eq!(next(), Line::End);
    }

    #[test]
    fn the_rest_of_a_long_line_is_skipped() {
        let mut input = &b"much too long\nshort\n"[..];
        assert_eq!(read(&mut input, 5).unwrap(), Line::TooLong);
        skip(&mut input).unwrap();
        assert_eq!(read(&mut input, 5).unwrap(), Line::Whole("short".into()));
    }
}

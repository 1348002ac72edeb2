//! Mutations that keep JSON mostly JSON: libFuzzer's own change single bytes, and nearly all of
//! those end in the parser. One of four is left to it all the same.

use std::ops::Range;
use std::sync::LazyLock;

use libfuzzer_sys::fuzzer_mutate;
use torch_parity::ops::registry;

/// What stands in the formats where a choice was made.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "-2",
    "16",
    "-17",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
    "18446744073709551615",
    "-0.0",
    "0.5",
    "1.5",
    "1e308",
    "5e-324",
    "1e999",
    "\"NaN\"",
    "\"Infinity\"",
    "\"-Infinity\"",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "[0]",
    "[-1]",
    "[0,1]",
    "[1,0,-1]",
    "[2,2]",
    "[null,null,-1]",
    "\"\"",
    "\"...\"",
    "\"newaxis\"",
    "{\"slice\":[null,null,2]}",
    "{\"slice\":[1,-1,null]}",
    "{\"tensor\":\"input\"}",
    "{\"step\":[0,0]}",
    "\"float64\"",
    "\"float32\"",
    "\"float16\"",
    "\"bfloat16\"",
    "\"int64\"",
    "\"int32\"",
    "\"int16\"",
    "\"int8\"",
    "\"uint8\"",
    "\"uint32\"",
    "\"bool\"",
    "\"complex64\"",
    "\"float33\"",
    "\"strides\"",
    "\"offset\"",
    "\"encoding\"",
    "\"base64\"",
    "\"AACAPw==\"",
    "\"sum\"",
    "\"mean\"",
    "\"none\"",
    "\"replace\"",
    "\"multiply\"",
    "\"amax\"",
    "\"prod\"",
    "\"floor\"",
    "\"trunc\"",
    "\"linear\"",
    "\"nearest\"",
    "\"tanh\"",
    "not",
    "and",
    "or",
    "(",
    ")",
    "op:sum",
    "hash:1/2",
    "\\u0000",
    "\\n",
    "\"error\"",
    "\"outputs\"",
    "\"grads\"",
    "\"backward_error\"",
];

/// Names of the engine's ops and parameters, bare and in quotes.
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let parameters = registry().flat_map(|op| op.parameters).map(|name| format!("\"{name}\""));
    registry().map(|op| op.name.to_string()).chain(parameters).collect()
});

/// Makes this thread rayon's only one: handing a case to another takes longer than running it.
pub(crate) fn alone() {
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    alone.build_global().expect("nothing has asked for threads yet");
}

/// A stream of numbers from a seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// Changes an input in place; gives its new length.
pub(crate) fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut draw = Draw(u64::from(seed));
    let text = match std::str::from_utf8(&data[..size]) {
        Ok(text) if draw.below(4) > 0 => text.to_string(),
        _ => return fuzzer_mutate(data, size, max_size),
    };
    let mut changed = text;
    for _ in 0..=draw.below(3) {
        changed = change(&changed, &mut draw);
    }
    if changed.is_empty() || changed.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
}

fn change(text: &str, draw: &mut Draw) -> String {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return WORDS[draw.below(WORDS.len())].to_string();
    }
    let nth = draw.below(tokens.len());
    let element = element(text, &tokens, nth);
    let with =
        |place: Range<usize>, new: &str| format!("{}{new}{}", &text[..place.start], &text[place.end..]);
    match draw.below(9) {
        0 => with(element, ""),
        1 => {
            let twice = format!("{0},{0}", &text[element.clone()]);
            with(element, &twice)
        }
        2 => {
            let other = draw.below(tokens.len());
            let other = self::element(text, &tokens, other);
            with(element, &text[other])
        }
        3 => with(tokens[nth].clone(), &NAMES[draw.below(NAMES.len())]),
        4 | 5 => {
            let tensors: Vec<usize> = text.match_indices("{\"dtype\"").map(|(at, _)| at).collect();
            let at = tensors.get(draw.below(tensors.len())).copied();
            let nth = at.and_then(|at| tokens.iter().position(|token| token.start == at)).unwrap_or(nth);
            let place = self::element(text, &tokens, nth);
            with(place, &tensor(draw))
        }
        6 => {
            let value = format!("{}:{}", NAMES[draw.below(NAMES.len())], draw.of(WORDS));
            match text.find("\"attrs\":{") {
                Some(at) => {
                    let at = at + "\"attrs\":{".len();
                    let comma = if text[at..].starts_with('}') { "" } else { "," };
                    with(at..at, &format!("{value}{comma}"))
                }
                None => with(element, &value),
            }
        }
        _ => with(tokens[nth].clone(), draw.of(WORDS)),
    }
}

/// Strings, words and numbers, and single signs.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let word = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._:/".contains(&byte);
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
            }
            byte if byte != b':' && word(byte) => {
                while at < bytes.len() && word(bytes[at]) {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
        tokens.push(start..at);
    }
    tokens
}

/// A token, or all up to its closing bracket where it opens one.
fn element(text: &str, tokens: &[Range<usize>], nth: usize) -> Range<usize> {
    let mut depth = 0usize;
    for token in &tokens[nth..] {
        match &text[token.clone()] {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return tokens[nth].start..token.end;
        }
    }
    tokens[nth].clone()
}

/// A tensor of any dtype and layout.
fn tensor(draw: &mut Draw) -> String {
    let dtypes: &[&str] = &[
        "float32", "float32", "float64", "float16", "bfloat16", "int64", "int64", "int32", "int16", "int8",
        "uint8", "uint32", "bool",
    ];
    let dtype = draw.of(dtypes);
    let shape: Vec<usize> = (0..draw.below(4)).map(|_| draw.below(4)).collect();
    let count: usize = shape.iter().product();
    let values: &[&str] = match dtype {
        "bool" => &["true", "false"],
        "uint8" | "uint32" => &["0", "1", "2", "255"],
        _ if dtype.contains("int") => &["0", "1", "-1", "2", "3", "-2", "127", "-128"],
        _ => &[
            "0.0",
            "-0.0",
            "1.0",
            "-1.0",
            "0.5",
            "2.0",
            "1024.0",
            "\"NaN\"",
            "\"Infinity\"",
            "\"-Infinity\"",
        ],
    };
    let expanded = count > 0 && draw.below(6) == 0;
    let data: Vec<&str> = (0..if expanded { 1 } else { count }).map(|_| draw.of(values)).collect();
    let strides = if expanded { format!(",\"strides\":{:?}", vec![0; shape.len()]) } else { String::new() };
    format!("{{\"dtype\":\"{dtype}\",\"shape\":{shape:?}{strides},\"data\":[{}]}}", data.join(","))
}

//! How numbers are printed.

/// `1843` as `1,843`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two decimals and an exponent of two digits, as C's `%.2e` prints: `3.20e-06`.
pub(crate) fn c_exponent(number: f64) -> String {
    exponent(&format!("{number:.2e}"))
}

/// Every digit that the number needs, with an exponent of two digits: `1e-05`.
pub(crate) fn c_shortest(number: f64) -> String {
    exponent(&format!("{number:e}"))
}

fn exponent(text: &str) -> String {
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = match exponent.strip_prefix('-') {
                Some(digits) => ('-', digits),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text.to_string(),
    }
}

/// A distance in ULP; the largest stands for "no distance at all".
pub(crate) fn ulp(distance: u64) -> String {
    if distance == u64::MAX { "∞".into() } else { distance.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_c_and_as_people_write_them() {
        assert_eq!([0, 999, 1000, 1234567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.0, 3.2e-6, 12.0].map(c_exponent), ["0.00e+00", "3.20e-06", "1.20e+01"]);
        assert_eq!([1e-5, f64::INFINITY].map(c_shortest), ["1e-05", "inf"]);
    }
}

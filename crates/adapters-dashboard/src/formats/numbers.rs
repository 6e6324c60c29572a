//! Money, counts, percentages and sizes of files.

use domain::shared::money::{CURRENCY, Money};

const SEPARATOR: char = ',';
const NO_FIGURE: &str = "–";

pub(super) fn money(amount: Money) -> String {
    const MICROS_PER_PART: u64 = 100;
    const PARTS_PER_CEDI: u64 = 10_000;

    let micros = amount.micros().unsigned_abs();
    let parts = micros.saturating_add(MICROS_PER_PART / 2) / MICROS_PER_PART;
    let sign = if amount < Money::ZERO && parts > 0 { "-" } else { "" };
    let (cedis, parts) = (count(parts / PARTS_PER_CEDI), parts % PARTS_PER_CEDI);
    let (pesewas, rest) = (parts / 100, parts % 100);
    match (rest, rest % 10) {
        (0, _) => format!("{CURRENCY} {sign}{cedis}.{pesewas:02}"),
        (_, 0) => format!("{CURRENCY} {sign}{cedis}.{pesewas:02}{}", rest / 10),
        _ => format!("{CURRENCY} {sign}{cedis}.{pesewas:02}{rest:02}"),
    }
}

/// Returns a number with thousands separators.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(SEPARATOR);
        }
        text.push(digit);
    }
    text
}

/// Returns a share in per cent. It is rounded, but to 0 and 100 only if it is exactly that: one failure
/// in ten thousand messages is not none.
pub(super) fn percent(part: u64, whole: u64) -> String {
    /// A whole, in tenths of a per cent.
    const ALL: u128 = 1_000;

    if whole == 0 {
        return NO_FIGURE.to_owned();
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let rounded = (part * ALL + whole / 2) / whole;
    let tenths = match rounded {
        0 if part > 0 => 1,
        ALL if part < whole => ALL - 1,
        tenths => tenths,
    };
    format!("{}.{} %", tenths / 10, tenths % 10)
}

pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];

    for (unit, name) in UNITS {
        if bytes >= unit {
            let tenths = bytes / (unit / 10);
            return format!("{}.{} {name}", count(tenths / 10), tenths % 10);
        }
    }
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_as_many_decimals_as_it_needs_up_to_four() {
        for (micros, expected) in [
            (0, "GHS 0.00"),
            (1_234_500_000, "GHS 1,234.50"),
            (1_234_567_890_000, "GHS 1,234,567.89"),
            (35_000, "GHS 0.035"),
            (35_500, "GHS 0.0355"),
            (30_500, "GHS 0.0305"),
            (10_000, "GHS 0.01"),
            (-2_500_000, "GHS -2.50"),
        ] {
            assert_eq!(money(Money::from_micros(micros)), expected);
        }
    }

    #[test]
    fn smaller_fractions_of_an_amount_are_rounded() {
        for (micros, expected) in [
            (35_549, "GHS 0.0355"),
            (35_550, "GHS 0.0356"),
            (999_999, "GHS 1.00"),
            (-49, "GHS 0.00"),
            (i64::MIN, "GHS -9,223,372,036,854.7758"),
        ] {
            assert_eq!(money(Money::from_micros(micros)), expected);
        }
    }

    #[test]
    fn thousands_are_separated() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (1_000_000, "1,000,000"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(count(number), expected);
        }
    }

    #[test]
    fn a_share_is_none_or_all_only_if_it_is_exactly_that() {
        for (part, whole, expected) in [
            (972, 1_000, "97.2 %"),
            (2, 3, "66.7 %"),
            (0, 10, "0.0 %"),
            (10, 10, "100.0 %"),
            (1, 1_000_000, "0.1 %"),
            (999_999, 1_000_000, "99.9 %"),
            (3, 2, "150.0 %"),
            (u64::MAX, u64::MAX, "100.0 %"),
            (0, 0, "–"),
        ] {
            assert_eq!(percent(part, whole), expected, "{part} of {whole}");
        }
    }

    #[test]
    fn a_size_is_given_in_its_largest_unit() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (1_550, "1.5 kB"),
            (999_999, "999.9 kB"),
            (12_000_000, "12.0 MB"),
            (2_345_000_000, "2.3 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}

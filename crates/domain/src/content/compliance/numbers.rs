//! Classification of numbers: amounts, phones, cards.

use super::{
    forms,
    tokens::{Reading, Token},
    vocabulary::Vocabulary,
};

/// Maximum number of groups of digits in a number.
const MAX_GROUPS: usize = 6;

/// Maximum number of characters between two groups.
const MAX_GAP: usize = 2;

/// Adds classes to the numbers of a text.
pub(super) fn classify(reading: &mut Reading, vocabulary: &Vocabulary) {
    let currency = vocabulary.class_named("currency").unwrap_or(0);
    let unit = vocabulary.class_named("unit").unwrap_or(0);
    let gha = vocabulary.word("gha").map(|word| word.id);
    let percent = vocabulary.word("percent").map(|word| word.id);
    let mut index = 0;
    while index < reading.tokens.len() {
        if !reading.tokens[index].is_number {
            index += 1;
            continue;
        }
        let length = groups(&reading.tokens[index..]);
        let is_after_gha = index > 0 && gha.is_some() && reading.tokens[index - 1].word == gha;
        let (classes, taken) = number(reading, index, length, is_after_gha);
        reading.tokens[index].classes |= classes;
        let is_currency =
            |token: Option<&Token>| token.is_some_and(|it| it.classes & currency != 0);
        let before = index.checked_sub(1);
        let after = index + taken;
        if is_currency(before.and_then(|it| reading.tokens.get(it)))
            || is_currency(reading.tokens.get(after))
        {
            reading.tokens[index].classes |= forms::MONEY;
            if let Some(before) = before.filter(|it| is_currency(reading.tokens.get(*it))) {
                reading.tokens[before].classes |= forms::MONEY;
            }
        }
        let is_unit = reading.tokens.get(after).is_some_and(|it| it.classes & unit != 0);
        let number = &reading.tokens[index];
        let is_amount = number.classes & forms::MONEY != 0
            || (!is_unit
                && classes & !forms::DIGITS == 0
                && is_price(reading.written(number), number.span.len()));
        let is_percent =
            percent.is_some() && reading.tokens.get(after).is_some_and(|it| it.word == percent);
        let is_high = is_percent && is_high(reading.written(number));
        if is_amount {
            reading.tokens[index].classes |= forms::AMOUNT;
        }
        if is_high {
            reading.tokens[index].classes |= forms::HIGH_PERCENT;
        }
        if taken > 1 {
            reading.tokens[index].span.end = reading.tokens[after - 1].span.end;
            reading.tokens[index].bytes.end = reading.tokens[after - 1].bytes.end;
            reading.tokens.drain(index + 1..after);
        }
        index += 1;
    }
}

/// True if digits may be a requested amount rather than a count or a year. `length` is that of the digits
/// as written: years have no comma.
fn is_price(digits: &str, length: usize) -> bool {
    match digits.parse::<u64>() {
        Ok(2000..=2035) if length == 4 => false,
        Ok(value) => value >= 20 && digits.len() <= 7,
        Err(_) => false,
    }
}

/// True if a percentage exceeds the monthly interest of savings.
fn is_high(digits: &str) -> bool {
    digits.parse::<u32>().is_ok_and(|value| (8..=1_000).contains(&value))
}

/// Returns the number of leading tokens that are adjacent groups of digits.
fn groups(tokens: &[Token]) -> usize {
    let pairs = tokens.windows(2).take(MAX_GROUPS - 1);
    let adjacent = pairs
        .take_while(|pair| pair[1].is_number && pair[1].span.start <= pair[0].span.end + MAX_GAP);
    adjacent.count() + 1
}

/// Returns the classes of the number that begins at `index`, and how many of up to `length` groups it
/// takes.
fn number(reading: &Reading, index: usize, length: usize, is_after_gha: bool) -> (u128, usize) {
    let mut digits = String::new();
    let mut found = (0, 1);
    // The token of a prepaid meter has more groups of four than a card.
    let goes_on =
        |next: usize| next < length && reading.written(&reading.tokens[index + next]).len() == 4;
    for (taken, token) in reading.tokens[index..index + length].iter().enumerate() {
        digits.push_str(reading.written(token));
        let classes = if is_after_gha && digits.len() == 10 {
            forms::GHANA_CARD
        } else if is_card(&digits) && !goes_on(taken + 1) {
            forms::CARD
        } else {
            phone(&digits)
        };
        if classes != 0 {
            found = (classes, taken + 1);
        }
    }
    if found.0 == 0 && (3..=8).contains(&reading.written(&reading.tokens[index]).len()) {
        found.0 = forms::DIGITS;
    }
    found
}

/// Returns the classes of a Ghanaian phone number, as dialled there or from abroad.
fn phone(digits: &str) -> u128 {
    let national = match digits.len() {
        10 => digits.strip_prefix('0'),
        12 | 13 => digits.strip_prefix("233").map(|rest| rest.strip_prefix('0').unwrap_or(rest)),
        14 => digits.strip_prefix("00233"),
        _ => None,
    };
    match national.and_then(|national| national.chars().next()) {
        Some('2' | '5') => forms::PHONE | forms::MOBILE,
        Some('3' | '8') => forms::PHONE,
        _ => 0,
    }
}

/// True if `digits` are a payment card number: issued by a scheme, with a valid Luhn check digit.
fn is_card(digits: &str) -> bool {
    let prefix =
        |length: usize| digits.get(..length).and_then(|it| it.parse::<u32>().ok()).unwrap_or(0);
    let is_issued = match digits.len() {
        13 | 19 => prefix(1) == 4 || (digits.len() == 19 && is_verve(prefix(6))),
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 65)
                || matches!(prefix(4), 2221..=2720 | 6011)
                || is_verve(prefix(6))
        }
        18 => is_verve(prefix(6)),
        _ => false,
    };
    is_issued && luhn(digits)
}

const fn is_verve(prefix: u32) -> bool {
    matches!(prefix, 506_099..=506_198 | 650_002..=650_027)
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .map(|byte| u32::from(byte - b'0'))
        .enumerate()
        .map(|(index, digit)| match index % 2 {
            0 => digit,
            _ if digit > 4 => digit * 2 - 9,
            _ => digit * 2,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_a_scheme_and_a_check_digit() {
        for card in ["4111111111111111", "5555555555554444", "378282246310005", "2223003122003222"]
        {
            assert!(is_card(card), "{card}");
        }
        for other in ["4111111111111112", "1234567890123452", "79927398713", "0241234567890123"] {
            assert!(!is_card(other), "{other}");
        }
    }

    #[test]
    fn ghanaian_numbers_are_mobile_or_fixed() {
        let mobile = forms::PHONE | forms::MOBILE;
        for digits in ["0241234567", "233501234567", "00233201234567", "2330241234567"] {
            assert_eq!(phone(digits), mobile, "{digits}");
        }
        assert_eq!(phone("0302123456"), forms::PHONE);
        assert_eq!(phone("1234567890") | phone("0641234567"), 0);
    }
}

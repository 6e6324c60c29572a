//! Folding of letters to a plain alphabet.

use unicode_normalization::char::decompose_canonical;

/// Character in the form in which it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Letter {
    /// The character in lower case, without accents, in Latin script.
    pub(super) folded: char,
    /// True if it was written as a capital.
    pub(super) is_capital: bool,
    /// True if it only looks like a Latin letter.
    pub(super) is_lookalike: bool,
}

impl Letter {
    /// Folds `c`; `None` if it is invisible.
    pub(super) fn of(c: char) -> Option<Self> {
        if c.is_ascii() {
            let (folded, is_capital) = (c.to_ascii_lowercase(), c.is_ascii_uppercase());
            return Some(Self { folded, is_capital, is_lookalike: false });
        }
        if is_invisible(c) {
            return None;
        }
        if let Some(plain) = styled(c) {
            let (folded, is_capital) = (plain.to_ascii_lowercase(), plain.is_ascii_uppercase());
            return Some(Self { folded, is_capital, is_lookalike: false });
        }
        let is_capital = c.is_uppercase();
        let lower = c.to_lowercase().next().unwrap_or(c);
        let (folded, is_lookalike) = match (accented(lower), lookalike(c).or(lookalike(lower))) {
            (Some(plain), _) => (plain, false),
            (None, Some(plain)) => (plain, true),
            (None, None) => (lower, false),
        };
        Some(Self { folded, is_capital, is_lookalike })
    }
}

/// Returns the letters that `c` replaces inside a word, as in `P!N` and `M0M0`. The first of two is the
/// usual one.
pub(super) fn stands_for(c: char) -> Option<(char, char)> {
    let one = |letter| Some((letter, letter));
    match c {
        '0' => one('o'),
        '1' | '|' | '!' => Some(('i', 'l')),
        '3' | '€' => one('e'),
        '4' | '@' => one('a'),
        '5' | '$' => one('s'),
        '7' | '+' => one('t'),
        '8' => one('b'),
        '9' | '6' => one('g'),
        '¢' | '₵' => one('c'),
        '£' => one('l'),
        _ => None,
    }
}

/// True for marks, joiners and spaces of no width.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{300}'..='\u{36f}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{20d0}'..='\u{20f0}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Returns the ASCII letter or digit of another style: wide, bold, in circles or in boxes.
fn styled(c: char) -> Option<char> {
    let nth = |first: char, offset: u32| char::from_u32(u32::from(first) + offset);
    let code = u32::from(c);
    match code {
        0xff01..=0xff5e => nth('!', code - 0xff01),
        0x3000 | 0xa0 | 0x2000..=0x200a | 0x202f => Some(' '),
        0x1d400..=0x1d6a3 => {
            let offset = (code - 0x1d400) % 52;
            if offset < 26 { nth('A', offset) } else { nth('a', offset - 26) }
        }
        0x1d7ce..=0x1d7ff => nth('0', (code - 0x1d7ce) % 10),
        0x24b6..=0x24cf => nth('A', code - 0x24b6),
        0x24d0..=0x24e9 => nth('a', code - 0x24d0),
        0x2460..=0x2468 => nth('1', code - 0x2460),
        0x1f110..=0x1f129 => nth('A', code - 0x1f110),
        0x1f130..=0x1f149 => nth('A', code - 0x1f130),
        0x1f150..=0x1f169 => nth('A', code - 0x1f150),
        0x1f170..=0x1f189 => nth('A', code - 0x1f170),
        0x1f1e6..=0x1f1ff => nth('A', code - 0x1f1e6),
        _ => match c {
            '’' | '‘' | 'ʼ' | '`' | '´' | '′' => Some('\''),
            '“' | '”' | '«' | '»' => Some('"'),
            '–' | '—' | '‐' | '‑' | '−' => Some('-'),
            '…' | '。' => Some('.'),
            _ => None,
        },
    }
}

/// Returns the plain letter without marks. Letters of Ghana's languages map to their usual substitutes.
fn accented(lower: char) -> Option<char> {
    match lower {
        'đ' | 'ɖ' => Some('d'),
        'ɛ' => Some('e'),
        'ƒ' => Some('f'),
        'ɣ' => Some('g'),
        'ħ' => Some('h'),
        'ı' => Some('i'),
        'ŀ' | 'ł' => Some('l'),
        'ŋ' => Some('n'),
        'ø' | 'ɔ' => Some('o'),
        'ŧ' => Some('t'),
        'ʋ' => Some('v'),
        _ => without_marks(lower),
    }
}

/// Returns the ASCII letter that `c` consists of together with marks.
fn without_marks(c: char) -> Option<char> {
    let mut base = None;
    decompose_canonical(c, |part| base = base.or(Some(part)));
    base.filter(char::is_ascii_alphabetic)
}

/// Returns the Latin letter that `c` looks like.
fn lookalike(c: char) -> Option<char> {
    let plain = match c {
        'а' | 'А' | 'α' | 'Α' | 'ɑ' | 'ᴀ' => 'a',
        'В' | 'Β' | 'ʙ' | 'ᏼ' | 'Ь' => 'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' | 'ᴄ' | 'ⅽ' => 'c',
        'ԁ' | 'ᴅ' | 'ⅾ' => 'd',
        'е' | 'Е' | 'ё' | 'Ё' | 'Ε' | 'ε' | 'є' | 'ᴇ' | '℮' => 'e',
        'ꜰ' | 'ϝ' => 'f',
        'ɡ' | 'ɢ' | 'ց' => 'g',
        'Н' | 'Η' | 'һ' | 'ʜ' => 'h',
        'і' | 'І' | 'ї' | 'Ι' | 'ι' | 'ɪ' | 'ɩ' | 'Ӏ' | 'ӏ' | 'ⅰ' => 'i',
        'ј' | 'Ј' | 'ᴊ' => 'j',
        'К' | 'к' | 'Κ' | 'κ' | 'ᴋ' => 'k',
        'ʟ' | 'ⅼ' | 'ɫ' => 'l',
        'М' | 'м' | 'Μ' | 'ᴍ' | 'ⅿ' => 'm',
        'Ν' | 'ɴ' | 'ո' | 'п' | 'η' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'σ' | 'ᴏ' | 'օ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' | 'ᴘ' => 'p',
        'ԛ' => 'q',
        'ʀ' | 'г' => 'r',
        'ѕ' | 'Ѕ' | 'ꜱ' => 's',
        'Т' | 'т' | 'Τ' | 'τ' | 'ᴛ' => 't',
        'υ' | 'ᴜ' | 'ս' => 'u',
        'ν' | 'ѵ' | 'ᴠ' | 'ⅴ' => 'v',
        'ѡ' | 'ԝ' | 'ω' | 'ᴡ' => 'w',
        'х' | 'Х' | 'Χ' | 'χ' | 'ⅹ' => 'x',
        'у' | 'У' | 'Υ' | 'γ' | 'ү' | 'ʏ' => 'y',
        'Ζ' | 'ᴢ' => 'z',
        _ => return None,
    };
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        text.chars().filter_map(Letter::of).map(|letter| letter.folded).collect()
    }

    #[test]
    fn letters_are_compared_without_case_accents_or_script() {
        assert_eq!(folded("ＰＩＮ pіn ΡΙΝ 𝐏𝐢𝐧 Ⓟⓘⓝ p\u{301}i\u{200b}n"), "pin pin pin pin pin pin");
        assert_eq!(folded("Yɛ ntɛm, fa sika brɛ me Kɔ"), "ye ntem, fa sika bre me ko");
        assert_eq!(folded("don’t — “now”"), "don't - \"now\"");
    }

    #[test]
    fn the_letters_of_ghana_are_no_lookalikes() {
        let is_lookalike = |c| Letter::of(c).unwrap().is_lookalike;
        assert!("ɛɔƐƆŋɖƒɣʋé".chars().all(|c| !is_lookalike(c)));
        assert!("аеорсΡі".chars().all(is_lookalike));
    }
}

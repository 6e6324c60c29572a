//! How a file is written: what parts its cells, how its characters are encoded, and its header.

use std::{borrow::Cow, str::FromStr};

/// How the text of a file is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// What stands between cells.
    pub delimiter: Delimiter,
    /// How characters are encoded.
    pub encoding: Encoding,
    /// The meanings of the columns: fields, and names of attributes.
    pub header: Vec<String>,
    /// The names of the columns in the file: the cells of its header.
    pub labels: Vec<String>,
}

/// What stands between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`, where the comma is the decimal sign.
    Semicolon,
    /// A tab.
    Tab,
}

/// How characters are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// What spreadsheets on Windows write if nobody asks for UTF-8.
    Windows1252,
}

/// The text names no delimiter or encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not how a file can be written")]
pub struct UnknownLayout;

impl Delimiter {
    /// Every delimiter. Of two that are equally frequent in a header the first is meant.
    pub const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comma => "COMMA",
            Self::Semicolon => "SEMICOLON",
            Self::Tab => "TAB",
        }
    }

    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|delimiter| delimiter.byte() == byte)
    }

    /// The delimiter of a file whose first lines these are, if a whole header is among them: the one
    /// that is most frequent outside quotes.
    pub(super) fn of_header(text: &[u8]) -> Option<Self> {
        let blank = text.iter().take_while(|byte| is_line_end(**byte)).count();
        let mut times = [0_usize; Self::ALL.len()];
        let mut place = Place::Beginning;
        for byte in &text[blank..] {
            place = match (place, *byte) {
                (Place::Quoted, b'"') => Place::Quote,
                (Place::Quoted, _) | (Place::Beginning | Place::Quote, b'"') => Place::Quoted,
                (_, byte) if is_line_end(byte) => return Some(most_frequent(times)),
                (_, byte) => match Self::of(byte) {
                    Some(delimiter) => {
                        times[delimiter as usize] += 1;
                        Place::Beginning
                    }
                    None => Place::Plain,
                },
            };
        }
        None
    }
}

/// Where in a cell a byte stands.
#[derive(Clone, Copy)]
enum Place {
    Beginning,
    Plain,
    Quoted,
    /// After a quote inside quotes: another one makes it a sign of the text.
    Quote,
}

fn most_frequent(times: [usize; Delimiter::ALL.len()]) -> Delimiter {
    let mut best = Delimiter::Comma;
    for delimiter in Delimiter::ALL {
        if times[delimiter as usize] > times[best as usize] {
            best = delimiter;
        }
    }
    best
}

pub(super) const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

impl Encoding {
    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Windows1252 => "WINDOWS-1252",
        }
    }

    /// The text that these bytes are.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Windows1252 => match std::str::from_utf8(bytes) {
                Ok(text) if text.is_ascii() => Cow::Borrowed(text),
                _ => Cow::Owned(bytes.iter().map(|byte| windows_1252(*byte)).collect()),
            },
        }
    }
}

/// The characters from 0x80 to 0x9F. The five that are not assigned stay what they are: control
/// characters, which no field takes.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

impl FromStr for Delimiter {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Self, UnknownLayout> {
        Self::ALL.into_iter().find(|delimiter| delimiter.as_str() == text).ok_or(UnknownLayout)
    }
}

impl FromStr for Encoding {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Self, UnknownLayout> {
        let all = [Self::Utf8, Self::Windows1252];
        all.into_iter().find(|encoding| encoding.as_str() == text).ok_or(UnknownLayout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_most_frequent_in_the_header_outside_quotes() {
        for (text, delimiter) in [
            ("phone,email\n", Delimiter::Comma),
            ("phone;email\r", Delimiter::Semicolon),
            ("phone\temail\r\n0;0;0", Delimiter::Tab),
            ("phone\n", Delimiter::Comma),
            ("\r\n\nphone;email\n", Delimiter::Semicolon),
            ("\"a,b,\nc\"\"d,\";email\n", Delimiter::Semicolon),
            ("5\" pipe;email\n", Delimiter::Semicolon),
        ] {
            assert_eq!(Delimiter::of_header(text.as_bytes()), Some(delimiter), "{text:?}");
        }
        for text in ["", "\n\r\n", "phone;email", "\"phone\n"] {
            assert_eq!(Delimiter::of_header(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn windows_1252_has_the_letters_of_western_europe_and_the_euro() {
        assert_eq!(Encoding::Windows1252.decode(b"Ren\xe9e \x80 5"), "Renée € 5");
        assert_eq!(Encoding::Windows1252.decode(b"Ama"), "Ama");
        assert_eq!(Encoding::Utf8.decode("Kɔfi".as_bytes()), "Kɔfi");
    }
}

//! Layout of a file: its delimiter, its encoding and its header.

use std::borrow::Cow;

/// Delimiter, encoding and header of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Separator of cells.
    pub delimiter: Delimiter,
    /// Character encoding.
    pub encoding: Encoding,
    /// Meanings of the columns: fields, and names of attributes.
    pub header: Vec<String>,
    /// Names of the columns in the file: the cells of its header.
    pub labels: Vec<String>,
}

crate::closed_list! {
    /// Separator of cells. If two are equally frequent in a header, the earlier one wins.
    pub enum Delimiter {
        /// `,`
        Comma = "COMMA",
        /// `;`, common if the comma is the decimal sign.
        Semicolon = "SEMICOLON",
        /// A tab.
        Tab = "TAB",
    }
    impl FromStr else "is not how a file can be written";
}

crate::closed_list! {
    /// Character encoding of a file.
    pub enum Encoding {
        /// UTF-8.
        Utf8 = "UTF-8",
        /// Default of spreadsheets on Windows.
        Windows1252 = "WINDOWS-1252",
    }
    impl FromStr else "is not how a file can be written";
}

impl Delimiter {
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

    /// Detects the delimiter of a file from its first lines: the one that is most frequent outside quotes
    /// in the header. `None` if the header is incomplete.
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

/// Position of a byte in a cell.
#[derive(Clone, Copy)]
enum Place {
    Beginning,
    Plain,
    Quoted,
    /// After a quote inside quotes; a second quote makes it part of the text.
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
    /// Decodes bytes to text.
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

/// Characters from 0x80 to 0x9F. The five unassigned ones stay control characters, which no field accepts.
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

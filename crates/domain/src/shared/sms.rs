//! Parts of text messages, by which they are priced.
//!
//! A part holds 140 octets. A message of several parts spends 6 octets of each on a header that
//! lets the phone join them (GSM 03.40, user data header).
//!
//! ```
//! use domain::shared::sms::{Encoding, segment};
//!
//! let long = segment(&"a".repeat(161));
//! assert_eq!((long.encoding, long.segments), (Encoding::Gsm7, 2));
//! ```

use std::collections::BTreeSet;

use super::channel::Channel;

crate::closed_list! {
    /// Alphabet in which a message is sent.
    pub enum Encoding {
        /// The GSM 03.38 default alphabet and its extension table, in septets.
        Gsm7 = "GSM-7",
        /// UCS-2, in UTF-16 code units.
        Ucs2 = "UCS-2",
    }
}

/// Size of a text as a text message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segmentation {
    /// Smallest alphabet that has every character of the text.
    pub encoding: Encoding,
    /// Number of parts in which it is sent, at least 1.
    pub segments: u16,
    /// Length: septets in GSM-7, UTF-16 code units in UCS-2.
    pub units: usize,
}

impl Encoding {
    /// Number of units that fit into a message of one part.
    fn alone(self) -> usize {
        match self {
            Self::Gsm7 => 160,
            Self::Ucs2 => 70,
        }
    }

    /// Number of units that fit into each part of a longer message.
    fn joined(self) -> usize {
        match self {
            Self::Gsm7 => 153,
            Self::Ucs2 => 67,
        }
    }
}

/// Cuts `text` into parts. The empty text is one part, since it is sent as one message.
///
/// A character of two units never straddles two parts, so that a part may end one unit short. The
/// count stops at [`u16::MAX`].
pub fn segment(text: &str) -> Segmentation {
    if text.chars().all(|c| septets(c).is_some()) {
        pack(Encoding::Gsm7, text.chars().filter_map(septets))
    } else {
        pack(Encoding::Ucs2, text.chars().map(char::len_utf16))
    }
}

/// Number of parts of `text` if each character that GSM-7 lacks were one that it has.
pub fn segments_if_gsm7(text: &str) -> u16 {
    pack(Encoding::Gsm7, text.chars().map(|c| septets(c).unwrap_or(1))).segments
}

/// Returns the distinct characters of `text` that GSM-7 lacks, in the order in which they first
/// appear.
pub fn non_gsm(text: &str) -> Vec<char> {
    let mut seen = BTreeSet::new();
    text.chars().filter(|&c| septets(c).is_none() && seen.insert(c)).collect()
}

fn pack(encoding: Encoding, sizes: impl Iterator<Item = usize>) -> Segmentation {
    let (mut units, mut segments, mut used) = (0, 1_u16, 0);
    for size in sizes {
        units += size;
        used += size;
        if used > encoding.joined() {
            segments = segments.saturating_add(1);
            used = size;
        }
    }
    if units <= encoding.alone() {
        segments = 1;
    }
    Segmentation { encoding, segments, units }
}

/// Number of septets of `c` in GSM 03.38, if it is there: one in the default alphabet, two in the
/// extension table.
fn septets(c: char) -> Option<usize> {
    match c {
        '\n' | '\r' | ' '..='Z' | '_' | 'a'..='z' => Some(1),
        '\u{c}' | '[' | '\\' | ']' | '^' | '{' | '|' | '}' | '~' | '€' => Some(2),
        _ => BEYOND_ASCII.binary_search(&c).is_ok().then_some(1),
    }
}

/// Characters of the default alphabet that ASCII lacks, in the order of Unicode.
const BEYOND_ASCII: [char; 39] = [
    '¡', '£', '¤', '¥', '§', '¿', 'Ä', 'Å', 'Æ', 'Ç', 'É', 'Ñ', 'Ö', 'Ø', 'Ü', 'ß', 'à', 'ä', 'å',
    'æ', 'è', 'é', 'ì', 'ñ', 'ò', 'ö', 'ø', 'ù', 'ü', 'Γ', 'Δ', 'Θ', 'Λ', 'Ξ', 'Π', 'Σ', 'Φ', 'Ψ',
    'Ω',
];

pub(crate) fn segments_on(channel: Channel, body: &str) -> u16 {
    if channel == Channel::Sms { segment(body).segments } else { 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn gsm7(segments: u16, units: usize) -> Segmentation {
        Segmentation { encoding: Encoding::Gsm7, segments, units }
    }

    fn ucs2(segments: u16, units: usize) -> Segmentation {
        Segmentation { encoding: Encoding::Ucs2, segments, units }
    }

    #[test]
    fn gsm7_holds_160_septets_alone_and_153_joined() {
        assert_eq!(segment(""), gsm7(1, 0));
        for (length, segments) in
            [(1, 1), (160, 1), (161, 2), (306, 2), (307, 3), (459, 3), (460, 4)]
        {
            assert_eq!(segment(&"a".repeat(length)), gsm7(segments, length));
        }
    }

    #[test]
    fn ucs2_holds_70_units_alone_and_67_joined() {
        for (length, segments) in [(1, 1), (70, 1), (71, 2), (134, 2), (135, 3), (201, 3), (202, 4)]
        {
            assert_eq!(segment(&"ɛ".repeat(length)), ucs2(segments, length));
        }
    }

    #[test]
    fn the_extension_table_takes_two_septets() {
        assert_eq!(segment("\u{c}[\\]^{|}~€"), gsm7(1, 20));
        assert_eq!(segment(&"€".repeat(80)), gsm7(1, 160));
        assert_eq!(segment(&"€".repeat(81)), gsm7(2, 162));
        assert_eq!(segment("\r\n"), gsm7(1, 2));
        assert_eq!(segment("€ɛ"), ucs2(1, 2));
    }

    #[test]
    fn no_character_straddles_two_parts() {
        // 152 septets, then two of which only one would fit, leave one septet of each part empty.
        assert_eq!(segment(&("a".repeat(152) + "€" + &"a".repeat(151))), gsm7(2, 305));
        assert_eq!(segment(&("a".repeat(152) + "€" + &"a".repeat(152))), gsm7(3, 306));
        assert_eq!(segment(&"€".repeat(153)), gsm7(3, 306));

        assert_eq!(segment(&"😀".repeat(35)), ucs2(1, 70));
        assert_eq!(segment(&"😀".repeat(66)), ucs2(2, 132));
        assert_eq!(segment(&"😀".repeat(67)), ucs2(3, 134));
    }

    #[test]
    fn the_default_alphabet_has_127_characters_and_the_extension_table_10() {
        let count = |size| (char::MIN..=char::MAX).filter(|&c| septets(c) == Some(size)).count();

        // The 128th position is the escape to the extension table.
        assert_eq!((count(1), count(2)), (127, 10));
    }

    #[test]
    fn characters_that_gsm7_lacks_are_listed_once_and_in_order() {
        assert_eq!(non_gsm("Ɛyɛ ₵5 – “ɛ” ç`\t"), ['Ɛ', 'ɛ', '₵', '–', '“', '”', 'ç', '`', '\t']);
        assert!(non_gsm("Ça coûte £5".replace('û', "ù").as_str()).is_empty());
    }

    #[test]
    fn segments_if_gsm7_counts_each_lacking_character_as_one() {
        let text = "ɛ".to_owned() + &"a".repeat(159);
        assert_eq!((segment(&text).segments, segments_if_gsm7(&text)), (3, 1));
        assert_eq!(segments_if_gsm7(&"€".repeat(81)), 2);
    }

    #[test]
    fn the_count_stops_at_its_largest_value() {
        assert_eq!(segment(&"a".repeat(153 * 70_000)).segments, u16::MAX);
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["[a-z€^]{0,500}", "[a€ɛ😀]{0,250}", any::<String>()]
    }

    proptest! {
        #[test]
        fn there_are_never_fewer_parts_than_the_units_need(text in text()) {
            let Segmentation { encoding, segments, units } = segment(&text);
            let segments = usize::from(segments);

            if units <= encoding.alone() {
                prop_assert_eq!(segments, 1);
            } else {
                prop_assert!(segments >= units.div_ceil(encoding.joined()));
                // At most one unit of each part stays empty.
                prop_assert!(segments <= units.div_ceil(encoding.joined() - 1));
            }
        }

        #[test]
        fn more_text_never_takes_fewer_parts(text in text(), more in text()) {
            prop_assert!(segment(&text).segments <= segment(&(text.clone() + &more)).segments);
        }

        #[test]
        fn joined_texts_take_at_most_one_part_more(
            (a, b) in prop_oneof![
                ("[a-z€^]{0,500}", "[a-z€^]{0,500}"),
                ("ɛ[a€ɛ😀]{0,250}", "ɛ[a€ɛ😀]{0,250}"),
            ],
        ) {
            let (one, other, both) = (segment(&a), segment(&b), segment(&(a + &b)));

            prop_assert_eq!(both.units, one.units + other.units);
            prop_assert!(both.segments <= one.segments + other.segments + 1);
        }

        #[test]
        fn the_plain_characters_of_ascii_take_one_septet(text in "[ -Z_a-z\r\n]{0,400}") {
            let segmentation = segment(&text);

            prop_assert_eq!(segmentation.encoding, Encoding::Gsm7);
            prop_assert_eq!(segmentation.units, text.len());
        }

        #[test]
        fn ucs2_is_used_only_for_what_gsm7_lacks(text in text()) {
            prop_assert_eq!(segment(&text).encoding == Encoding::Gsm7, non_gsm(&text).is_empty());
        }
    }
}

//! Base32 as RFC 4648 defines it, without padding.

const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// Number of bits of a digit.
const BITS: u32 = 5;

/// Encodes bytes.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let (mut pending, mut count) = (0_u32, 0_u32);
    for byte in bytes {
        pending = (pending << 8) | u32::from(*byte);
        count += 8;
        while count >= BITS {
            count -= BITS;
            text.push(digit(pending >> count));
        }
        pending &= (1 << count) - 1;
    }
    if count > 0 {
        text.push(digit(pending << (BITS - count)));
    }
    text
}

/// Returns the digit of the lowest five bits.
fn digit(bits: u32) -> char {
    char::from(DIGITS[(bits & 31) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_the_vectors_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
    }
}

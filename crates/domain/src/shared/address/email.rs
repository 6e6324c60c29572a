//! Email addresses.

/// Returns a bare `local@domain` with the domain in lower case. Lengths are those of RFC 5321,
/// section 4.5.3.1, in octets; quoted local parts and address literals are refused.
pub(super) fn email(text: &str) -> Option<String> {
    const MOST_IN_LOCAL: usize = 64;
    const MOST: usize = 254;

    let (local, domain) = text.rsplit_once('@')?;
    let domain = domain.to_lowercase();
    let local_is_valid = local.len() <= MOST_IN_LOCAL
        && local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom_byte));
    let address = format!("{local}@{domain}");
    (local_is_valid && is_domain(&domain) && address.len() <= MOST).then_some(address)
}

/// True for `atext` of RFC 5321, section 4.1.2.
fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// True for a name of at least two labels, in ASCII or in the letters of its owner. The last label
/// is not a number, or the domain would be an IP address.
pub(crate) fn is_domain(domain: &str) -> bool {
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    domain.split('.').all(is_label)
        && domain.rsplit_once('.').is_some_and(|(_, last)| !is_number(last))
}

fn is_label(label: &str) -> bool {
    /// RFC 1035, section 2.3.4.
    const MOST: usize = 63;

    (1..=MOST).contains(&label.chars().count())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.chars().all(is_label_character)
}

fn is_label_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '-';
    }
    // Invisible characters and dots that only look like one would hide where mail goes.
    let deceives = matches!(c, '\u{ad}' | '\u{2000}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}');
    !c.is_whitespace() && !c.is_control() && !deceives
}

//! Passwords: the rules for new ones.
//!
//! ```
//! use domain::identity::password::checked_password;
//!
//! assert!(checked_password(Some("12345678"), "ama@example.com").is_err());
//! assert!(checked_password(Some("nine green parcels"), "ama@example.com").is_ok());
//! ```

use crate::shared::text;

/// Minimum length of a password, in characters.
pub const MIN_PASSWORD: usize = 8;
/// Maximum length of a password, in bytes: hashing takes time in proportion.
pub const MAX_PASSWORD_BYTES: usize = 1_024;

/// Length from which the local part of an address makes a password weak, in characters.
const MIN_LOCAL_PART: usize = 4;
/// The commonest passwords that are not too short anyway, one in each line, and lines of comments.
const COMMON: &str = include_str!("password/common.txt");

/// Reason for which a password is easy to guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Weakness {
    /// It is one of the commonest passwords.
    #[error("is one of the 10,000 commonest passwords")]
    Common,
    /// It contains the address of its user.
    #[error("must not contain the email address")]
    HoldsAddress,
    /// It contains the local part of the address of its user.
    #[error("must not contain the part of the email address before the @")]
    HoldsLocalPart,
}

/// Checks a new password of the user with the address `email`.
pub fn checked_password(password: Option<&str>, email: &str) -> Result<String, String> {
    let password = well_formed(password)?;
    match weakness(&password, email) {
        None => Ok(password),
        Some(weakness) => Err(weakness.to_string()),
    }
}

/// Checks a new password without regard to how easy it is to guess.
pub fn well_formed(password: Option<&str>) -> Result<String, String> {
    let password = password.ok_or("is required")?;
    if password.chars().count() < MIN_PASSWORD {
        return Err(format!("must have at least {MIN_PASSWORD} characters"));
    }
    if password.len() > MAX_PASSWORD_BYTES {
        return Err(format!("must have at most {MAX_PASSWORD_BYTES} bytes"));
    }
    text::without_nul(password)?;
    Ok(password.to_owned())
}

/// Returns the reason for which a password of the user with the address `email` is easy to guess;
/// `None` if it is not. Case does not matter.
pub fn weakness(password: &str, email: &str) -> Option<Weakness> {
    let (password, email) = (text::fold(password), text::fold(email));
    if common().any(|common| common == password) {
        return Some(Weakness::Common);
    }
    if !email.is_empty() && password.contains(&email) {
        return Some(Weakness::HoldsAddress);
    }
    let (local_part, _) = email.rsplit_once('@')?;
    let is_long = local_part.chars().count() >= MIN_LOCAL_PART;
    (is_long && password.contains(local_part)).then_some(Weakness::HoldsLocalPart)
}

fn common() -> impl Iterator<Item = &'static str> {
    COMMON.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EMAIL: &str = "Kofi.Boateng@Example.com";

    #[test]
    fn a_password_counts_characters_and_not_bytes() {
        assert!(checked_password(Some("ɛɛɛɛɛɛɛ"), EMAIL).is_err());
        assert!(checked_password(Some("ɛɛɛɛɛɛɛɛ"), EMAIL).is_ok());
    }

    #[test]
    fn rejects_a_password_with_a_null_character() {
        assert!(checked_password(Some("correct\0horse"), EMAIL).is_err());
    }

    #[test]
    fn rejects_common_passwords_in_any_case() {
        for password in ["password123", "PassWord123", "12345678", "Qwertyuiop", "trustno1"] {
            assert_eq!(weakness(password, EMAIL), Some(Weakness::Common), "{password}");
        }
        for password in ["correct horse", "password123 and more", "# source"] {
            assert_eq!(weakness(password, EMAIL), None, "{password}");
        }
    }

    #[test]
    fn rejects_a_password_with_the_address_or_a_local_part_of_four_characters() {
        for (password, email, expected) in [
            ("my kofi.boateng@example.COM!", EMAIL, Some(Weakness::HoldsAddress)),
            ("KOFI.boateng-2026", EMAIL, Some(Weakness::HoldsLocalPart)),
            ("kofi boateng 2026", EMAIL, None),
            ("efua and others", "efua@example.com", Some(Weakness::HoldsLocalPart)),
            ("ama and others", "ama@example.com", None),
            ("ama@example.com", "ama@example.com", Some(Weakness::HoldsAddress)),
            ("anything at all", "", None),
        ] {
            assert_eq!(weakness(password, email), expected, "{password} of {email}");
        }
    }

    #[test]
    fn the_common_passwords_are_sorted_lower_case_and_long_enough() {
        let all: Vec<_> = common().collect();
        assert!(all.len() > 3_000, "{}", all.len());
        assert!(all.is_sorted_by(|a, b| a < b));
        assert!(all.iter().all(|it| text::fold(it) == **it && it.len() >= MIN_PASSWORD));
    }

    proptest! {
        #[test]
        fn a_password_around_the_local_part_is_weak(
            before in "[ -~]{0,9}", local in "[a-z.]{4,20}", after in "[ -~]{0,9}",
        ) {
            let password = format!("{before}{}{after}", local.to_uppercase());
            let address = format!("{local}@example.com");
            prop_assert!(weakness(&password, &address).is_some());
        }
    }
}

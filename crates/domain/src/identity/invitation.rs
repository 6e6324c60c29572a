//! Invitations: mailed links by which people join an organization.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{identity::invitation, shared::id::Id};
//!
//! let organization = Id::new(DateTime::UNIX_EPOCH);
//! let token = invitation::token(&[7; 32], organization);
//! assert_eq!(invitation::organization_of(&token), Some(organization));
//! ```

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::{
    identity::{
        organization::{Organization, Role},
        session::Attempts,
        user::{self, User},
    },
    shared::{fault::Faults, id::Id},
};

/// Time for which the link of an invitation works.
pub const LIFETIME: TimeDelta = TimeDelta::days(7);
/// Maximum number of open invitations of an organization.
pub const MAX_OPEN: usize = 100;
/// Maximum number of mails with invitations from an organization within [`MAIL_WINDOW`].
pub const MAX_MAILS: u32 = 50;
/// Maximum number of mails with invitations to an address, from all organizations, within
/// [`MAIL_WINDOW`].
pub const MAX_MAILS_TO_ADDRESS: u32 = 5;
/// Time for which a mail with an invitation counts.
pub const MAIL_WINDOW: TimeDelta = TimeDelta::days(1);

/// Maximum number of characters that a mail shows of the name of an organization.
const MAX_SHOWN_NAME: usize = 40;
/// Number of hexadecimal digits of the secret in a token, and of the organization after it.
const SECRET_DIGITS: usize = 64;
const ORGANIZATION_DIGITS: usize = 32;

/// Open invitation to an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Identifier of the invitation.
    pub id: Id<Invitation>,
    /// Organization that invites.
    pub organization: Id<Organization>,
    /// Address that the link is mailed to.
    pub email: String,
    /// Role that the invited person gets.
    pub role: Role,
    /// Member who invites.
    pub invited_by: Id<User>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
    /// Time at which the link stops to work.
    pub expires_at: DateTime<Utc>,
}

/// Unchecked invitation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InvitationRequest {
    /// Address to invite. Required.
    pub email: Option<String>,
    /// Role of the invited person.
    pub role: Role,
}

impl InvitationRequest {
    /// Returns the invitation by a member, created at `now`. Fails with everything that is wrong.
    pub fn check(
        &self,
        organization: Id<Organization>,
        invited_by: Id<User>,
        now: DateTime<Utc>,
    ) -> Result<Invitation, Faults> {
        let mut faults = Faults::default();
        let email = faults.take("email", user::checked_email(self.email.as_deref()));
        Ok(Invitation {
            id: Id::new_in(now, organization),
            organization,
            email: faults.require(email)?,
            role: self.role,
            invited_by,
            created_at: now,
            expires_at: now + LIFETIME,
        })
    }
}

impl Invitation {
    /// Returns the invitation as another mail by a member at `now` renews it.
    #[must_use]
    pub fn renewed(self, invited_by: Id<User>, now: DateTime<Utc>) -> Self {
        Self { invited_by, expires_at: now + LIFETIME, ..self }
    }

    /// True if the invitation is for that address.
    pub fn is_for(&self, email: &str) -> bool {
        self.email.to_lowercase() == email.trim().to_lowercase()
    }
}

/// Returns the time to wait before another mail, given the numbers of mails from the organization and to
/// the address; `None` if there were not too many.
pub fn wait(mails: [Attempts; 2], now: DateTime<Utc>) -> Option<TimeDelta> {
    let limits = mails.into_iter().zip([MAX_MAILS, MAX_MAILS_TO_ADDRESS]);
    let exceeded = limits.filter(|(mails, most)| mails.count > *most);
    exceeded.map(|(mails, _)| mails.since + MAIL_WINDOW - now).max()
}

/// Returns the token that is mailed: a secret, and after it the organization, in whose slot it ends.
pub fn token(secret: &[u8; 32], organization: Id<Organization>) -> String {
    let secret = secret.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    format!("{secret}{}", organization.uuid().simple())
}

/// Returns the organization that a token names; `None` if the text is not a token.
pub fn organization_of(token: &str) -> Option<Id<Organization>> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_token =
        token.len() == SECRET_DIGITS + ORGANIZATION_DIGITS && token.bytes().all(is_digit);
    let organization = token.get(SECRET_DIGITS..).filter(|_| is_token)?;
    Uuid::try_parse(organization).ok().map(Id::of)
}

/// Returns the name of an organization as a mail to a stranger shows it: letters, digits and spaces, at
/// most forty characters. It may be empty.
pub fn shown_name(name: &str) -> String {
    let kept = |letter: char| if letter.is_alphanumeric() { letter } else { ' ' };
    let kept: String = name.chars().map(kept).collect();
    let words = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = words.chars().take(MAX_SHOWN_NAME).collect();
    shown.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::identity::slot::Slot;

    #[test]
    fn a_mail_shows_no_link_and_no_line_break_of_a_name() {
        for (name, shown) in [
            ("Kente Online", "Kente Online"),
            (
                " Win GHS 500: https://evil.example/x\r\nBcc: a ",
                "Win GHS 500 https evil example x Bcc a",
            ),
            ("Ɔdehyeɛ & Sons", "Ɔdehyeɛ Sons"),
            ("<b>!?</b>", "b b"),
            ("…", ""),
        ] {
            assert_eq!(shown_name(name), shown);
        }
    }

    #[test]
    fn an_invitation_needs_an_address_and_lasts_a_week() {
        let (organization, by) = (Id::new(DateTime::UNIX_EPOCH), Id::new(DateTime::UNIX_EPOCH));
        let check = |email: Option<&str>| {
            let request = InvitationRequest { email: email.map(str::to_owned), role: Role::Viewer };
            request.check(organization, by, DateTime::UNIX_EPOCH)
        };

        assert!(check(None).unwrap_err().fields.contains_key("email"));
        assert!(check(Some("nobody")).unwrap_err().fields.contains_key("email"));
        let invitation = check(Some("Kofi@Example.com")).unwrap();
        assert_eq!(invitation.expires_at, DateTime::UNIX_EPOCH + TimeDelta::days(7));
        assert!(invitation.is_for(" KOFI@example.com") && !invitation.is_for("ama@example.com"));
        let later = DateTime::UNIX_EPOCH + TimeDelta::days(6);
        assert_eq!(invitation.renewed(by, later).expires_at, later + TimeDelta::days(7));
    }

    #[test]
    fn too_many_mails_wait_for_the_longer_window() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(2);
        let ago = |hours, count| Attempts { count, since: now - TimeDelta::hours(hours) };
        for (mails, hours) in [
            ([ago(5, MAX_MAILS), ago(1, MAX_MAILS_TO_ADDRESS)], None),
            ([ago(5, MAX_MAILS + 1), ago(1, 1)], Some(19)),
            ([ago(5, MAX_MAILS + 1), ago(1, MAX_MAILS_TO_ADDRESS + 1)], Some(23)),
        ] {
            assert_eq!(wait(mails, now), hours.map(TimeDelta::hours));
        }
    }

    proptest! {
        #[test]
        fn a_shown_name_is_short_and_plain(name: String) {
            let shown = shown_name(&name);
            prop_assert!(shown.chars().count() <= MAX_SHOWN_NAME);
            prop_assert!(shown.chars().all(|it| it.is_alphanumeric() || it == ' '));
            prop_assert_eq!(shown.trim(), shown.as_str());
        }

        #[test]
        fn a_token_names_its_organization_and_ends_in_its_slot(secret: [u8; 32], bits: u128) {
            let organization = Id::of(Uuid::from_u128(bits));
            let token = token(&secret, organization);
            prop_assert_eq!(organization_of(&token), Some(organization));
            prop_assert!(token.ends_with(&Slot::of(organization).to_string()));
        }

        #[test]
        fn other_texts_are_no_tokens(text: String) {
            prop_assert_eq!(organization_of(&text), None);
        }
    }
}

//! Suppressions: addresses that get no more messages of an organization.
//!
//! ```
//! use domain::audience::suppression::SuppressionSource;
//!
//! assert!(SuppressionSource::Stop.is_lifted_by_start());
//! assert!(!SuppressionSource::Complaint.is_lifted_by_start());
//! ```

use chrono::{DateTime, Utc};

use crate::{
    identity::organization::Organization,
    shared::{
        address::Address, category::Category, channel::Channel, country::Country, fault::Faults,
        id::Id, search, text,
    },
};

/// Suppression entry caused by a recipient or a vendor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptOut {
    /// Organization that owns the list.
    pub organization: Id<Organization>,
    /// Channel on which sending stops.
    pub channel: Channel,
    /// Address of the recipient.
    pub address: Address,
    /// Origin of the entry.
    pub source: SuppressionSource,
    /// Time of the opt-out.
    pub at: DateTime<Utc>,
}

impl OptOut {
    /// Category that is no longer sent; `None` means all. Recipients who unsubscribe still get codes and
    /// receipts.
    pub const fn category(&self) -> Option<Category> {
        match self.source {
            SuppressionSource::Unsubscribe => Some(Category::Marketing),
            _ => None,
        }
    }
}

crate::closed_list! {
    /// Origin of an entry of a suppression list.
    pub enum SuppressionSource {
        /// The organization added it.
        Manual = "MANUAL",
        /// The recipient wrote `STOP`.
        Stop = "STOP",
        /// The recipient complained about a message.
        Complaint = "COMPLAINT",
        /// The recipient used an unsubscribe link or button.
        Unsubscribe = "UNSUBSCRIBE",
        /// A vendor refused a message because the recipient does not want any.
        Vendor = "VENDOR",
    }
    impl FromStr else "is not a source of suppressions";
}

impl SuppressionSource {
    /// Reason for people.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Manual => "entered by hand",
            Self::Stop => "the recipient wrote STOP",
            Self::Complaint => "the recipient complained about a message",
            Self::Unsubscribe => "the recipient unsubscribed",
            Self::Vendor => "the provider says that the recipient wants no messages",
        }
    }

    /// True if the recipient's `START` lifts it.
    pub const fn is_lifted_by_start(self) -> bool {
        matches!(self, Self::Stop | Self::Vendor)
    }
}

/// Entry of an organization's suppression list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// Identifier of the entry.
    pub id: Id<Suppression>,
    /// Organization that owns the list.
    pub organization: Id<Organization>,
    /// Number that gets nothing, or whose contact gets nothing.
    pub phone: Option<Address>,
    /// Mail address that gets nothing, or whose contact gets nothing.
    pub email: Option<Address>,
    /// Channel on which nothing is sent; `None` means every channel.
    pub channel: Option<Channel>,
    /// Category that is not sent; `None` means all.
    pub category: Option<Category>,
    /// Reason for people; `None` if unknown.
    pub reason: Option<String>,
    /// Origin of the entry.
    pub source: SuppressionSource,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

impl Suppression {
    /// True if its channel uses none of its addresses. It then applies to the mail address or the number of
    /// the contact that has its phone or its email. Devices are separate: every entry for `PUSH` applies to
    /// the devices of its contacts.
    pub const fn crosses(&self) -> bool {
        match self.channel {
            Some(Channel::Email) => self.email.is_none(),
            Some(Channel::Sms | Channel::WhatsApp | Channel::Voice) => self.phone.is_none(),
            Some(Channel::Push) | None => false,
        }
    }
}

/// Request to create an entry, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressionRequest {
    /// Phone number. This or the mail address is required.
    pub phone: Option<String>,
    /// Mail address.
    pub email: Option<String>,
    /// Channel to restrict the entry to. See [`Suppression::crosses`] for a channel that uses neither
    /// address.
    pub channel: Option<Channel>,
    /// Category to restrict the entry to.
    pub category: Option<Category>,
    /// Reason for people.
    pub reason: Option<String>,
}

/// The longest reason, in characters.
const MAX_REASON: usize = 500;
/// The longest search text, in characters.
const MAX_SEARCH: usize = 200;

impl SuppressionRequest {
    /// Returns the requested entry. Fails with every fault of the request.
    pub fn entry(
        self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Suppression, Faults> {
        let mut faults = Faults::default();
        let address = |channel, text: &str| Address::parse(channel, Country::GH, text);
        let phone = self.phone.as_deref();
        let phone = phone.and_then(|text| faults.take("phone", address(Channel::Sms, text)));
        let email = self.email.as_deref();
        let email = email.and_then(|text| faults.take("email", address(Channel::Email, text)));
        let reason = self.reason.as_deref();
        let reason = reason.and_then(|text| faults.take("reason", text::line(text, MAX_REASON)));
        if self.phone.is_none() && self.email.is_none() {
            faults.merge("", Faults::form("must have a phone or an email"));
        }
        faults.or(Suppression {
            id: Id::new_in(now, organization),
            organization,
            phone,
            email,
            channel: self.channel,
            category: self.category,
            reason,
            source: SuppressionSource::Manual,
            created_at: now,
        })
    }
}

/// Filter of a list of entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppressionFilter {
    /// Text that the address or the reason contains.
    pub search: Option<String>,
}

impl SuppressionFilter {
    /// Returns every fault of the filter.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Some(text) = &self.search {
            faults.take("search", text::optional_line(text, MAX_SEARCH));
        }
        faults
    }

    /// Returns the filter with the search text in its stored form.
    #[must_use]
    pub fn sought(&self) -> Self {
        Self { search: self.search.as_deref().map(search::sought) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faulty(request: SuppressionRequest) -> Faults {
        let now = DateTime::UNIX_EPOCH;
        request.entry(Id::new(now), now).unwrap_err()
    }

    #[test]
    fn an_entry_normalizes_addresses_like_messages() {
        let (now, request) = (DateTime::UNIX_EPOCH, SuppressionRequest::default());
        let request = SuppressionRequest {
            phone: Some(" 0241234567".into()),
            email: Some("Ama@EXAMPLE.com".into()),
            reason: Some(" moved ".into()),
            ..request
        };
        let entry = request.entry(Id::new(now), now).unwrap();
        assert_eq!(entry.phone.unwrap().as_str(), "+233241234567");
        assert_eq!(entry.email.unwrap().as_str(), "Ama@example.com");
        assert_eq!((entry.reason.as_deref(), entry.channel), (Some("moved"), None));
    }

    #[test]
    fn an_entry_has_an_address_of_either_kind_whatever_its_channel() {
        let now = DateTime::UNIX_EPOCH;
        let (phone, email) = (Some("0241234567".to_owned()), Some("ama@example.com".to_owned()));
        for channel in Channel::ALL.map(Some).into_iter().chain([None]) {
            let nobody = SuppressionRequest { channel, ..Default::default() };
            assert_eq!(faulty(nobody).form, ["must have a phone or an email"], "{channel:?}");
            for (phone, email) in [(phone.clone(), None), (None, email.clone())] {
                let request = SuppressionRequest { phone, email, channel, ..Default::default() };
                assert_eq!(request.entry(Id::new(now), now).unwrap().channel, channel);
            }
        }
    }

    #[test]
    fn an_entry_crosses_when_its_channel_uses_none_of_its_addresses() {
        let now = DateTime::UNIX_EPOCH;
        let crosses = |phone: bool, email: bool, channel| {
            let phone = phone.then(|| "0241234567".to_owned());
            let email = email.then(|| "ama@example.com".to_owned());
            let request = SuppressionRequest { phone, email, channel, ..Default::default() };
            request.entry(Id::new(now), now).unwrap().crosses()
        };
        for channel in [Channel::Sms, Channel::WhatsApp, Channel::Voice].map(Some) {
            assert!(crosses(false, true, channel), "{channel:?}");
            assert!(!crosses(true, false, channel) && !crosses(true, true, channel), "{channel:?}");
        }
        assert!(crosses(true, false, Some(Channel::Email)));
        assert!(!crosses(false, true, Some(Channel::Email)));
        assert!(!crosses(true, true, Some(Channel::Email)));
        for channel in [None, Some(Channel::Push)] {
            assert!(!crosses(true, false, channel) && !crosses(false, true, channel));
        }
    }

    #[test]
    fn an_invalid_address_is_a_fault_of_its_field() {
        let (phone, email) = (Some("12".to_owned()), Some("nobody".to_owned()));
        let faults = faulty(SuppressionRequest { phone, email, ..Default::default() });
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["email", "phone"]);
    }
}

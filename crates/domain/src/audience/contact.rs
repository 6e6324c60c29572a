//! Contacts: the people an organization writes to.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{audience::contact::ContactRequest, shared::id::Id};
//!
//! let now = DateTime::UNIX_EPOCH;
//! let request = ContactRequest { phone: Some("0241234567".to_owned()), ..ContactRequest::default() };
//! let contact = request.contact(Id::new(now), now).unwrap();
//! assert_eq!(contact.phone.unwrap().as_str(), "+233241234567");
//! ```

mod consent;
mod details;
mod fields;
mod filter;

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Utc};

pub use self::{
    consent::{Consent, ConsentRequest, MAX_CONSENT_SOURCE, checked_consent_source},
    details::{ContactDetails, LAST_MESSAGE_WITHIN, LastMessage},
    filter::ContactFilter,
};
use crate::{
    identity::organization::{Organization, PLATFORM},
    shared::{
        address::{Address, PhoneType},
        change::Change,
        channel::Channel,
        country::Country,
        fault::Faults,
        id::Id,
        text,
    },
};

/// Person an organization writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// Identifier of the contact.
    pub id: Id<Contact>,
    /// Organization that owns the contact.
    pub organization: Id<Organization>,
    /// Given name.
    pub first_name: Option<String>,
    /// Family name.
    pub last_name: Option<String>,
    /// Phone number, unique within the organization.
    pub phone: Option<Address>,
    /// Mail address in lower case, unique within the organization.
    pub email: Option<Address>,
    /// Push token of the device.
    pub fcm_token: Option<Address>,
    /// Country in which numbers without a calling code are dialled.
    pub country: Country,
    /// Labels given by the organization, in its own spelling, distinct regardless of case.
    pub tags: Vec<String>,
    /// Further data of the organization, by name.
    pub attributes: BTreeMap<String, String>,
    /// The person's consent to get messages; `None` if none is recorded.
    pub consent: Option<Consent>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// The longest name, in characters.
pub const MAX_NAME: usize = 100;
/// Maximum number of tags of a contact.
pub const MAX_TAGS: usize = 50;
/// The longest tag, in characters.
pub const MAX_TAG: usize = 50;
/// Maximum number of attributes of a contact.
pub const MAX_ATTRIBUTES: usize = 50;
/// The longest name of an attribute, in characters.
pub const MAX_ATTRIBUTE_NAME: usize = 64;
/// The longest value of an attribute, in characters.
pub const MAX_ATTRIBUTE: usize = 500;

/// Request to create a contact, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactRequest {
    /// See [`Contact::first_name`].
    pub first_name: Option<String>,
    /// See [`Contact::last_name`].
    pub last_name: Option<String>,
    /// Phone number in E.164, or as dialled in the country.
    pub phone: Option<String>,
    /// Mail address in any case.
    pub email: Option<String>,
    /// See [`Contact::fcm_token`].
    pub fcm_token: Option<String>,
    /// See [`Contact::country`]; Ghana if absent.
    pub country: Option<Country>,
    /// See [`Contact::tags`].
    pub tags: Vec<String>,
    /// See [`Contact::attributes`].
    pub attributes: BTreeMap<String, String>,
    /// See [`Contact::consent`].
    pub consent: Option<ConsentRequest>,
}

impl ContactRequest {
    /// Returns the requested contact. Fails with every fault of the request.
    pub fn contact(
        self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Contact, Faults> {
        let everything = ContactUpdate {
            first_name: Change::Set(self.first_name),
            last_name: Change::Set(self.last_name),
            phone: Change::Set(self.phone),
            email: Change::Set(self.email),
            fcm_token: Change::Set(self.fcm_token),
            country: Change::Set(self.country),
            tags: Change::Set(Some(self.tags)),
            attributes: Change::Set(Some(self.attributes)),
            consent: Change::Set(self.consent),
        };
        let made = everything.apply(Contact::blank(organization, now));
        everything.untimely(now).check(made)
    }
}

/// Changes to a contact, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactUpdate {
    /// See [`Contact::first_name`].
    pub first_name: Change<String>,
    /// See [`Contact::last_name`].
    pub last_name: Change<String>,
    /// Phone number in E.164, or as dialled in the country that the contact has after the change.
    pub phone: Change<String>,
    /// Mail address in any case.
    pub email: Change<String>,
    /// See [`Contact::fcm_token`].
    pub fcm_token: Change<String>,
    /// See [`Contact::country`]. An existing number stays as it is.
    pub country: Change<Country>,
    /// New tags; they replace all tags.
    pub tags: Change<Vec<String>>,
    /// New attributes; they replace all attributes.
    pub attributes: Change<BTreeMap<String, String>>,
    /// See [`Contact::consent`]. It is replaced as a whole.
    pub consent: Change<ConsentRequest>,
}

impl ContactUpdate {
    /// Returns the faults of the changes, for use when the contact does not exist.
    pub fn faults(&self) -> Faults {
        let nobody = Contact::blank(PLATFORM, DateTime::UNIX_EPOCH);
        self.apply(nobody).err().unwrap_or_default()
    }

    /// Returns the faults of times that are in the future.
    pub fn untimely(&self, now: DateTime<Utc>) -> Faults {
        let mut faults = Faults::default();
        if let Change::Set(Some(ConsentRequest { at: Some(at), .. })) = &self.consent
            && *at > now
        {
            faults.add("consent.at", "must not be in the future");
        }
        faults
    }

    /// Returns the contact with the changes applied. Fails with every fault of the changes, except
    /// [untimely](Self::untimely) ones.
    pub fn apply(&self, mut contact: Contact) -> Result<Contact, Faults> {
        let mut faults = Faults::default();
        if let Change::Set(country) = self.country {
            contact.country = country.unwrap_or(Country::GH);
        }
        let country = contact.country;
        // Voice accepts fixed lines too.
        let phone = |text: &str| Address::parse(Channel::Voice, country, text);
        let token = |text: &str| Address::parse(Channel::Push, country, text);
        let mut change = Changing(&mut faults);
        change.text("firstName", &self.first_name, &mut contact.first_name, name);
        change.text("lastName", &self.last_name, &mut contact.last_name, name);
        change.text("phone", &self.phone, &mut contact.phone, phone);
        change.text("email", &self.email, &mut contact.email, email);
        change.text("fcmToken", &self.fcm_token, &mut contact.fcm_token, token);
        if let Change::Set(tags) = &self.tags {
            contact.tags = distinct_tags(tags.as_deref().unwrap_or_default(), &mut faults);
        }
        if let Change::Set(attributes) = &self.attributes {
            contact.attributes = attributes.clone().unwrap_or_default();
            check_attributes(&contact.attributes, &mut faults);
        }
        if let Change::Set(consent) = &self.consent {
            contact.consent =
                consent.as_ref().and_then(|consent| consent.consent("consent", &mut faults));
        }
        faults.or(contact)
    }
}

impl Contact {
    /// Type of the phone; `None` if the contact has no phone.
    pub fn phone_type(&self) -> Option<PhoneType> {
        self.phone.as_ref().and_then(Address::phone_type)
    }

    /// True if the phone is a fixed line, which receives calls only.
    pub fn has_fixed_line(&self) -> bool {
        self.phone_type() == Some(PhoneType::FixedLine)
    }

    fn blank(organization: Id<Organization>, now: DateTime<Utc>) -> Self {
        Self {
            id: Id::new_in(now, organization),
            organization,
            first_name: None,
            last_name: None,
            phone: None,
            email: None,
            fcm_token: None,
            country: Country::GH,
            tags: Vec::new(),
            attributes: BTreeMap::new(),
            consent: None,
            created_at: now,
        }
    }
}

/// Applies changes and collects their faults.
struct Changing<'f>(&'f mut Faults);

impl Changing<'_> {
    fn text<T, E: std::fmt::Display>(
        &mut self,
        path: &str,
        change: &Change<String>,
        value: &mut Option<T>,
        check: impl Fn(&str) -> Result<T, E>,
    ) {
        if let Change::Set(text) = change {
            *value = text.as_deref().and_then(|text| self.0.take(path, check(text)));
        }
    }
}

fn name(text: &str) -> Result<String, String> {
    text::line(text, MAX_NAME)
}

/// Parses a mail address in lower case, so that an organization has it only once.
fn email(text: &str) -> Result<Address, crate::shared::address::InvalidAddress> {
    let address = Address::parse(Channel::Email, Country::GH, text)?;
    Ok(Address::stored(address.as_str().to_ascii_lowercase()))
}

/// Returns the tags without those that repeat an earlier tag in another case.
fn distinct_tags(tags: &[String], faults: &mut Faults) -> Vec<String> {
    let (mut known, mut distinct) = (HashSet::new(), Vec::new());
    for (index, tag) in tags.iter().enumerate() {
        let checked = text::line(tag, MAX_TAG);
        if let Some(tag) = faults.take(&format!("tags.{index}"), checked)
            && known.insert(text::fold(&tag))
        {
            distinct.push(tag);
        }
    }
    if distinct.len() > MAX_TAGS {
        faults.add("tags", format!("must be at most {MAX_TAGS}"));
    }
    distinct
}

fn check_attributes(attributes: &BTreeMap<String, String>, faults: &mut Faults) {
    if attributes.len() > MAX_ATTRIBUTES {
        faults.add("attributes", format!("must be at most {MAX_ATTRIBUTES}"));
    }
    for (name, value) in attributes {
        let path = format!("attributes.{name}");
        match text::line(name, MAX_ATTRIBUTE_NAME) {
            Ok(trimmed) if trimmed == *name => {}
            Ok(_) => faults.add(&path, "must not have spaces around its name"),
            Err(fault) => faults.add(&path, format!("has a name that {fault}")),
        }
        faults.take(&path, text::without_nul(value));
        if value.chars().count() > MAX_ATTRIBUTE {
            faults.add(&path, format!("must have at most {MAX_ATTRIBUTE} characters"));
        }
    }
}

#[cfg(test)]
mod tests;

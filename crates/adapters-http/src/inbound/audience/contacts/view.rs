//! Contacts in answers.

use std::collections::BTreeMap;

use domain::{
    audience::{
        contact::{Contact, ContactDetails},
        suppression::{Suppression, SuppressionSource},
    },
    shared::{
        address::{Address, PhoneType},
        category::Category,
        channel::Channel,
    },
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::consent::ConsentView;
use crate::inbound::shared::formats::{
    CategoryName, ChannelName, Names, StatusName, Timestamp, Vocabulary,
};

type PhoneTypeName = Names<PhoneType>;
type SourceName = Names<SuppressionSource>;

impl Vocabulary for PhoneType {
    const TITLE: &'static str = "PhoneType";
    const DESCRIPTION: &'static str = "The type of a phone number. `MOBILE` if the numbering plan \
         does not distinguish mobile phones from fixed lines, as in North America.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Person that the organization writes to.
#[derive(Serialize, ToSchema)]
#[schema(as = Contact)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContactView {
    id: Uuid,
    #[schema(example = "Ama")]
    first_name: Option<String>,
    #[schema(example = "Mensah")]
    last_name: Option<String>,
    #[schema(example = "+233241234567")]
    phone: Option<String>,
    /// Extension: type of the phone by its numbering plan; null without a phone. A fixed line
    /// receives calls only.
    #[schema(value_type = Option<PhoneTypeName>)]
    phone_type: Option<&'static str>,
    #[schema(example = "ama@example.com")]
    email: Option<String>,
    #[schema(example = "GH")]
    country_code: String,
    #[schema(example = json!(["vip"]))]
    tags: Vec<String>,
    fcm_token: Option<String>,
    /// Extension: further attributes, by name.
    #[schema(example = json!({ "city": "Kumasi" }))]
    attributes: BTreeMap<String, String>,
    /// Extension: the person's consent to get messages; null if none is recorded.
    consent: Option<ConsentView>,
    /// Extension: entries of the suppression list for the phone, the email or the device, newest
    /// first, at most a hundred for each.
    suppressed: Vec<ContactSuppressionView>,
    /// Extension: time at which the newest message to the phone, the email or the device was
    /// accepted, without those of the sandbox; null if there was none within 93 days.
    last_message_at: Option<Timestamp>,
    /// Extension: status of that message.
    #[schema(value_type = Option<StatusName>)]
    last_status: Option<&'static str>,
    created_at: Timestamp,
    /// Extension: time at which a request or a file last wrote the contact.
    updated_at: Timestamp,
}

/// Entry of the suppression list for a contact.
#[derive(Serialize, ToSchema)]
#[schema(as = ContactSuppression)]
#[serde(rename_all = "camelCase")]
struct ContactSuppressionView {
    id: Uuid,
    /// Only channel to which it applies; null for all.
    #[schema(value_type = Option<ChannelName>)]
    channel: Option<&'static str>,
    /// Only category to which it applies; null for all.
    #[schema(value_type = Option<CategoryName>)]
    category: Option<&'static str>,
    #[schema(example = "asked for it on the phone")]
    reason: Option<String>,
    /// Origin of the entry.
    #[schema(value_type = SourceName)]
    source: &'static str,
    created_at: Timestamp,
}

impl From<ContactDetails> for ContactView {
    fn from(details: ContactDetails) -> Self {
        let ContactDetails { contact, updated_at, suppressions, last_message } = details;
        let phone_type = contact.phone_type().map(PhoneType::as_str);
        let last_status = last_message.as_ref().map(|message| message.status.as_str());
        let Contact { id, first_name, last_name, phone, email, fcm_token, .. } = contact;
        Self {
            id: id.uuid(),
            first_name,
            last_name,
            phone_type,
            phone: text(phone),
            email: text(email),
            country_code: contact.country.to_string(),
            tags: contact.tags,
            fcm_token: text(fcm_token),
            attributes: contact.attributes,
            consent: contact.consent.map(ConsentView::from),
            suppressed: suppressions.into_iter().map(ContactSuppressionView::from).collect(),
            last_message_at: last_message.map(|message| message.at.into()),
            last_status,
            created_at: contact.created_at.into(),
            updated_at: updated_at.into(),
        }
    }
}

impl From<Suppression> for ContactSuppressionView {
    fn from(entry: Suppression) -> Self {
        Self {
            id: entry.id.uuid(),
            channel: entry.channel.map(Channel::as_str),
            category: entry.category.map(Category::as_str),
            reason: entry.reason,
            source: entry.source.as_str(),
            created_at: entry.created_at.into(),
        }
    }
}

fn text(address: Option<Address>) -> Option<String> {
    address.map(|it| it.as_str().to_owned())
}

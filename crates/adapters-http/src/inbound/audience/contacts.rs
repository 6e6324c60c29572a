//! `/contacts`

use actix_web::web::Data;
use domain::{
    audience::contact::{Contact, ContactRequest, ContactUpdate},
    identity::organization::Holding,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, patch, post_once, refusals::address_taken},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
    },
};

mod consent;
mod csv;
pub(super) mod lists;
mod view;

use consent::CONSENT;
pub(crate) use view::ContactView;

const TAKEN: &str =
    "Another contact has the phone or the email. The details name the field and that contact.";

pub(super) fn area() -> Area {
    Area {
        name: "Contacts",
        about: "People that the organization writes to.",
        endpoints: vec![
            get("/contacts", "listContacts", lists::list)
                .summary("List contacts.")
                .description(lists::LIST)
                .answers("A page, or a part with `after`."),
            get("/contacts/export", "exportContacts", lists::export)
                .extension()
                .summary("Download contacts.")
                .description(lists::EXPORT)
                .answers("A header, and a row for each contact.")
                .with(lists::answers_csv),
            post_once("/contacts", "createContact", create)
                .summary("Create a contact.")
                .description(
                    "All fields are optional. Without a phone, an email or a device token no \
                     message reaches the contact.",
                )
                .answers("The contact.")
                .refuses_when(TAKEN, address_taken())
                .fills(&[Holding::Contacts, Holding::ContactBytes]),
            get("/contacts/{id}", "getContact", show)
                .extension()
                .summary("Get a contact.")
                .answers("The contact."),
            get("/contacts/{id}/messages", "listContactMessages", lists::messages)
                .extension()
                .summary("List the messages to a contact.")
                .description(lists::MESSAGES)
                .answers("A part of the delivery logs of the contact."),
            patch("/contacts/{id}", "updateContact", update)
                .extension()
                .summary("Change a contact.")
                .description(
                    "Absent fields keep their values; null clears a value. `tags` and `attributes` \
                     replace the existing ones. A new `countryCode` does not change an existing \
                     phone.",
                )
                .answers("The changed contact.")
                .refuses_when(TAKEN, address_taken())
                .fills(&[Holding::Contacts, Holding::ContactBytes]),
            delete("/contacts/{id}", "deleteContact", remove)
                .extension()
                .summary("Delete a contact and erase the person.")
                .description(ERASURE)
                .answers("The contact is deleted, and the erasure has begun."),
        ],
    }
}

const ERASURE: &str = "The contact is deleted at once. A background task then processes the \
     organization's delivery log: in every message to the contact's phone, email or device, \
     `recipient`, `subject`, `body` and `errorMessage` are replaced by `[erased]`; cost and \
     outcome are kept. It begins within two minutes and takes about a minute per million messages \
     in the log. A message that is not final by then is erased within 15 minutes of its final \
     status, at the latest 4 days after its validity. Webhook events about these messages, and \
     about opt-outs, are erased after them; events about a message that was still in delivery are \
     deleted with their month, after 61 days at the latest. A row for the person in a file that \
     was uploaded before fails, and the erasure begins when that file is done. Suppressions are \
     kept, because the wish not to receive messages outlives the contact.";

impl Identified for Contact {
    const NAME: &'static str = "contact";
}

const FIRST_NAME: Field = field("firstName").limits(&[("maxLength", 100)]);
const LAST_NAME: Field = field("lastName").limits(&[("maxLength", 100)]);
const PHONE: Field = field("phone")
    .about("A number in E.164, or as dialled in the country. Unique in the organization.");
const EMAIL: Field =
    field("email").format("email").about("An email address. Unique in the organization.");
const FCM_TOKEN: Field = field("fcmToken").about("The push token of the device.");
const COUNTRY: Field = field("countryCode")
    .about("The country in which `phone` is dialled, if it has no calling code; `GH` if absent.");
const TAGS: Field = field("tags")
    .about(
        "At most 50 characters each. Of tags that differ in letter case only, the first is kept.",
    )
    .limits(&[("maxItems", 50)]);
const ATTRIBUTES: Field = field("attributes")
    .extension()
    .about("Further attributes: texts of at most 500 characters, by names of at most 64.")
    .limits(&[("maxProperties", 50)]);

impl FromFields for ContactRequest {
    const NAME: &'static str = "CreateContactRequest";
    const ABOUT: &'static str = "A contact to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            first_name: fields.optional(FIRST_NAME),
            last_name: fields.optional(LAST_NAME),
            phone: fields.optional(PHONE),
            email: fields.optional(EMAIL),
            fcm_token: fields.optional(FCM_TOKEN),
            country: fields.optional(COUNTRY),
            tags: fields.optional(TAGS).unwrap_or_default(),
            attributes: fields.optional(ATTRIBUTES).unwrap_or_default(),
            consent: fields.optional(CONSENT),
        }
    }

    fn example() -> Value {
        json!({
            "firstName": "Ama", "lastName": "Mensah", "phone": "0241234567",
            "email": "ama@example.com", "tags": ["vip"], "attributes": { "city": "Kumasi" },
        })
    }
}

impl FromFields for ContactUpdate {
    const NAME: &'static str = "UpdateContactRequest";
    const ABOUT: &'static str =
        "Changes to a contact. Absent fields keep their values; null clears a value.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            first_name: fields.change(FIRST_NAME),
            last_name: fields.change(LAST_NAME),
            phone: fields.change(PHONE),
            email: fields.change(EMAIL),
            fcm_token: fields.change(FCM_TOKEN),
            country: fields.change(COUNTRY),
            tags: fields.change(TAGS),
            attributes: fields.change(ATTRIBUTES),
            consent: fields.change(CONSENT),
        }
    }

    fn example() -> Value {
        json!({ "lastName": "Owusu", "tags": ["vip", "accra"], "email": null })
    }
}

/// Deleted contact.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletedContact)]
struct DeletedContactView {
    id: Uuid,
    /// Always true.
    deleted: bool,
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<ContactRequest>,
) -> Result<Created<ContactView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.contacts.create(&caller, request, faults).await?))
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Contact>,
) -> Result<Answer<ContactView>, ApiError> {
    Ok(Answer::new(api.contacts.get(&caller, id.read()?).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Contact>,
    body: Body<ContactUpdate>,
) -> Result<Answer<ContactView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.contacts.update(&caller, id.or_unknown(), update, faults).await?))
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Contact>,
) -> Result<Answer<DeletedContactView>, ApiError> {
    let id = id.read()?;
    api.contacts.delete(&caller, id).await?;
    Ok(Answer::new(DeletedContactView { id: id.uuid(), deleted: true }))
}

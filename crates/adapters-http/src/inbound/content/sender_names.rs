//! `/sender-names`

use actix_web::web::Data;
use domain::{
    content::sender_name::{SenderName, SenderNameRequest, SenderNameStatus},
    shared::page::Page,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    content::sender_names::{SENDER_NAME_IN_PROGRESS, SENDER_NAME_TAKEN, TOO_MANY_SENDER_NAMES},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, post_once},
        error::ApiError,
        formats::{ChannelName, Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Sender names",
        about: "Names and numbers that recipients see as the sender.",
        endpoints: vec![
            get("/sender-names", "listSenderNames", list)
                .extension()
                .summary("List sender names.")
                .description("Newest first, with any status.")
                .answers("The sender names."),
            post_once("/sender-names", "requestSenderName", ask)
                .extension()
                .summary("Request a sender name.")
                .description(
                    "A platform administrator decides about the request. A name belongs to one \
                     organization, regardless of letter case, channel and country; a short code \
                     belongs to one organization in each country. If the same name was requested \
                     before and not rejected, that request is returned. For owners, administrators \
                     and campaign managers.",
                )
                .answers("The sender name, pending approval.")
                .refuses(Error::Conflict(SENDER_NAME_TAKEN))
                .refuses(Error::Conflict(TOO_MANY_SENDER_NAMES))
                .refuses(Error::InProgress(SENDER_NAME_IN_PROGRESS)),
            delete("/sender-names/{id}", "deleteSenderName", remove)
                .extension()
                .summary("Delete a sender name.")
                .description(
                    "Within a second, messages with it are refused, and other organizations may \
                     request it.",
                )
                .answers("The sender name is deleted."),
        ],
    }
}

impl Identified for SenderName {
    const NAME: &'static str = "sender name";
}

type StatusName = Names<SenderNameStatus>;

impl Vocabulary for SenderNameStatus {
    const TITLE: &'static str = "SenderNameStatus";
    const DESCRIPTION: &'static str = "The state of a sender name.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl FromQuery for (Option<SenderNameStatus>, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let status = parameters.optional("status", "Only sender names with this status.");
        Some((status, parameters.short_page()?))
    }
}

impl FromFields for SenderNameRequest {
    const NAME: &'static str = "SenderNameRequest";
    const ABOUT: &'static str = "A sender name to request.";

    fn from_fields(fields: &mut Fields) -> Self {
        let name = field("name").about(
            "For SMS a name of 1 to 11 letters, digits and spaces, or a number; for `WHATSAPP` and \
             `VOICE` a number. A short code has 3 to 6 digits.",
        );
        let channel = field("channel").about("`SMS`, `WHATSAPP` or `VOICE`.");
        let country = field("countryCode")
            .about("The country of the recipients who are to see it; `GH` if absent.");
        Self {
            name: fields.required(name),
            channel: fields.required(channel),
            country: fields.optional(country),
        }
    }

    fn example() -> Value {
        json!({ "name": "Kente Ltd", "channel": "SMS", "countryCode": "GH" })
    }
}

/// A sender name.
#[derive(Serialize, ToSchema)]
#[schema(as = SenderName)]
#[serde(rename_all = "camelCase")]
struct SenderNameView {
    id: Uuid,
    /// Name as recipients see it.
    #[schema(example = "Kente Ltd")]
    name: String,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// Country of the recipients who see it.
    #[schema(example = "GH")]
    country_code: String,
    #[schema(value_type = StatusName)]
    status: &'static str,
    created_at: Timestamp,
}

/// Deleted sender name.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletedSenderName)]
struct DeletedSenderNameView {
    id: Uuid,
    /// Always true.
    deleted: bool,
}

impl From<SenderName> for SenderNameView {
    fn from(name: SenderName) -> Self {
        Self {
            id: name.id.uuid(),
            name: name.sender.as_str().to_owned(),
            channel: name.channel.as_str(),
            country_code: name.country.as_str().to_owned(),
            status: name.status.as_str(),
            created_at: name.created_at.into(),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<(Option<SenderNameStatus>, Page)>,
) -> Result<Paginated<SenderNameView>, ApiError> {
    let (status, page) = query.read()?;
    Ok(Paginated::new(api.sender_names.page(&caller, status, page).await?))
}

async fn ask(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<SenderNameRequest>,
) -> Result<Created<SenderNameView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.sender_names.request(&caller, request, faults).await?))
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<SenderName>,
) -> Result<Answer<DeletedSenderNameView>, ApiError> {
    let id = id.read()?;
    api.sender_names.delete(&caller, id).await?;
    Ok(Answer::new(DeletedSenderNameView { id: id.uuid(), deleted: true }))
}

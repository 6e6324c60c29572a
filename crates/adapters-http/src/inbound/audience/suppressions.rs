//! `/compliance/suppression`

use actix_web::web::Data;
use domain::{
    audience::suppression::{
        Suppression, SuppressionFilter, SuppressionRequest, SuppressionSource,
    },
    identity::organization::Holding,
    shared::page::Page,
};
use serde::Serialize;
use serde_json::{Value, json};
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
        formats::{CategoryName, ChannelName, Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Suppression",
        about: "Addresses that get no messages.",
        endpoints: vec![
            get("/compliance/suppression", "listSuppressions", list)
                .summary("List suppressions.")
                .description(
                    "Newest first. With `search` at most 1,000 entries are counted and shown; if \
                     there are more, `pagination.isLowerBound` is true. A text without three \
                     consecutive letters or digits is searched for in the newest 100,000 entries \
                     only, and `isLowerBound` is true if there are others. If more than 20,000 \
                     entries match, the newest are shown first if they are among the newest \
                     20,000.",
                )
                .answers("The suppression list."),
            post_once("/compliance/suppression", "createSuppression", create)
                .summary("Suppress an address.")
                .description(
                    "Messages to it are accepted, cost nothing and fail with \
                     `RECIPIENT_SUPPRESSED`. On the channel `PUSH` the entry applies to the \
                     devices of the contacts with the phone or the email. On a channel that does \
                     not use the given address, it applies to the address that the contact has \
                     there: `EMAIL` with a phone, to the email of the contact with that phone; \
                     `SMS`, `WHATSAPP` or `VOICE` with an email, to the phone of the contact with \
                     that email. If the list already has the entry, the existing one is returned.",
                )
                .answers("The entry.")
                .fills(&[Holding::Suppressions]),
            delete("/compliance/suppression/{id}", "deleteSuppression", remove)
                .extension()
                .summary("Delete a suppression.")
                .answers("The entry is deleted."),
        ],
    }
}

impl Identified for Suppression {
    const NAME: &'static str = "suppression";
}

type SourceName = Names<SuppressionSource>;

impl Vocabulary for SuppressionSource {
    const TITLE: &'static str = "SuppressionSource";
    const DESCRIPTION: &'static str = "The origin of an entry of a suppression list.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl FromQuery for (SuppressionFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let about = "Only entries whose address or reason contains this text, in any letter case. \
             A phone may be written in any format, also without its country: `055 100 2995`.";
        let search = parameters.optional("search", about);
        Some((SuppressionFilter { search }, parameters.short_page()?))
    }
}

impl FromFields for SuppressionRequest {
    const NAME: &'static str = "CreateSuppressionRequest";
    const ABOUT: &'static str =
        "An address to suppress: a phone number, an email address, or both.";

    fn from_fields(fields: &mut Fields) -> Self {
        let phone = field("phone")
            .about("A number, as for a message. Without a country code it is a number of Ghana.");
        let email = field("email").about("An email address.").format("email");
        let channel = field("channel").about(
            "The only channel to which the entry applies; all if absent. If the channel does not \
             use the given address, the entry applies to the address that the contact has on the \
             channel.",
        );
        let category = field("category")
            .about("The only category to which the entry applies; all if absent.")
            .extension();
        let reason = field("reason").about("The reason.").limits(&[("maxLength", 500)]);
        Self {
            phone: fields.optional(phone),
            email: fields.optional(email),
            channel: fields.optional(channel),
            category: fields.optional(category),
            reason: fields.optional(reason),
        }
    }

    fn example() -> Value {
        json!({ "phone": "0241234567", "channel": "SMS", "reason": "asked for it on the phone" })
    }
}

/// An entry of a suppression list.
#[derive(Serialize, ToSchema)]
#[schema(as = Suppression)]
#[serde(rename_all = "camelCase")]
struct SuppressionView {
    id: Uuid,
    #[schema(example = "+233241234567")]
    phone: Option<String>,
    #[schema(example = json!(null))]
    email: Option<String>,
    /// Only channel to which it applies; null for all.
    #[schema(value_type = Option<ChannelName>)]
    channel: Option<&'static str>,
    /// Extension: only category to which it applies; null for all.
    #[schema(value_type = Option<CategoryName>)]
    category: Option<&'static str>,
    reason: Option<String>,
    /// Origin of the entry.
    #[schema(value_type = SourceName)]
    source: &'static str,
    created_at: Timestamp,
}

/// Deleted entry.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletedSuppression)]
struct DeletedSuppressionView {
    id: Uuid,
    /// Always true.
    deleted: bool,
}

impl From<Suppression> for SuppressionView {
    fn from(entry: Suppression) -> Self {
        Self {
            id: entry.id.uuid(),
            phone: entry.phone.map(|it| it.as_str().to_owned()),
            email: entry.email.map(|it| it.as_str().to_owned()),
            channel: entry.channel.map(domain::shared::channel::Channel::as_str),
            category: entry.category.map(domain::shared::category::Category::as_str),
            reason: entry.reason,
            source: entry.source.as_str(),
            created_at: entry.created_at.into(),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<(SuppressionFilter, Page)>,
) -> Result<Paginated<SuppressionView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::new(api.suppressions.page(&caller, &filter, page).await?))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<SuppressionRequest>,
) -> Result<Created<SuppressionView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.suppressions.create(&caller, request, faults).await?))
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Suppression>,
) -> Result<Answer<DeletedSuppressionView>, ApiError> {
    let id = id.read()?;
    api.suppressions.delete(&caller, id).await?;
    Ok(Answer::new(DeletedSuppressionView { id: id.uuid(), deleted: true }))
}

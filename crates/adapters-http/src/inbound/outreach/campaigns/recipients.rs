//! Recipients of campaigns: lists, exports, and the repetition of failed messages.

use std::str::FromStr;

use actix_web::{
    HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{
    messaging::message::CampaignMarker,
    outreach::campaign::{
        CampaignRecipient, RecipientFilter, RecipientOutcome, RecipientPlace, RecipientReason,
    },
    shared::{fault::Faults, id::Id},
};
use futures_util::{StreamExt, stream};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::api_keys::LIVE_KEY_REQUIRED,
    messaging::resends::TOO_MANY_RESENDS,
    outreach::{
        campaign_recipients::{RecipientExport, ResendCampaign},
        campaigns::SANDBOX_KEY_REQUIRED,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ReasonName, UNFIT};
use crate::inbound::{
    Api,
    messaging::messages::ResentMany,
    shared::{
        body::{Body, may_be_absent},
        caller::Member,
        csv,
        cursor::{ABOUT as CURSOR, NotACursor, Part},
        endpoint::{
            Endpoint, describe::Description, get, post_once, refusals::unfit_campaign,
            schemas::Schemas,
        },
        error::ApiError,
        formats::{Names, Vocabulary},
        json_fields::{Fields, FromFields, JsonSchema, field},
        path_id::PathId,
        query::{FromQuery, Parameters, Query},
        request_id::ThisRequest,
    },
};

const HEADER: [&str; 5] = ["contactId", "recipient", "outcome", "reason", "messageId"];

/// Returns the endpoints for recipients.
pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/campaigns/{id}/recipients", "listCampaignRecipients", list)
            .extension()
            .summary("List the recipients of a campaign.")
            .description(
                "Those that have an outcome: `SENT` (a provider has accepted the message), \
                 `SKIPPED` (nothing was to be sent: `NO_ADDRESS`, `RECIPIENT_SUPPRESSED`, \
                 `MISSING_VARIABLE`) or `FAILED`. First come those with a message, newest first, \
                 then those without an address. Of a completed campaign there are as many as \
                 `audience`, until a contact without an address is deleted, messages are purged, or, \
                 of a rehearsal, 7 days are over. While many messages wait, a part may have fewer \
                 recipients than `limit`, even none, although `nextCursor` leads to more. To a \
                 sandbox key only the recipients of rehearsals are visible.",
            )
            .answers("A part of the recipients."),
        get("/campaigns/{id}/recipients/export", "exportCampaignRecipients", export)
            .extension()
            .summary("Download the recipients of a campaign.")
            .description(
                "CSV, with the filters and in the order of the list. A cell that a spreadsheet would \
                 read as a formula begins with an apostrophe, except phone numbers.",
            )
            .answers("A header, and a row for each recipient.")
            .with(answers_csv),
        post_once("/campaigns/{id}/resend-failed", "resendCampaignFailures", resend)
            .extension()
            .summary("Send the failed messages of a campaign again.")
            .description(
                "Takes the messages that failed, of at most 31 days from the start of the campaign; \
                 those of skipped recipients are counted, and not sent. With `dryRun` all are only \
                 counted. Otherwise they are sent again in \
                 the background as by `POST /messages/resend`, each of them once, however often this \
                 is repeated; `GET /messages/resend/{id}` shows the progress. The new messages have \
                 `resentFrom`, and do not count for the campaign.",
            )
            .with(may_be_absent)
            .sends_messages()
            .refuses_when(UNFIT, unfit_campaign())
            .refuses(Error::Conflict(TOO_MANY_RESENDS))
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED))
            .refuses(Error::Forbidden(SANDBOX_KEY_REQUIRED)),
    ]
}

fn answers_csv(description: &mut Description) {
    description.answers_text(200, "text/csv", &(HEADER.join(",") + "\r\n"));
}

type OutcomeName = Names<RecipientOutcome>;

impl Vocabulary for RecipientOutcome {
    const TITLE: &'static str = "RecipientOutcome";
    const DESCRIPTION: &'static str = "What became of a recipient of a campaign.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for RecipientReason {
    const TITLE: &'static str = "RecipientReason";
    const DESCRIPTION: &'static str = "The reason why a recipient of a campaign was skipped or not \
         reached: `NO_ADDRESS` (the contact has no address for the channel), or the reason for \
         the failure of the message.";

    fn names() -> Vec<&'static str> {
        Self::all().into_iter().map(Self::as_str).collect()
    }
}

/// Filter, and place in the list.
struct RecipientQuery {
    filter: RecipientFilter,
    after: Option<RecipientPlace>,
    limit: u32,
}

/// Place in the list, as a text.
struct PlaceCursor(RecipientPlace);

impl FromStr for PlaceCursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        text.parse().map(Self).map_err(|_| NotACursor)
    }
}

impl JsonSchema for PlaceCursor {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string" })
    }
}

impl FromQuery for RecipientFilter {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let outcome = parameters.optional("outcome", "Only recipients with this outcome.");
        let reason =
            parameters.optional("reason", "Only recipients that were not reached for this reason.");
        Some(Self { outcome, reason })
    }
}

impl FromQuery for RecipientQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let filter = RecipientFilter::from_query(parameters)?;
        let after = parameters.optional("after", CURSOR).map(|PlaceCursor(after)| after);
        let limit = parameters.limit()?;
        Some(Self { filter, after, limit })
    }
}

impl FromFields for ResendCampaign {
    const NAME: &'static str = "ResendCampaignRequest";
    const ABOUT: &'static str = "Options for sending failed messages of a campaign again.";

    fn from_fields(fields: &mut Fields) -> Self {
        let dry_run = field("dryRun").about("True to count the messages and send nothing.");
        let is_dry_run = fields.optional(dry_run).unwrap_or_default();
        Self { is_dry_run, faults: Faults::default() }
    }

    fn example() -> Value {
        json!({ "dryRun": true })
    }
}

/// Recipient of a campaign.
#[derive(Serialize, ToSchema)]
#[schema(as = CampaignRecipient)]
#[serde(rename_all = "camelCase")]
struct RecipientView {
    /// Contact; null once it is erased.
    contact_id: Option<Uuid>,
    /// Address to which the message goes; null if the contact has none.
    #[schema(example = "+233241234567")]
    recipient: Option<String>,
    #[schema(value_type = OutcomeName)]
    outcome: &'static str,
    /// Reason for which it was skipped or not reached.
    #[schema(value_type = Option<ReasonName>, example = json!(null))]
    reason: Option<&'static str>,
    /// Its message; null if it has no address.
    message_id: Option<Uuid>,
}

impl From<CampaignRecipient> for RecipientView {
    fn from(recipient: CampaignRecipient) -> Self {
        Self {
            contact_id: recipient.contact.map(Id::uuid),
            recipient: recipient.recipient,
            outcome: recipient.outcome.as_str(),
            reason: recipient.reason.map(RecipientReason::as_str),
            message_id: recipient.message.map(Id::uuid),
        }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
    query: Query<RecipientQuery>,
) -> Result<Part<RecipientView>, ApiError> {
    let RecipientQuery { filter, after, limit } = query.read()?;
    let recipients = &api.campaign_recipients;
    let part = recipients.part(&caller, id.or_unknown(), filter, after, limit).await?;
    let next = part.next.map(|place| place.to_string());
    Ok(Part::new(part.recipients, limit, next))
}

async fn export(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
    query: Query<RecipientFilter>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.read()?;
    let mut export = api.campaign_recipients.export(&caller, id.or_unknown(), filter).await?;
    // Read before the answer begins, so that an unavailable store is reported by the status.
    let first = csv::beginning(&HEADER, export.next().await?.into_iter().map(row));
    let rest = stream::try_unfold(export, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"recipients.csv\""))
        .streaming(stream::iter([Ok(first)]).chain(rest)))
}

/// Returns the next part. An error cuts the response off, so that a client does not mistake a part
/// for the whole.
async fn next_part(
    mut export: RecipientExport,
) -> Result<Option<(Bytes, RecipientExport)>, ApiError> {
    let part = export.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    Ok(Some((csv::rows(part.into_iter().map(row)), export)))
}

fn row(recipient: CampaignRecipient) -> [String; HEADER.len()] {
    [
        recipient.contact.map(|contact| contact.to_string()).unwrap_or_default(),
        recipient.recipient.unwrap_or_default(),
        recipient.outcome.as_str().to_owned(),
        recipient.reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
        recipient.message.map(|message| message.to_string()).unwrap_or_default(),
    ]
}

async fn resend(
    Member(caller): Member,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
    body: Body<ResendCampaign>,
) -> Result<ResentMany, ApiError> {
    let (mut command, faults) = body.read()?;
    command.faults = faults;
    let (id, recipients) = (id.or_unknown(), &api.campaign_recipients);
    if command.is_dry_run {
        return Ok(ResentMany::forecast(recipients.forecast_resend(&caller, id, command).await?));
    }
    Ok(ResentMany::begun(&recipients.begin_resend(&caller, id, command, request).await?))
}

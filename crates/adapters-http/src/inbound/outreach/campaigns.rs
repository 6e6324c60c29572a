//! `/campaigns`

use actix_web::web::Data;
use domain::{
    outreach::campaign::{Campaign, CampaignRequest, CampaignStatus, CampaignUpdate, PausedReason},
    shared::change::Change,
};
use serde_json::{Value, json};

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, Endpoint, MAY_NOT_SEND, get, patch, post},
        error::ApiError,
        formats::Vocabulary,
        json_fields::{Field, Fields, FromFields, Rfc3339, field},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

mod view;

use view::CampaignPreviewView;
pub(crate) use view::CampaignView;

const MISSING: &str = "There is no such campaign: `NOT_FOUND`.";
const UNFIT: &str = "The campaign has another status: `INVALID_CAMPAIGN_STATUS`.";
const UNKNOWN: &str = "There is no such template: `TEMPLATE_NOT_FOUND`; or no such segment: \
     `SEGMENT_NOT_FOUND`.";
const UNKNOWN_OR_MISSING: &str = "There is no such campaign: `NOT_FOUND`; no such template: \
     `TEMPLATE_NOT_FOUND`; or no such segment: `SEGMENT_NOT_FOUND`.";

pub(super) fn area() -> Area {
    Area {
        name: "Campaigns",
        about: "One text to many contacts.",
        endpoints: drafts().into_iter().chain(sent()).collect(),
    }
}

/// What is done to drafts.
fn drafts() -> Vec<Endpoint> {
    vec![
            get("/campaigns", "listCampaigns", list)
                .summary("List campaigns.")
                .description("Newest first, each with how far it has come.")
                .answers("The campaigns."),
            post("/campaigns", "createCampaign", create)
                .summary("Make a campaign.")
                .description(
                    "A draft, which says what its template says, or a text of its own. The fields of \
                     each contact fill its placeholders: `firstName`, `lastName`, `phone`, `email`, \
                     `countryCode`, and the keys of `attributes`; `{{unsubscribe}}` is a link by which \
                     the contact unsubscribes. A contact without what the text needs gets nothing: its \
                     message is `FAILED` with `MISSING_VARIABLE`, at no cost.",
                )
                .answers("The draft.")
                .fails(404, UNKNOWN)
                .fails(
                    409,
                    "There are 1,000 campaigns that have not ended: `CAMPAIGN_LIMIT_REACHED`.",
                ),
            post("/campaigns/{id}/send", "sendCampaign", send)
                .summary("Confirm a draft.")
                .description(
                    "It is `SENDING` from now on, or `SCHEDULED` if `scheduledAt` lies ahead. What it \
                     says, and the rules of its segment, are those of now: later edits of the template \
                     or the segment change nothing. A text that scores 30 or more as `MARKETING` waits \
                     for the approval of the platform first: the answer is `APPROVAL_REQUIRED`, the \
                     campaign is `PENDING_APPROVAL`, and it goes on by itself once it is approved. If \
                     it is rejected, that is its end.",
                )
                .answers("The campaign.")
                .fails(
                    400,
                    "The campaign has neither a text nor a template, or its sender is not approved any \
                     more: `VALIDATION_ERROR`; or the request names no organization: \
                     `ORGANIZATION_REQUIRED`.",
                )
                .fails(403, MAY_NOT_SEND)
                .fails(404, UNKNOWN_OR_MISSING)
                .fails(
                    409,
                    "The campaign is no draft: `INVALID_CAMPAIGN_STATUS`; its template is not \
                     approved: `TEMPLATE_NOT_APPROVED`; it waits for approval from now on: \
                     `APPROVAL_REQUIRED`; others change it at the same time: `CONTENT_CHANGED`; or \
                     as many wait or were asked for as may: `PENDING_APPROVAL_LIMIT_REACHED`, \
                     `DAILY_APPROVAL_LIMIT_REACHED`.",
                ),
            get("/campaigns/{id}", "getCampaign", show)
                .extension()
                .summary("Show a campaign, and how far it has come.")
                .answers("The campaign.")
                .fails(404, MISSING),
            patch("/campaigns/{id}", "updateCampaign", update)
                .extension()
                .summary("Change a draft.")
                .description("What is absent stays as it is; null takes away.")
                .answers("The draft as it is now.")
                .fails(404, UNKNOWN_OR_MISSING)
                .fails(
                    409,
                    "The campaign is no draft: `INVALID_CAMPAIGN_STATUS`; or others change it at the \
                     same time: `CONTENT_CHANGED`.",
                ),
    ]
}

/// What is done to campaigns that were sent, and how a campaign is looked at.
fn sent() -> Vec<Endpoint> {
    vec![
        post("/campaigns/{id}/pause", "pauseCampaign", pause)
            .extension()
            .summary("Pause a campaign that is being sent.")
            .description(
                "Messages that no provider has yet are held back. A campaign that is paused for 30 \
                     days, for whatever reason, is cancelled.",
            )
            .answers("The campaign.")
            .fails(404, MISSING)
            .fails(409, UNFIT),
        post("/campaigns/{id}/resume", "resumeCampaign", resume)
            .extension()
            .summary("Let a campaign go on that is paused.")
            .description(
                "One that is paused because of `INSUFFICIENT_BALANCE` goes on by itself after a \
                     top-up, and one because of `SPENDING_LIMIT_REACHED` on the next day, in UTC, or \
                     when the limit is raised.",
            )
            .answers("The campaign.")
            .fails(403, MAY_NOT_SEND)
            .fails(404, MISSING)
            .fails(409, UNFIT),
        post("/campaigns/{id}/cancel", "cancelCampaign", cancel)
            .extension()
            .summary("End a campaign.")
            .description(
                "Messages that no provider has yet are not sent: they are `FAILED` with \
                     `CANCELLED`, and paid back.",
            )
            .answers("The campaign.")
            .fails(404, MISSING)
            .fails(409, UNFIT),
        post("/campaigns/{id}/preview", "previewCampaign", preview)
            .extension()
            .summary("What a campaign would come to, if it were sent now.")
            .description(
                "Of more than 2,000 contacts some are looked at, and the rest is an estimate.",
            )
            .answers("What it would come to.")
            .fails(
                400,
                "The campaign has no text yet: `VALIDATION_ERROR`; or the request names no \
                     organization: `ORGANIZATION_REQUIRED`.",
            )
            .fails(404, UNKNOWN_OR_MISSING),
    ]
}

impl Identified for Campaign {
    const NAME: &'static str = "campaign";
}

impl Vocabulary for CampaignStatus {
    const TITLE: &'static str = "CampaignStatus";
    const DESCRIPTION: &'static str = "How far a campaign has come. `REJECTED`, `COMPLETED`, \
         `CANCELLED` and `FAILED` are final.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for PausedReason {
    const TITLE: &'static str = "PausedReason";
    const DESCRIPTION: &'static str = "Why a campaign is paused.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const NAME: Field = field("name").about("What to call it.").limits(&[("maxLength", 200)]);
const TEMPLATE: Field =
    field("templateId").about("The template whose text it sends. It must be of the same channel.");
const SEGMENT: Field = field("segmentId").about("Whom it is for; all contacts, if absent.");
const SCHEDULED_AT: Field =
    field("scheduledAt").about("When it is to start. A time that is over when it is sent is now.");
const SUBJECT: Field = field("subject")
    .about("Its own subject line, without a template.")
    .limits(&[("maxLength", 998)])
    .extension();
const BODY: Field = field("body")
    .about(
        "Its own text, without a template: `MARKETING`, and before it is filled as long as the channel \
         allows.",
    )
    .limits(&[("maxLength", 100_000)])
    .extension();
const FORMAT: Field = field("format")
    .about("How its own text is written, only for `EMAIL`; as it looks, if absent (see `sendMessage`).")
    .extension();
const SENDER: Field =
    field("senderId").about("The sender that its messages ask for, as for a message.").extension();

impl FromFields for CampaignRequest {
    const NAME: &'static str = "CreateCampaignRequest";
    const ABOUT: &'static str = "A campaign to make.";

    fn from_fields(fields: &mut Fields) -> Self {
        let scheduled_at: Option<Rfc3339> = fields.optional(SCHEDULED_AT);
        Self {
            name: fields.required(NAME),
            channel: fields.required(field("channel")),
            template: fields.optional(TEMPLATE),
            segment: fields.optional(SEGMENT),
            scheduled_at: scheduled_at.map(|Rfc3339(time)| time),
            subject: fields.optional(SUBJECT),
            body: fields.optional(BODY),
            format: fields.optional(FORMAT),
            sender: fields.optional(SENDER),
        }
    }

    fn example() -> Value {
        json!({
            "name": "Sale at Makola", "channel": "SMS",
            "body": "Hello {{firstName}}, sale at Makola this Saturday. Stop: {{unsubscribe}}",
        })
    }
}

impl FromFields for CampaignUpdate {
    const NAME: &'static str = "UpdateCampaignRequest";
    const ABOUT: &'static str =
        "Changes of a draft. What is absent stays as it is; null takes away.";

    fn from_fields(fields: &mut Fields) -> Self {
        let scheduled_at: Change<Rfc3339> = fields.change(SCHEDULED_AT);
        Self {
            name: fields.optional(NAME),
            template: fields.change(TEMPLATE),
            segment: fields.change(SEGMENT),
            scheduled_at: match scheduled_at {
                Change::Keep => Change::Keep,
                Change::Set(time) => Change::Set(time.map(|Rfc3339(time)| time)),
            },
            subject: fields.change(SUBJECT),
            body: fields.change(BODY),
            format: fields.change(FORMAT),
            sender: fields.change(SENDER),
        }
    }

    fn example() -> Value {
        json!({ "name": "Sale at Kejetia", "scheduledAt": null })
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<CampaignView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::with_cut_texts(api.campaigns.page(&caller, page).await?))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<CampaignRequest>,
) -> Result<Created<CampaignView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.campaigns.create(&caller, request, faults).await?))
}

async fn send(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.send(&caller, id.read()?).await?))
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.get(&caller, id.read()?).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
    body: Body<CampaignUpdate>,
) -> Result<Answer<CampaignView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.campaigns.update(&caller, id.or_unknown(), update, faults).await?))
}

async fn pause(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.pause(&caller, id.read()?).await?))
}

async fn resume(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.resume(&caller, id.read()?).await?))
}

async fn cancel(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.cancel(&caller, id.read()?).await?))
}

async fn preview(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Campaign>,
) -> Result<Answer<CampaignPreviewView>, ApiError> {
    Ok(Answer::new(api.campaigns.preview(&caller, id.read()?).await?))
}

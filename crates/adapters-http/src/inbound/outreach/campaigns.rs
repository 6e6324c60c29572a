//! `/campaigns`

use actix_web::web::Data;
use domain::{
    content::compliance::APPROVAL_THRESHOLD,
    identity::organization::Holding,
    messaging::message::CampaignMarker,
    outreach::campaign::{CampaignRequest, CampaignStatus, CampaignUpdate, PausedReason},
    shared::{fault::Faults, id::Id},
};
use serde_json::{Value, json};
use usecases::{
    Error,
    content::templates::CONTENT_CHANGED,
    identity::api_keys::LIVE_KEY_REQUIRED,
    outreach::campaigns::{approval_required, campaign_limit_reached},
};

use crate::inbound::{
    Api,
    messaging::messages::request as message_request,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{
            Area, Endpoint, get, patch, post, post_once,
            refusals::{EXAMPLE, unfit_campaign},
        },
        error::ApiError,
        formats::Vocabulary,
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

mod drafts;
mod recipients;
mod view;

pub(crate) use view::CampaignView;
use view::{CampaignPreviewView, ReasonName, SentCampaignView};

const UNFIT: &str = "The campaign has another status.";

pub(super) fn area() -> Area {
    Area {
        name: "Campaigns",
        about: "One text to many contacts.",
        endpoints: [drafts(), drafts::endpoints(), sent(), recipients::endpoints()]
            .into_iter()
            .flatten()
            .collect(),
    }
}

/// Returns the endpoints for drafts.
fn drafts() -> Vec<Endpoint> {
    vec![
        get("/campaigns", "listCampaigns", list)
            .summary("List campaigns.")
            .description("Newest first, each with its progress.")
            .answers("The campaigns."),
        post_once("/campaigns", "createCampaign", create)
            .summary("Create a campaign.")
            .description(
                "Creates a draft with the text of its template, or a text of its own. The fields \
                 of each contact fill its placeholders: `firstName`, `lastName`, `phone`, `email`, \
                 `countryCode`, and the keys of `attributes`; `{{unsubscribe}}` is an unsubscribe \
                 link. A contact without a value that the text needs gets nothing: its message is \
                 `FAILED` with `MISSING_VARIABLE`, at no cost, and it counts as skipped. The campaign \
                 of a sandbox key is a rehearsal.",
            )
            .answers("The draft.")
            .names_template()
            .names_segment()
            .refuses(campaign_limit_reached()),
        post_once("/campaigns/{id}/send", "sendCampaign", send)
            .summary("Send a draft.")
            .description(
                "The campaign becomes `SENDING`, or `SCHEDULED` if `scheduledAt` is in the future. \
                 Its text and the rules of its segment are fixed now: later changes of the \
                 template or the segment have no effect. A text that scores 30 or more as \
                 `MARKETING` first requires the approval of the platform: the answer is \
                 `APPROVAL_REQUIRED`, the campaign is `PENDING_APPROVAL`, and it continues by \
                 itself once it is approved. A rejection ends it.",
            )
            .answers("The campaign.")
            .refuses_when(
                "The campaign has neither a text nor a template, or its sender is no longer \
                 approved.",
                Faults::field("body", "is required"),
            )
            .sends_messages()
            .sends_template()
            .names_segment()
            .refuses_when("The campaign is no draft.", unfit_campaign())
            .refuses_when(
                "The campaign now waits for approval.",
                approval_required(Id::of(EXAMPLE), APPROVAL_THRESHOLD),
            )
            .refuses(Error::Conflict(CONTENT_CHANGED))
            .fills(&[Holding::PendingApprovals, Holding::DailyApprovals])
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED)),
        get("/campaigns/{id}", "getCampaign", show)
            .extension()
            .summary("Get a campaign, with its progress.")
            .answers("The campaign."),
        patch("/campaigns/{id}", "updateCampaign", update)
            .extension()
            .summary("Change a draft, or move a scheduled campaign.")
            .description(
                "Absent fields keep their values; null clears a value. Of a campaign that is \
                 `SCHEDULED` only `scheduledAt` can be changed, to another time; one that has passed \
                 means now.",
            )
            .answers("The changed campaign.")
            .sends_messages()
            .names_template()
            .names_segment()
            .refuses_when(
                "The campaign has another status, or is scheduled and more than its time is to \
                 change.",
                unfit_campaign(),
            )
            .refuses(Error::Conflict(CONTENT_CHANGED))
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED)),
    ]
}

/// Returns the endpoints for campaigns that were sent, and for reading campaigns.
fn sent() -> Vec<Endpoint> {
    vec![
        post("/campaigns/{id}/pause", "pauseCampaign", pause)
            .extension()
            .summary("Pause a campaign that is being sent.")
            .description(
                "Messages that no provider has yet are held. A campaign that is paused for 30 \
                 days, for any reason, is cancelled.",
            )
            .answers("The campaign.")
            .refuses_when(UNFIT, unfit_campaign())
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED)),
        post("/campaigns/{id}/resume", "resumeCampaign", resume)
            .extension()
            .summary("Resume a paused campaign.")
            .description(
                "A campaign that is paused because of `INSUFFICIENT_BALANCE` resumes by itself \
                 after a top-up, and one that is paused because of `SPENDING_LIMIT_REACHED` on the \
                 next day, in UTC, or when the limit is raised.",
            )
            .answers("The campaign.")
            .sends_messages()
            .refuses_when(UNFIT, unfit_campaign())
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED)),
        post("/campaigns/{id}/cancel", "cancelCampaign", cancel)
            .extension()
            .summary("Cancel a campaign.")
            .description(
                "Messages that no provider has yet are not sent: they are `FAILED` with \
                 `CANCELLED`, and refunded.",
            )
            .answers("The campaign.")
            .refuses_when(UNFIT, unfit_campaign())
            .refuses(Error::Forbidden(LIVE_KEY_REQUIRED)),
        post("/campaigns/{id}/preview", "previewCampaign", preview)
            .extension()
            .summary("Preview a campaign, as if it were sent now.")
            .description(
                "With more than 2,000 contacts the result is an estimate from a part of them.",
            )
            .answers("The expected result.")
            .refuses_when("The campaign has no text yet.", Faults::field("body", "is required"))
            .names_template()
            .names_segment(),
    ]
}

impl Identified for CampaignMarker {
    const NAME: &'static str = "campaign";
}

impl Vocabulary for CampaignStatus {
    const TITLE: &'static str = "CampaignStatus";
    const DESCRIPTION: &'static str =
        "The state of a campaign. `REJECTED`, `COMPLETED`, `CANCELLED` and `FAILED` are final.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for PausedReason {
    const TITLE: &'static str = "PausedReason";
    const DESCRIPTION: &'static str = "The reason for the pause of a campaign.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

const NAME: Field = field("name").about("A name for people.").limits(&[("maxLength", 200)]);
const TEMPLATE: Field =
    field("templateId").about("The template of its text. It must have the same channel.");
const SEGMENT: Field =
    field("segmentId").about("The segment of its recipients; all contacts if absent.");
const SCHEDULED_AT: Field = field("scheduledAt")
    .about("The time of its start. A time that has passed when it is sent means now.");
const SUBJECT: Field = field("subject")
    .about("A subject line of its own, without a template.")
    .limits(&[("maxLength", 998)])
    .extension();
const BODY: Field = field("body")
    .about(
        "A text of its own, without a template. Its category is `MARKETING`. The text before \
         filling may be as long as the channel allows.",
    )
    .limits(&[("maxLength", 100_000)])
    .extension();
const FORMAT: Field = field("format")
    .about("The format of its own text, only for `EMAIL`; detected if absent (see `sendMessage`).")
    .extension();
const SENDER: Field =
    field("senderId").about("The sender of its messages, as for a message.").extension();
const METADATA: Field =
    message_request::METADATA.about("The metadata of all its messages, as for a message.");
const SANDBOX: Field = message_request::SANDBOX.about(
    "True to rehearse it in the sandbox: nothing reaches a provider, and it costs 0. It stays so, \
     and goes on as fast as sandbox messages may. With an API key it must agree with the mode of \
     the key.",
);

impl FromFields for CampaignRequest {
    const NAME: &'static str = "CreateCampaignRequest";
    const ABOUT: &'static str = "A campaign to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.required(NAME),
            channel: fields.required(field("channel")),
            template: fields.optional(TEMPLATE),
            segment: fields.optional(SEGMENT),
            scheduled_at: fields.optional(SCHEDULED_AT),
            subject: fields.optional(SUBJECT),
            body: fields.optional(BODY),
            format: fields.optional(FORMAT),
            sender: fields.optional(SENDER),
            metadata: fields.optional(METADATA).unwrap_or_default(),
            is_sandbox: fields.optional(SANDBOX),
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
        "Changes to a draft. Absent fields keep their values; null clears a value.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.optional(NAME),
            channel: None,
            template: fields.change(TEMPLATE),
            segment: fields.change(SEGMENT),
            scheduled_at: fields.change(SCHEDULED_AT),
            subject: fields.change(SUBJECT),
            body: fields.change(BODY),
            format: fields.change(FORMAT),
            sender: fields.change(SENDER),
            metadata: fields.change(METADATA),
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
    id: PathId<CampaignMarker>,
) -> Result<Answer<SentCampaignView>, ApiError> {
    let sent = api.campaigns.send(&caller, id.read()?).await?;
    let without_consent = api.campaigns.without_consent(&caller, &sent.campaign).await;
    Ok(Answer::new(SentCampaignView::new(sent, without_consent)))
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.get(&caller, id.read()?).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
    body: Body<CampaignUpdate>,
) -> Result<Answer<CampaignView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.campaigns.update(&caller, id.or_unknown(), update, faults).await?))
}

async fn pause(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.pause(&caller, id.read()?).await?))
}

async fn resume(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.resume(&caller, id.read()?).await?))
}

async fn cancel(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<Answer<CampaignView>, ApiError> {
    Ok(Answer::new(api.campaigns.cancel(&caller, id.read()?).await?))
}

async fn preview(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<CampaignMarker>,
) -> Result<Answer<CampaignPreviewView>, ApiError> {
    Ok(Answer::new(api.campaigns.preview(&caller, id.read()?).await?))
}

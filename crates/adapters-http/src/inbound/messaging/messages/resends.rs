//! Failed messages that are sent again, one or many.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode, web::Data};
use domain::{
    messaging::{
        delivery_log::LogRequest,
        message::{Message, Metadata},
        resend::{ResendFailure, ResendStatus, ResendTask},
    },
    shared::fault::Faults,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    messaging::{
        messages::{IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED},
        resends::{
            ALREADY_RESENT, MESSAGE_NOT_FAILED, NOT_RESENDABLE, ResendForecast, ResendMessage,
            ResendMessages, TOO_MANY_RESENDS,
        },
    },
    shared::limits::RateLimitSlot,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{MessageView, to_its_end};
use crate::inbound::{
    Api,
    shared::{
        answers::{self, Answer, schema_of_one},
        body::{Body, may_be_absent},
        caller::{ApiCaller, Sender},
        endpoint::{
            Endpoint,
            describe::{Describe, Description},
            get, post, post_once,
        },
        error::ApiError,
        formats::{FailureCodeName, Names, Timestamp, Vocabulary},
        idempotency::{self, IdempotencyKey},
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        request_id::ThisRequest,
    },
};

/// Returns the endpoint that sends one message again.
pub(super) fn one() -> Endpoint {
    post("/messages/{id}/resend", "resendMessage", resend)
        .extension()
        .summary("Send a failed message again.")
        .description(
            "The text stays as it was filled. Suppression, template, sender, route and price are \
             looked up anew. A message is sent again once; `again` allows one more. Never sent \
             again are codes (`OTP`), and what was cancelled, suppressed, blocked, erased, or \
             expired before the usual validity of its category.",
        )
        .with(may_be_absent)
        .costs_money()
        .sends_messages()
        .sends_template()
        .refuses(Error::Conflict(MESSAGE_NOT_FAILED))
        .refuses(Error::Conflict(ALREADY_RESENT))
        .refuses(Error::Conflict(NOT_RESENDABLE))
        .refuses(Error::InProgress(IDEMPOTENCY_IN_PROGRESS))
        .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED))
}

/// Returns the endpoint that sends many messages again.
pub(super) fn many() -> Endpoint {
    post_once("/messages/resend", "resendFailed", resend_many)
        .extension()
        .summary("Send failed messages again.")
        .description(
            "Takes the failed messages of at most 31 days that fit all given filters. With `dryRun` \
             the newest 100,000 are only counted. Otherwise they are sent again in the background, \
             newest first, each once, until one cannot be paid. The rest can be requested again.",
        )
        .sends_messages()
        .refuses(Error::Conflict(TOO_MANY_RESENDS))
}

/// Returns the endpoint that shows how far the work on many messages is.
pub(super) fn progress() -> Endpoint {
    get("/messages/resend/{id}", "getResend", show)
        .extension()
        .summary("Get the progress of sending failed messages again.")
        .description("Kept for 30 days after its end.")
        .answers("The progress. At the end `resent` and `skipped` add up to `count`.")
}

impl Identified for ResendTask {
    const NAME: &'static str = "resend";
}

impl FromFields for ResendMessage {
    const NAME: &'static str = "ResendMessageRequest";
    const ABOUT: &'static str = "Options for sending a message again.";

    fn from_fields(fields: &mut Fields) -> Self {
        let again = field("again").about("True to send it again though it was sent again before.");
        let key = field("idempotencyKey").limits(&[("minLength", 1), ("maxLength", 255)]).about(
            "Within 24 hours the same request with the same key returns the first new message.",
        );
        Self {
            again: fields.optional(again).unwrap_or_default(),
            idempotency_key: fields.optional(key),
            faults: Faults::default(),
            rate_limit: RateLimitSlot::default(),
        }
    }

    fn example() -> Value {
        json!({ "again": false })
    }
}

impl FromFields for ResendMessages {
    const NAME: &'static str = "ResendFailedRequest";
    const ABOUT: &'static str = "Filters for failed messages, all of which must fit.";

    fn from_fields(fields: &mut Fields) -> Self {
        let from = field("from").about("Only messages accepted at this time or later.");
        let to = field("to").about(
            "Only messages accepted before this time, at most 31 days after `from`; now if absent.",
        );
        let recipient =
            field("recipient").about("Only messages to this recipient, as a send would take it.");
        let sandbox = field("isSandbox").about(
            "True for messages of the sandbox, false for all others; the caller's mode if absent. \
             With an API key it must agree with the mode of the key.",
        );
        let event = field("event").about("Only messages that notify of the event with this slug.");
        let metadata =
            field("metadata").about("Only messages with these pairs among their metadata.");
        let metadata: Option<Metadata> = fields.optional(metadata);
        let dry_run = field("dryRun").about("True to count the messages and send nothing.");
        let request = LogRequest {
            status: None,
            from: fields.required(from),
            to: fields.optional(to),
            recipient: fields.optional(recipient),
            channel: fields.optional(field("channel").about("Only messages of this channel.")),
            campaign: fields.optional(field("campaignId").about("Only messages of this campaign.")),
            provider: fields
                .optional(field("provider").about("Only messages that this provider had last.")),
            error_code: fields
                .optional(field("errorCode").about("Only messages that failed for this reason.")),
            event: fields.optional(event),
            is_sandbox: fields.optional(sandbox),
            metadata: metadata.map(Metadata::into_pairs).unwrap_or_default(),
        };
        Self {
            request,
            is_dry_run: fields.optional(dry_run).unwrap_or_default(),
            faults: Faults::default(),
        }
    }

    fn example() -> Value {
        json!({
            "from": "2026-01-31T00:00:00.000Z", "errorCode": "PROVIDER_UNAVAILABLE", "dryRun": true,
        })
    }
}

type ResendStatusName = Names<ResendStatus>;
type ResendFailureName = Names<ResendFailure>;

impl Vocabulary for ResendStatus {
    const TITLE: &'static str = "ResendStatus";
    const DESCRIPTION: &'static str = "The state of sending failed messages again.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl Vocabulary for ResendFailure {
    const TITLE: &'static str = "ResendFailure";
    const DESCRIPTION: &'static str = "The reason why sending failed messages again ended early.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// New message that repeats a failed one: 201.
struct Resent {
    view: MessageView,
    is_replay: bool,
}

impl Responder for Resent {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        idempotency::marked(answers::success(StatusCode::CREATED, self.view), self.is_replay)
    }
}

impl Describe for Resent {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<MessageView>(&mut description.schemas);
        let response = description.answers_json(201, schema);
        response.description = "The delivery log of the new message.";
        idempotency::describe_marked(response);
    }
}

/// Messages that would be sent again: 200; or work that has begun: 202.
pub(crate) enum ResentMany {
    Forecast(ResendForecastView),
    Begun(BegunResendView),
}

impl ResentMany {
    /// Returns the answer to a dry run.
    pub(crate) fn forecast(forecast: ResendForecast) -> Self {
        Self::Forecast(forecast.into())
    }

    /// Returns the answer for work that has begun.
    pub(crate) fn begun(task: &ResendTask) -> Self {
        Self::Begun(BegunResendView { id: task.id.uuid(), count: task.count })
    }
}

impl Responder for ResentMany {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        match self {
            Self::Forecast(view) => answers::success(StatusCode::OK, view),
            Self::Begun(view) => answers::success(StatusCode::ACCEPTED, view),
        }
    }
}

impl Describe for ResentMany {
    fn describe(description: &mut Description) {
        let forecast = schema_of_one::<ResendForecastView>(&mut description.schemas);
        description.answers_json(200, forecast).description =
            "With `dryRun`: the messages, and the cost of those that would be sent again.";
        let begun = schema_of_one::<BegunResendView>(&mut description.schemas);
        description.answers_json(202, begun).description = "The work begins.";
    }
}

/// Failed messages, and the cost of sending them again.
#[derive(Serialize, ToSchema)]
#[schema(as = ResendForecast)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResendForecastView {
    /// Number of failed messages.
    #[schema(example = 3)]
    count: u64,
    /// True if there may be more, because only the newest 100,000 failures were looked at.
    is_capped: bool,
    /// Cost of those that would be sent again, at the prices of now.
    #[schema(example = 0.07)]
    cost: f64,
    /// The currency of the cost.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Messages by the reason for their failure, most messages first.
    by_reason: Vec<ResendableCountView>,
}

/// Messages that failed for one reason.
#[derive(Serialize, ToSchema)]
#[schema(as = ResendableCount)]
#[serde(rename_all = "camelCase")]
struct ResendableCountView {
    /// Reason for the failure.
    #[schema(value_type = FailureCodeName)]
    error_code: &'static str,
    /// Number of messages.
    #[schema(example = 3)]
    count: u64,
    /// Number of those that would be sent again.
    #[schema(example = 2)]
    resendable: u64,
}

/// Work on failed messages that has begun.
#[derive(Serialize, ToSchema)]
#[schema(as = BegunResend)]
pub(crate) struct BegunResendView {
    id: Uuid,
    /// Number of failed messages.
    #[schema(example = 3)]
    count: u64,
}

/// Progress of sending failed messages again.
#[derive(Serialize, ToSchema)]
#[schema(as = Resend)]
#[serde(rename_all = "camelCase")]
struct ResendView {
    id: Uuid,
    /// State of the work.
    #[schema(value_type = ResendStatusName)]
    status: &'static str,
    /// Reason why it ended early.
    #[schema(value_type = Option<ResendFailureName>)]
    failure: Option<&'static str>,
    /// Number of failed messages.
    #[schema(example = 3)]
    count: u64,
    /// True if there may be more.
    is_capped: bool,
    /// Number of messages so far that were sent again.
    #[schema(example = 2)]
    resent: u64,
    /// Number of messages so far that were not, because they cannot be, or were before.
    #[schema(example = 1)]
    skipped: u64,
    created_at: Timestamp,
    /// Time of its end.
    completed_at: Option<Timestamp>,
}

impl From<ResendForecast> for ResendForecastView {
    fn from(forecast: ResendForecast) -> Self {
        let reasons = forecast.by_reason.into_iter().map(|reason| ResendableCountView {
            error_code: reason.code.as_str(),
            count: reason.count,
            resendable: reason.resendable,
        });
        Self {
            count: forecast.count,
            is_capped: forecast.is_capped,
            cost: forecast.cost.to_number(),
            currency: "GHS",
            by_reason: reasons.collect(),
        }
    }
}

impl From<ResendTask> for ResendView {
    fn from(task: ResendTask) -> Self {
        Self {
            id: task.id.uuid(),
            status: task.status.as_str(),
            failure: task.failure.map(ResendFailure::as_str),
            count: task.count,
            is_capped: task.is_capped,
            resent: task.resent,
            skipped: task.skipped,
            created_at: task.created_at.into(),
            completed_at: task.completed_at.map(Timestamp::from),
        }
    }
}

async fn resend(
    Sender(caller, rate_limit): Sender,
    api: Data<Api>,
    id: PathId<Message>,
    key: IdempotencyKey,
    body: Body<ResendMessage>,
) -> Result<Resent, ApiError> {
    let id = id.or_unknown();
    let (mut command, mut faults) = body.read()?;
    command.idempotency_key = key.or(command.idempotency_key, &mut faults);
    command.faults = faults;
    command.rate_limit = rate_limit;
    let resends = api.resends.clone();
    let sending = async move { resends.resend(&caller, id, command).await };
    let sent = to_its_end(&api.background, sending).await?;
    Ok(Resent { view: sent.accepted.into(), is_replay: sent.is_replay })
}

async fn resend_many(
    ApiCaller(caller): ApiCaller,
    ThisRequest(request): ThisRequest,
    api: Data<Api>,
    body: Body<ResendMessages>,
) -> Result<ResentMany, ApiError> {
    let (mut command, faults) = body.read_some()?;
    command.faults = faults;
    if command.is_dry_run {
        return Ok(ResentMany::forecast(api.resends.forecast(&caller, command).await?));
    }
    Ok(ResentMany::begun(&api.resends.begin(&caller, command, request).await?))
}

async fn show(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    id: PathId<ResendTask>,
) -> Result<Answer<ResendView>, ApiError> {
    Ok(Answer::new(api.resends.get(&caller, id.read()?).await?))
}

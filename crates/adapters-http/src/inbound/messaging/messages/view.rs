//! Delivery logs in answers.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    messaging::{
        attempt::{Attempt, AttemptState},
        attempts,
        delivery::FailureCode,
        message::{Message, Source},
    },
    shared::{id::Id, listed_text},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::shared::{
    formats::{
        AttemptOutcomeName, CategoryName, ChannelName, FailureCodeName, StatusName, Timestamp,
    },
    long_text::LongText,
};

/// Message, with the state of its delivery.
#[derive(Serialize, ToSchema)]
#[schema(as = DeliveryLog, example = json!({
    "id": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b",
    "internalMessageId": "msg_019a5b8e6c2f7d10a4c3e5f708192a3b",
    "status": "DELIVERED", "channel": "SMS", "recipient": "+233241234567",
    "cost": 0.035, "refunded": false, "category": "TRANSACTIONAL", "segments": 1,
    "subject": null, "body": "Hello Ama, your parcel has arrived.", "bodyTruncated": false,
    "countryCode": "GH",
    "netCost": 0.035, "senderId": "KENTE", "templateId": null, "campaignId": null, "event": null,
    "contactId": null, "provider": "sms-ghana",
    "errorCode": null, "errorMessage": null, "isSandbox": false, "resentFrom": null, "metadata": { "order": "4711" },
    "attempts": [{
        "provider": "sms-ghana", "startedAt": "2026-01-31T09:00:00.120Z",
        "endedAt": "2026-01-31T09:00:00.470Z", "outcome": "ACCEPTED",
        "providerMessageId": "ATXid_7d10a4c3", "errorCode": null, "vendorCode": "101",
    }],
    "attemptCount": 1, "isScheduled": false, "scheduledAt": null, "notBefore": null,
    "expiresAt": "2026-02-01T09:00:00.000Z",
    "createdAt": "2026-01-31T09:00:00.000Z", "sentAt": "2026-01-31T09:00:00.470Z",
    "deliveredAt": "2026-01-31T09:00:03.000Z",
}))]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageView {
    id: Uuid,
    /// The identifier under which providers know the message.
    #[schema(example = "msg_019a5b8e6c2f7d10a4c3e5f708192a3b")]
    internal_message_id: String,
    #[schema(value_type = StatusName)]
    status: &'static str,
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// The destination, normalised.
    #[schema(example = "+233241234567")]
    recipient: String,
    /// Price charged, in GHS. It stays when the message fails: the amount paid in the end is zero
    /// if `refunded`, else this.
    #[schema(example = 0.035)]
    cost: f64,
    /// Extension: true if the cost was refunded, as it is when a message fails.
    refunded: bool,
    /// Extension: amount paid in the end, in GHS: zero if the cost was refunded.
    #[schema(example = 0.035)]
    net_cost: f64,
    /// Extension: category of its content.
    #[schema(value_type = CategoryName)]
    category: &'static str,
    /// Extension: number of segments that are charged.
    segments: u16,
    /// Extension: subject line. In an `OTP` it is masked like the text.
    subject: Option<String>,
    /// Extension: text, with placeholders filled. In an `OTP` the values, or else what may be a
    /// code, are `••••••` once its outcome is final, and after an hour at the latest; always in
    /// webhooks, and for members other than owners, administrators and developers.
    body: String,
    /// Extension: true if `body` is cut. Lists show the first 10,000 characters of a text.
    body_truncated: bool,
    /// Extension: the recipient's country; `001` for numbers that belong to none.
    #[schema(example = "GH")]
    country_code: String,
    /// Extension: sender that was requested.
    sender_id: Option<String>,
    /// Extension: template of the text.
    template_id: Option<Uuid>,
    /// Extension: campaign that it belongs to.
    campaign_id: Option<Uuid>,
    /// Extension: slug of the event that it notifies of.
    #[schema(example = json!(null))]
    event: Option<String>,
    /// Extension: contact for whom it was written, if it belongs to a campaign, or is the first message
    /// of a trigger for a contact.
    #[schema(example = json!(null))]
    contact_id: Option<Uuid>,
    /// Extension: provider that has it, or had it last.
    provider: Option<String>,
    /// Extension: reason for its failure or delay, or `NO_REPORT`, for programs.
    #[schema(value_type = Option<FailureCodeName>)]
    error_code: Option<&'static str>,
    /// Extension: reason for its failure or delay, for people.
    error_message: Option<String>,
    /// Extension: true if it belongs to the sandbox and is only simulated.
    is_sandbox: bool,
    /// Extension: failed message that it repeats.
    #[schema(example = json!(null))]
    resent_from: Option<Uuid>,
    /// Extension: pairs by which the sender's systems know it.
    #[schema(example = json!({ "order": "4711" }))]
    metadata: BTreeMap<String, String>,
    /// Extension: attempts to hand it to providers, oldest first: of many the first 5 and the last 15.
    attempts: Vec<AttemptView>,
    /// Extension: number of attempts to hand it to providers.
    attempt_count: usize,
    /// Extension: true while it waits for the time for which it was scheduled.
    is_scheduled: bool,
    /// Extension: time for which it was scheduled; null if it was to go at once.
    #[schema(example = json!(null))]
    scheduled_at: Option<Timestamp>,
    /// Extension: earliest time of sending, if it was scheduled, or if quiet hours or a pause of its
    /// campaign delay it.
    #[schema(example = json!(null))]
    not_before: Option<Timestamp>,
    /// Extension: time after which it is not tried any more.
    expires_at: Timestamp,
    /// Extension: time at which it was accepted.
    created_at: Timestamp,
    /// Extension: time at which a provider accepted it.
    sent_at: Option<Timestamp>,
    /// Extension: time at which its arrival was confirmed.
    delivered_at: Option<Timestamp>,
}

/// Attempt to hand a message to a provider.
#[derive(Serialize, ToSchema)]
#[schema(as = Attempt)]
#[serde(rename_all = "camelCase")]
struct AttemptView {
    #[schema(example = "sms-ghana")]
    provider: String,
    started_at: Timestamp,
    /// Time at which it ended; null until then.
    ended_at: Option<Timestamp>,
    /// Outcome; null until it ended.
    #[schema(value_type = Option<AttemptOutcomeName>)]
    outcome: Option<&'static str>,
    /// The provider's own identifier of the message.
    provider_message_id: Option<String>,
    /// Reason for which it was not accepted.
    #[schema(value_type = Option<FailureCodeName>)]
    error_code: Option<&'static str>,
    /// The provider's own code for the reason.
    vendor_code: Option<String>,
}

impl From<Message> for MessageView {
    fn from(message: Message) -> Self {
        let (refunded, is_scheduled) = (message.is_refunded(), message.is_scheduled());
        let net_cost = message.net_cost();
        let Message { delivery, draft, .. } = message;
        let draft = Arc::unwrap_or_clone(draft);
        let failure = delivery.failure();
        Self {
            id: message.id.uuid(),
            internal_message_id: message.id.internal(),
            status: delivery.status().as_str(),
            channel: draft.channel.as_str(),
            recipient: draft.recipient.as_str().to_owned(),
            cost: message.cost.to_number(),
            refunded,
            net_cost: net_cost.to_number(),
            category: draft.category.as_str(),
            segments: draft.segments,
            subject: draft.subject,
            body: draft.body,
            body_truncated: false,
            country_code: draft.country.to_string(),
            sender_id: draft.sender,
            template_id: draft.template.map(Uuid::from),
            campaign_id: message.source.and_then(Source::campaign).map(Uuid::from),
            event: message.event,
            contact_id: message.contact.map(Id::uuid),
            provider: message.provider,
            error_code: failure.map(|failure| failure.code.as_str()),
            error_message: failure.map(|failure| failure.message.clone()),
            is_sandbox: message.is_sandbox,
            resent_from: message.resent_from.map(Id::uuid),
            metadata: draft.metadata.into_pairs(),
            attempt_count: attempts::count(&message.attempts),
            is_scheduled,
            scheduled_at: message.scheduled_at.map(Timestamp::from),
            not_before: (message.valid_from > message.created_at)
                .then(|| message.valid_from.into()),
            expires_at: message.expires_at.into(),
            attempts: message.attempts.into_iter().map(AttemptView::from).collect(),
            created_at: message.created_at.into(),
            sent_at: delivery.sent_at().map(Timestamp::from),
            delivered_at: delivery.delivered_at().map(Timestamp::from),
        }
    }
}

impl LongText for MessageView {
    fn cut_text(&mut self) {
        self.body_truncated = listed_text::cut(&mut self.body);
    }
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        let end = match attempt.state {
            AttemptState::Ended(end) => Some(end),
            AttemptState::Planned | AttemptState::Running => None,
        };
        let end = end.as_ref();
        Self {
            provider: attempt.provider,
            started_at: attempt.started_at.into(),
            ended_at: end.map(|end| end.at.into()),
            outcome: end.map(|end| end.outcome.as_str()),
            provider_message_id: end.and_then(|end| end.reference.clone()),
            error_code: end.and_then(|end| end.error_code).map(FailureCode::as_str),
            vendor_code: end.and_then(|end| end.vendor_code.clone()),
        }
    }
}

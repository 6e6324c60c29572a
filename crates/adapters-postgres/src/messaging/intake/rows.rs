//! Rows of a batch, as the composite types of the database have them.

use domain::{
    messaging::{
        attempt::Attempt,
        job::Job,
        message::{Message, Source},
    },
    shared::id::Id,
};
use ports::messaging::messages::Idempotency;
use uuid::Uuid;

use crate::{
    messaging::delivery_logs::TextNotes,
    shared::query::{
        array::Elements,
        json::Json,
        records::{FieldError, Fields, Record},
    },
};

/// Message, as it is accepted.
pub(super) struct LogRow<'b> {
    message: &'b Message,
    /// Attempts, unless they are those of the whole batch.
    attempts: Option<&'b [Attempt]>,
}

impl<'b> LogRow<'b> {
    /// Creates the row of a message in a batch whose messages share a plan.
    pub(super) fn new(message: &'b Message, plan: &[Attempt]) -> Self {
        Self { message, attempts: Some(message.attempts.as_slice()).filter(|own| *own != plan) }
    }
}

impl Record for LogRow<'_> {
    const TYPE: &'static str = "accepted_message";
    const ROOM: usize = 512;

    fn put(&self, fields: &mut Fields<'_>) -> Result<(), FieldError> {
        let message = self.message;
        let draft = &message.draft;
        let failure = message.delivery.failure();
        fields.add(message.id.uuid())?;
        fields.add(message.organization.uuid())?;
        fields.add(draft.channel.as_str())?;
        fields.add(message.delivery.status().as_str())?;
        fields.add(draft.recipient.as_str())?;
        fields.add(draft.country.as_str())?;
        fields.add(draft.category.as_str())?;
        fields.add(message.priority.rank())?;
        fields.add(draft.sender.as_deref())?;
        fields.add(draft.subject.as_deref())?;
        fields.add(draft.body.as_str())?;
        fields.add(i16::try_from(draft.segments).unwrap_or(i16::MAX))?;
        fields.add(draft.template.map(Uuid::from))?;
        fields.add(message.cost.micros())?;
        fields.add(message.is_sandbox)?;
        fields.add(message.is_confidential)?;
        fields.add(self.attempts.map(Json))?;
        fields.add(failure.map(|failure| failure.code.as_str()))?;
        fields.add(failure.map(|failure| failure.message.as_str()))?;
        fields.add(message.created_at)?;
        fields.add(draft.vendor_template.as_ref().map(Json))?;
        fields.add(message.expires_at)?;
        fields.add(message.source.and_then(Source::campaign).map(Uuid::from))?;
        fields.add(message.source.and_then(Source::trigger).map(Uuid::from))?;
        fields.add(draft.retry_rules.as_ref().map(Json))?;
        fields.add(TextNotes::column(message))?;
        fields.add(message.resent_from.map(Id::uuid))?;
        fields.add((!draft.metadata.is_empty()).then_some(Json(&draft.metadata)))?;
        fields.add(message.scheduled_at)?;
        fields.add(message.event.as_deref())?;
        fields.add(message.contact.map(Id::uuid))
    }
}

/// Job of a message that may go at once.
pub(super) struct JobRow<'b>(pub(super) &'b Job);

impl Record for JobRow<'_> {
    const TYPE: &'static str = "accepted_job";
    const ROOM: usize = 104;

    fn put(&self, fields: &mut Fields<'_>) -> Result<(), FieldError> {
        let Job { message, lease, provider_queue, .. } = self.0;
        fields.add(message.id.uuid())?;
        fields.add(message.organization.uuid())?;
        fields.add(message.priority.rank())?;
        fields.add(lease.is_held().then_some(lease.0))?;
        fields.add(provider_queue.0)
    }
}

/// Idempotency key of an organization, and the jobs of the messages that are accepted under it.
pub(super) struct KeyRow<'b> {
    pub(super) organization: Uuid,
    pub(super) idempotency: &'b Idempotency,
    pub(super) jobs: &'b [Job],
}

impl KeyRow<'_> {
    /// Returns the identifiers of the messages, with the nil identifier in the places of items that got
    /// none.
    fn message_ids(&self) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> = self.jobs.iter().map(|job| job.message.id.uuid()).collect();
        for gap in &self.idempotency.gaps {
            ids.insert(usize::from(*gap).min(ids.len()), Uuid::nil());
        }
        ids
    }
}

impl Record for KeyRow<'_> {
    const TYPE: &'static str = "used_key";
    const ROOM: usize = 192;

    fn put(&self, fields: &mut Fields<'_>) -> Result<(), FieldError> {
        fields.add(self.organization)?;
        fields.add(self.idempotency.is_sandbox)?;
        fields.add(self.idempotency.key.as_str())?;
        fields.add(self.idempotency.fingerprint.as_slice())?;
        fields.add(Elements(self.message_ids()))
    }
}

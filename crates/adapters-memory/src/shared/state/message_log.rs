//! Delivery log: the stored messages.

use std::collections::BTreeMap;

use domain::{
    identity::organization::Organization,
    messaging::{
        attempt::{Attempt, AttemptState},
        delivery::{Delivery, Status},
        delivery_log::LogFilter,
        job::{AttemptBegun, JobConcluded, JobPostponed, Step},
        message::Message,
    },
    shared::id::Id,
};
use std::sync::Arc;

/// Messages of all organizations.
#[derive(Default)]
pub(crate) struct MessageLog(BTreeMap<Id<Message>, Message>);

impl MessageLog {
    /// Adds a newly accepted message.
    pub(crate) fn insert(&mut self, mut message: Message) {
        message.attempts = as_kept(&message.attempts);
        self.0.insert(message.id, message);
    }

    pub(crate) fn find(&self, id: Id<Message>) -> Option<&Message> {
        self.0.get(&id)
    }

    pub(crate) fn find_mut(&mut self, id: Id<Message>) -> Option<&mut Message> {
        self.0.get_mut(&id)
    }

    /// Returns all messages in the order of their identifiers.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Message> {
        self.0.values()
    }

    /// Returns the messages of an organization that match a filter and are older than `before`, newest
    /// first.
    pub(crate) fn newest_first<'l>(
        &'l self,
        organization: Id<Organization>,
        filter: &'l LogFilter,
        before: Option<Id<Message>>,
    ) -> impl Iterator<Item = &'l Message> {
        self.0.values().rev().filter(move |message| {
            message.organization == organization
                && before.is_none_or(|before| message.id < before)
                && filter.fits(message)
        })
    }

    /// Applies a step that was made in time to its message.
    pub(crate) fn apply(&mut self, step: &Step) {
        let moved = step.message();
        let Some(kept) = self.0.get_mut(&moved.id) else { return };
        match step {
            Step::JobPostponed(JobPostponed { due_in, .. }) => {
                kept.attempts = as_kept(&moved.attempts);
                if due_in.is_some() {
                    (kept.valid_from, kept.expires_at) = (moved.valid_from, moved.expires_at);
                }
                return;
            }
            Step::AttemptBegun(_) | Step::JobConcluded(_) => {
                kept.attempts = as_kept(&moved.attempts);
            }
            // A report adds no attempt.
            Step::ReportApplied(_) => {}
        }
        kept.delivery = moved.delivery.clone();
        if moved.provider.is_some() {
            kept.provider.clone_from(&moved.provider);
        }
        let is_waiting = matches!(moved.delivery.status(), Status::Queued | Status::Pending);
        if moved.is_confidential && !is_waiting {
            let draft = Arc::make_mut(&mut kept.draft);
            draft.body.clear();
            draft.vendor_template = None;
        }
        if moved.hides_codes() {
            Arc::make_mut(&mut kept.draft).mask_codes();
        }
    }

    /// Stores the attempts of a worker's stale step, unless newer ones are stored: they took place all the
    /// same.
    pub(crate) fn keep_stale_attempts(&mut self, step: &Step) {
        // Only steps of workers have attempts.
        let (Step::AttemptBegun(AttemptBegun { message: late, .. })
        | Step::JobConcluded(JobConcluded { message: late, .. })) = step
        else {
            return;
        };
        let (Some(last), Some(kept)) = (late.attempts.last(), self.0.get_mut(&late.id)) else {
            return;
        };
        let is_later = kept.attempts.last().is_none_or(|known| known.started_at <= last.started_at);
        if kept.attempts.len() > late.attempts.len() || !is_later {
            return;
        }
        kept.attempts = as_kept(&late.attempts);
        if kept.provider.is_none() {
            kept.provider.clone_from(&late.provider);
        }
        if let Delivery::Delivered { sent_at, .. } | Delivery::Failed { sent_at, .. } =
            &mut kept.delivery
        {
            *sent_at = sent_at.or(late.delivery.sent_at());
        }
    }
}

/// Returns attempts in the form in which they are stored: a planned one may have begun.
fn as_kept(attempts: &[Attempt]) -> Vec<Attempt> {
    let mut attempts = attempts.to_vec();
    for attempt in &mut attempts {
        if attempt.state == AttemptState::Planned {
            attempt.state = AttemptState::Running;
        }
    }
    attempts
}

//! Triggers that may go on to another channel.

use domain::messaging::message::TriggerId;
use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{FailureCode, Status},
        job::Step,
        message::{Message, Source},
    },
    outreach::trigger::Trigger,
    shared::id::Id,
};

/// Time for which no other caller takes a trigger that was taken.
const LEASE: TimeDelta = TimeDelta::seconds(30);
/// Time that others leave a waiting request to go on by itself.
const HEAD_START: TimeDelta = TimeDelta::seconds(2);

/// Triggers of all organizations.
#[derive(Default)]
pub(crate) struct TriggerStates(BTreeMap<TriggerId, KeptTrigger>);

struct KeptTrigger {
    trigger: Trigger,
    /// Time at which the next channel is to be tried.
    due_at: Option<DateTime<Utc>>,
    has_ended: bool,
}

impl TriggerStates {
    /// Returns true if a trigger has just begun, or is still in the state from which it advances.
    pub(crate) fn is_next(&self, trigger: &Trigger) -> bool {
        match self.0.get(&trigger.id) {
            None => trigger.tried() == 1,
            Some(known) => {
                known.trigger.organization == trigger.organization
                    && !known.has_ended
                    && known.trigger.tried() + 1 == trigger.tried()
            }
        }
    }

    /// Stores the new state of a trigger whose message may go at `starts_at`. The next channel is due when
    /// the wait for this one is over; after
    /// the last channel none is due.
    pub(crate) fn write(&mut self, trigger: Trigger, starts_at: DateTime<Utc>) {
        let has_ended = trigger.left.is_empty();
        let due_at = trigger.wait.after.filter(|_| !has_ended).map(|after| starts_at + after);
        self.0.insert(trigger.id, KeptTrigger { trigger, due_at, has_ended });
    }

    /// Applies the outcome of a message to its trigger: a delivered message ends the trigger, a failed one
    /// makes the next channel due if it was the last one tried, and one that reached the status that is
    /// waited for stops the wait.
    pub(crate) fn note(&mut self, step: &Step, now: DateTime<Utc>) {
        let message = step.message();
        let status = message.delivery.status();
        let Some(kept) = self.of_message(message) else { return };
        if kept.has_ended || status == step.previous_status() {
            return;
        }
        let is_last = kept.trigger.messages().last() == Some(message.id);
        match status {
            Status::Delivered => kept.end(),
            // What its sender cancelled is not tried over another channel.
            Status::Failed if is_cancelled(message) => kept.end(),
            Status::Failed if is_last => kept.due_at = Some(now + HEAD_START),
            Status::Sent if is_last && kept.trigger.wait.until == Status::Sent => {
                kept.due_at = None;
            }
            _ => {}
        }
    }

    fn of_message(&mut self, message: &Message) -> Option<&mut KeptTrigger> {
        self.0.get_mut(&message.source.and_then(Source::trigger)?)
    }

    pub(crate) fn find(&self, organization: Id<Organization>, id: TriggerId) -> Option<&Trigger> {
        let trigger = &self.0.get(&id)?.trigger;
        (trigger.organization == organization).then_some(trigger)
    }

    /// Takes due triggers, longest waiting first.
    pub(crate) fn take_due(
        &mut self,
        limit: usize,
        busy: &[Id<Organization>],
        now: DateTime<Utc>,
    ) -> Vec<Trigger> {
        let is_due = |kept: &&mut KeptTrigger| {
            kept.due_at.is_some_and(|due_at| due_at <= now)
                && !busy.contains(&kept.trigger.organization)
        };
        let mut due: Vec<_> = self.0.values_mut().filter(is_due).collect();
        due.sort_by_key(|kept| (kept.due_at, kept.trigger.id));
        due.truncate(limit);
        let taken = due.into_iter().map(|kept| {
            kept.due_at = Some(now + LEASE);
            kept.trigger.clone()
        });
        taken.collect()
    }

    /// Ends a trigger, if it is still as it was read.
    pub(crate) fn end(&mut self, seen: &Trigger) {
        if let Some(kept) = self.0.get_mut(&seen.id)
            && kept.trigger.tried() == seen.tried()
        {
            kept.end();
        }
    }
}

fn is_cancelled(message: &Message) -> bool {
    message.delivery.failure().is_some_and(|failure| failure.code == FailureCode::Cancelled)
}

impl KeptTrigger {
    fn end(&mut self) {
        self.due_at = None;
        self.has_ended = true;
        self.trigger.left.clear();
    }
}

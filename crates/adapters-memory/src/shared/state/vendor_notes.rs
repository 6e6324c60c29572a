//! Data for callbacks of vendors: their references to messages, the messages between organizations and
//! recipients, and reports on messages that are not known yet.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{delivery::DeliveryEvent, job::Step, message::Message, report::Report},
    shared::{address::Address, id::Id},
};
use ports::messaging::callbacks::{EarlyReport, MatchedReport};

/// Interval at which messages of an organization to the same address are recorded.
const CONVERSATION: TimeDelta = TimeDelta::days(1);

type Names = BTreeMap<(String, String), BTreeMap<Id<Organization>, Id<Message>>>;

/// Data for callbacks of vendors.
#[derive(Default)]
pub(crate) struct VendorNotes {
    /// Messages by provider and its reference.
    names: Names,
    /// Times at which organizations last wrote to an address, by provider and address.
    conversations: BTreeMap<(String, String), BTreeMap<Id<Organization>, DateTime<Utc>>>,
    /// Times at which recipients last wrote, by provider and address.
    last_inbound: BTreeMap<(String, String), DateTime<Utc>>,
    early: BTreeMap<Id<MatchedReport>, KeptReport>,
}

struct KeptReport {
    provider: String,
    report: EarlyReport,
    message: Option<Id<Message>>,
}

impl VendorNotes {
    /// Records a step, stale or not: its message was handed to a provider all the same.
    pub(crate) fn note(&mut self, step: &Step) {
        self.note_name(step);
        self.note_conversation(step);
    }

    /// Stores the provider's reference for a message that it just accepted, if a report is still to come. A
    /// reused reference means the newest message.
    fn note_name(&mut self, step: &Step) {
        let message = step.message();
        let attempt = message.attempts.last().filter(|_| step.due_in().is_some());
        let Some((attempt, reference)) = attempt.and_then(|it| Some((it, it.reference()?))) else {
            return;
        };
        let name = (attempt.provider.clone(), reference.to_owned());
        let known = self.names.entry(name).or_default();
        let newest = known.entry(message.organization).or_insert(message.id);
        if message.id < *newest {
            return;
        }
        *newest = message.id;
        for kept in self.early.values_mut() {
            let is_meant = kept.provider == attempt.provider && kept.report.reference == reference;
            if is_meant && kept.message.is_none() {
                kept.message = Some(message.id);
            }
        }
    }

    fn note_conversation(&mut self, step: &Step) {
        let Step::JobConcluded(concluded) = step else { return };
        let message = &concluded.message;
        let (true, Some(provider), Some(sent_at)) =
            (concluded.can_be_answered, &message.provider, message.delivery.sent_at())
        else {
            return;
        };
        let pair = (provider.clone(), message.draft.recipient.as_str().to_owned());
        let written = self.conversations.entry(pair).or_default();
        let written_at = written.entry(message.organization).or_insert(sent_at);
        if *written_at < sent_at - CONVERSATION {
            *written_at = sent_at;
        }
    }

    /// Returns the newest message that a provider's reference means.
    pub(crate) fn named(&self, provider: &str, reference: &str) -> Option<Id<Message>> {
        let known = self.names.get(&(provider.to_owned(), reference.to_owned()))?;
        known.values().max().copied()
    }

    /// Stores a report on an unknown message, if providers make reports of its kind.
    pub(crate) fn keep_early(
        &mut self,
        id: Id<MatchedReport>,
        provider: &str,
        report: &EarlyReport,
    ) {
        let is_made = matches!(
            report.event,
            DeliveryEvent::Accepted { .. }
                | DeliveryEvent::Confirmed { .. }
                | DeliveryEvent::Rejected { .. }
        );
        if is_made {
            let message = self.named(provider, &report.reference);
            let kept =
                KeptReport { provider: provider.to_owned(), report: report.clone(), message };
            self.early.insert(id, kept);
        }
    }

    /// Returns the stored reports after `last` whose messages are known by now, in order of arrival.
    pub(crate) fn matched(
        &self,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Vec<MatchedReport> {
        let behind = self.early.iter().filter(|(id, _)| last.is_none_or(|last| **id > last));
        let matched = behind.filter_map(|(id, kept)| {
            let (message, provider) = (kept.message?, Some(kept.provider.clone()));
            let report = Report { message, provider, event: kept.report.event.clone() };
            Some(MatchedReport { id: *id, report })
        });
        matched.take(limit).collect()
    }

    pub(crate) fn forget(&mut self, reports: &[Id<MatchedReport>]) {
        self.early.retain(|id, _| !reports.contains(id));
    }

    /// Deletes reports that were stored before that time. Returns the providers that have `most` or more
    /// reports left.
    pub(crate) fn forget_old(&mut self, before: DateTime<Utc>, most: usize) -> Vec<String> {
        let first = Id::floor(before);
        self.early.retain(|id, _| *id >= first);
        let mut counts = BTreeMap::<&str, usize>::new();
        for kept in self.early.values() {
            *counts.entry(&kept.provider).or_default() += 1;
        }
        let full = counts.into_iter().filter(|(_, count)| *count >= most);
        full.map(|(provider, _)| provider.to_owned()).collect()
    }

    /// Records that the owner of an address wrote to a provider.
    pub(crate) fn note_inbound(&mut self, provider: &str, from: &Address, at: DateTime<Utc>) {
        let last_inbound =
            self.last_inbound.entry((provider.to_owned(), from.as_str().to_owned())).or_insert(at);
        *last_inbound = at.max(*last_inbound);
    }

    /// Returns the time at which the owner of an address last wrote to a provider.
    pub(crate) fn last_inbound(&self, provider: &str, from: &Address) -> Option<DateTime<Utc>> {
        self.last_inbound.get(&(provider.to_owned(), from.as_str().to_owned())).copied()
    }

    /// Returns the organizations that have written to an address through a provider, in their order.
    pub(crate) fn senders_to(&self, provider: &str, to: &Address) -> Vec<Id<Organization>> {
        let pair = (provider.to_owned(), to.as_str().to_owned());
        let writers = self.conversations.get(&pair);
        writers.map(|writers| writers.keys().copied().collect()).unwrap_or_default()
    }
}

//! What is kept so that vendors' callbacks can be understood: by which names they know messages, who
//! wrote to whom, and reports that came before their messages were known.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{delivery::DeliveryEvent, job::Step, message::Message},
    providers::provider::Report,
    shared::{address::Address, id::Id},
};
use ports::messaging::callbacks::{EarlyReport, MatchedReport};

/// Who writes to whom is noted once in that time.
const CONVERSATION: TimeDelta = TimeDelta::days(1);

type Names = BTreeMap<(String, String), BTreeMap<Id<Organization>, Id<Message>>>;

/// The notes.
#[derive(Default)]
pub(crate) struct VendorNotes {
    /// Messages by their providers and the names that these have for them.
    names: Names,
    /// When organizations last wrote over a provider to an address.
    conversations: BTreeMap<(String, String), BTreeMap<Id<Organization>, DateTime<Utc>>>,
    /// When somebody last wrote to a provider.
    heard: BTreeMap<(String, String), DateTime<Utc>>,
    early: BTreeMap<Id<MatchedReport>, KeptReport>,
}

struct KeptReport {
    provider: String,
    report: EarlyReport,
    message: Option<Id<Message>>,
}

impl VendorNotes {
    /// Notes what a step tells, be it in time or not: its message was handed to a provider all the same.
    pub(crate) fn note(&mut self, step: &Step) {
        self.note_name(step);
        self.note_conversation(step);
    }

    /// Keeps the provider's own name for a message that it just took, if a report is still to come. A
    /// name that comes again means the newest message.
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

    /// The message that a provider has a name for.
    pub(crate) fn named(&self, provider: &str, reference: &str) -> Option<Id<Message>> {
        let known = self.names.get(&(provider.to_owned(), reference.to_owned()))?;
        known.values().max().copied()
    }

    /// Keeps a report on a message that nobody knows yet, if it is one that providers make.
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

    /// Kept reports on messages that are known by now, behind `last`, in the order in which they came.
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

    /// Forgets reports that were kept before that time, and tells of which providers `most` or more are
    /// kept still.
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

    /// Notes that somebody wrote to a provider.
    pub(crate) fn hear(&mut self, provider: &str, from: &Address, at: DateTime<Utc>) {
        let heard = self.heard.entry((provider.to_owned(), from.as_str().to_owned())).or_insert(at);
        *heard = at.max(*heard);
    }

    /// When somebody last wrote to a provider.
    pub(crate) fn last_heard(&self, provider: &str, from: &Address) -> Option<DateTime<Utc>> {
        self.heard.get(&(provider.to_owned(), from.as_str().to_owned())).copied()
    }

    /// The organizations that have written to an address through a provider, in their order.
    pub(crate) fn senders_to(&self, provider: &str, to: &Address) -> Vec<Id<Organization>> {
        let pair = (provider.to_owned(), to.as_str().to_owned());
        let writers = self.conversations.get(&pair);
        writers.map(|writers| writers.keys().copied().collect()).unwrap_or_default()
    }
}

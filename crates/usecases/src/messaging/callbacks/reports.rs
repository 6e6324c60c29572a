//! Reports on messages in callbacks.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{MutexGuard, PoisonError},
};

use chrono::DateTime;
use domain::{
    messaging::{
        callback::{MessageRef, VendorReport},
        delivery::DeliveryEvent,
        message::Message,
    },
    shared::id::Id,
};
use futures_util::{StreamExt, stream};
use metrics::Counter;
use ports::{messaging::callbacks::EarlyReport, shared::store::StoreError};

use super::Callbacks;
use crate::shared::digest;

/// Number of messages of a callback to which reports are applied at the same time, so that they are
/// written together.
const AT_ONCE: usize = 256;

/// Returns the counter of a provider's reports on messages that are unknown, or not known yet.
pub(super) fn unmatched(provider: &str) -> Counter {
    metrics::counter!("atumpan_unmatched_reports_total", "provider" => provider.to_owned())
}

/// Returns the reference to a message in the form that is stored.
pub(super) fn name(about: MessageRef) -> MessageRef {
    match about {
        MessageRef::Ours(id) => MessageRef::Ours(id),
        MessageRef::Vendors(reference) => MessageRef::Vendors(digest::of_reference(reference)),
    }
}

/// Message in a callback, and the events reported on it.
type Reported = (Message, Vec<DeliveryEvent>);

impl Callbacks {
    /// Applies the reports of a callback: those on one message in their order, those on different
    /// messages at the same time. A report that cannot be written does not stop the others; the
    /// call then fails, and the vendor repeats it.
    pub(super) async fn take_reports(
        &self,
        provider: &str,
        reports: Vec<VendorReport>,
    ) -> Result<(), StoreError> {
        if reports.is_empty() {
            return Ok(());
        }
        let reports: Vec<_> = reports.into_iter().map(|report| self.sanitized(report)).collect();
        let about = reports.iter().map(|report| report.about.clone()).collect();
        let known = self.messages(provider, about).await?;
        let mut messages: BTreeMap<Id<Message>, Reported> = BTreeMap::new();
        let mut early = Vec::new();
        for VendorReport { about, event } in reports {
            match known.get(&about) {
                Some(message) => {
                    let reported = messages.entry(message.id);
                    reported.or_insert_with(|| (message.clone(), Vec::new())).1.push(event);
                }
                None => early.push((about, event)),
            }
        }
        let applying = messages.into_values().map(|reported| self.apply_all(provider, reported));
        let applying = stream::iter(applying).buffer_unordered(AT_ONCE);
        let applied: Vec<_> = applying.collect().await;
        self.keep(provider, early).await?;
        applied.into_iter().collect()
    }

    /// Returns a report in a form that can be stored and compared. Its time is bounded by that of
    /// the acceptance once the message is known.
    fn sanitized(&self, VendorReport { about, event }: VendorReport) -> VendorReport {
        let event = event.sanitized(DateTime::UNIX_EPOCH, self.clock.now());
        VendorReport { about: name(about), event }
    }

    /// Returns the messages that a provider names and was given. Reports on others are not trusted.
    pub(super) async fn messages(
        &self,
        provider: &str,
        named: HashSet<MessageRef>,
    ) -> Result<HashMap<MessageRef, Message>, StoreError> {
        let mut known = HashMap::with_capacity(named.len());
        let mut unknown = Vec::new();
        for about in named {
            match self.deliveries.recall(provider, &about) {
                Some(message) => {
                    known.insert(about, message);
                }
                None => unknown.push(about),
            }
        }
        if !unknown.is_empty() {
            let found = self.repository.resolve(provider, &unknown).await?;
            let found = unknown.into_iter().zip(found);
            known.extend(found.filter_map(|(about, message)| Some((about, message?))));
        }
        known.retain(|about, message| message.was_given_to(provider, about.reference()));
        Ok(known)
    }

    async fn apply_all(
        &self,
        provider: &str,
        (mut message, events): Reported,
    ) -> Result<(), StoreError> {
        for event in events {
            message = self.deliveries.apply(message, Some(provider), event).await?;
        }
        Ok(())
    }

    /// Stores reports on messages that are not known yet. A message is known by our own identifier
    /// before a provider gets it, so a report with an unknown one concerns no message of ours.
    async fn keep(
        &self,
        provider: &str,
        unknown: Vec<(MessageRef, DeliveryEvent)>,
    ) -> Result<(), StoreError> {
        if unknown.is_empty() {
            return Ok(());
        }
        unmatched(provider).increment(unknown.len() as u64);
        if self.full().contains(provider) {
            return Ok(());
        }
        let early = unknown.into_iter().filter_map(|(about, event)| match about {
            MessageRef::Ours(_) => None,
            MessageRef::Vendors(reference) => Some(EarlyReport { reference, event }),
        });
        let early: Vec<_> = early.collect();
        if early.is_empty() {
            return Ok(());
        }
        self.repository.keep_early(provider, &early, self.clock.now()).await
    }

    pub(super) fn full(&self) -> MutexGuard<'_, HashSet<String>> {
        self.full.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Sweep of the reports that came before their messages were known.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{messaging::message::Message, shared::id::Id};
use futures_util::{StreamExt, stream};
use ports::{messaging::callbacks::MatchedReport, shared::store::StoreError};

use super::Callbacks;

/// Number of stored reports read and deleted at a time.
const PAGE: usize = 500;
/// Maximum number of pages in a sweep.
const PAGES: usize = 20;
/// Number of messages to which reports are applied at the same time, so that they are written
/// together.
const AT_ONCE: usize = 32;

/// Result of applying the stored reports on a message.
#[derive(Default)]
struct Applied {
    /// Reports that need not be stored any longer.
    reports: Vec<Id<MatchedReport>>,
    /// Error of the first report that was not applied; `None` if all were.
    error: Option<StoreError>,
}

/// Time after the storage of a report during which its message may be written unaware of it.
const RECENT: TimeDelta = TimeDelta::seconds(30);
/// Retention of a report on an unknown message.
const KEPT_FOR: TimeDelta = TimeDelta::hours(1);
/// Maximum number of such reports per provider. An account shared with others gets the reports of
/// all.
const MOST_KEPT: usize = 10_000;

impl Callbacks {
    /// Deletes the reports past their retention, and finds the providers with the maximum number of
    /// reports. To be called every few seconds.
    pub async fn forget_old(&self) -> Result<(), StoreError> {
        let before = self.clock.now() - KEPT_FOR;
        let full = self.repository.forget_old(before, MOST_KEPT).await?;
        let mut known = self.full();
        for provider in full.iter().filter(|provider| !known.contains(*provider)) {
            tracing::warn!(
                provider,
                kept = MOST_KEPT,
                "no more reports on unknown messages are kept: is the account shared?"
            );
        }
        *known = full.into_iter().collect();
        Ok(())
    }

    /// Applies stored reports whose messages are known by now, oldest first, up to 10 000. A report
    /// that cannot be applied stays, and delays only later ones on its message; while the store is
    /// unavailable, all stay. To be called every second or so.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let (recent, mut last) = (self.clock.now() - RECENT, None);
        for _ in 0..PAGES {
            let page = self.repository.matched(recent, last, PAGE).await?;
            let Some(end) = page.last() else { break };
            last = Some(end.id);
            let Applied { reports, error } = self.apply(page).await;
            if !reports.is_empty() {
                self.repository.forget(&reports).await?;
            }
            if let Some(error) = error {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Applies a page of stored reports. Stops while the store is unavailable.
    async fn apply(&self, page: Vec<MatchedReport>) -> Applied {
        let mut messages: BTreeMap<Id<Message>, Vec<MatchedReport>> = BTreeMap::new();
        for kept in page {
            messages.entry(kept.report.message).or_default().push(kept);
        }
        let reports = messages.into_values().map(|reports| self.apply_in_turn(reports));
        let mut applying = stream::iter(reports).buffer_unordered(AT_ONCE);
        let mut all = Applied::default();
        while let Some(Applied { reports, error }) = applying.next().await {
            all.reports.extend(reports);
            match error {
                Some(StoreError::Unavailable(error)) => {
                    all.error = Some(StoreError::Unavailable(error));
                    break;
                }
                Some(error) => tracing::error!(%error, "failed to apply a kept report"),
                None => {}
            }
        }
        all
    }

    /// Applies the reports on one message in the order in which they came: the first final one
    /// stands.
    async fn apply_in_turn(&self, kept: Vec<MatchedReport>) -> Applied {
        let mut applied = Applied::default();
        for MatchedReport { id, report } in kept {
            if let Err(error) = self.deliveries.report(report).await {
                applied.error = Some(error);
                break;
            }
            applied.reports.push(id);
        }
        applied
    }
}

//! Taking in reports that came before their messages were known.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{messaging::message::Message, shared::id::Id};
use futures_util::{StreamExt, stream};
use ports::{messaging::callbacks::MatchedReport, shared::store::StoreError};

use super::Callbacks;

/// How many kept reports are read and forgotten at a time.
const PAGE: usize = 500;
/// How many pages a sweep takes in at the most.
const PAGES: usize = 20;
/// On how many messages reports are applied at the same time, so that they are written together.
const AT_ONCE: usize = 32;

/// What became of the kept reports on a message.
#[derive(Default)]
struct Applied {
    /// Those that need not be kept any longer.
    reports: Vec<Id<MatchedReport>>,
    /// What kept the next one from being applied.
    error: Option<StoreError>,
}

/// For how long after a report was kept its message may be written without having noticed it.
const RECENT: TimeDelta = TimeDelta::seconds(30);
/// How long a report is kept whose message nobody knows.
const KEPT_FOR: TimeDelta = TimeDelta::hours(1);
/// How many such reports of a provider are kept. Who shares an account with others is told of the
/// messages of all.
const MOST_KEPT: usize = 10_000;

impl Callbacks {
    /// Forgets reports that were kept in vain, and looks of which providers as many are kept as may
    /// be. To be called every few seconds.
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

    /// Takes in kept reports whose messages are known by now, oldest first, for as long as there are
    /// any, up to 10 000. To be called every second or so. One that cannot be applied stays, and
    /// holds up none but later ones on its message; when the store is away, all stay.
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

    /// Applies a page of kept reports. Stops when the store is away.
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

    /// Applies the reports on one message in the order in which they came, for the first that is
    /// final stands.
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

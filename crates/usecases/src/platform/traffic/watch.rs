//! Watch on the delivery of codes: writes counts, and judges them once a minute.

use std::sync::Arc;

use domain::{
    identity::{
        organization::Organization,
        traffic::{Finding, OperatorRange, STOP, TrafficAlert, Windows},
    },
    shared::id::Id,
};
use ports::{
    platform::traffic::TrafficWatchStore,
    shared::{clock::Clock, store::StoreError},
};

use crate::{identity::policies::Policies, messaging::fraud_guard::TrafficCounter};

/// Number of suspects judged per minute, lowest shares of delivery first.
const SUSPECTS: usize = 500;

/// Watch on the codes of organizations. Any number of instances may run it at once.
#[derive(Clone)]
pub struct TrafficWatch {
    deps: Arc<TrafficWatchDeps>,
}

/// Dependencies of [`TrafficWatch`].
pub struct TrafficWatchDeps {
    /// Counts of this process.
    pub counter: TrafficCounter,
    /// Store of counts and alerts.
    pub store: Arc<dyn TrafficWatchStore>,
    /// Cached stops, evicted when they change.
    pub policies: Policies,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

impl TrafficWatch {
    /// Creates the watch from its dependencies.
    pub fn new(deps: TrafficWatchDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Writes the counts to the store. If this fails, the next call writes them.
    pub async fn write(&self) -> Result<(), StoreError> {
        let counts = self.deps.counter.take();
        if counts.is_empty() {
            return Ok(());
        }
        let written = self.deps.store.add(&counts).await;
        if written.is_err() {
            self.deps.counter.put_back(counts);
        }
        written
    }

    /// Judges the codes of all organizations unless that was done within the last minute. A failure is
    /// retried by the next call and does not delay other organizations.
    pub async fn judge(&self) -> Result<(), StoreError> {
        if !self.deps.store.begin_judging().await? {
            return Ok(());
        }
        let windows = Windows::at(self.deps.clock.now());
        for (organization, range) in self.deps.store.suspects(windows, SUSPECTS).await? {
            if let Err(error) = self.judge_one(organization, range, windows).await {
                tracing::warn!(%error, %organization, %range, "failed to judge the share of delivered codes");
            }
        }
        Ok(())
    }

    async fn judge_one(
        &self,
        organization: Id<Organization>,
        range: OperatorRange,
        windows: Windows,
    ) -> Result<(), StoreError> {
        let now = self.deps.clock.now();
        let last = self.deps.store.last_alert(organization, range).await?;
        if last.as_ref().is_some_and(|last| last.is_stopped(now)) {
            return Ok(());
        }
        let windows = last.as_ref().map_or(windows, |last| last.windows_after(windows));
        let evidence = self.deps.store.evidence(organization, range, windows).await?;
        let Some(finding) = evidence.finding() else { return Ok(()) };
        let is_spared = last.as_ref().is_some_and(|last| last.was_lifted_lately(now));
        let is_stopped = finding == Finding::Stop && !is_spared;
        let alert = TrafficAlert {
            id: Id::new_in(now, organization),
            organization,
            range,
            found_at: now,
            evidence,
            stopped_until: is_stopped.then_some(now + STOP),
            lifted_at: None,
            lifted_by: None,
        };
        self.deps.store.raise(&alert).await?;
        if is_stopped {
            self.deps.policies.forget(organization);
            tracing::warn!(
                %organization, %range, codes = evidence.recent.codes,
                delivered = evidence.recent.delivered, "stopped codes: too few arrive"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

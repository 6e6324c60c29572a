//! Reconciliation of open top-ups with the gateway.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use domain::money::top_up::{TopUp, TopUpStatus};
use ports::money::payments::{GatewayError, PaymentGateway};

use super::{
    Settled, TopUps,
    settlement::{TopUpOutcome, count},
};
use crate::Error;

/// Number of top-ups leased per pass, and duration of the lease, which outlasts all of their calls.
const BATCH: usize = 10;
const LEASE: TimeDelta = TimeDelta::minutes(3);
/// Delay until the gateway is asked again if it did not answer.
const RETRY: TimeDelta = TimeDelta::minutes(10);

impl TopUps {
    /// Asks the gateway about open top-ups, and returns the number of those checked. Call every few
    /// seconds; any number of instances may do so at once.
    pub async fn reconcile(&self) -> Result<usize, Error> {
        let Some(gateway) = &self.deps.gateway else { return Ok(0) };
        let due = self.deps.top_ups.take_due(self.deps.clock.now(), LEASE, BATCH).await?;
        let mut failures = 0_u64;
        let mut last_error = None;
        for top_up in &due {
            if let Err(error) = self.reconcile_one(gateway, top_up).await {
                failures += 1;
                last_error = Some(error);
            }
        }
        metrics::counter!("atumpan_top_up_checks_failed_total").increment(failures);
        if let Some(error) = last_error {
            tracing::warn!(%error, failures, "failed to ask the payment gateway about top-ups");
        }
        Ok(due.len())
    }

    async fn reconcile_one(
        &self,
        gateway: &Arc<dyn PaymentGateway>,
        top_up: &TopUp,
    ) -> Result<(), Error> {
        match gateway.verify(&top_up.reference).await {
            Ok(payment) => match self.settle(payment, Some(top_up)).await? {
                Settled::Credited(_) => Ok(()),
                Settled::NotPaid | Settled::Exception(_) => self.wait(top_up).await,
            },
            Err(GatewayError::UnknownPayment) => self.wait(top_up).await,
            Err(error) => {
                let at = self.deps.clock.now() + RETRY;
                self.deps.top_ups.check_again(top_up, at).await?;
                Err(Error::Internal(error.into()))
            }
        }
    }

    /// Schedules the next check of a top-up, or abandons it.
    async fn wait(&self, top_up: &TopUp) -> Result<(), Error> {
        let now: DateTime<Utc> = self.deps.clock.now();
        match top_up.next_check(now) {
            Some(at) => self.deps.top_ups.check_again(top_up, at).await?,
            None => {
                self.deps.top_ups.close(top_up, TopUpStatus::Abandoned).await?;
                count(TopUpOutcome::Abandoned);
            }
        }
        Ok(())
    }
}

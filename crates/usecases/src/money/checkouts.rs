//! Checkout page of the simulated gateway.

use std::sync::Arc;

use chrono::TimeDelta;
use derive_more::Constructor;
use domain::money::{payment::PaymentStatus, top_up::TopUpReference};
use ports::{
    identity::organizations::OrganizationRepository,
    money::payments::{SimulatedPayment, SimulatedPaymentRepository, WebhookSender},
    shared::clock::Clock,
};

use crate::Error;

/// Time for the deciding request to notify the webhook, before another instance does.
const FIRST_NOTICE: TimeDelta = TimeDelta::seconds(15);
/// First delay of a retried notification; it doubles each time.
const RETRY_AFTER: TimeDelta = TimeDelta::seconds(5);
/// Number of payments notified per pass.
const NOTIFIED_AT_ONCE: usize = 20;

/// Operations on payments at the simulated gateway.
#[derive(Clone, Constructor)]
pub struct Checkouts {
    /// Simulated gateway; `None` if another one is used.
    simulated: Option<SimulatedGatewayDeps>,
    organizations: Arc<dyn OrganizationRepository>,
    clock: Arc<dyn Clock>,
}

/// Dependencies of the simulated gateway.
#[derive(Clone)]
pub struct SimulatedGatewayDeps {
    /// Store of its payments.
    pub payments: Arc<dyn SimulatedPaymentRepository>,
    /// Sender of its webhook notifications.
    pub webhook: Arc<dyn WebhookSender>,
}

/// A payment, as shown to the payer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Name of the organization whose wallet is topped up.
    pub organization: String,
    /// The payment.
    pub payment: SimulatedPayment,
}

impl Checkouts {
    /// Returns the payment with that reference.
    pub async fn show(&self, reference: &str) -> Result<Checkout, Error> {
        let (deps, reference) = self.open(reference)?;
        let payment = deps.payments.find(&reference).await?.ok_or(NO_PAYMENT)?;
        self.checkout(payment).await
    }

    /// Pays or declines. A paid payment stays paid. The webhook is notified before this returns; if it
    /// does not answer, it is notified in the background.
    pub async fn decide(&self, reference: &str, is_paid: bool) -> Result<Checkout, Error> {
        let (deps, reference) = self.open(reference)?;
        let status = if is_paid { PaymentStatus::Succeeded } else { PaymentStatus::Failed };
        let notify_at = self.clock.now() + FIRST_NOTICE;
        let decided = deps.payments.decide(&reference, status, notify_at).await?;
        let (payment, has_changed) = decided.ok_or(NO_PAYMENT)?;
        if has_changed {
            notify(deps, &payment).await?;
        }
        self.checkout(payment).await
    }

    /// Notifies the webhook of pending payments. Call every few seconds.
    pub async fn notify_pending(&self) -> Result<(), Error> {
        let Some(deps) = &self.simulated else { return Ok(()) };
        let now = self.clock.now();
        for payment in deps.payments.take_pending(now, RETRY_AFTER, NOTIFIED_AT_ONCE).await? {
            notify(deps, &payment).await?;
        }
        Ok(())
    }

    /// True if the simulated gateway is in use.
    pub fn are_open(&self) -> bool {
        self.simulated.is_some()
    }

    fn open(&self, reference: &str) -> Result<(&SimulatedGatewayDeps, TopUpReference), Error> {
        let deps = self.simulated.as_ref().ok_or(NO_PAYMENT)?;
        let reference = reference.parse().map_err(|_| NO_PAYMENT)?;
        Ok((deps, reference))
    }

    async fn checkout(&self, payment: SimulatedPayment) -> Result<Checkout, Error> {
        let organization = self.organizations.find(payment.organization).await?;
        let organization = organization.ok_or(NO_PAYMENT)?.name;
        Ok(Checkout { organization, payment })
    }
}

/// Notifies the webhook of a payment. A failed notification is retried later.
async fn notify(deps: &SimulatedGatewayDeps, payment: &SimulatedPayment) -> Result<(), Error> {
    match deps.webhook.notify(payment).await {
        Ok(()) => Ok(deps.payments.mark_notified(payment).await?),
        Err(error) => {
            let reference = &payment.reference;
            tracing::warn!(%reference, error, "failed to notify the webhook of a simulated payment");
            Ok(())
        }
    }
}

/// The payment does not exist, or the simulated gateway is not in use.
const NO_PAYMENT: Error = Error::NotFound("payment");

#[cfg(test)]
mod tests;

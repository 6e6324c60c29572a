//! The page on which payments are made at the simulated gateway.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::money::{payment::PaymentStatus, top_up::TopUpReference};
use ports::{
    identity::organizations::OrganizationRepository,
    money::payments::{SimulatedPayment, SimulatedPaymentRepository, WebhookSender},
    shared::clock::Clock,
};

use crate::Error;

/// How long whoever decides has to tell the webhook, before somebody else does.
const FIRST_TELLING: TimeDelta = TimeDelta::seconds(15);
/// How soon it is told again if that failed; then twice as late each time.
const TELL_AGAIN: TimeDelta = TimeDelta::seconds(5);
/// How many payments are told at a time.
const TOLD_AT_ONCE: usize = 20;

/// Operations on payments at the simulated gateway.
#[derive(Clone)]
pub struct Checkouts {
    simulated: Option<SimulatedGatewayDeps>,
    organizations: Arc<dyn OrganizationRepository>,
    clock: Arc<dyn Clock>,
}

/// What the simulated gateway consists of.
#[derive(Clone)]
pub struct SimulatedGatewayDeps {
    /// Keeps its payments.
    pub payments: Arc<dyn SimulatedPaymentRepository>,
    /// Tells us of them.
    pub webhook: Arc<dyn WebhookSender>,
}

/// A payment, as it is shown to whoever makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The name of the organization whose wallet it is for.
    pub organization: String,
    /// The payment.
    pub payment: SimulatedPayment,
}

impl Checkouts {
    /// The pages of the simulated gateway; there are none where another gateway serves.
    pub fn new(
        simulated: Option<SimulatedGatewayDeps>,
        organizations: Arc<dyn OrganizationRepository>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { simulated, organizations, clock }
    }

    /// The payment of that reference.
    pub async fn show(&self, reference: &str) -> Result<Checkout, Error> {
        let (parts, reference) = self.open(reference)?;
        let payment = parts.payments.find(&reference).await?.ok_or(NO_PAYMENT)?;
        self.checkout(payment).await
    }

    /// Pays, or declines to. What is paid stays paid. The webhook is told before this returns if it
    /// answers, and in the background if it does not.
    pub async fn decide(&self, reference: &str, is_paid: bool) -> Result<Checkout, Error> {
        let (parts, reference) = self.open(reference)?;
        let status = if is_paid { PaymentStatus::Succeeded } else { PaymentStatus::Failed };
        let tell_at = self.clock.now() + FIRST_TELLING;
        let decided = parts.payments.decide(&reference, status, tell_at).await?;
        let (payment, has_changed) = decided.ok_or(NO_PAYMENT)?;
        if has_changed {
            tell(parts, &payment).await?;
        }
        self.checkout(payment).await
    }

    /// Tells the webhook of payments of which it has not heard. To be called every few seconds.
    pub async fn tell_left(&self) -> Result<(), Error> {
        let Some(parts) = &self.simulated else { return Ok(()) };
        let now = self.clock.now();
        for payment in parts.payments.take_pending(now, TELL_AGAIN, TOLD_AT_ONCE).await? {
            tell(parts, &payment).await?;
        }
        Ok(())
    }

    /// Whether there is a simulated gateway.
    pub fn are_open(&self) -> bool {
        self.simulated.is_some()
    }

    fn open(&self, reference: &str) -> Result<(&SimulatedGatewayDeps, TopUpReference), Error> {
        let parts = self.simulated.as_ref().ok_or(NO_PAYMENT)?;
        let reference = reference.parse().map_err(|_| NO_PAYMENT)?;
        Ok((parts, reference))
    }

    async fn checkout(&self, payment: SimulatedPayment) -> Result<Checkout, Error> {
        let organization = self.organizations.find(payment.organization).await?;
        let organization = organization.ok_or(NO_PAYMENT)?.name;
        Ok(Checkout { organization, payment })
    }
}

/// Tells the webhook of a payment. If it does not take it, it is told again later.
async fn tell(parts: &SimulatedGatewayDeps, payment: &SimulatedPayment) -> Result<(), Error> {
    match parts.webhook.tell(payment).await {
        Ok(()) => Ok(parts.payments.mark_notified(payment).await?),
        Err(error) => {
            let reference = &payment.reference;
            tracing::warn!(%reference, error, "failed to tell the webhook of a simulated payment");
            Ok(())
        }
    }
}

/// There is no such payment, or no simulated gateway.
const NO_PAYMENT: Error = Error::NotFound("payment");

#[cfg(test)]
mod tests;

//! Webhook events of the payment gateway.

use std::fmt::Write;

use domain::money::{
    payment::{ExceptionReason, Payment},
    top_up::TopUp,
};
use ports::money::payments::{EventOutcome, GatewayEvent, GatewayNews, KeptEvent};

use super::{Settled, TopUps, settlement::clean};
use crate::{
    Error,
    shared::{digest, refusals::INVALID_SIGNATURE},
};

/// Maximum stored size of an event, in bytes.
const MAX_KEPT: usize = 64 * 1_024;

impl TopUps {
    /// Receives an event if its signature is valid. It is stored before it is processed.
    pub async fn receive(&self, signature: Option<&str>, body: &[u8]) -> Result<(), Error> {
        let invalid = || Error::Unauthenticated(INVALID_SIGNATURE);
        let gateway = self.deps.gateway.as_ref().ok_or_else(invalid)?;
        let signature = signature.ok_or_else(invalid)?;
        let event = gateway.receive(signature, body).map_err(|_| invalid())?;
        let kept = self.kept(&event, body);
        self.deps.payments.keep_event(&kept).await?;
        let outcome = self.apply(event, kept.hash).await?;
        self.deps.payments.note_outcome(kept.hash, outcome).await?;
        Ok(())
    }

    fn kept(&self, event: &GatewayEvent, body: &[u8]) -> KeptEvent {
        let reference = event.payment.as_ref().map(|payment| payment.reference.clone());
        KeptEvent {
            hash: digest::of_secret(body),
            kind: event.kind.clone().map(domain::shared::vendor_text::clean),
            reference: reference.filter(|text| !text.is_empty()).map(digest::of_reference),
            body: body[..body.len().min(MAX_KEPT)].to_vec(),
            size: body.len(),
            received_at: self.deps.clock.now(),
        }
    }

    async fn apply(&self, event: GatewayEvent, hash: [u8; 32]) -> Result<EventOutcome, Error> {
        let Some(kind) = event.kind else {
            tracing::warn!("kept a signed event of the payment gateway that cannot be read");
            return Ok(EventOutcome::Unreadable);
        };
        let taken_back = match event.news {
            GatewayNews::Paid => None,
            GatewayNews::TakenBack(reason) => Some(reason),
            GatewayNews::Other => {
                tracing::info!(
                    kind = domain::shared::vendor_text::clean(kind),
                    "kept a gateway event"
                );
                return Ok(EventOutcome::Ignored);
            }
        };
        let Some(mut payment) = event.payment else {
            tracing::warn!("kept a payment of which the gateway says nothing that can be read");
            return Ok(EventOutcome::Unreadable);
        };
        if payment.reference.is_empty() {
            // Payments without a reference are distinguished by the hash of their event.
            payment.reference = hash.iter().fold("event-".to_owned(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            });
        }
        let top_up = match payment.reference.parse() {
            Ok(reference) => self.deps.top_ups.find(&reference).await?,
            Err(_) => None,
        };
        if let Some(reason) = taken_back {
            return self.take_note(&payment, reason, top_up.as_ref()).await;
        }
        Ok(match self.settle(payment, top_up.as_ref()).await? {
            Settled::Credited(credited) if credited.is_new => EventOutcome::Credited,
            Settled::Credited(_) => EventOutcome::AlreadyCredited,
            Settled::Exception(_) => EventOutcome::Exception,
            Settled::NotPaid => EventOutcome::Ignored,
        })
    }

    /// Keeps a refunded or disputed payment for an administrator to decide on: the credit may be spent,
    /// and a dispute may be won.
    async fn take_note(
        &self,
        payment: &Payment,
        reason: ExceptionReason,
        top_up: Option<&TopUp>,
    ) -> Result<EventOutcome, Error> {
        self.keep_exception(&clean(payment.clone()), reason, top_up).await?;
        Ok(EventOutcome::Exception)
    }
}

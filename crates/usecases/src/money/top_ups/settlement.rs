//! Settlement: the single path by which payments credit wallets, whatever reported them.

use domain::{
    identity::organization::Organization,
    money::{
        payment::{ExceptionReason, Judgement, Payment, PaymentException},
        top_up::{TopUp, TopUpReference},
        wallet::Credited,
    },
    shared::{id::Id, vendor_text},
};
use metrics::Counter;
use ports::money::payments::GatewayError;

use super::{TopUps, Verified, payment_failed};
use crate::{Error, shared::digest};

/// Result of a settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The wallet is credited.
    Credited(Credited),
    /// Nothing is paid so far.
    NotPaid,
    /// The payment is kept for platform administrators.
    Exception(ExceptionReason),
}

domain::closed_list! {
    /// Outcome of a top-up, as the metrics count it.
    pub(super) enum TopUpOutcome {
        /// The checkout is open.
        Started = "started",
        /// The wallet is credited.
        Credited = "credited",
        /// Nothing was paid.
        Abandoned = "abandoned",
        /// The payment could not be credited.
        Exception = "exception",
    }
}

impl TopUps {
    /// Credits a payment if it is due and not credited yet. `top_up` is the one with its reference. It
    /// is idempotent and safe to call concurrently.
    pub(super) async fn settle(
        &self,
        payment: Payment,
        top_up: Option<&TopUp>,
    ) -> Result<Settled, Error> {
        let mode = self.deps.gateway.as_ref().and_then(|gateway| gateway.mode());
        let payment = clean(payment);
        match payment.judge(top_up, mode) {
            Judgement::NotPaid => Ok(Settled::NotPaid),
            Judgement::Credit(due) => {
                if self.is_closed(due.organization).await? {
                    let reason = ExceptionReason::OrganizationClosed;
                    self.keep_exception(&payment, reason, top_up).await?;
                    return Ok(Settled::Exception(reason));
                }
                Ok(Settled::Credited(self.credit(due).await?))
            }
            Judgement::AlreadyCredited(top_up) => Ok(Settled::Credited(self.credit(top_up).await?)),
            Judgement::Exception(reason) => {
                self.keep_exception(&payment, reason, top_up).await?;
                Ok(Settled::Exception(reason))
            }
        }
    }

    /// Returns the result of a top-up that is credited.
    pub(super) async fn verified(&self, top_up: &TopUp) -> Result<Verified, Error> {
        let credited = self.credit(top_up).await?;
        Ok(Verified {
            reference: top_up.reference.clone(),
            is_new: credited.is_new,
            amount: top_up.amount,
            balance: credited.balance,
        })
    }

    /// Asks the gateway about a payment.
    pub(super) async fn query_gateway(&self, reference: &TopUpReference) -> Result<Payment, Error> {
        match self.gateway()?.verify(reference).await {
            Ok(payment) => Ok(payment),
            Err(GatewayError::UnknownPayment) => {
                Err(payment_failed("the gateway knows no payment with this reference"))
            }
            Err(error) => Err(self.gateway_failed(&error, reference)),
        }
    }

    /// True if the organization is closed. It is read anew: a payment is rare, and its money would be
    /// out of reach.
    async fn is_closed(&self, organization: Id<Organization>) -> Result<bool, Error> {
        let settings = self.deps.organizations.settings(organization).await?;
        Ok(settings.is_some_and(|settings| settings.closed_at.is_some()))
    }

    pub(super) async fn credit(&self, top_up: &TopUp) -> Result<Credited, Error> {
        let credited =
            self.deps.top_ups.credit(top_up, &top_up.credit(self.deps.clock.now())).await?;
        if credited.is_new {
            count(TopUpOutcome::Credited);
            tracing::info!(
                organization = %top_up.organization,
                reference = %top_up.reference,
                amount = %top_up.amount,
                "credited a top-up"
            );
        }
        Ok(credited)
    }

    pub(super) async fn keep_exception(
        &self,
        payment: &Payment,
        reason: ExceptionReason,
        top_up: Option<&TopUp>,
    ) -> Result<(), Error> {
        let exception = PaymentException::of(payment, reason, top_up, self.deps.clock.now());
        if self.deps.payments.keep_exception(&exception).await? {
            count(TopUpOutcome::Exception);
            tracing::warn!(
                exception = %exception.id,
                reference = exception.reference,
                reason = reason.as_str(),
                "kept a payment that an administrator must look at; see /admin/payment-exceptions"
            );
        }
        Ok(())
    }
}

/// Counts the outcome of a top-up.
pub(super) fn count(outcome: TopUpOutcome) {
    top_ups(outcome).increment(1);
}

/// Registers the counters of top-ups, so that they exist before the first.
pub fn register_outcomes() {
    for outcome in TopUpOutcome::ALL {
        top_ups(outcome).increment(0);
    }
}

fn top_ups(outcome: TopUpOutcome) -> Counter {
    metrics::counter!("atumpan_top_ups_total", "outcome" => outcome.as_str())
}

/// Returns the payment with texts that can be stored.
pub(super) fn clean(payment: Payment) -> Payment {
    Payment {
        reference: digest::of_reference(payment.reference),
        currency: payment.currency.map(vendor_text::clean),
        ..payment
    }
}

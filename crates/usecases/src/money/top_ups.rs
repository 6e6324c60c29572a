//! Top-ups: money that comes into wallets through a payment gateway, and past it.

mod past_gateway;
mod reconciliation;
mod settlement;
#[cfg(test)]
mod tests;
mod webhook;

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use domain::{
    identity::{
        caller::{Administrator, Caller},
        organization::Organization,
        permission::Permission,
        user::User,
    },
    money::top_up::{PaymentMethod, TopUp, TopUpReference, TopUpRequest, TopUpStatus},
    shared::{fault::Faults, id::Id, money::Money, text},
};
use ports::{
    money::{
        payments::{GatewayError, PaymentGateway, PaymentOrder, PaymentRepository},
        top_ups::TopUpRepository,
    },
    shared::{clock::Clock, random::Random},
};

pub use self::settlement::Settled;
use crate::{Error, Reason, identity::auth::NOT_A_MEMBER, money::invoices::Invoices};

/// There is no payment gateway.
pub const NO_GATEWAY: Reason = Reason::new(
    "GATEWAY_NOT_CONFIGURED",
    "no payment gateway is set up, so that a wallet can be topped up by invoice only",
);
/// The payment gateway does not do its part.
pub const GATEWAY_AWAY: Reason = Reason::new(
    "SERVICE_UNAVAILABLE",
    "the payment gateway does not answer as it should; try again in a few minutes",
);
/// A reference was given by somebody who may not credit wallets.
pub const REFERENCE_NOT_ALLOWED: Reason =
    Reason::new("FORBIDDEN", "only a platform administrator credits a wallet under a reference");
/// It is not said which payment is meant.
pub const REFERENCE_REQUIRED: Reason =
    Reason::new("REFERENCE_REQUIRED", "the reference of a top-up is required");
/// The organization has too many top-ups that nobody has paid.
pub const TOO_MANY_TOP_UPS: Reason = Reason::new(
    "TOO_MANY_TOP_UPS",
    "too many top-ups wait for their payment; pay one, or wait until old ones are given up",
);

/// The payment did not succeed, or not yet.
pub fn payment_failed(message: impl Into<String>) -> Error {
    Error::BadRequest(Reason::with_message("PAYMENT_FAILED", message))
}

/// How many top-ups of an organization may wait for their payment: each is asked about for three days.
const MOST_PENDING: usize = 1_000;
/// How often the log says that the gateway fails, in seconds.
const FAILURES_ARE_TOLD_EVERY: i64 = 10;

/// Operations on top-ups.
#[derive(Clone)]
pub struct TopUps {
    repository: Arc<dyn TopUpRepository>,
    payments: Arc<dyn PaymentRepository>,
    gateway: Option<Arc<dyn PaymentGateway>>,
    invoices: Invoices,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    /// When the log last said that the gateway fails, in seconds.
    failure_logged_at: Arc<AtomicI64>,
}

/// What [`TopUps`] work with.
pub struct TopUpsDeps {
    /// Keeps top-ups.
    pub top_ups: Arc<dyn TopUpRepository>,
    /// Keeps what the gateway says.
    pub payments: Arc<dyn PaymentRepository>,
    /// Where people pay, if anywhere.
    pub gateway: Option<Arc<dyn PaymentGateway>>,
    /// What is paid past the gateway.
    pub invoices: Invoices,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
    /// Makes references.
    pub random: Arc<dyn Random>,
}

/// Who asks for a top-up: a member of the organization, or a platform administrator.
#[derive(Debug, Clone)]
pub struct Payer {
    /// The user.
    pub user: User,
    /// For whom.
    pub organization: Id<Organization>,
    /// The user as a member of that; an administrator need not be one.
    pub member: Option<Caller>,
    /// The user as a platform administrator.
    pub administrator: Option<Administrator>,
}

/// What became of a request to top up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// What it is called.
    pub reference: String,
    /// Whether the money is in the wallet; else it is to be paid.
    pub is_credited: bool,
    /// The page on which it is paid.
    pub checkout_url: Option<String>,
    /// How much.
    pub amount: Money,
}

/// A payment that is in the wallet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Of which top-up.
    pub reference: TopUpReference,
    /// Whether it came in now; else it had come before.
    pub is_new: bool,
    /// How much.
    pub amount: Money,
    /// What the wallet holds.
    pub balance: Money,
}

impl TopUps {
    /// Top-ups as `deps` keep and pay them.
    pub fn new(deps: TopUpsDeps) -> Self {
        let TopUpsDeps { top_ups, payments, gateway, invoices, clock, random } = deps;
        let failure_logged_at = Arc::default();
        Self { repository: top_ups, payments, gateway, invoices, clock, random, failure_logged_at }
    }

    /// Begins a top-up, or credits one that a platform administrator knows to be paid. `faults` is what
    /// is already known to be wrong.
    pub async fn top_up(
        &self,
        payer: &Payer,
        request: TopUpRequest,
        faults: Faults,
    ) -> Result<Receipt, Error> {
        if request.reference.is_some() {
            return self.credit_by_hand(payer, request, faults).await;
        }
        let member = payer.member.as_ref().ok_or(Error::Forbidden(NOT_A_MEMBER))?;
        member.authorize(Permission::TopUp)?;
        let amount = faults.check(request.checked_amount())?;
        match request.method.unwrap_or_default() {
            method @ (PaymentMethod::MobileMoney | PaymentMethod::Card) => {
                self.begin(payer, method, amount).await
            }
            PaymentMethod::Invoice => self.invoice(member, amount).await,
        }
    }

    /// What came of the payment of a top-up. If it was made, the money is in the wallet afterwards.
    pub async fn verify(
        &self,
        caller: &Caller,
        reference: Option<String>,
        mut faults: Faults,
    ) -> Result<Verified, Error> {
        caller.authorize(Permission::TopUp)?;
        let reference = reference.filter(|text| !text.trim().is_empty());
        if reference.is_none() && !faults.knows("", "reference") {
            return Err(Error::BadRequest(REFERENCE_REQUIRED));
        }
        let without_nul = text::without_nul(reference.as_deref().unwrap_or_default());
        faults.take("reference", without_nul);
        let reference = faults.require(reference)?;
        let unknown = || payment_failed("there is no top-up with this reference");
        let reference: TopUpReference = reference.trim().parse().map_err(|_| unknown())?;
        let top_up = self.repository.find(&reference).await?;
        let top_up = top_up.filter(|it| it.organization == caller.organization);
        let top_up = top_up.ok_or_else(unknown)?;
        if top_up.status == TopUpStatus::Credited {
            return self.verified(&top_up).await;
        }
        let payment = self.ask(&reference).await?;
        match self.settle(payment.clone(), Some(&top_up)).await? {
            Settled::Credited(credited) => Ok(Verified {
                reference,
                is_new: credited.is_new,
                amount: top_up.amount,
                balance: credited.balance,
            }),
            Settled::NotPaid => {
                let status = domain::providers::vendor_text::clean(payment.status_text);
                Err(payment_failed(format!(
                    "nothing is paid so far: the gateway says `{status}`; ask again when the payment is made"
                )))
            }
            Settled::Exception(reason) => Err(payment_failed(format!(
                "the payment is not credited, but kept for the platform's administrators: {}",
                reason.as_str()
            ))),
        }
    }

    async fn begin(
        &self,
        payer: &Payer,
        method: PaymentMethod,
        amount: Money,
    ) -> Result<Receipt, Error> {
        let gateway = self.gateway()?;
        let (now, organization) = (self.clock.now(), payer.organization);
        let top_up = TopUp {
            id: Id::new_in(now, organization),
            organization,
            reference: TopUpReference::new_in(organization, self.random.secret()),
            amount,
            method,
            status: TopUpStatus::Pending,
            requested_by: payer.user.id,
            created_at: now,
        };
        let order = PaymentOrder {
            reference: top_up.reference.clone(),
            organization,
            amount,
            method,
            email: payer.user.email.clone(),
        };
        // Kept before it can be paid, so that no payment finds nothing here.
        if !self.repository.insert(&top_up, top_up.next_check(now), MOST_PENDING).await? {
            return Err(Error::Conflict(TOO_MANY_TOP_UPS));
        }
        settlement::count("started");
        match gateway.initialize(&order).await {
            Ok(url) => Ok(Receipt {
                reference: top_up.reference.to_string(),
                is_credited: false,
                checkout_url: Some(url),
                amount,
            }),
            Err(error) => {
                if !matches!(error, GatewayError::Unanswered(_)) {
                    self.repository.close(&top_up, TopUpStatus::Failed).await?;
                }
                Err(self.gateway_failed(&error, &top_up.reference))
            }
        }
    }

    fn gateway(&self) -> Result<&Arc<dyn PaymentGateway>, Error> {
        self.gateway.as_ref().ok_or(Error::Unavailable(NO_GATEWAY))
    }

    /// Tells the operator, now and then, why requests fail that need the gateway.
    fn gateway_failed(&self, error: &GatewayError, reference: &TopUpReference) -> Error {
        let now = self.clock.now().timestamp();
        if now - self.failure_logged_at.load(Ordering::Relaxed) >= FAILURES_ARE_TOLD_EVERY {
            self.failure_logged_at.store(now, Ordering::Relaxed);
            tracing::warn!(%error, %reference, "the payment gateway failed");
        }
        Error::Unavailable(GATEWAY_AWAY)
    }
}

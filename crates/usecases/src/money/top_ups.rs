//! Top-ups of wallets, through a payment gateway or without it.

mod past_gateway;
mod progress;
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
    shared::{
        fault::Faults,
        id::Id,
        money::Money,
        page::{Page, Paged},
        text,
    },
};
use ports::{
    identity::organizations::OrganizationRepository,
    money::{
        payments::{GatewayError, PaymentGateway, PaymentOrder, PaymentRepository},
        top_ups::TopUpRepository,
    },
    shared::{clock::Clock, random::Random},
};

use self::settlement::TopUpOutcome;
pub use self::{
    progress::Progress,
    settlement::{Settled, register_outcomes},
};
use crate::{Error, Reason, identity::auth::NOT_A_MEMBER, money::invoices::Invoices};

/// No payment gateway is configured.
pub const NO_GATEWAY: Reason = Reason::new(
    "GATEWAY_NOT_CONFIGURED",
    "no payment gateway is set up, so that a wallet can be topped up by invoice only",
);
/// The payment gateway failed or did not answer.
pub const GATEWAY_AWAY: Reason = Reason::new(
    "SERVICE_UNAVAILABLE",
    "the payment gateway does not answer as it should; try again in a few minutes",
);
/// The caller gave a reference but may not credit wallets.
pub const REFERENCE_NOT_ALLOWED: Reason =
    Reason::new("FORBIDDEN", "only a platform administrator credits a wallet under a reference");
/// The request names no top-up.
pub const REFERENCE_REQUIRED: Reason = Reason::missing_field(
    "reference",
    "REFERENCE_REQUIRED",
    "the reference of a top-up is required",
);
/// The organization has too many unpaid top-ups.
pub const TOO_MANY_TOP_UPS: Reason = Reason::new(
    "TOO_MANY_TOP_UPS",
    "too many top-ups wait for their payment; pay one, or wait until old ones are given up",
);

/// The payment has not succeeded.
pub fn payment_failed(message: impl Into<String>) -> Error {
    Error::BadRequest(Reason::with_message("PAYMENT_FAILED", message))
}

/// Maximum number of pending top-ups of an organization; each is checked for three days.
const MOST_PENDING: usize = 1_000;
/// Minimum time between log lines about gateway failures, in seconds.
const FAILURE_LOG_SECONDS: i64 = 10;

/// Operations on top-ups.
#[derive(Clone)]
pub struct TopUps {
    deps: Arc<TopUpsDeps>,
    /// Time of the last log line about a gateway failure, in seconds.
    failure_logged_at: Arc<AtomicI64>,
}

/// Dependencies of [`TopUps`].
pub struct TopUpsDeps {
    /// Store of top-ups.
    pub top_ups: Arc<dyn TopUpRepository>,
    /// Settings of organizations: a closed one is not credited.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Store of gateway events and payment exceptions.
    pub payments: Arc<dyn PaymentRepository>,
    /// Payment gateway; `None` if none is configured.
    pub gateway: Option<Arc<dyn PaymentGateway>>,
    /// Operations on invoices, for payments without the gateway.
    pub invoices: Invoices,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of references.
    pub random: Arc<dyn Random>,
}

/// User who requests a top-up: a member of the organization, or a platform administrator.
#[derive(Debug, Clone)]
pub struct Payer {
    /// User.
    pub user: User,
    /// Organization whose wallet is topped up.
    pub organization: Id<Organization>,
    /// User as a member of the organization; `None` if they are not a member.
    pub member: Option<Caller>,
    /// User as a platform administrator; `None` if they are not one.
    pub administrator: Option<Administrator>,
}

/// Result of a top-up request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Reference of the top-up.
    pub reference: String,
    /// True if the wallet is credited; false if the payment is still to be made.
    pub is_credited: bool,
    /// Payment page; `None` if nothing is paid at a gateway.
    pub checkout_url: Option<String>,
    /// Amount of the top-up.
    pub amount: Money,
}

/// Credited payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Reference of the top-up.
    pub reference: TopUpReference,
    /// True if this call credited it; false if it was credited before.
    pub is_new: bool,
    /// Amount of the top-up.
    pub amount: Money,
    /// Balance of the wallet afterwards.
    pub balance: Money,
}

impl TopUps {
    /// Creates the operations from their dependencies.
    pub fn new(deps: TopUpsDeps) -> Self {
        Self { deps: Arc::new(deps), failure_logged_at: Arc::default() }
    }

    /// Returns a page of the top-ups of the caller's organization, newest first: those of one status, or
    /// all.
    pub async fn page(
        &self,
        caller: &Caller,
        status: Option<TopUpStatus>,
        page: Page,
    ) -> Result<Paged<TopUp>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.deps.top_ups.page(caller.organization, status, page).await?)
    }

    /// Begins a top-up, or credits a payment that a platform administrator confirms. `faults` holds the
    /// faults found so far.
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
                self.begin(payer, (method, amount), request.pages.as_deref()).await
            }
            PaymentMethod::Invoice => self.invoice(member, amount).await,
        }
    }

    /// Checks the payment of a top-up at the gateway, and credits the wallet if it was made.
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
        let top_up = self.deps.top_ups.find(&reference).await?;
        let top_up = top_up.filter(|it| it.organization == caller.organization);
        let top_up = top_up.ok_or_else(unknown)?;
        if top_up.status == TopUpStatus::Credited {
            return self.verified(&top_up).await;
        }
        let payment = self.query_gateway(&reference).await?;
        match self.settle(payment.clone(), Some(&top_up)).await? {
            Settled::Credited(credited) => Ok(Verified {
                reference,
                is_new: credited.is_new,
                amount: top_up.amount,
                balance: credited.balance,
            }),
            Settled::NotPaid => {
                let status = domain::shared::vendor_text::clean(payment.status_text);
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
        (method, amount): (PaymentMethod, Money),
        pages: Option<&str>,
    ) -> Result<Receipt, Error> {
        let gateway = self.gateway()?;
        let (now, organization) = (self.deps.clock.now(), payer.organization);
        let top_up = TopUp {
            id: Id::new_in(now, organization),
            organization,
            reference: TopUpReference::new_in(organization, self.deps.random.secret()),
            amount,
            method,
            status: TopUpStatus::Pending,
            requested_by: payer.user.id,
            created_at: now,
            credited_at: None,
        };
        let order = PaymentOrder {
            reference: top_up.reference.clone(),
            organization,
            amount,
            method,
            email: payer.user.email.clone(),
            return_url: pages.map(|pages| format!("{pages}/{}", top_up.reference)),
        };
        // Stored before it can be paid, so that every payment finds its top-up.
        if !self.deps.top_ups.insert(&top_up, top_up.next_check(now), MOST_PENDING).await? {
            return Err(Error::Conflict(TOO_MANY_TOP_UPS));
        }
        settlement::count(TopUpOutcome::Started);
        match gateway.initialize(&order).await {
            Ok(url) => {
                self.deps.top_ups.keep_checkout(&top_up, &url).await?;
                Ok(Receipt {
                    reference: top_up.reference.to_string(),
                    is_credited: false,
                    checkout_url: Some(url),
                    amount,
                })
            }
            Err(error) => {
                if !matches!(error, GatewayError::Unanswered(_)) {
                    self.deps.top_ups.close(&top_up, TopUpStatus::Failed).await?;
                }
                Err(self.gateway_failed(&error, &top_up.reference))
            }
        }
    }

    fn gateway(&self) -> Result<&Arc<dyn PaymentGateway>, Error> {
        self.deps.gateway.as_ref().ok_or(Error::Unavailable(NO_GATEWAY))
    }

    /// Logs a gateway failure, at most once per interval.
    fn gateway_failed(&self, error: &GatewayError, reference: &TopUpReference) -> Error {
        let now = self.deps.clock.now().timestamp();
        if now - self.failure_logged_at.load(Ordering::Relaxed) >= FAILURE_LOG_SECONDS {
            self.failure_logged_at.store(now, Ordering::Relaxed);
            tracing::warn!(%error, %reference, "the payment gateway failed");
        }
        Error::Unavailable(GATEWAY_AWAY)
    }
}

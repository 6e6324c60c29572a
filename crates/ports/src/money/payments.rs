//! Payment gateways, their events and the payments that could not be credited.
//!
//! ```
//! use domain::money::{payment::PaymentStatus, top_up::TopUpReference};
//! use ports::money::payments::{GatewayError, PaymentGateway};
//!
//! async fn is_paid(
//!     gateway: &dyn PaymentGateway,
//!     reference: &TopUpReference,
//! ) -> Result<bool, GatewayError> {
//!     Ok(gateway.verify(reference).await?.status == PaymentStatus::Succeeded)
//! }
//! ```

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    money::{
        payment::{
            ExceptionReason, Payment, PaymentException, PaymentMode, PaymentStatus, Resolution,
        },
        top_up::{PaymentMethod, TopUpReference},
    },
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};
use thiserror::Error;

use crate::shared::store::StoreError;

/// Payment gateway.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PaymentGateway: Send + Sync {
    /// Returns the mode, which says whether payments move money; `None` if it is unknown.
    fn mode(&self) -> Option<PaymentMode>;

    /// Registers a payment, and returns the URL of the page where it is made.
    async fn initialize(&self, order: &PaymentOrder) -> Result<String, GatewayError>;

    /// Fetches the state of a payment.
    async fn verify(&self, reference: &TopUpReference) -> Result<Payment, GatewayError>;

    /// Reads an event that the gateway sent. Verifies the signature over exactly these bytes first.
    fn receive(&self, signature: &str, body: &[u8]) -> Result<GatewayEvent, WrongSignature>;
}

/// Payment to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentOrder {
    /// Reference of the payment, here and at the gateway.
    pub reference: TopUpReference,
    /// Organization whose wallet is topped up.
    pub organization: Id<Organization>,
    /// Amount to be paid.
    pub amount: Money,
    /// Payment method.
    pub method: PaymentMethod,
    /// Mail address of the payer.
    pub email: String,
    /// Address to which the payer comes back; `None` for that of the gateway's own settings.
    pub return_url: Option<String>,
}

/// Reason why a request to a gateway failed. The texts are for operators.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GatewayError {
    /// The request took no effect at the gateway.
    #[error("the gateway took nothing: {0}")]
    Refused(String),
    /// The request may or may not have taken effect.
    #[error("the gateway gave no answer: {0}")]
    Unanswered(String),
    /// The gateway has no payment with that reference.
    #[error("the gateway knows no such payment")]
    UnknownPayment,
}

/// Error of a signature that is not the gateway's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the signature is wrong")]
pub struct WrongSignature;

/// Event that a gateway sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayEvent {
    /// Gateway's name of the event type; `None` if the body cannot be read.
    pub kind: Option<String>,
    /// Meaning of the event for this service.
    pub news: GatewayNews,
    /// Payment of the event; `None` if it concerns none.
    pub payment: Option<Payment>,
}

/// Meaning of a gateway event for this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayNews {
    /// A payment succeeded.
    Paid,
    /// A successful payment was disputed or refunded.
    TakenBack(ExceptionReason),
    /// Any other event, which changes nothing.
    Other,
}

/// Stored gateway event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEvent {
    /// SHA-256 of the whole body; the same event is stored once.
    pub hash: [u8; 32],
    /// Gateway's name of the event type; `None` if the body cannot be read.
    pub kind: Option<String>,
    /// Reference of the payment.
    pub reference: Option<String>,
    /// Beginning of the body, byte for byte.
    pub body: Vec<u8>,
    /// Size of the whole body in bytes.
    pub size: usize,
    /// Time of arrival.
    pub received_at: DateTime<Utc>,
}

domain::closed_list! {
    /// Outcome of a gateway event.
    pub enum EventOutcome {
        /// The wallet was credited.
        Credited = "CREDITED",
        /// The wallet had been credited before.
        AlreadyCredited = "ALREADY_CREDITED",
        /// The payment is stored as an exception.
        Exception = "EXCEPTION",
        /// Nothing was changed.
        Ignored = "IGNORED",
        /// The body could not be read.
        Unreadable = "UNREADABLE",
    }
}

/// Stores gateway events and payments that could not be credited.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PaymentRepository: Send + Sync {
    /// Stores an event, unless the same is stored already.
    async fn keep_event(&self, event: &KeptEvent) -> Result<(), StoreError>;

    /// Records the outcome of an event, unless one is recorded already.
    async fn note_outcome(&self, hash: [u8; 32], outcome: EventOutcome) -> Result<(), StoreError>;

    /// Stores an exception, unless one with the same reference and reason exists. Returns true if it is
    /// new.
    async fn keep_exception(&self, exception: &PaymentException) -> Result<bool, StoreError>;

    /// Returns a page of exceptions, newest first: the resolved ones, the unresolved ones, or all for
    /// `None`.
    async fn exceptions(
        &self,
        resolved: Option<bool>,
        page: Page,
    ) -> Result<Paged<PaymentException>, StoreError>;

    /// Finds an exception.
    async fn find_exception(
        &self,
        id: Id<PaymentException>,
    ) -> Result<Option<PaymentException>, StoreError>;

    /// Records the resolution of an exception. Returns false if it was resolved before.
    async fn resolve_exception(
        &self,
        id: Id<PaymentException>,
        resolution: &Resolution,
    ) -> Result<bool, StoreError>;
}

/// Payment at the simulated gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedPayment {
    /// Reference of the top-up.
    pub reference: TopUpReference,
    /// Organization whose wallet is topped up.
    pub organization: Id<Organization>,
    /// Amount to be paid.
    pub amount: Money,
    /// Payment method.
    pub method: PaymentMethod,
    /// Status of the payment.
    pub status: PaymentStatus,
}

/// Stores the payments of the simulated gateway.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SimulatedPaymentRepository: Send + Sync {
    /// Adds a payment, unless it exists.
    async fn add(&self, payment: &SimulatedPayment, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Finds a payment.
    async fn find(
        &self,
        reference: &TopUpReference,
    ) -> Result<Option<SimulatedPayment>, StoreError>;

    /// Changes the status of a payment, unless it has succeeded, and schedules its webhook event for
    /// `notify_at`, in case the caller does not send it earlier. Returns the payment as it is then, and true
    /// if it changed.
    async fn decide(
        &self,
        reference: &TopUpReference,
        status: PaymentStatus,
        notify_at: DateTime<Utc>,
    ) -> Result<Option<(SimulatedPayment, bool)>, StoreError>;

    /// Takes payments whose webhook event is due at `now`. No other caller gets them until the timeout is
    /// over, which doubles each time. After a number of attempts they are not taken again.
    async fn take_pending(
        &self,
        now: DateTime<Utc>,
        timeout: TimeDelta,
        limit: usize,
    ) -> Result<Vec<SimulatedPayment>, StoreError>;

    /// Marks the webhook event as sent.
    async fn mark_notified(&self, payment: &SimulatedPayment) -> Result<(), StoreError>;
}

/// Calls this service's own webhook about a simulated payment, as a gateway would.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a signed event over HTTP. The error is the reason why it was not accepted.
    async fn notify(&self, payment: &SimulatedPayment) -> Result<(), String>;
}

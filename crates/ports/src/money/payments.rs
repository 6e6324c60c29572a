//! Payment gateways, and what is kept of what they say.

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

/// A service by which people pay.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PaymentGateway: Send + Sync {
    /// Whether its payments move money, if that is known.
    fn mode(&self) -> Option<PaymentMode>;

    /// Announces a payment, and returns the address of the page where it is made.
    async fn initialize(&self, order: &PaymentOrder) -> Result<String, GatewayError>;

    /// Asks what became of a payment.
    async fn verify(&self, reference: &TopUpReference) -> Result<Payment, GatewayError>;

    /// Reads what it tells us on its own. The signature is checked first, over exactly these bytes.
    fn receive(&self, signature: &str, body: &[u8]) -> Result<GatewayEvent, WrongSignature>;
}

/// A payment that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentOrder {
    /// What it is called here and at the gateway.
    pub reference: TopUpReference,
    /// For whom.
    pub organization: Id<Organization>,
    /// How much.
    pub amount: Money,
    /// How it is to be paid.
    pub method: PaymentMethod,
    /// The address of whoever pays.
    pub email: String,
}

/// Why a gateway did not do as it was asked. The texts are for operators.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GatewayError {
    /// It has not taken anything.
    #[error("the gateway took nothing: {0}")]
    Refused(String),
    /// It may have, or may not.
    #[error("the gateway gave no answer: {0}")]
    Unanswered(String),
    /// It knows no payment of that reference.
    #[error("the gateway knows no such payment")]
    UnknownPayment,
}

/// The signature is not that of the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the signature is wrong")]
pub struct WrongSignature;

/// What a gateway told us on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayEvent {
    /// What happened, in the gateway's word. `None` if what came cannot be read.
    pub kind: Option<String>,
    /// Its meaning for us.
    pub news: GatewayNews,
    /// The payment that it is about, if there is one.
    pub payment: Option<Payment>,
}

/// The meaning of an event for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatewayNews {
    /// A payment succeeded.
    Paid,
    /// A payment that succeeded is taken back.
    TakenBack(ExceptionReason),
    /// Nothing.
    Other,
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptEvent {
    /// SHA-256 of the whole body: the same event is kept once.
    pub hash: [u8; 32],
    /// What happened.
    pub kind: Option<String>,
    /// The reference of the payment.
    pub reference: Option<String>,
    /// The beginning of the body, byte for byte.
    pub body: Vec<u8>,
    /// How many bytes the whole body has.
    pub size: usize,
    /// When it came.
    pub received_at: DateTime<Utc>,
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventOutcome {
    /// It brought money into a wallet.
    Credited,
    /// The money had come before.
    AlreadyCredited,
    /// It is about a payment that is kept as an exception.
    Exception,
    /// It changes nothing.
    Ignored,
    /// It could not be read.
    Unreadable,
}

impl EventOutcome {
    /// The name in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Credited => "CREDITED",
            Self::AlreadyCredited => "ALREADY_CREDITED",
            Self::Exception => "EXCEPTION",
            Self::Ignored => "IGNORED",
            Self::Unreadable => "UNREADABLE",
        }
    }
}

/// Keeps what gateways say: their events, and the payments that nobody could credit.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait PaymentRepository: Send + Sync {
    /// Keeps an event, unless the same is kept already.
    async fn keep_event(&self, event: &KeptEvent) -> Result<(), StoreError>;

    /// Notes what became of an event, unless that is noted already.
    async fn note_outcome(&self, hash: [u8; 32], outcome: EventOutcome) -> Result<(), StoreError>;

    /// Keeps an exception, unless there is one of the same reference and reason. Returns whether it is
    /// new.
    async fn keep_exception(&self, exception: &PaymentException) -> Result<bool, StoreError>;

    /// A page of exceptions, newest first: those that are resolved, those that are not, or all.
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

    /// Writes down what was done about an exception. Returns false if somebody was first.
    async fn resolve_exception(
        &self,
        id: Id<PaymentException>,
        resolution: &Resolution,
    ) -> Result<bool, StoreError>;
}

/// A payment at the simulated gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedPayment {
    /// What is paid for.
    pub reference: TopUpReference,
    /// For whom.
    pub organization: Id<Organization>,
    /// How much.
    pub amount: Money,
    /// How it is to be paid.
    pub method: PaymentMethod,
    /// How far it has come.
    pub status: PaymentStatus,
}

/// Keeps the payments of the simulated gateway.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait SimulatedPaymentRepository: Send + Sync {
    /// Adds a payment, unless it is there.
    async fn add(&self, payment: &SimulatedPayment, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Finds a payment.
    async fn find(
        &self,
        reference: &TopUpReference,
    ) -> Result<Option<SimulatedPayment>, StoreError>;

    /// Gives a payment another status, unless it has succeeded, and has the webhook told of it at
    /// `tell_at` if it is not told before. Returns the payment as it is then, and whether it changed.
    async fn decide(
        &self,
        reference: &TopUpReference,
        status: PaymentStatus,
        tell_at: DateTime<Utc>,
    ) -> Result<Option<(SimulatedPayment, bool)>, StoreError>;

    /// Takes payments of which the webhook is to be told at `now`. Nobody else gets them until
    /// `patience` is over, which doubles each time; after some times nobody does.
    async fn take_pending(
        &self,
        now: DateTime<Utc>,
        patience: TimeDelta,
        limit: usize,
    ) -> Result<Vec<SimulatedPayment>, StoreError>;

    /// Notes that the webhook was told.
    async fn mark_notified(&self, payment: &SimulatedPayment) -> Result<(), StoreError>;
}

/// Tells our own webhook of a simulated payment, as a gateway would.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Sends a signed event over HTTP. An error says why it was not taken.
    async fn tell(&self, payment: &SimulatedPayment) -> Result<(), String>;
}

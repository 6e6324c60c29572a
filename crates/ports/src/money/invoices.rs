//! Invoices and monthly statements.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::{
        invoice::{Invoice, InvoiceDraft, InvoiceRefused, Month},
        wallet::Credit,
    },
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        money::Money,
        page::{Page, Paged},
    },
};

use crate::shared::store::StoreError;

/// Keeps invoices. They are numbered in the order in which they are written, without gaps.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait InvoiceRepository: Send + Sync {
    /// An organization's invoices, newest first.
    async fn page(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<Invoice>, StoreError>;

    /// Finds an invoice.
    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Invoice>,
    ) -> Result<Option<Invoice>, StoreError>;

    /// How many open invoices an organization has.
    async fn count_open(&self, organization: Id<Organization>) -> Result<usize, StoreError>;

    /// Issues an invoice. With an advance its money is credited under its number, all or nothing; it stays
    /// to be paid. Without if the organization would owe more than it may.
    async fn issue(
        &self,
        draft: &InvoiceDraft,
        advance: Option<Advance>,
    ) -> Result<Invoice, StoreError>;

    /// Credits a wallet, unless it was credited for the same reference before, and pays the open invoice
    /// whose number the reference is, all or nothing. `entry` is added to the audit log when the wallet is
    /// credited or an invoice is paid; a repetition adds nothing. Fails if there is no wallet.
    async fn credit(
        &self,
        credit: &Credit,
        entry: &AuditEntry,
    ) -> Result<CreditOutcome, StoreError>;

    /// Withdraws an invoice. None if there is no such invoice.
    async fn withdraw(
        &self,
        organization: Id<Organization>,
        id: Id<Invoice>,
    ) -> Result<Option<Result<Invoice, InvoiceRefused>>, StoreError>;
}

/// Money of an invoice that comes into the wallet before it is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advance {
    /// The credit's identifier.
    pub credit: Id<Credit>,
    /// The sum that an organization may owe, with this.
    pub limit: Money,
}

/// What became of a credit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreditOutcome {
    /// The money is in the wallet.
    Credited {
        /// Whether it came now; else it had come before.
        is_new: bool,
        /// What the wallet holds.
        balance: Money,
        /// The invoice that it paid.
        invoice: Option<Box<Invoice>>,
    },
    /// Another amount was credited for that reference before: this. Nothing was changed.
    OtherAmount(Money),
    /// The reference is the number of an invoice that there is not. Nothing was changed.
    UnknownInvoice,
    /// The invoice of that number cannot be paid with it. Nothing was changed.
    Refused(InvoiceRefused),
}

/// Writes monthly statements. Any number of instances may do so at once.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait StatementRepository: Send + Sync {
    /// The last month that is stated, or is to be.
    async fn last_month(&self) -> Result<Option<Month>, StoreError>;

    /// Notes that months are to be stated. Those that are noted already stay as they are.
    async fn plan(&self, months: &[Month]) -> Result<(), StoreError>;

    /// Writes the statements of the next organizations, at most so many, and notes how far that month
    /// has come, all or nothing. Leaves out organizations of which something of the month is not in the
    /// ledger yet: they have their turn later. None if there is nothing to do.
    async fn write_some(
        &self,
        now: DateTime<Utc>,
        organizations: usize,
    ) -> Result<Option<StatementsWritten>, StoreError>;
}

/// A part of the statements of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementsWritten {
    /// The month.
    pub month: Month,
    /// How many statements were written.
    pub statements: usize,
    /// How far the month has come.
    pub progress: StatementProgress,
}

/// How far a month is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementProgress {
    /// More organizations follow.
    GoesOn,
    /// Every organization had its turn, and some are to have another one later.
    SomeLeft,
    /// It is done.
    Finished,
}

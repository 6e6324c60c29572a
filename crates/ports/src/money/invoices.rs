//! Invoices and monthly statements.
//!
//! ```
//! use domain::{identity::organization::Organization, shared::id::Id};
//! use ports::{money::invoices::InvoiceRepository, shared::store::StoreError};
//!
//! async fn owes(
//!     invoices: &dyn InvoiceRepository,
//!     shop: Id<Organization>,
//! ) -> Result<bool, StoreError> {
//!     Ok(invoices.count_open(shop).await? > 0)
//! }
//! ```

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

/// Stores invoices. They are numbered in the order in which they are written, without gaps.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait InvoiceRepository: Send + Sync {
    /// Returns a page of an organization's invoices, newest first.
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

    /// Returns the number of an organization's open invoices.
    async fn count_open(&self, organization: Id<Organization>) -> Result<usize, StoreError>;

    /// Issues an invoice. With an advance, its amount is credited under its number, all or nothing, and the
    /// invoice stays open. The advance is left out if the organization would then owe more than its limit.
    async fn issue(
        &self,
        draft: &InvoiceDraft,
        advance: Option<Advance>,
    ) -> Result<Invoice, StoreError>;

    /// Credits a wallet, unless it was credited for the same reference before, and pays the open invoice
    /// whose number is the reference, all or nothing. `entry` is added to the audit log when the wallet is
    /// credited or an invoice is paid; a repetition adds nothing. Fails if there is no wallet.
    async fn credit(
        &self,
        credit: &Credit,
        entry: &AuditEntry,
    ) -> Result<CreditOutcome, StoreError>;

    /// Withdraws an invoice. `None` if there is no such invoice.
    async fn withdraw(
        &self,
        organization: Id<Organization>,
        id: Id<Invoice>,
    ) -> Result<Option<Result<Invoice, InvoiceRefused>>, StoreError>;
}

/// Credit of an invoice's amount before the invoice is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advance {
    /// Identifier of the credit.
    pub credit: Id<Credit>,
    /// Maximum amount that an organization may owe, this advance included.
    pub limit: Money,
}

/// Result of a credit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CreditOutcome {
    /// The amount is in the wallet.
    Credited {
        /// True if it was credited now, false if it was credited before.
        is_new: bool,
        /// Balance of the wallet.
        balance: Money,
        /// Invoice that the credit paid; `None` if it paid none.
        invoice: Option<Box<Invoice>>,
    },
    /// Another amount, given here, was credited for that reference before, or it is that of a top-up whose
    /// amount was. Nothing was changed.
    OtherAmount(Money),
    /// The reference is the number of an unknown invoice. Nothing was changed.
    UnknownInvoice,
    /// The credit cannot pay the invoice of that number. Nothing was changed.
    Refused(InvoiceRefused),
}

/// Writes monthly statements. Any number of instances may do so at once.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait StatementRepository: Send + Sync {
    /// Returns the last month that is stated or planned.
    async fn last_month(&self) -> Result<Option<Month>, StoreError>;

    /// Plans the statements of months. Months that are planned already stay as they are.
    async fn plan(&self, months: &[Month]) -> Result<(), StoreError>;

    /// Writes the statements of up to `organizations` next organizations and the month's progress, all or
    /// nothing. Organizations with movements of the month that are not in the ledger yet are left for a
    /// later call. `None` if nothing is left to do.
    async fn write_some(
        &self,
        now: DateTime<Utc>,
        organizations: usize,
    ) -> Result<Option<StatementsWritten>, StoreError>;
}

/// Statements of a month that one call wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementsWritten {
    /// Month of the statements.
    pub month: Month,
    /// Number of statements written.
    pub statements: usize,
    /// Progress of the month.
    pub progress: StatementProgress,
}

/// Progress of a month's statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementProgress {
    /// More organizations are left.
    GoesOn,
    /// Every organization was visited, but some are left for a later call.
    SomeLeft,
    /// All statements are written.
    Finished,
}

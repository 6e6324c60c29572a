//! Invoices and other payments made without the gateway.

mod statements;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    identity::{
        caller::{Administrator, Caller},
        organization::{Organization, PLATFORM},
        permission::Permission,
    },
    money::{
        invoice::{Invoice, InvoiceDraft, InvoiceNumber, InvoiceRefused, MAX_OPEN},
        wallet::{Credit, LedgerKind},
    },
    platform::audit::{AuditAction, AuditEntry},
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
        billing::WalletRepository,
        invoices::{Advance, CreditOutcome, InvoiceRepository},
    },
    shared::clock::Clock,
};

pub use self::statements::Statements;
use crate::{Error, Reason, shared::refusals::wallet_not_open};

/// Maximum length of the reference of a credit, in characters.
pub const MAX_REFERENCE: usize = 100;

/// Time at which an invoice credits the wallet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InvoiceCredit {
    /// On payment, as recorded by an administrator.
    #[default]
    WhenPaid,
    /// On issue, while an organization without its own limit owes at most this amount.
    AtOnce(Money),
}

/// Operations on invoices.
#[derive(Clone)]
pub struct Invoices {
    deps: Arc<InvoicesDeps>,
}

/// Dependencies of [`Invoices`].
pub struct InvoicesDeps {
    /// Store of invoices.
    pub invoices: Arc<dyn InvoiceRepository>,
    /// Source of wallets.
    pub wallets: Arc<dyn WalletRepository>,
    /// Source of organizations.
    pub organizations: Arc<dyn OrganizationRepository>,
    /// Time at which an invoice credits the wallet.
    pub credit: InvoiceCredit,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

/// An invoice with its organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceSheet {
    /// The invoice.
    pub invoice: Invoice,
    /// Organization that owes it.
    pub organization: Organization,
}

/// Recorded payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualCredit {
    /// Reference of the payment.
    pub reference: String,
    /// Credited amount.
    pub amount: Money,
    /// Balance of the wallet afterwards.
    pub balance: Money,
    /// True if this call credited it; false if it was credited before.
    pub is_new: bool,
    /// Invoice that it paid; `None` if the reference is not that of an invoice.
    pub invoice: Option<Box<Invoice>>,
}

impl Invoices {
    /// Creates the operations from their dependencies.
    pub fn new(deps: InvoicesDeps) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Returns a page of the caller's invoices, newest first.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<Invoice>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.deps.invoices.page(caller.organization, page).await?)
    }

    /// Returns an invoice of the caller with the data printed on it.
    pub async fn find(&self, caller: &Caller, id: Id<Invoice>) -> Result<InvoiceSheet, Error> {
        caller.authorize(Permission::Read)?;
        let invoice = self.deps.invoices.find(caller.organization, id).await?;
        let invoice = invoice.ok_or(Error::NotFound("invoice"))?;
        let organization = self.deps.organizations.find(caller.organization).await?;
        let organization = organization.ok_or(Error::NotFound("organization"))?;
        Ok(InvoiceSheet { invoice, organization })
    }

    /// Issues an invoice that tops up the caller's wallet. The wallet is credited when the invoice is
    /// paid, or, if the installation is configured so, on issue, with the invoice still to be paid.
    pub async fn issue(&self, caller: &Caller, amount: Money) -> Result<Invoice, Error> {
        caller.authorize(Permission::TopUp)?;
        let deps = &self.deps;
        let organization = caller.organization;
        deps.wallets.find(organization).await?.ok_or_else(wallet_not_open)?;
        if deps.invoices.count_open(organization).await? >= MAX_OPEN {
            return Err(invoice_limit_reached());
        }
        let now = deps.clock.now();
        let id = Id::new_in(now, organization);
        let draft = InvoiceDraft { id, organization, amount, issued_at: now };
        let advance = match deps.credit {
            InvoiceCredit::AtOnce(limit) => {
                let limit = caller.policy.settings.limits.invoice_credit.unwrap_or(limit);
                Some(Advance { credit: Id::new_in(now, organization), limit })
            }
            InvoiceCredit::WhenPaid => None,
        };
        let invoice = deps.invoices.issue(&draft, advance).await?;
        tracing::info!(
            %organization, number = %invoice.number, %amount, is_credited = invoice.is_credited,
            "issued an invoice"
        );
        Ok(invoice)
    }

    /// Withdraws an open invoice of the caller.
    pub async fn withdraw(&self, caller: &Caller, id: Id<Invoice>) -> Result<Invoice, Error> {
        caller.authorize(Permission::TopUp)?;
        let withdrawn = self.deps.invoices.withdraw(caller.organization, id).await?;
        Ok(withdrawn.ok_or(Error::NotFound("invoice"))??)
    }

    /// Credits an organization's wallet with a payment made outside the gateway, and pays the invoice
    /// whose number is the reference. It is idempotent by reference: a repetition changes nothing and
    /// returns the same result. `faults` holds the faults found so far; `amount` is missing only if one
    /// of them concerns it. The audit log has exactly the credits that were made.
    pub async fn credit_manually(
        &self,
        admin: &Administrator,
        organization: Id<Organization>,
        (reference, amount): (&str, Option<Money>),
        mut faults: Faults,
    ) -> Result<ManualCredit, Error> {
        let reference = faults.take("reference", text::line(reference, MAX_REFERENCE));
        let (reference, amount) = faults.require(reference.zip(amount))?;
        InvoiceNumber::in_reference(&reference).map_err(|_| unknown_invoice(&reference))?;
        let deps = &self.deps;
        let found = deps.organizations.find(organization).await?;
        found.filter(|it| it.id != PLATFORM).ok_or(Error::NotFound("organization"))?;
        deps.wallets.find(organization).await?.ok_or_else(wallet_not_open)?;
        let now = deps.clock.now();
        let credit = Credit {
            id: Id::new_in(now, organization),
            organization,
            kind: LedgerKind::ManualCredit,
            reference,
            amount,
            at: now,
        };
        match deps.invoices.credit(&credit, &audit_entry(admin, &credit)).await? {
            CreditOutcome::Credited { is_new, balance, invoice } => {
                let reference = credit.reference;
                tracing::info!(%organization, reference, %amount, is_new, "credited a wallet");
                Ok(ManualCredit { reference, amount, balance, is_new, invoice })
            }
            CreditOutcome::OtherAmount(known) => Err(reference_taken(&credit.reference, known)),
            CreditOutcome::UnknownInvoice => Err(unknown_invoice(&credit.reference)),
            CreditOutcome::Refused(refused) => Err(refused.into()),
        }
    }
}

fn audit_entry(admin: &Administrator, credit: &Credit) -> AuditEntry {
    let details = BTreeMap::from([
        ("reference", credit.reference.clone()),
        ("amount", credit.amount.to_string()),
    ]);
    AuditEntry::of(credit.organization, credit.at, admin.actor(), AuditAction::WalletCredited)
        .on("WALLET", credit.organization.uuid())
        .with(details)
}

/// The organization has the maximum number of open invoices.
pub fn invoice_limit_reached() -> Error {
    let message = format!("an organization has at most {MAX_OPEN} open invoices");
    Error::Conflict(Reason::with_message("INVOICE_LIMIT_REACHED", message))
}

/// The reference has the form of an invoice number, but the organization has no such invoice.
pub fn unknown_invoice(reference: &str) -> Error {
    let message =
        format!("the organization has no invoice {reference}; numbers are such as INV-000001");
    let reason = Reason::with_message("UNKNOWN_INVOICE", message);
    Error::Contradiction(reason.about("reference", reference))
}

/// A different amount was credited for that reference.
pub fn reference_taken(reference: &str, amount: Money) -> Error {
    let message = format!("{amount} was credited for the reference {reference} before");
    let reason = Reason::with_message("REFERENCE_TAKEN", message).about("reference", reference);
    Error::Conflict(reason.about("amount", amount.to_string()))
}

impl From<InvoiceRefused> for Error {
    fn from(refused: InvoiceRefused) -> Self {
        let message = refused.to_string();
        Self::Conflict(match refused {
            InvoiceRefused::NotOpen { number, status } => {
                let reason = Reason::with_message("INVOICE_NOT_OPEN", message);
                reason.about("number", number.to_string()).about("status", status.as_str())
            }
            InvoiceRefused::Credited { number } => {
                Reason::with_message("INVOICE_CREDITED", message)
                    .about("number", number.to_string())
            }
            InvoiceRefused::OtherAmount { number, amount } => {
                let reason = Reason::with_message("INVOICE_AMOUNT_DIFFERS", message);
                reason.about("number", number.to_string()).about("amount", amount.to_string())
            }
        })
    }
}

#[cfg(test)]
mod tests;

//! Invoices: requests for payment into a wallet, and statements of its movements.
//!
//! ```
//! use domain::money::invoice::InvoiceNumber;
//!
//! assert_eq!(InvoiceNumber(7).to_string().parse(), Ok(InvoiceNumber(7)));
//! ```

mod month;
mod statement;

use std::{fmt, str::FromStr};

use chrono::{DateTime, TimeDelta, Utc};

pub use self::{
    month::Month,
    statement::{ChannelLine, Movements, SETTLING, Statement, due_months},
};
use crate::{
    identity::organization::Organization,
    shared::{id::Id, money::Money},
};

/// Time that an organization has to pay an invoice.
pub const DUE_WITHIN: TimeDelta = TimeDelta::days(14);
/// Maximum number of open invoices of an organization.
pub const MAX_OPEN: usize = 100;

/// An invoice. Only its status changes after issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoice {
    /// Identifier of the invoice.
    pub id: Id<Invoice>,
    /// Organization that the invoice is issued to.
    pub organization: Id<Organization>,
    /// Number of the invoice for people.
    pub number: InvoiceNumber,
    /// Status of the payment.
    pub status: InvoiceStatus,
    /// Amount to be paid; for a statement, the cost of messages less refunds, which may be below zero.
    pub amount: Money,
    /// Time of issue.
    pub issued_at: DateTime<Utc>,
    /// Time by which it is to be paid; `None` for statements, which ask for no payment.
    pub due_at: Option<DateTime<Utc>>,
    /// Time of payment; `None` if it was not paid.
    pub paid_at: Option<DateTime<Utc>>,
    /// True if its amount was credited to the wallet on issue. The organization owes that amount
    /// while the invoice is open.
    pub is_credited: bool,
    /// Contents of a statement; `None` if it is not a statement.
    pub statement: Option<Statement>,
}

/// The number of an invoice. Numbers of an organization begin with 1 and have no gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InvoiceNumber(pub i64);

crate::closed_list! {
    /// Purpose of an invoice.
    pub enum InvoiceKind {
        /// Requests a payment into the wallet.
        TopUp = "TOP_UP",
        /// States the movements of the wallet within a month.
        Statement = "STATEMENT",
    }
}

crate::closed_list! {
    /// Payment status of an invoice.
    pub enum InvoiceStatus {
        /// Waits to be paid.
        Open = "OPEN",
        /// Has been paid.
        Paid = "PAID",
        /// Has been withdrawn.
        Void = "VOID",
    }
    impl Display;
    impl FromStr else "is no status of an invoice";
}

/// An invoice about to be issued. It gets its number when it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceDraft {
    /// Identifier of the future invoice.
    pub id: Id<Invoice>,
    /// Organization that the invoice is issued to.
    pub organization: Id<Organization>,
    /// Amount to be paid.
    pub amount: Money,
    /// Time of issue.
    pub issued_at: DateTime<Utc>,
}

/// Reason for which an invoice was not paid or withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvoiceRefused {
    /// The invoice is not open.
    #[error("the invoice {number} is {status}")]
    NotOpen {
        /// Number of the invoice.
        number: InvoiceNumber,
        /// Status of the invoice.
        status: InvoiceStatus,
    },
    /// Its amount was already credited to the wallet.
    #[error("the money of the invoice {number} is in the wallet, and to be paid")]
    Credited {
        /// Number of the invoice.
        number: InvoiceNumber,
    },
    /// The payment is over another amount.
    #[error("the invoice {number} is over {amount}")]
    OtherAmount {
        /// Number of the invoice.
        number: InvoiceNumber,
        /// Amount of the invoice.
        amount: Money,
    },
}

impl Invoice {
    /// Returns its purpose.
    pub const fn kind(&self) -> InvoiceKind {
        if self.statement.is_some() { InvoiceKind::Statement } else { InvoiceKind::TopUp }
    }

    /// Returns the invoice as paid. Fails unless it is open and `amount` is its whole amount.
    pub fn pay(self, amount: Money, at: DateTime<Utc>) -> Result<Self, InvoiceRefused> {
        let invoice = self.open()?;
        if amount != invoice.amount {
            let (number, amount) = (invoice.number, invoice.amount);
            return Err(InvoiceRefused::OtherAmount { number, amount });
        }
        Ok(Self { status: InvoiceStatus::Paid, paid_at: Some(at), ..invoice })
    }

    /// Returns the invoice as withdrawn. Fails if its amount was credited on issue and is therefore owed.
    pub fn withdraw(self) -> Result<Self, InvoiceRefused> {
        let invoice = self.open()?;
        if invoice.is_credited {
            return Err(InvoiceRefused::Credited { number: invoice.number });
        }
        Ok(Self { status: InvoiceStatus::Void, ..invoice })
    }

    fn open(self) -> Result<Self, InvoiceRefused> {
        match self.status {
            InvoiceStatus::Open => Ok(self),
            status => Err(InvoiceRefused::NotOpen { number: self.number, status }),
        }
    }
}

impl InvoiceDraft {
    /// Returns the open invoice with this number.
    pub fn numbered(&self, number: InvoiceNumber) -> Invoice {
        Invoice {
            id: self.id,
            organization: self.organization,
            number,
            status: InvoiceStatus::Open,
            amount: self.amount,
            issued_at: self.issued_at,
            due_at: Some(self.due_at()),
            paid_at: None,
            is_credited: false,
            statement: None,
        }
    }

    /// Returns the time by which it is to be paid.
    pub fn due_at(&self) -> DateTime<Utc> {
        self.issued_at + DUE_WITHIN
    }
}

const PREFIX: &str = "INV-";

impl fmt::Display for InvoiceNumber {
    /// Writes at least six digits: `INV-000001`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{:06}", self.0)
    }
}

/// The text is not the number of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the number of an invoice, such as INV-000001")]
pub struct InvalidInvoiceNumber;

impl InvoiceNumber {
    /// Returns the invoice number in the reference of a payment; `None` if the reference does not
    /// look like one. A malformed number, such as `inv-1`, is an error: accepted as an ordinary
    /// reference, the same money would be credited again when somebody records it under the right
    /// number.
    pub fn in_reference(reference: &str) -> Result<Option<Self>, InvalidInvoiceNumber> {
        let begin = reference.get(..PREFIX.len()).unwrap_or_default();
        if begin.eq_ignore_ascii_case(PREFIX) { reference.parse().map(Some) } else { Ok(None) }
    }
}

impl FromStr for InvoiceNumber {
    type Err = InvalidInvoiceNumber;

    fn from_str(text: &str) -> Result<Self, InvalidInvoiceNumber> {
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidInvoiceNumber)?;
        let number = digits.parse().ok().filter(|number| *number > 0).map(Self);
        number.filter(|number| number.to_string() == text).ok_or(InvalidInvoiceNumber)
    }
}

#[cfg(test)]
mod tests;

//! Invoices: what an organization is to pay into its wallet, and statements of what it paid out of it.

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

/// How long an organization has to pay an invoice.
pub const DUE_WITHIN: TimeDelta = TimeDelta::days(14);
/// How many open invoices an organization may have.
pub const MAX_OPEN: usize = 100;

/// An invoice. Once issued it only changes its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoice {
    /// Which invoice this is.
    pub id: Id<Invoice>,
    /// Whose.
    pub organization: Id<Organization>,
    /// Its number, as people call it.
    pub number: InvoiceNumber,
    /// Whether it is still to be paid.
    pub status: InvoiceStatus,
    /// What is to be paid; of a statement, what messages cost less refunds, which may be below zero.
    pub amount: Money,
    /// When it was issued.
    pub issued_at: DateTime<Utc>,
    /// By when it is to be paid. A statement asks for nothing.
    pub due_at: Option<DateTime<Utc>>,
    /// When it was paid.
    pub paid_at: Option<DateTime<Utc>>,
    /// True if its money came into the wallet when it was issued: as long as it is open, that is owed.
    pub is_credited: bool,
    /// What it states, if it is a statement.
    pub statement: Option<Statement>,
}

/// The number of an invoice. An organization's begin with 1 and leave none out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InvoiceNumber(pub i64);

/// What an invoice is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvoiceKind {
    /// Money that is to come into the wallet.
    TopUp,
    /// What happened in the wallet within a month.
    Statement,
}

/// Whether an invoice is to be paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvoiceStatus {
    /// It is.
    Open,
    /// It was paid.
    Paid,
    /// It was withdrawn.
    Void,
}

/// An invoice about to be issued. It gets its number when it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceDraft {
    /// Which invoice this will be.
    pub id: Id<Invoice>,
    /// Whose.
    pub organization: Id<Organization>,
    /// What is to be paid.
    pub amount: Money,
    /// When it is issued.
    pub issued_at: DateTime<Utc>,
}

/// Why an invoice was not paid, or not withdrawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvoiceRefused {
    /// It is not open.
    #[error("the invoice {number} is {status}")]
    NotOpen {
        /// Its number.
        number: InvoiceNumber,
        /// What it is.
        status: InvoiceStatus,
    },
    /// Its money is in the wallet already.
    #[error("the money of the invoice {number} is in the wallet, and to be paid")]
    Credited {
        /// Its number.
        number: InvoiceNumber,
    },
    /// It is over another amount.
    #[error("the invoice {number} is over {amount}")]
    OtherAmount {
        /// Its number.
        number: InvoiceNumber,
        /// What it is over.
        amount: Money,
    },
}

impl Invoice {
    /// What it is for.
    pub const fn kind(&self) -> InvoiceKind {
        if self.statement.is_some() { InvoiceKind::Statement } else { InvoiceKind::TopUp }
    }

    /// The same, paid. It is paid as a whole.
    pub fn pay(self, amount: Money, at: DateTime<Utc>) -> Result<Self, InvoiceRefused> {
        let invoice = self.open()?;
        if amount != invoice.amount {
            let (number, amount) = (invoice.number, invoice.amount);
            return Err(InvoiceRefused::OtherAmount { number, amount });
        }
        Ok(Self { status: InvoiceStatus::Paid, paid_at: Some(at), ..invoice })
    }

    /// The same, withdrawn. Whoever has its money has to pay it.
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
    /// The invoice, open under that number.
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

    /// By when it is to be paid.
    pub fn due_at(&self) -> DateTime<Utc> {
        self.issued_at + DUE_WITHIN
    }
}

impl InvoiceKind {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::TopUp, Self::Statement];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TopUp => "TOP_UP",
            Self::Statement => "STATEMENT",
        }
    }
}

impl InvoiceStatus {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Open, Self::Paid, Self::Void];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Paid => "PAID",
            Self::Void => "VOID",
        }
    }
}

impl fmt::Display for InvoiceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no status of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no status of an invoice")]
pub struct UnknownInvoiceStatus;

impl FromStr for InvoiceStatus {
    type Err = UnknownInvoiceStatus;

    fn from_str(text: &str) -> Result<Self, UnknownInvoiceStatus> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or(UnknownInvoiceStatus)
    }
}

const PREFIX: &str = "INV-";

impl fmt::Display for InvoiceNumber {
    /// Six digits at least: `INV-000001`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{:06}", self.0)
    }
}

/// The text is not the number of an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the number of an invoice, such as INV-000001")]
pub struct InvalidInvoiceNumber;

impl InvoiceNumber {
    /// The number that the reference of a payment is; none if it does not look like one. What looks like
    /// one and is none, such as `inv-1`, is an error: taken for any other reference, the same money would
    /// be credited again when somebody records it under the right number.
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

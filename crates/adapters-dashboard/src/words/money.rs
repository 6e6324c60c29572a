//! Payments, movements of money, and invoices.

use domain::money::invoice::{InvoiceKind, InvoiceStatus};
use domain::money::payment::ExceptionReason;
use domain::money::top_up::{PaymentMethod, TopUpStatus};
use domain::money::wallet::LedgerKind;

use super::{InWords, Words};

impl InWords for TopUpStatus {
    fn words(self) -> Words {
        match self {
            Self::Pending => Words::waiting("Waits for payment", "We have not got the money yet."),
            Self::Credited => Words::good("Paid", "The money is in your wallet."),
            Self::Failed => Words::bad("Failed", "The payment was refused."),
            Self::Abandoned => Words::neutral(
                "Not paid",
                "It was not paid in time. If you still pay, the money is added.",
            ),
        }
    }
}

impl InWords for PaymentMethod {
    fn words(self) -> Words {
        match self {
            Self::MobileMoney => Words::neutral("Mobile money", "You pay with your phone."),
            Self::Card => Words::neutral("Card", "You pay with a bank card."),
            Self::Invoice => Words::neutral("Invoice", "You get an invoice, and pay it by bank."),
        }
    }
}

impl InWords for LedgerKind {
    fn words(self) -> Words {
        match self {
            Self::TrialCredit => Words::good("Trial credit", "A gift to start with."),
            Self::MessageDebit => {
                Words::neutral("Messages", "The price of messages that you sent.")
            }
            Self::MessageRefund => {
                Words::good("Paid back", "The price of messages that did not arrive.")
            }
            Self::TopUp => Words::good("Top-up", "Money that you paid online."),
            Self::ManualCredit => Words::good("Payment", "Money that you paid by invoice or bank."),
            Self::Correction => Words::neutral("Correction", "A change by the operator."),
        }
    }
}

impl InWords for InvoiceKind {
    fn words(self) -> Words {
        match self {
            Self::TopUp => Words::neutral("Invoice", "It asks for a payment into your wallet."),
            Self::Statement => {
                Words::neutral("Statement", "It lists what came and went within a month.")
            }
        }
    }
}

impl InWords for InvoiceStatus {
    fn words(self) -> Words {
        match self {
            Self::Open => Words::waiting("Open", "It is still to be paid."),
            Self::Paid => Words::good("Paid", "It has been paid."),
            Self::Void => Words::neutral("Void", "It was withdrawn. Do not pay it."),
        }
    }
}

impl InWords for ExceptionReason {
    fn words(self) -> Words {
        match self {
            Self::UnknownReference => {
                Words::waiting("Unknown reference", "No top-up has the reference of the payment.")
            }
            Self::AmountTooSmall => {
                Words::waiting("Too little", "Less was paid than the top-up asked for.")
            }
            Self::OtherCurrency => {
                Words::waiting("Other currency", "It was not paid in Ghana cedis.")
            }
            Self::OtherMode => Words::neutral(
                "Test payment",
                "A test payment came to the live gateway, or the other way round.",
            ),
            Self::Disputed => Words::bad(
                "Disputed",
                "The payer disputes the payment with their bank. The amount is still in the wallet.",
            ),
            Self::Refunded => Words::bad(
                "Refunded",
                "The gateway pays it back to the payer. The amount is still in the wallet.",
            ),
            Self::OrganizationClosed => {
                Words::waiting("Organization closed", "The organization was closed before it paid.")
            }
        }
    }
}

//! Payments, movements of money, and invoices.

use domain::money::invoice::{InvoiceKind, InvoiceStatus};
use domain::money::payment::ExceptionReason;
use domain::money::top_up::{PaymentMethod, TopUpStatus};
use domain::money::wallet::LedgerKind;

words! { TopUpStatus:
    Self::Pending => waiting("Waits for payment", "We have not got the money yet."),
    Self::Credited => good("Paid", "The money is in your wallet."),
    Self::Failed => bad("Failed", "The payment was refused."),
    Self::Abandoned =>
        neutral("Not paid", "It was not paid in time. If you still pay, the money is added."),
}

words! { PaymentMethod:
    Self::MobileMoney => neutral("Mobile money", "You pay with your phone."),
    Self::Card => neutral("Card", "You pay with a bank card."),
    Self::Invoice => neutral("Invoice", "You get an invoice, and pay it by bank."),
}

words! { LedgerKind:
    Self::TrialCredit => good("Trial credit", "A gift to start with."),
    Self::MessageDebit => neutral("Messages", "The price of messages that you sent."),
    Self::MessageRefund => good("Paid back", "The price of messages that did not arrive."),
    Self::TopUp => good("Top-up", "Money that you paid online."),
    Self::ManualCredit => good("Payment", "Money that you paid by invoice or bank."),
    Self::Correction => neutral("Correction", "A change by the operator."),
}

words! { InvoiceKind:
    Self::TopUp => neutral("Invoice", "It asks for a payment into your wallet."),
    Self::Statement => neutral("Statement", "It lists what came and went within a month."),
}

words! { InvoiceStatus:
    Self::Open => waiting("Open", "It is still to be paid."),
    Self::Paid => good("Paid", "It has been paid."),
    Self::Void => neutral("Void", "It was withdrawn. Do not pay it."),
}

words! { ExceptionReason:
    Self::UnknownReference =>
        waiting("Unknown reference", "No top-up has the reference of the payment."),
    Self::AmountTooSmall => waiting("Too little", "Less was paid than the top-up asked for."),
    Self::OtherCurrency => waiting("Other currency", "It was not paid in Ghana cedis."),
    Self::OtherMode =>
        neutral("Test payment", "A test payment came to the live gateway, or the other way round."),
    Self::Disputed =>
        bad("Disputed",
            "The payer disputes the payment with their bank. The amount is still in the wallet."),
    Self::Refunded =>
        bad("Refunded",
            "The gateway pays it back to the payer. The amount is still in the wallet."),
    Self::OrganizationClosed =>
        waiting("Organization closed", "The organization was closed before it paid."),
}

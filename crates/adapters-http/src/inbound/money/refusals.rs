//! Refusals to move money, with the values of the examples in the document.

use domain::{
    money::invoice::{InvoiceNumber, InvoiceRefused, InvoiceStatus},
    shared::money::Money,
};
use usecases::{
    Error,
    money::{invoices, top_ups},
};

const NUMBER: InvoiceNumber = InvoiceNumber(3);
const AMOUNT: Money = Money::from_cedis(50);

/// The invoice is paid or withdrawn.
pub(crate) fn invoice_not_open() -> Error {
    InvoiceRefused::NotOpen { number: NUMBER, status: InvoiceStatus::Void }.into()
}

/// The money of the invoice is in the wallet.
pub(crate) fn invoice_credited() -> Error {
    InvoiceRefused::Credited { number: NUMBER }.into()
}

/// The payment has another amount than the invoice.
pub(crate) fn invoice_amount_differs() -> Error {
    InvoiceRefused::OtherAmount { number: NUMBER, amount: AMOUNT }.into()
}

/// The organization has no invoice with that number.
pub(crate) fn unknown_invoice() -> Error {
    invoices::unknown_invoice("INV-7")
}

/// Another amount was credited with the reference.
pub(crate) fn reference_taken() -> Error {
    invoices::reference_taken("transfer-7", AMOUNT)
}

/// Nothing is paid.
pub(crate) fn payment_failed() -> Error {
    top_ups::payment_failed(
        "nothing is paid so far: the gateway says `abandoned`; ask again when the payment is made",
    )
}

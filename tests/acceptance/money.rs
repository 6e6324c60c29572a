//! Wallets, prices, payments and the ledger.

pub(crate) mod gateway;
pub(crate) mod invoices;
pub(crate) mod ledger;
pub(crate) mod paystack;
pub(crate) mod pricing;
pub(crate) mod spending;
pub(crate) mod top_ups;
pub(crate) mod wallets;

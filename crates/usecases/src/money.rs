//! Wallets, prices, payments and the ledger.

pub mod billing;
pub mod checkouts;
pub mod invoices;
pub mod ledger;
pub mod payment_exceptions;
pub mod prices;
pub mod pricing;
pub mod top_ups;

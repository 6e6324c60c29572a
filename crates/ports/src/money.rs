//! Wallets, prices, payments and the ledger.

pub mod billing;
pub mod invoices;
pub mod ledger;
pub mod payments;
pub mod pricing;
pub mod spending;
pub mod top_ups;

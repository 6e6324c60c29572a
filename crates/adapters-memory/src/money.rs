//! Wallets, prices, payments and the ledger.

pub(crate) mod billing;
pub(crate) mod pricing;

//! Wallets, prices, payments and the ledger.

pub(crate) mod billing;
pub(crate) mod invoices;
pub(crate) mod ledger;
pub(crate) mod low_balances;
pub(crate) mod payment_figures;
pub(crate) mod payments;
pub(crate) mod pricing;
pub(crate) mod simulated_payments;
pub(crate) mod spending;
pub(crate) mod top_ups;
pub(crate) mod wallet_deltas;

//! Wallets, prices, payments and the ledger.

pub(crate) mod invoices;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod ledger_page;
pub(crate) mod ledger_protection;
pub(crate) mod payment_figures;
pub(crate) mod spending;
pub(crate) mod statements;
pub(crate) mod top_ups;
pub(crate) mod wallets;

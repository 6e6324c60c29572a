//! Wallets, prices, payments and invoices.

pub mod funds;
pub mod invoice;
pub mod ledger;
pub mod payment;
pub mod pricing;
pub mod revenue;
pub mod top_up;
pub mod wallet;

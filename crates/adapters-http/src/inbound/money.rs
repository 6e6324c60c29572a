//! Wallets, prices, payments and the ledger.

pub(crate) mod billing;
pub(crate) mod checkouts;
pub(crate) mod invoices;
pub(crate) mod ledger;
pub(crate) mod payment_exceptions;
pub(crate) mod pricing;
pub(crate) mod refusals;
pub(crate) mod revenue;
pub(crate) mod top_ups;
pub(crate) mod usage;

use super::shared::endpoint::Area;

/// Returns the areas of this subject, in the order in which the document shows them.
pub(super) fn areas() -> Vec<Area> {
    vec![
        billing::area(),
        top_ups::area(),
        payment_exceptions::area(),
        checkouts::area(),
        invoices::area(),
        ledger::area(),
        revenue::area(),
        pricing::area(),
    ]
}

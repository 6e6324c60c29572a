//! Usage of an organization's limits.

use chrono::NaiveDate;

use crate::shared::money::Money;

/// Usage of the limits that are kept in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Amount spent on [`Usage::spent_on`].
    pub spent: Money,
    /// Last day on which something was spent; `None` if nothing ever was.
    pub spent_on: Option<NaiveDate>,
    /// Number of active webhook endpoints.
    pub webhook_endpoints: u64,
    /// Number of sender names.
    pub sender_names: u64,
    /// Number of segments.
    pub segments: u64,
    /// Number of events.
    pub events: u64,
    /// Number of unfinished campaigns.
    pub unfinished_campaigns: u64,
    /// Number of unfinished imports of contacts.
    pub contact_imports: u64,
    /// Number of unfinished imports of suppression lists.
    pub suppression_imports: u64,
    /// Number of open invoices.
    pub open_invoices: u64,
}

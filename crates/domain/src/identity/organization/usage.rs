//! What an organization has used of its limits.

use chrono::NaiveDate;

use crate::shared::money::Money;

/// What an organization has used of the limits that are kept in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// What was spent on the day on which something was last.
    pub spent: Money,
    /// Which day that was.
    pub spent_on: Option<NaiveDate>,
    /// Webhook endpoints that are active.
    pub webhook_endpoints: u64,
    /// Sender names.
    pub sender_names: u64,
    /// Segments.
    pub segments: u64,
    /// Events.
    pub events: u64,
    /// Campaigns that have not ended.
    pub unfinished_campaigns: u64,
    /// Imports of contacts that are not done.
    pub contact_imports: u64,
    /// Imports of suppression lists that are not done.
    pub suppression_imports: u64,
    /// Invoices that are open.
    pub open_invoices: u64,
}

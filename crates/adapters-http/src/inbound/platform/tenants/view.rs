//! Organizations, as platform administrators see them.

use domain::{
    identity::organization::{OwnLimits, RateLimit},
    platform::tenant::Tenant,
    shared::money::{CURRENCY, Money},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::shared::formats::Timestamp;

/// An organization, as platform administrators see it.
#[derive(Serialize, ToSchema)]
#[schema(as = Tenant)]
#[serde(rename_all = "camelCase")]
pub(super) struct TenantView {
    id: Uuid,
    #[schema(example = "Kente Ltd")]
    name: String,
    /// Balance of its wallet.
    #[schema(example = 9.93)]
    wallet_balance: f64,
    /// The currency of the wallet.
    #[schema(example = "GHS")]
    currency: &'static str,
    /// Number of members.
    #[schema(example = 3)]
    member_count: u64,
    created_at: Timestamp,
    /// Extension: true if texts that it sends directly are scored before they are handed to a provider.
    screening: bool,
    /// Extension: limits that differ from those of others.
    limits: TenantLimitsView,
    /// Extension: time at which it was suspended; null if it may send.
    suspended_at: Option<Timestamp>,
    /// Extension: reason for the suspension.
    #[schema(example = "Recipients report that messages ask for PINs.")]
    suspension_reason: Option<String>,
    /// Extension: time at which an owner closed it; null if it is open.
    closed_at: Option<Timestamp>,
}

/// Limits specific to an organization. Null: the limit of all others applies.
#[derive(Serialize, ToSchema)]
#[schema(as = TenantLimits)]
#[serde(rename_all = "camelCase")]
struct TenantLimitsView {
    /// Limit on live messages.
    live: Option<RateLimitView>,
    /// Limit on messages of the sandbox.
    sandbox: Option<RateLimitView>,
    /// Limit on requests that send no message.
    requests: Option<RateLimitView>,
    /// Maximum sum in GHS that it may owe for invoices credited on issue. 0: every invoice is
    /// credited when it is paid. Without effect unless the installation credits invoices on issue.
    #[schema(example = 500.0)]
    invoice_credit: Option<f64>,
}

/// Rate limit.
#[derive(Serialize, ToSchema)]
#[schema(as = RateLimit)]
#[serde(rename_all = "camelCase")]
struct RateLimitView {
    /// Number that flows in per second.
    #[schema(example = 50)]
    per_second: u32,
    /// Number allowed at once.
    #[schema(example = 500)]
    burst: u32,
}

impl From<RateLimit> for RateLimitView {
    fn from(limit: RateLimit) -> Self {
        Self { per_second: limit.per_second(), burst: limit.burst() }
    }
}

impl From<OwnLimits> for TenantLimitsView {
    fn from(limits: OwnLimits) -> Self {
        Self {
            live: limits.live.map(RateLimitView::from),
            sandbox: limits.sandbox.map(RateLimitView::from),
            requests: limits.requests.map(RateLimitView::from),
            invoice_credit: limits.invoice_credit.map(Money::to_number),
        }
    }
}

impl From<Tenant> for TenantView {
    fn from(tenant: Tenant) -> Self {
        let organization = tenant.organization;
        let settings = organization.settings;
        let (suspended_at, suspension_reason) =
            settings.suspension.map(|it| (it.at.into(), it.reason)).unzip();
        Self {
            id: organization.id.uuid(),
            name: organization.name,
            wallet_balance: tenant.balance.to_number(),
            currency: CURRENCY,
            member_count: tenant.members,
            created_at: organization.created_at.into(),
            screening: settings.is_screened,
            limits: settings.limits.into(),
            suspended_at,
            suspension_reason,
            closed_at: settings.closed_at.map(Timestamp::from),
        }
    }
}

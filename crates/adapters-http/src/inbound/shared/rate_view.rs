//! Limits of rates, as answers show them.

use domain::identity::organization::RateLimit;
use serde::Serialize;
use usecases::shared::limits::RateLimitStatus;
use utoipa::ToSchema;

/// Token bucket: a full one allows `burst` at once, and `perSecond` flow in again.
#[derive(Serialize, ToSchema)]
#[schema(as = RateUse)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RateView {
    /// Number of tokens that flow in per second.
    #[schema(example = 500)]
    pub(crate) per_second: u32,
    /// Number of tokens in a full bucket.
    #[schema(example = 5_000)]
    pub(crate) burst: u32,
    /// Number of tokens available now.
    #[schema(example = 4_980)]
    pub(crate) available: u32,
    /// True if the limit is the organization's own; else it is that of the installation.
    pub(crate) is_own: bool,
}

impl RateView {
    /// Shows a bucket whose size may be the organization's own.
    pub(crate) fn of(status: RateLimitStatus, own: Option<RateLimit>) -> Self {
        let rate = status.rate;
        Self {
            per_second: own.map_or(rate.tokens_per_second(), RateLimit::per_second),
            burst: rate.burst,
            available: status.level.remaining,
            is_own: own.is_some(),
        }
    }
}

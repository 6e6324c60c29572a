//! Decisions of the platform about organizations.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    identity::organization::{OwnLimits, RateLimit, Settings, Suspension},
    shared::money::Money,
};

use crate::shared::schema::organizations;

/// Columns of `organizations` that are [`Settings`] which the platform alone decides, except
/// screening.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = organizations, treat_none_as_null = true)]
pub(super) struct DecisionsRow {
    live_limit: Option<Vec<i32>>,
    sandbox_limit: Option<Vec<i32>>,
    request_limit: Option<Vec<i32>>,
    invoice_credit_micros: Option<i64>,
    suspended_at: Option<DateTime<Utc>>,
    suspension_reason: Option<String>,
}

impl From<&Settings> for DecisionsRow {
    fn from(settings: &Settings) -> Self {
        let (limits, suspension) = (settings.limits, settings.suspension.as_ref());
        Self {
            live_limit: limits.live.map(limit_row),
            sandbox_limit: limits.sandbox.map(limit_row),
            request_limit: limits.requests.map(limit_row),
            invoice_credit_micros: limits.invoice_credit.map(Money::micros),
            suspended_at: suspension.map(|suspension| suspension.at),
            suspension_reason: suspension.map(|suspension| suspension.reason.clone()),
        }
    }
}

fn limit_row(limit: RateLimit) -> Vec<i32> {
    [limit.per_second(), limit.burst()].map(u32::cast_signed).into()
}

impl DecisionsRow {
    pub(super) fn limits(&self) -> OwnLimits {
        OwnLimits {
            live: limit(self.live_limit.as_deref()),
            sandbox: limit(self.sandbox_limit.as_deref()),
            requests: limit(self.request_limit.as_deref()),
            invoice_credit: self.invoice_credit_micros.map(Money::from_micros),
        }
    }

    pub(super) fn suspension(self) -> Option<Suspension> {
        let reason = self.suspension_reason.unwrap_or_default();
        self.suspended_at.map(|at| Suspension { at, reason })
    }
}

/// Reads a limit. An invalid one is `None`: then the limit of the installation holds.
fn limit(row: Option<&[i32]>) -> Option<RateLimit> {
    let [per_second, burst] = row? else { return None };
    RateLimit::new(u32::try_from(*per_second).ok()?, u32::try_from(*burst).ok()?)
}

//! Stored states of providers.

use chrono::{DateTime, Utc};
use domain::providers::{breaker::Breaker, provider_state::ProviderState};

/// Reads a state; `None` if the columns contradict each other.
pub(super) fn read(
    breaker: &str,
    until: Option<DateTime<Utc>>,
    times: i16,
    demotion: i16,
) -> Option<ProviderState> {
    let times = u16::try_from(times).ok()?;
    let breaker = match breaker {
        "CLOSED" => Breaker::CLOSED,
        "OPEN" => Breaker::Open { until: until?, times },
        "PROBING" => Breaker::Probing { until: until?, times },
        _ => return None,
    };
    let demotion = u16::try_from(demotion).ok()?;
    Some(ProviderState { breaker, demotion })
}

/// Returns the columns of a breaker.
pub(super) fn columns(breaker: Breaker) -> (&'static str, Option<DateTime<Utc>>, i16) {
    let (until, times) = match breaker {
        Breaker::Closed { .. } => (None, 0),
        Breaker::Open { until, times } | Breaker::Probing { until, times } => (Some(until), times),
    };
    (breaker.as_str(), until, i16::try_from(times).unwrap_or(i16::MAX))
}

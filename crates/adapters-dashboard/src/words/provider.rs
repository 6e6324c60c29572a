//! Providers: their states, and events in their health.

use domain::providers::{breaker::Breaker, provider_state::ProviderState};
use ports::providers::provider::{HealthEvent, HealthEventKind};

use super::Words;

words! { ProviderState:
    Self { breaker: Breaker::Open { .. }, .. } =>
        bad("Not used", "Calls failed. It is tried again in a moment."),
    Self { breaker: Breaker::Probing { .. }, .. } =>
        bad("Being tried", "Calls failed. A single message tries it out."),
    Self { demotion: 1.., .. } =>
        waiting("Tried later", "Its reports are missing, so others are tried first."),
    Self { .. } => good("Used", "It takes messages."),
}

/// Returns the words for an event in the health of a provider.
pub(crate) fn health(event: &HealthEvent) -> Words {
    match (event.kind, event.status.as_str()) {
        (HealthEventKind::Check, "UP") => {
            Words::good("In order", "The check of its account found nothing.")
        }
        (HealthEventKind::Check, "DEGRADED") => {
            Words::waiting("Nearly in order", "The check of its account found something to mend.")
        }
        (HealthEventKind::Check, _) => {
            Words::bad("Out of order", "By the check of its account, it cannot be used.")
        }
        (HealthEventKind::Breaker, "CLOSED") => Words::good("Used again", "Calls succeed again."),
        (HealthEventKind::Breaker, _) => Words::bad("Not used", "Calls failed."),
        (HealthEventKind::Demotion, "0") => {
            Words::good("At its usual place", "Its reports come again.")
        }
        (HealthEventKind::Demotion, _) => Words::waiting("Tried later", "Its reports are missing."),
    }
}

pub(crate) fn route_country(code: &str) -> &str {
    match code {
        "GH" => "Ghana",
        "01" => "Numbers of no country",
        "*" => "All other countries",
        code => code,
    }
}

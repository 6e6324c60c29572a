//! Results of health checks. Their messages are for people and contain neither credentials nor
//! addresses.

use domain::{
    messaging::{delivery::FailureCode, outcome::Outcome},
    providers::provider::{Check, CheckStatus},
};

/// Returns the result for a usable provider.
pub(crate) fn up(message: impl Into<String>) -> Check {
    Check { status: CheckStatus::Up, message: message.into() }
}

/// Returns the result for a provider that works with limitations, or will soon stop working.
pub(crate) fn degraded(message: impl Into<String>) -> Check {
    Check { status: CheckStatus::Degraded, message: message.into() }
}

/// Returns the result for an unusable provider.
pub(crate) fn down(message: impl Into<String>) -> Check {
    Check { status: CheckStatus::Down, message: message.into() }
}

/// Returns the result of a check that got no response.
pub(crate) fn check_of(outcome: Outcome) -> Check {
    match outcome {
        Outcome::Rejected(failure)
        | Outcome::NotAccepted { failure, .. }
        | Outcome::Unknown(failure) => match failure.code {
            FailureCode::ProviderThrottled | FailureCode::ProviderBusy => degraded(failure.message),
            _ => down(failure.message),
        },
        Outcome::Accepted { .. } => down("the provider's answer is not the documented one"),
    }
}

/// Returns the result of a check that shows a balance. A balance below `low` is nearly used up.
pub(crate) fn balance(amount: Option<f64>, unit: &str, low: f64) -> Check {
    match amount {
        Some(amount) if amount < low => {
            degraded(format!("the balance is nearly used up: {amount} {unit}"))
        }
        Some(amount) => up(format!("the balance is {amount} {unit}")),
        None => degraded("the provider's answer contains no balance"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn a_provider_that_is_busy_is_not_down() {
        let check = |code| check_of(Verdict::NotAccepted(code).outcome("x", None)).status;
        assert_eq!(check(FailureCode::ProviderThrottled), CheckStatus::Degraded);
        assert_eq!(check(FailureCode::ProviderBusy), CheckStatus::Degraded);
        assert_eq!(check(FailureCode::ProviderAuth), CheckStatus::Down);
    }

    #[test]
    fn a_balance_near_zero_is_a_warning() {
        for (amount, status) in [
            (Some(100.0), CheckStatus::Up),
            (Some(10.0), CheckStatus::Up),
            (Some(9.99), CheckStatus::Degraded),
            (Some(-1.0), CheckStatus::Degraded),
            (None, CheckStatus::Degraded),
        ] {
            assert_eq!(balance(amount, "credits", 10.0).status, status, "{amount:?}");
        }
    }
}

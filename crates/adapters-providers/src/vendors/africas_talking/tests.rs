//! Tests of balances.

use domain::providers::provider::CheckStatus;

use super::*;

fn look(body: &str) -> Check {
    Sms { username: String::new() }.check_result(&Answer::of(200, body))
}

#[test]
fn a_low_or_unreadable_balance_is_a_warning() {
    for (body, status) in [
        (r#"{"UserData":{"balance":"1"}}"#, CheckStatus::Up),
        (r#"{"UserData":{"balance":"GHS 0.99"}}"#, CheckStatus::Degraded),
        (r#"{"UserData":{"balance":"GHS -3.20"}}"#, CheckStatus::Degraded),
        (r#"{"UserData":{"balance":"plenty"}}"#, CheckStatus::Degraded),
        (r#"{"UserData":{"balance":"GHS NaN"}}"#, CheckStatus::Degraded),
        ("{}", CheckStatus::Degraded),
    ] {
        assert_eq!(look(body).status, status, "{body}");
    }
}

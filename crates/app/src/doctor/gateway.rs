//! Payment gateway: the key, and our account.

use std::sync::Arc;

use adapters_http::outbound::random::SystemRandom;
use adapters_providers::{HttpClient, Secret, gateways::Paystack};
use domain::{
    identity::organization::PLATFORM,
    money::{payment::PaymentMode, top_up::TopUpReference},
};
use ports::{
    money::payments::{GatewayError, PaymentGateway},
    shared::random::Random,
};

use super::{
    check::Finding,
    checks::{GATEWAY_ACCOUNT, GATEWAY_KEYS},
    is_production, skip, within_limit,
};
use crate::{clock::SystemClock, config::Config};

/// Examines the gateway.
pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    let (url, secret) = (&config.payments.gateway_url, &config.payments.gateway_secret);
    let (Some(url), Some(secret)) = (url, secret) else {
        let missing = if is_production(config) {
            GATEWAY_KEYS.warn("there is no payment gateway: wallets are topped up by invoice only")
        } else {
            GATEWAY_KEYS.ok("payments are simulated in development")
        };
        let mut findings = skip(&[GATEWAY_ACCOUNT], "there is no payment gateway");
        findings.push(missing);
        return findings;
    };
    let made = HttpClient::new(Arc::new(SystemClock)).map_err(|error| error.to_string());
    let made = made.and_then(|http| {
        let gateway = Paystack::new(http, url, Secret::new(secret));
        gateway.map_err(|error| format!("ATUMPAN_GATEWAY_URL {error}"))
    });
    match made {
        Ok(gateway) => vec![keys(gateway.mode(), is_production(config)), account(&gateway).await],
        Err(error) => {
            let mut findings = skip(&[GATEWAY_ACCOUNT], "the gateway cannot be called");
            findings.push(GATEWAY_KEYS.fail(error));
            findings
        }
    }
}

fn keys(mode: Option<PaymentMode>, is_production: bool) -> Finding {
    match (mode, is_production) {
        (Some(PaymentMode::Test), true) => {
            GATEWAY_KEYS.fail("the key is for tests: payments move no money")
        }
        (Some(PaymentMode::Live), false) => {
            GATEWAY_KEYS.warn("the key is live, and the environment is development")
        }
        (Some(PaymentMode::Test), false) => GATEWAY_KEYS.ok("the key is for tests"),
        (Some(PaymentMode::Live), true) => GATEWAY_KEYS.ok("the key is live"),
        (None, _) => GATEWAY_KEYS.ok("a key is set; its form does not show if it is live"),
    }
}

/// Asks for a payment that does not exist, which only the owner of the account may do.
async fn account(gateway: &dyn PaymentGateway) -> Finding {
    let reference = TopUpReference::new_in(PLATFORM, SystemRandom.secret());
    match within_limit(gateway.verify(&reference)).await {
        Some(Ok(_) | Err(GatewayError::UnknownPayment)) => {
            GATEWAY_ACCOUNT.ok("the gateway accepts our key")
        }
        Some(Err(error)) => GATEWAY_ACCOUNT.fail(error.to_string()),
        None => GATEWAY_ACCOUNT.fail("the gateway did not answer in time"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use testkit::{HttpServer, Reply};

    use super::*;
    use crate::{config::Source, doctor::Status};

    async fn statuses(environment: &[(&str, &str)]) -> Vec<Status> {
        let config = Config::read(&Source::of(environment, "")).unwrap();
        examine(&config).await.iter().map(|finding| finding.status).collect()
    }

    #[tokio::test]
    async fn a_key_that_the_gateway_refuses_is_reported() {
        let server = HttpServer::start(|call| {
            if call.headers.get("authorization").is_some_and(|it| it == "Bearer sk_test_good") {
                let unknown =
                    json!({"status": false, "message": "Transaction reference not found."});
                return Reply::json(400, &unknown);
            }
            Reply::json(401, &json!({"status": false, "message": "Invalid key"}))
        })
        .await;
        let url = server.url();
        let with = async |secret| {
            statuses(&[("ATUMPAN_GATEWAY_URL", url.as_str()), ("ATUMPAN_GATEWAY_SECRET", secret)])
                .await
        };

        assert_eq!(with("sk_test_good").await, [Status::Ok, Status::Ok]);
        assert_eq!(with("sk_live_wrong").await, [Status::Warn, Status::Fail]);
        drop(server);
        assert_eq!(with("sk_test_good").await, [Status::Ok, Status::Fail]);
    }

    #[test]
    fn a_key_for_tests_is_refused_in_production() {
        assert_eq!(keys(Some(PaymentMode::Test), true).status, Status::Fail);
        assert_eq!(keys(Some(PaymentMode::Live), true).status, Status::Ok);
        assert_eq!(keys(Some(PaymentMode::Live), false).status, Status::Warn);
        assert_eq!(keys(None, true).status, Status::Ok);
    }
}

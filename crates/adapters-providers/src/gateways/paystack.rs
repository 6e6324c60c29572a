//! Paystack: payments in Ghana by mobile money and by card.

use std::{
    sync::{PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use domain::{
    messaging::outcome::Outcome,
    money::{
        payment::{Payment, PaymentMode},
        top_up::{PaymentMethod, TopUpReference},
    },
    shared::{money::CURRENCY, vendor_text},
};
use ports::money::payments::{
    GatewayError, GatewayEvent, PaymentGateway, PaymentOrder, WrongSignature,
};
use reqwest::{RequestBuilder, Url, header::ACCEPT};
use serde_json::{Value, json};

use super::event::{self, ORGANIZATION};
use crate::{answer::Answer, http_client::HttpClient, secret::Secret};

/// Time-out of a call.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Account of a merchant at Paystack, or at another gateway with its protocol.
pub struct Paystack {
    http: HttpClient,
    base_url: Url,
    secret: RwLock<Secret>,
}

/// Text that is not the address of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an http(s) URL without user and query, such as https://api.paystack.co")]
pub struct InvalidGatewayUrl;

impl Paystack {
    /// Creates a client of the account with this secret key, which authorizes calls and signs the
    /// gateway's events.
    pub fn new(http: HttpClient, url: &str, secret: Secret) -> Result<Self, InvalidGatewayUrl> {
        let base_url = Url::parse(url.trim_end_matches('/')).map_err(|_| InvalidGatewayUrl)?;
        let has_user = !base_url.username().is_empty() || base_url.password().is_some();
        let is_http = matches!(base_url.scheme(), "http" | "https");
        if !is_http || has_user || base_url.query().is_some() || base_url.fragment().is_some() {
            return Err(InvalidGatewayUrl);
        }
        Ok(Self { http, base_url, secret: RwLock::new(secret) })
    }

    /// Replaces the secret key for all calls that begin, and all events that arrive, from now on.
    pub fn replace_secret(&self, secret: Secret) {
        *self.secret.write().unwrap_or_else(PoisonError::into_inner) = secret;
    }

    fn secret(&self) -> Secret {
        self.secret.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the address of a path below that of the gateway. Path segments are escaped.
    fn address(&self, path: &[&str]) -> Url {
        let mut url = self.base_url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    async fn call(&self, request: RequestBuilder) -> Result<Answer, GatewayError> {
        let request =
            request.bearer_auth(self.secret().expose()).header(ACCEPT, "application/json");
        self.http.call(request, TIMEOUT).await.map_err(|outcome| match outcome {
            Outcome::NotAccepted { failure, .. } => GatewayError::Refused(failure.message),
            Outcome::Rejected(failure) | Outcome::Unknown(failure) => {
                GatewayError::Unanswered(failure.message)
            }
            Outcome::Accepted { .. } => GatewayError::Unanswered(String::new()),
        })
    }
}

#[async_trait]
impl PaymentGateway for Paystack {
    fn mode(&self) -> Option<PaymentMode> {
        let secret = self.secret();
        let secret = secret.expose();
        if secret.starts_with("sk_live_") {
            Some(PaymentMode::Live)
        } else if secret.starts_with("sk_test_") {
            Some(PaymentMode::Test)
        } else {
            None
        }
    }

    async fn initialize(&self, order: &PaymentOrder) -> Result<String, GatewayError> {
        let mut body = json!({
            "email": order.email,
            "amount": event::in_pesewas(order.amount),
            "currency": CURRENCY,
            "reference": order.reference.as_str(),
            "channels": channels(order.method),
            "metadata": { ORGANIZATION: order.organization.to_string() },
        });
        if let Some(url) = &order.return_url {
            body["callback_url"] = json!(url);
        }
        let request = self.http.post(self.address(&["transaction", "initialize"])).json(&body);
        let answer = self.call(request).await?;
        let reply: Value = answer.json().unwrap_or_default();
        let url = reply["data"]["authorization_url"].as_str().filter(|url| is_page(url));
        match url {
            Some(url) if answer.status.is_success() && reply["status"] == true => {
                Ok(url.to_owned())
            }
            _ if answer.status.is_client_error() || reply["status"] == false => {
                Err(GatewayError::Refused(why(&answer, &reply)))
            }
            _ => Err(GatewayError::Unanswered(why(&answer, &reply))),
        }
    }

    async fn verify(&self, reference: &TopUpReference) -> Result<Payment, GatewayError> {
        let path = ["transaction", "verify", reference.as_str()];
        let answer = self.call(self.http.get(self.address(&path))).await?;
        let reply: Value = answer.json().unwrap_or_default();
        if answer.status.is_success() && reply["status"] == true && reply["data"].is_object() {
            return Ok(event::payment(&reply["data"]));
        }
        let is_unknown = reply["code"] == "transaction_not_found"
            || reply["message"].as_str().is_some_and(|text| text.contains("not found"));
        if answer.status.is_client_error() && is_unknown {
            return Err(GatewayError::UnknownPayment);
        }
        Err(GatewayError::Unanswered(why(&answer, &reply)))
    }

    fn receive(&self, signature: &str, body: &[u8]) -> Result<GatewayEvent, WrongSignature> {
        event::receive(self.secret().expose(), signature, body)
    }
}

fn channels(method: PaymentMethod) -> &'static [&'static str] {
    match method {
        PaymentMethod::MobileMoney => &["mobile_money"],
        PaymentMethod::Card => &["card"],
        PaymentMethod::Invoice => &[],
    }
}

/// True if a browser can open the address.
fn is_page(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Describes a response for the operator.
fn why(answer: &Answer, reply: &Value) -> String {
    let status = answer.status.as_u16();
    match reply["message"].as_str() {
        Some(message) => format!("{status}, {:?}", vendor_text::clean(message.to_owned())),
        None => format!("{status}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixture::deps,
        signature::{hex, hmac_sha512},
    };

    fn at(url: &str, secret: &str) -> Result<Paystack, InvalidGatewayUrl> {
        Paystack::new(deps().http, url, Secret::new(secret))
    }

    #[test]
    fn the_key_determines_the_payment_mode() {
        for (secret, mode) in [
            ("sk_live_1", Some(PaymentMode::Live)),
            ("sk_test_1", Some(PaymentMode::Test)),
            ("other", None),
        ] {
            assert_eq!(at("https://api.paystack.co", secret).unwrap().mode(), mode, "{secret}");
        }
    }

    #[test]
    fn a_replaced_key_is_the_only_one_that_counts() {
        let gateway = at("https://api.paystack.co", "sk_test_1").unwrap();
        let is_signed_with = |key: &str| {
            let signature = hex(&hmac_sha512(key.as_bytes(), b"{}"));
            gateway.receive(&signature, b"{}").is_ok()
        };
        assert!(is_signed_with("sk_test_1"));

        gateway.replace_secret(Secret::new("sk_live_2"));

        assert!(is_signed_with("sk_live_2") && !is_signed_with("sk_test_1"));
        assert_eq!(gateway.mode(), Some(PaymentMode::Live));
    }

    #[test]
    fn an_address_is_http_and_path_segments_are_escaped() {
        for url in
            ["", "api.paystack.co", "ftp://a.example", "https://u:p@a.example", "https://a/?b"]
        {
            assert!(at(url, "k").is_err(), "{url}");
        }
        for (base, address) in [
            ("https://a.example/", "https://a.example/verify/..%2Fx"),
            ("https://a.example/pay", "https://a.example/pay/verify/..%2Fx"),
        ] {
            let gateway = at(base, "k").unwrap();
            assert_eq!(gateway.address(&["verify", "../x"]).as_str(), address);
        }
    }
}

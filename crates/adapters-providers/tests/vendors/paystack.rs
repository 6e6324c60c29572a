//! Paystack, against a server that responds as documented, and in other ways.

use adapters_providers::{Secret, gateways::Paystack};
use domain::{
    identity::organization::Organization,
    money::{
        payment::{PaymentMode, PaymentStatus},
        top_up::{PaymentMethod, TopUpReference},
    },
    shared::{id::Id, money::Money},
};
use ports::money::payments::{GatewayError, PaymentGateway, PaymentOrder};

use crate::{
    support::http,
    vendor_server::{Then, VendorServer, answer, nobody},
};

const ORGANIZATION: &str = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b";
const REFERENCE: &str = "topup-07070707070707070707070707070707a3b";

fn organization() -> Id<Organization> {
    ORGANIZATION.parse().unwrap()
}

fn reference() -> TopUpReference {
    TopUpReference::new_in(organization(), [7; 32])
}

fn order() -> PaymentOrder {
    PaymentOrder {
        reference: reference(),
        organization: organization(),
        amount: Money::from_micros(1_234_560_000),
        method: PaymentMethod::Card,
        email: "ama@example.com".into(),
        return_url: Some("https://example.com/paid".into()),
    }
}

fn gateway(url: &str) -> Paystack {
    Paystack::new(http(), url, Secret::new("sk_test_1")).unwrap()
}

async fn initialized(then: Then) -> Result<String, GatewayError> {
    let server = VendorServer::start(then).await;
    gateway(&server.url).initialize(&order()).await
}

async fn verified(then: Then) -> Result<domain::money::payment::Payment, GatewayError> {
    let server = VendorServer::start(then).await;
    gateway(&server.url).verify(&reference()).await
}

#[tokio::test]
async fn a_payment_is_initialized_in_pesewas_with_its_organization() {
    let said = r#"{"status":true,"message":"Authorization URL created","data":{"authorization_url":
        "https://checkout.paystack.com/0peioxfhpn","access_code":"0peioxfhpn","reference":"x"}}"#;
    let server = VendorServer::start(answer("200 OK", "", said)).await;

    let page = gateway(&server.url).initialize(&order()).await;

    assert_eq!(page.as_deref(), Ok("https://checkout.paystack.com/0peioxfhpn"));
    let body = format!(
        r#"{{"amount":123456,"callback_url":"https://example.com/paid","channels":["card"],"currency":"GHS","email":"ama@example.com","metadata":{{"organizationId":"{ORGANIZATION}"}},"reference":"{REFERENCE}"}}"#
    );
    let lines = [
        "POST /transaction/initialize HTTP/1.1",
        "authorization: Bearer sk_test_1",
        "content-type: application/json",
    ];
    server.assert_request(&lines, &body).await;
}

#[tokio::test]
async fn a_refused_payment_differs_from_an_uncertain_one() {
    use GatewayError::{Refused, Unanswered};

    for said in ["{\"status\":false,\"message\":\"Invalid key\"}", "{}", "<html>"] {
        let refused = initialized(answer("400 Bad Request", "", said)).await;
        assert!(matches!(refused, Err(Refused(_))), "{refused:?}");
    }
    let page = "\"data\":{\"authorization_url\":\"https://a.example/1\"}";
    let bodies = [
        "{\"status\":true}".to_owned(),
        "{\"status\":true,\"data\":{\"authorization_url\":\"javascript:alert(1)\"}}".to_owned(),
        "[]".to_owned(),
        format!("{{\"status\":\"yes\",{page}}}"),
    ];
    for body in bodies {
        let said = initialized(Then::Answer(format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )));
        let said = said.await;
        assert!(matches!(said, Err(Unanswered(_))), "{body}: {said:?}");
    }
    for then in [
        answer("500 Internal Server Error", "", "{}"),
        answer("302 Found", "Location: https://elsewhere.example/\r\n", ""),
        Then::HangUp,
        Then::FallSilent,
    ] {
        let said = initialized(then).await;
        assert!(matches!(said, Err(Unanswered(_))), "{said:?}");
    }
    let away = format!("http://{}", nobody().await);
    let said = gateway(&away).initialize(&order()).await;
    assert!(matches!(said, Err(Refused(_))), "{said:?}");
}

#[tokio::test]
async fn a_payment_is_read_among_other_fields() {
    let said = r#"{"status":true,"message":"Verification successful","data":{"id":4099260516,
        "domain":"test","status":"success","reference":"topup-07070707070707070707070707070707a3b",
        "receipt_number":null,"amount":"40333","message":null,"gateway_response":"Successful",
        "paid_at":"2024-08-22T09:15:02.000Z","channel":"card","currency":"GHS","metadata":"",
        "log":null,"fees":10283,"fees_split":null,"authorization":{"bin":"408408"},"split":{},
        "requested_amount":30050,"plan":null}}"#;
    let server = VendorServer::start(answer("200 OK", "", said)).await;

    let payment = gateway(&server.url).verify(&reference()).await.unwrap();

    assert_eq!(payment.reference, REFERENCE);
    assert_eq!(payment.status, PaymentStatus::Succeeded);
    assert_eq!(payment.amount, Some(Money::from_micros(403_330_000)));
    assert_eq!(payment.currency.as_deref(), Some("GHS"));
    assert_eq!((payment.mode, payment.organization), (Some(PaymentMode::Test), None));
    let line = format!("GET /transaction/verify/{REFERENCE} HTTP/1.1");
    let request = server.request.await.unwrap();
    assert!(request.starts_with(&line), "{request}");
}

#[tokio::test]
async fn only_a_clear_response_means_that_a_payment_is_unknown() {
    let unknown = r#"{"status":false,"message":"Transaction reference not found.",
        "code":"transaction_not_found"}"#;
    for status in ["400 Bad Request", "404 Not Found"] {
        let said = verified(answer(status, "", unknown)).await;
        assert_eq!(said, Err(GatewayError::UnknownPayment), "{status}");
    }
    for (status, body) in [
        ("400 Bad Request", r#"{"status":false,"message":"Invalid key"}"#),
        ("404 Not Found", "<html>"),
        ("500 Internal Server Error", unknown),
        ("200 OK", r#"{"status":true,"data":null}"#),
        ("200 OK", r#"{"status":false}"#),
        ("200 OK", ""),
    ] {
        let said = verified(answer(status, "", body)).await;
        assert!(matches!(said, Err(GatewayError::Unanswered(_))), "{status} {body}: {said:?}");
    }
}

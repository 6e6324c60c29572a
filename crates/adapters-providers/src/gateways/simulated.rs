//! Gateway without money. Payments are made on a page of this service, and its own webhook is
//! called over HTTP with a signature, as a real gateway does.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    money::{
        payment::{Payment, PaymentMode, PaymentStatus},
        top_up::TopUpReference,
    },
    shared::money::CURRENCY,
};
use ports::{
    money::payments::{
        GatewayError, GatewayEvent, PaymentGateway, PaymentOrder, SimulatedPayment,
        SimulatedPaymentRepository, WebhookSender, WrongSignature,
    },
    shared::clock::Clock,
};
use reqwest::{Url, header::CONTENT_TYPE};
use serde_json::{Value, json};

use super::event::{self, ORGANIZATION, SUCCESS};
use crate::{
    http_client::HttpClient,
    secret::Secret,
    signature::{hex, hmac_sha512},
};

const SIGNATURE: &str = "x-paystack-signature";
/// Time-out of a call to the webhook.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Simulated gateway.
pub struct SimulatedGateway {
    http: HttpClient,
    payments: Arc<dyn SimulatedPaymentRepository>,
    clock: Arc<dyn Clock>,
    checkout_url: String,
    webhook: Url,
    secret: Secret,
}

/// Text that is not the address of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the webhook has no address that can be called")]
pub struct InvalidWebhookUrl;

impl SimulatedGateway {
    /// Creates a gateway whose pages are below `checkout_url`, and which sends events on payments
    /// to `webhook`, signed with `secret`.
    pub fn new(
        http: HttpClient,
        clock: Arc<dyn Clock>,
        payments: Arc<dyn SimulatedPaymentRepository>,
        checkout_url: String,
        webhook: &str,
        secret: Secret,
    ) -> Result<Self, InvalidWebhookUrl> {
        let webhook = Url::parse(webhook).map_err(|_| InvalidWebhookUrl)?;
        Ok(Self { http, payments, clock, checkout_url, webhook, secret })
    }
}

#[async_trait]
impl PaymentGateway for SimulatedGateway {
    fn mode(&self) -> Option<PaymentMode> {
        Some(PaymentMode::Test)
    }

    async fn initialize(&self, order: &PaymentOrder) -> Result<String, GatewayError> {
        let payment = SimulatedPayment {
            reference: order.reference.clone(),
            organization: order.organization,
            amount: order.amount,
            method: order.method,
            status: PaymentStatus::Open,
        };
        let added = self.payments.add(&payment, self.clock.now()).await;
        added.map_err(|error| GatewayError::Unanswered(error.to_string()))?;
        Ok(format!("{}/{}", self.checkout_url, order.reference))
    }

    async fn verify(&self, reference: &TopUpReference) -> Result<Payment, GatewayError> {
        let found = self.payments.find(reference).await;
        let found = found.map_err(|error| GatewayError::Unanswered(error.to_string()))?;
        let payment = found.ok_or(GatewayError::UnknownPayment)?;
        Ok(event::payment(&data(&payment)))
    }

    fn receive(&self, signature: &str, body: &[u8]) -> Result<GatewayEvent, WrongSignature> {
        event::receive(self.secret.expose(), signature, body)
    }
}

#[async_trait]
impl WebhookSender for SimulatedGateway {
    async fn notify(&self, payment: &SimulatedPayment) -> Result<(), String> {
        let kind = match payment.status {
            PaymentStatus::Succeeded => SUCCESS,
            PaymentStatus::Failed | PaymentStatus::Open => "charge.failed",
        };
        let body = json!({ "event": kind, "data": data(payment) }).to_string();
        let signature = hex(&hmac_sha512(self.secret.expose().as_bytes(), body.as_bytes()));
        let request = self
            .http
            .post(self.webhook.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(SIGNATURE, signature)
            .body(body);
        match self.http.call(request, TIMEOUT).await {
            Ok(answer) if answer.status.is_success() => Ok(()),
            Ok(answer) => Err(format!("it answered {}", answer.status)),
            Err(_) => Err("it did not answer".to_owned()),
        }
    }
}

/// Returns a payment in the format of the real gateway.
fn data(payment: &SimulatedPayment) -> Value {
    let (status, response) = match payment.status {
        PaymentStatus::Succeeded => ("success", "Approved"),
        PaymentStatus::Failed => ("failed", "Declined"),
        PaymentStatus::Open => ("abandoned", "The transaction was not completed"),
    };
    json!({
        "domain": "test",
        "status": status,
        "reference": payment.reference.as_str(),
        "amount": event::in_pesewas(payment.amount),
        "gateway_response": response,
        "channel": payment.method.as_str(),
        "currency": CURRENCY,
        "metadata": { ORGANIZATION: payment.organization.to_string() },
    })
}

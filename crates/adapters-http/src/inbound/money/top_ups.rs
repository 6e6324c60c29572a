//! `/billing/top-up`, `/billing/verify-payment` and `/billing/webhooks/gateway`

mod list;
mod payer;

use actix_web::{
    HttpRequest,
    web::{Bytes, Data},
};
use domain::{
    money::top_up::{PaymentMethod, TopUpRequest},
    shared::money::CURRENCY,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    money::{
        invoices::invoice_limit_reached,
        top_ups::{NO_GATEWAY, REFERENCE_REQUIRED, Receipt, TOO_MANY_TOP_UPS, Verified},
    },
    shared::refusals::INVALID_SIGNATURE,
};
use utoipa::ToSchema;

pub(crate) use self::list::ListedTopUpView;
use self::payer::TopUpPayer;
use super::refusals::{
    invoice_amount_differs, invoice_not_open, payment_failed, reference_taken, unknown_invoice,
};
use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, ReceivedView},
        body::{Body, RawBody},
        caller::{self, Member},
        endpoint::{Area, describe::Description, post, post_once},
        error::ApiError,
        formats::Vocabulary,
        json_fields::{Fields, FromFields, field},
    },
};

/// Header with the signature of an event, and the name that the real gateway gives it.
const SIGNATURE: &str = "x-gateway-signature";
const VENDORS_SIGNATURE: &str = "x-paystack-signature";

pub(super) fn area() -> Area {
    Area {
        name: "Top-ups",
        about: "Payments into wallets.",
        endpoints: vec![
            post_once("/billing/top-up", "topUp", top_up)
                .summary("Top up the wallet.")
                .description(
                    "With `mobile_money` or `card` the answer has the address of a payment page; \
                     the wallet is credited when the payment gateway confirms the payment. With \
                     `invoice` it names the invoice. A platform administrator, who need not be a \
                     member, credits other payments with a `reference`: at once, and once for each \
                     reference.",
                )
                .answers("The top-up to pay, or the one that was credited.")
                .refuses_when(
                    "The organization that an administrator credits does not exist.",
                    Error::NotFound("organization"),
                )
                .fails(
                    403,
                    "The caller may not top up, or may not use a reference: `FORBIDDEN`, or \
                     `NOT_A_MEMBER`.",
                )
                .refuses(Error::Conflict(TOO_MANY_TOP_UPS))
                .refuses(invoice_limit_reached())
                .refuses_when("Another amount was credited with the reference.", reference_taken())
                .refuses_when("The invoice with that number is not open.", invoice_not_open())
                .refuses_when(
                    "The invoice with that number has another amount.",
                    invoice_amount_differs(),
                )
                .refuses_when(
                    "The reference looks like the number of an invoice, and the organization has \
                     no such invoice.",
                    unknown_invoice(),
                )
                .refuses(Error::Unavailable(NO_GATEWAY)),
            list::endpoint(),
            post("/billing/verify-payment", "verifyPayment", verify)
                .summary("Verify a top-up at the payment gateway.")
                .description(
                    "If it was paid and the gateway has not reported it yet, the wallet is \
                     credited now.",
                )
                .answers("The payment is credited to the wallet.")
                .refuses(Error::BadRequest(REFERENCE_REQUIRED))
                .refuses_when("Nothing was paid, or the top-up does not exist.", payment_failed())
                .refuses(Error::Unavailable(NO_GATEWAY)),
            post("/billing/webhooks/gateway", "receiveGatewayEvent", webhook)
                .summary("Receive an event of the payment gateway.")
                .description(
                    "For the gateway only. The signature is the HMAC of the raw body in lowercase \
                     hexadecimal: SHA-512 if it has 128 digits, SHA-256 if it has 64. \
                     `x-paystack-signature` is read if `x-gateway-signature` is absent. \
                     `charge.success` credits the wallet; every other event is stored and changes \
                     nothing.",
                )
                .answers("The event is stored.")
                .with(signature)
                .refuses(Error::Unauthenticated(INVALID_SIGNATURE)),
        ],
    }
}

fn signature(description: &mut Description) {
    description.parameters.push(json!({
        "name": SIGNATURE, "in": "header", "required": true,
        "description": "The signature of the body.", "schema": { "type": "string" },
    }));
}

impl Vocabulary for PaymentMethod {
    const TITLE: &'static str = "PaymentMethod";
    const DESCRIPTION: &'static str = "The method of payment.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl FromFields for TopUpRequest {
    const NAME: &'static str = "TopUpRequest";
    const ABOUT: &'static str = "A top-up to request.";

    fn from_fields(fields: &mut Fields) -> Self {
        let amount = field("amount").about("The amount in GHS, with at most two decimals.");
        let amount = amount.limits(&[("minimum", 1), ("maximum", 1_000_000)]);
        let method = field("paymentMethod").about("`mobile_money` if absent.");
        let reference = field("reference").about(
            "The reference of a payment outside the gateway. For platform administrators only; the \
             number of an open invoice pays that invoice.",
        );
        Self {
            amount: fields.required(amount),
            method: fields.optional(method),
            reference: fields.optional(reference),
            pages: None,
        }
    }

    fn example() -> Value {
        json!({ "amount": 50, "paymentMethod": "mobile_money" })
    }
}

/// Reference of a payment.
struct PaymentReference(Option<String>);

impl FromFields for PaymentReference {
    const NAME: &'static str = "VerifyPaymentRequest";
    const ABOUT: &'static str = "The payment to verify.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self(fields.required(
            field("reference").about("The reference in the answer of `POST /billing/top-up`."),
        ))
    }

    fn example() -> Value {
        json!({ "reference": "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b" })
    }
}

/// A top-up.
#[derive(Serialize, ToSchema)]
#[schema(as = TopUp)]
#[serde(rename_all = "camelCase")]
struct TopUpView {
    /// Reference of the payment or the invoice, or the one that an administrator gave.
    #[schema(example = "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b")]
    reference: String,
    /// `CREDITED` if the money is in the wallet, else `PENDING`.
    #[schema(example = "PENDING")]
    status: &'static str,
    /// Page on which it is paid; null if it is not paid there.
    #[schema(example = "https://checkout.example.com/0peioxfhpn")]
    checkout_url: Option<String>,
    #[schema(example = 50.0)]
    amount: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
}

impl From<Receipt> for TopUpView {
    fn from(receipt: Receipt) -> Self {
        Self {
            reference: receipt.reference,
            status: if receipt.is_credited { "CREDITED" } else { "PENDING" },
            checkout_url: receipt.checkout_url,
            amount: receipt.amount.to_number(),
            currency: CURRENCY,
        }
    }
}

/// Payment that is credited to the wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = VerifiedPayment)]
#[serde(rename_all = "camelCase")]
struct VerifiedView {
    #[schema(example = "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b")]
    reference: String,
    /// `CREDITED` if the money was credited now, `ALREADY_PROCESSED` if before.
    #[schema(example = "ALREADY_PROCESSED")]
    status: &'static str,
    #[schema(example = 50.0)]
    amount: f64,
    /// Balance of the wallet.
    #[schema(example = 59.93)]
    balance: f64,
}

impl From<Verified> for VerifiedView {
    fn from(verified: Verified) -> Self {
        Self {
            reference: verified.reference.to_string(),
            status: if verified.is_new { "CREDITED" } else { "ALREADY_PROCESSED" },
            amount: verified.amount.to_number(),
            balance: verified.balance.to_number(),
        }
    }
}

async fn top_up(
    TopUpPayer(payer): TopUpPayer,
    api: Data<Api>,
    body: Body<TopUpRequest>,
) -> Result<Answer<TopUpView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Answer::new(api.top_ups.top_up(&payer, request, faults).await?))
}

async fn verify(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<PaymentReference>,
) -> Result<Answer<VerifiedView>, ApiError> {
    let (PaymentReference(reference), faults) = body.read()?;
    Ok(Answer::new(api.top_ups.verify(&caller, reference, faults).await?))
}

async fn webhook(
    api: Data<Api>,
    request: HttpRequest,
    body: RawBody,
) -> Result<Answer<ReceivedView>, ApiError> {
    let body: Bytes = body.bytes()?;
    let headers = request.headers();
    let header = headers.get(SIGNATURE).or_else(|| headers.get(VENDORS_SIGNATURE));
    let signature = header.and_then(|value| value.to_str().ok());
    match api.top_ups.receive(signature, &body).await {
        Ok(()) => Ok(Answer::new(ReceivedView { received: true })),
        Err(Error::Unauthenticated(_)) => Err(caller::wrong_proof(&api, &request)),
        Err(error) => Err(error.into()),
    }
}

//! `/billing/top-up`, `/billing/verify-payment` and `/billing/webhooks/gateway`

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
    money::top_ups::{Receipt, Verified},
};
use utoipa::ToSchema;

use self::payer::TopUpPayer;
use crate::inbound::{
    Api,
    messaging::callbacks::ReceivedView,
    shared::{
        answers::Answer,
        body::{Body, RawBody},
        caller::{self, Member},
        endpoint::{Area, describe::Description, post},
        error::ApiError,
        formats::Vocabulary,
        json_fields::{Fields, FromFields, field},
    },
};

/// The header with the signature of an event, and what the real gateway calls it.
const SIGNATURE: &str = "x-gateway-signature";
const VENDORS_SIGNATURE: &str = "x-paystack-signature";

pub(super) fn area() -> Area {
    Area {
        name: "Top-ups",
        about: "How money comes into wallets.",
        endpoints: vec![
            post("/billing/top-up", "topUp", top_up)
                .summary("Top the wallet up.")
                .description(
                    "By `mobile_money` or `card` the answer has the address of a page on which it is \
                     paid; the wallet is credited when the payment gateway says that it was. By \
                     `invoice` it names the invoice. A platform administrator, who need not be a \
                     member, credits what was paid otherwise under a `reference`: at once, and once \
                     for each reference.",
                )
                .answers("What is to be paid, or was credited.")
                .fails(
                    404,
                    "There is no organization for an administrator to credit: `NOT_FOUND`.",
                )
                .fails(
                    403,
                    "The caller may not top up, or not under a reference: `FORBIDDEN`, or \
                     `NOT_A_MEMBER`.",
                )
                .fails(
                    409,
                    "Too many top-ups wait for their payment: `TOO_MANY_TOP_UPS`; too many invoices \
                     are open: `INVOICE_LIMIT_REACHED`; another amount was credited under the \
                     reference: `REFERENCE_TAKEN`; or the invoice of that number is not open, or over \
                     another amount: `INVOICE_NOT_OPEN`, `INVOICE_AMOUNT_DIFFERS`.",
                )
                .fails(
                    422,
                    "The reference looks like the number of an invoice, and the organization has no \
                     such invoice: `UNKNOWN_INVOICE`.",
                )
                .fails(503, "There is no payment gateway: `GATEWAY_NOT_CONFIGURED`; or it is away: \
                     `SERVICE_UNAVAILABLE`."),
            post("/billing/verify-payment", "verifyPayment", verify)
                .summary("Ask the payment gateway about a top-up.")
                .description(
                    "If it was paid and the gateway has not told yet, the wallet is credited now.",
                )
                .answers("The payment is in the wallet.")
                .fails(
                    400,
                    "The request is invalid: `VALIDATION_ERROR`; it has no reference: \
                     `REFERENCE_REQUIRED`; nothing was paid, or there is no such top-up: \
                     `PAYMENT_FAILED`; or the request names no organization: \
                     `ORGANIZATION_REQUIRED`.",
                )
                .fails(503, "There is no payment gateway: `GATEWAY_NOT_CONFIGURED`; or it is away: \
                     `SERVICE_UNAVAILABLE`."),
            post("/billing/webhooks/gateway", "receiveGatewayEvent", webhook)
                .summary("Take an event of the payment gateway in.")
                .description(
                    "For the gateway alone. The signature is the HMAC of the body, byte for byte, in \
                     lower-case hexadecimal digits: SHA-512 if there are 128 of them, SHA-256 if \
                     there are 64. `x-paystack-signature` is read where `x-gateway-signature` is \
                     absent. `charge.success` credits the wallet; every other event is kept and \
                     changes nothing.",
                )
                .answers("It is kept.")
                .with(signature)
                .fails(401, "The signature is missing or wrong: `INVALID_SIGNATURE`."),
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
    const DESCRIPTION: &'static str = "How money comes in.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl FromFields for TopUpRequest {
    const NAME: &'static str = "TopUpRequest";
    const ABOUT: &'static str = "Money that is to come into the wallet.";

    fn from_fields(fields: &mut Fields) -> Self {
        let amount = field("amount").about("In GHS, with at most two decimals.");
        let amount = amount.limits(&[("minimum", 1), ("maximum", 1_000_000)]);
        let method = field("paymentMethod").about("`mobile_money` if absent.");
        let reference = field("reference").about(
            "What the money was paid for, past the gateway. For platform administrators only; the \
             number of an open invoice pays that.",
        );
        Self {
            amount: fields.required(amount),
            method: fields.optional(method),
            reference: fields.optional(reference),
        }
    }

    fn example() -> Value {
        json!({ "amount": 50, "paymentMethod": "mobile_money" })
    }
}

/// Which payment is meant.
struct PaymentReference(Option<String>);

impl FromFields for PaymentReference {
    const NAME: &'static str = "VerifyPaymentRequest";
    const ABOUT: &'static str = "Which payment is meant.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self(fields.required(field("reference").about("What `POST /billing/top-up` answered.")))
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
    /// What it is called: the payment, the invoice, or what an administrator called it.
    #[schema(example = "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b")]
    reference: String,
    /// `CREDITED` if the money is in the wallet, else `PENDING`.
    #[schema(example = "PENDING")]
    status: &'static str,
    /// The page on which it is paid; null if it is not paid there.
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

/// A payment that is in the wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = VerifiedPayment)]
#[serde(rename_all = "camelCase")]
struct VerifiedView {
    #[schema(example = "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b")]
    reference: String,
    /// `CREDITED` if the money came into the wallet now, `ALREADY_PROCESSED` if before.
    #[schema(example = "ALREADY_PROCESSED")]
    status: &'static str,
    #[schema(example = 50.0)]
    amount: f64,
    /// What the wallet holds.
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

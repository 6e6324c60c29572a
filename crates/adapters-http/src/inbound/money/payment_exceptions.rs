//! `/admin/payment-exceptions`

use actix_web::web::Data;
use domain::{
    money::payment::{ExceptionReason, PaymentException},
    shared::{id::Id, page::Page},
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{Error, shared::refusals::ALREADY_DECIDED};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Paginated},
        body::Body,
        endpoint::{Area, get, post},
        error::ApiError,
        formats::{Names, Timestamp, Vocabulary},
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        platform_admin::PlatformAdmin,
        query::{FromQuery, Parameters, Query},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Payment exceptions",
        about: "Payments that succeeded and could not be credited, or are reversed.",
        endpoints: vec![
            get("/admin/payment-exceptions", "listPaymentExceptions", list)
                .extension()
                .summary("List payments that could not be credited.")
                .description("For platform administrators. Newest first.")
                .answers("The payments."),
            post("/admin/payment-exceptions/{id}/resolve", "resolvePaymentException", resolve)
                .extension()
                .summary("Resolve a payment exception.")
                .description(
                    "For platform administrators. Records the resolution and moves no money: \
                     credit the payment with `POST /billing/top-up` and a `reference`, or refund \
                     it at the gateway. The comment is recorded in the audit log.",
                )
                .answers("The payment.")
                .refuses(Error::Conflict(ALREADY_DECIDED)),
        ],
    }
}

impl Identified for PaymentException {
    const NAME: &'static str = "payment exception";
}

type ReasonName = Names<ExceptionReason>;

impl Vocabulary for ExceptionReason {
    const TITLE: &'static str = "PaymentExceptionReason";
    const DESCRIPTION: &'static str = "The reason why a payment could not be credited, or is \
         reversed: `DISPUTED` by the payer, or `REFUNDED` at the gateway. A reversed amount stays \
         in the wallet until an administrator decides.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

/// Filter of the list.
struct Listing {
    resolved: Option<bool>,
    page: Page,
}

impl FromQuery for Listing {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let about = "Only resolved exceptions, or only open ones.";
        let resolved = parameters.optional("resolved", about);
        parameters.short_page().map(|page| Self { resolved, page })
    }
}

/// Comment on the resolution.
struct Comment(Option<String>);

impl FromFields for Comment {
    const NAME: &'static str = "PaymentExceptionResolution";
    const ABOUT: &'static str = "The resolution of a payment exception.";

    fn from_fields(fields: &mut Fields) -> Self {
        let comment = field("comment")
            .about("A description of the resolution.")
            .limits(&[("maxLength", 1_000)]);
        Self(fields.required(comment))
    }

    fn example() -> Value {
        json!({ "comment": "Paid back at the gateway." })
    }
}

/// Payment that succeeded and could not be credited.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentException)]
#[serde(rename_all = "camelCase")]
struct PaymentExceptionView {
    id: Uuid,
    /// Reference of the payment at the gateway.
    #[schema(example = "topup-0f8c2f7d10a4c3e5f708192a3b6c2f7da3b")]
    reference: String,
    #[schema(value_type = ReasonName)]
    reason: &'static str,
    /// Paid amount; null if the gateway does not report it.
    #[schema(example = 45.5)]
    amount: Option<f64>,
    /// Currency of the paid amount.
    #[schema(example = "GHS")]
    currency: Option<String>,
    /// Amount of the top-up, in GHS; null if there is none.
    #[schema(example = 50.5)]
    expected_amount: Option<f64>,
    /// Organization of the payment, if known.
    organization_id: Option<Uuid>,
    noticed_at: Timestamp,
    resolved_at: Option<Timestamp>,
    /// The user who resolved it.
    resolved_by: Option<Uuid>,
    /// Comment on the resolution.
    #[schema(example = "Paid back at the gateway.")]
    comment: Option<String>,
}

impl From<PaymentException> for PaymentExceptionView {
    fn from(exception: PaymentException) -> Self {
        let resolution = exception.resolution;
        Self {
            id: exception.id.uuid(),
            reference: exception.reference,
            reason: exception.reason.as_str(),
            amount: exception.amount.map(domain::shared::money::Money::to_number),
            currency: exception.currency,
            expected_amount: exception.expected.map(domain::shared::money::Money::to_number),
            organization_id: exception.organization.map(Id::uuid),
            noticed_at: exception.noticed_at.into(),
            resolved_at: resolution.as_ref().map(|it| it.at.into()),
            resolved_by: resolution.as_ref().map(|it| it.by.uuid()),
            comment: resolution.map(|it| it.comment),
        }
    }
}

async fn list(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<Listing>,
) -> Result<Paginated<PaymentExceptionView>, ApiError> {
    let Listing { resolved, page } = query.read()?;
    Ok(Paginated::new(api.payment_exceptions.page(&admin, resolved, page).await?))
}

async fn resolve(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<PaymentException>,
    body: Body<Comment>,
) -> Result<Answer<PaymentExceptionView>, ApiError> {
    let (Comment(comment), faults) = body.read()?;
    let id = id.or_unknown();
    Ok(Answer::new(api.payment_exceptions.resolve(&admin, id, comment, faults).await?))
}

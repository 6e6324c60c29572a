//! `/admin/tenants/{id}/credit` and `/admin/tenants/{id}/debit`

use std::{convert::Infallible, future::Ready};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse, Responder, body::BoxBody, dev::Payload,
    http::StatusCode, web::Data,
};
use domain::{
    identity::{caller::Administrator, organization::Organization},
    platform::wallet_correction::{Direction, WalletCorrection, WalletCorrectionRequest},
    shared::{fault::Faults, money::CURRENCY},
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error, messaging::messages::IDEMPOTENCY_KEY_REUSED,
    platform::wallet_corrections::MadeCorrection,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{self, schema_of_one},
        body::Body,
        endpoint::{
            Area,
            describe::{Describe, Description},
            post,
            refusals::insufficient_balance,
        },
        error::ApiError,
        formats::Timestamp,
        idempotency::{self, IdempotencyKey},
        json_fields::{Fields, FromFields, field},
        path_id::PathId,
        platform_admin::PlatformAdmin,
    },
};

const RECORDED: &str = "For platform administrators. The ledger of the organization has it at once, as a \
     `CORRECTION` with the reason as its reference, and so has the audit log. With an \
     `Idempotency-Key` it is made once, whenever the request is repeated.";

pub(super) fn area() -> Area {
    Area {
        name: "Wallet corrections",
        about: "Money that platform administrators put into wallets or take out of them.",
        endpoints: vec![
            post("/admin/tenants/{id}/credit", "creditWallet", credit)
                .extension()
                .summary("Put money into the wallet of an organization.")
                .description(RECORDED)
                .answers("The correction.")
                .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED)),
            post("/admin/tenants/{id}/debit", "debitWallet", debit)
                .extension()
                .summary("Take money out of the wallet of an organization.")
                .description(RECORDED)
                .answers("The correction.")
                .refuses_when("The wallet holds less than the amount.", insufficient_balance())
                .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED)),
        ],
    }
}

impl FromFields for WalletCorrectionRequest {
    const NAME: &'static str = "WalletCorrectionRequest";
    const ABOUT: &'static str = "Money to put into a wallet or to take out of it.";

    fn from_fields(fields: &mut Fields) -> Self {
        let amount = field("amount")
            .about("The amount in GHS, above 0, with at most six decimals.")
            .limits(&[("maximum", 1_000_000)]);
        let reason = field("reason")
            .about("The reason, in one line. The organization sees it in its ledger.")
            .limits(&[("minLength", 1), ("maxLength", 200)]);
        Self { amount: fields.required(amount), reason: fields.required(reason) }
    }

    fn example() -> Value {
        json!({ "amount": 5, "reason": "Goodwill for the outage of 3 May" })
    }
}

/// Header `Idempotency-Key` of a request whose body has no such field.
struct OnlyHeader(IdempotencyKey);

impl FromRequest for OnlyHeader {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let key = IdempotencyKey::from_request(request, payload).into_inner();
        std::future::ready(key.map(Self))
    }
}

impl Describe for OnlyHeader {
    fn describe(description: &mut Description) {
        idempotency::describe_header(
            description,
            "A key of the client's choice. A repetition with the same key and body gets the first \
             correction, and makes none.",
        );
    }
}

/// Correction of a wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = WalletCorrection)]
#[serde(rename_all = "camelCase")]
struct WalletCorrectionView {
    /// Identifier of the correction, and of the movement in the ledger.
    id: Uuid,
    /// Change of the balance: below zero for a debit.
    #[schema(example = 5.0)]
    amount: f64,
    /// Balance of the wallet.
    #[schema(example = 14.93)]
    balance: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
    #[schema(example = "Goodwill for the outage of 3 May")]
    reason: String,
    created_at: Timestamp,
}

impl From<MadeCorrection> for WalletCorrectionView {
    fn from(made: MadeCorrection) -> Self {
        let WalletCorrection { id, amount, reason, at, .. } = made.correction;
        Self {
            id: id.uuid(),
            amount: amount.to_number(),
            balance: made.balance.to_number(),
            currency: CURRENCY,
            reason,
            created_at: at.into(),
        }
    }
}

/// Answer to a correction, which is marked if it is a replay.
struct Corrected(MadeCorrection);

impl Responder for Corrected {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let is_replay = self.0.is_replay;
        let view = WalletCorrectionView::from(self.0);
        idempotency::marked(answers::success(StatusCode::CREATED, view), is_replay)
    }
}

impl Describe for Corrected {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<WalletCorrectionView>(&mut description.schemas);
        idempotency::describe_marked(description.answers_json(201, schema));
    }
}

async fn credit(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
    OnlyHeader(key): OnlyHeader,
    body: Body<WalletCorrectionRequest>,
) -> Result<Corrected, ApiError> {
    correct(&api, &admin, (id, Direction::Credit), (body.read()?, key)).await
}

async fn debit(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
    OnlyHeader(key): OnlyHeader,
    body: Body<WalletCorrectionRequest>,
) -> Result<Corrected, ApiError> {
    correct(&api, &admin, (id, Direction::Debit), (body.read()?, key)).await
}

async fn correct(
    api: &Api,
    admin: &Administrator,
    (id, direction): (PathId<Organization>, Direction),
    ((request, mut faults), key): ((WalletCorrectionRequest, Faults), IdempotencyKey),
) -> Result<Corrected, ApiError> {
    let key = key.or(None, &mut faults);
    let wallet = (id.or_unknown(), direction);
    let made = api.wallet_corrections.make(admin, wallet, (request, key), faults).await?;
    Ok(Corrected(made))
}

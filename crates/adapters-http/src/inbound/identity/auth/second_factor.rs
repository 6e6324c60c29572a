//! `/auth/totp`: the second factor of the signed-in user.

use actix_web::{HttpRequest, web::Data};
use domain::identity::second_factor::RecoveryCode;
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::second_factors::{Enrolment, Proof, SECOND_FACTOR_EXISTS},
};
use utoipa::ToSchema;

use super::{PASSWORD, view::NoticeView};
use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        body::Body,
        caller::{Bearer, client_network},
        endpoint::{Endpoint, post},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, field},
    },
};

const CODE: Field = field("code");
const RECOVERY_CODE: Field = field("recoveryCode");
const REMOVED: &str = "the second factor is removed";

pub(super) fn endpoints() -> [Endpoint; 3] {
    let missing = || Error::NotFound("second factor");
    [
        post("/auth/totp", "proposeSecondFactor", propose)
            .extension()
            .summary("Make the secret of a second factor.")
            .description(
                "Enter the secret into an authenticator app, or show the address as a QR code, and \
                 confirm it with a code. Until then, nothing changes, and another call replaces the \
                 secret. Codes are those of RFC 6238 with HMAC-SHA-1, six digits and 30 seconds. \
                 Wrong passwords and codes are counted with failed logins.",
            )
            .answers("The secret, which is shown once.")
            .refuses(Error::Conflict(SECOND_FACTOR_EXISTS)),
        post("/auth/totp/confirm", "confirmSecondFactor", confirm)
            .extension()
            .summary("Confirm a second factor.")
            .description(
                "From then on, logins need a code beside the password. Each recovery code replaces \
                 one code of the app.",
            )
            .answers("The recovery codes, which are shown once.")
            .refuses(missing())
            .refuses(Error::Conflict(SECOND_FACTOR_EXISTS)),
        post("/auth/totp/remove", "removeSecondFactor", remove)
            .extension()
            .summary("Remove the second factor.")
            .description("Takes the password, and a code or a recovery code.")
            .answers("Logins need no code any more.")
            .refuses(missing()),
    ]
}

/// Reads the codes of a login, which has no other required field for them.
pub(super) fn proof(fields: &mut Fields) -> Proof {
    let code = CODE.about(
        "Code of the authenticator app. A user with a second factor needs it, or `recoveryCode`.",
    );
    let recovery_code = RECOVERY_CODE.about("Recovery code, in place of `code`.");
    Proof {
        code: fields.optional(code.extension()),
        recovery_code: fields.optional(recovery_code.extension()),
    }
}

struct Proposal {
    password: Option<String>,
}

impl FromFields for Proposal {
    const NAME: &'static str = "SecondFactorRequest";
    const ABOUT: &'static str = "The password of the user.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { password: fields.required(PASSWORD) }
    }

    fn example() -> Value {
        json!({ "password": "correct horse battery" })
    }
}

struct Confirmation {
    code: Option<String>,
}

impl FromFields for Confirmation {
    const NAME: &'static str = "ConfirmSecondFactorRequest";
    const ABOUT: &'static str = "The first code.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { code: fields.required(CODE.about("Code that the app shows.")) }
    }

    fn example() -> Value {
        json!({ "code": "287082" })
    }
}

struct Removal {
    password: Option<String>,
    proof: Proof,
}

impl FromFields for Removal {
    const NAME: &'static str = "RemoveSecondFactorRequest";
    const ABOUT: &'static str = "The password, and a code or a recovery code.";

    fn from_fields(fields: &mut Fields) -> Self {
        let code = CODE.about("Code of the app. Required without `recoveryCode`.");
        let recovery_code = RECOVERY_CODE.about("Recovery code, in place of `code`.");
        Self {
            password: fields.required(PASSWORD),
            proof: Proof {
                code: fields.optional(code),
                recovery_code: fields.optional(recovery_code),
            },
        }
    }

    fn example() -> Value {
        json!({ "password": "correct horse battery", "code": "287082" })
    }
}

/// Secret of a second factor.
#[derive(Serialize, ToSchema)]
#[schema(as = SecondFactorSecret)]
struct EnrolmentView {
    /// Secret in base32, for people who type it into an app.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// Address with the secret, which an app reads as a QR code.
    #[schema(example = "otpauth://totp/Atumpan:ama%40example.com?secret=GEZDGNBV…&issuer=Atumpan")]
    uri: String,
}

/// Codes for people who lost their authenticator app.
#[derive(Serialize, ToSchema)]
#[schema(as = RecoveryCodes)]
#[serde(rename_all = "camelCase")]
struct RecoveryCodesView {
    /// Ten codes, each of which works once.
    #[schema(example = json!(["GEZD-GNBV-GY3T-QOJQ"]))]
    recovery_codes: Vec<String>,
}

impl From<Enrolment> for EnrolmentView {
    fn from(enrolment: Enrolment) -> Self {
        Self { secret: enrolment.secret, uri: enrolment.uri }
    }
}

impl From<Vec<RecoveryCode>> for RecoveryCodesView {
    fn from(codes: Vec<RecoveryCode>) -> Self {
        Self { recovery_codes: codes.iter().map(RecoveryCode::to_string).collect() }
    }
}

async fn propose(
    Bearer(user): Bearer,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<Proposal>,
) -> Result<Answer<EnrolmentView>, ApiError> {
    let (Proposal { password }, faults) = body.read()?;
    let address = client_network(&api, &request);
    let second_factors = api.auth.second_factors();
    let enrolment = second_factors.propose(&user, password, address, faults).await?;
    Ok(Answer::new(enrolment))
}

async fn confirm(
    Bearer(user): Bearer,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<Confirmation>,
) -> Result<Answer<RecoveryCodesView>, ApiError> {
    let (Confirmation { code }, faults) = body.read()?;
    let address = client_network(&api, &request);
    let codes = api.auth.second_factors().confirm(&user, code, address, faults).await?;
    Ok(Answer::new(codes))
}

async fn remove(
    Bearer(user): Bearer,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<Removal>,
) -> Result<Answer<NoticeView>, ApiError> {
    let (Removal { password, proof }, faults) = body.read()?;
    let address = client_network(&api, &request);
    api.auth.second_factors().remove(&user, password, &proof, address, faults).await?;
    Ok(Answer::new(NoticeView::new(REMOVED)))
}

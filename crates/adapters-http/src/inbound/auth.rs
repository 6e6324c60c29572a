//! `/auth`

use actix_web::{HttpResponse, get, post, web::Data};
use domain::user::{Registration, User};
use tokio::sync::{Semaphore, SemaphorePermit};
use usecases::{
    Error as Refusal,
    auth::{Auth, Credentials},
    limits::Limit,
};
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    Api,
    body::Body,
    caller::{Bearer, Guest},
    envelope::{self, FailureView, Success},
    error::Failure,
    form::{Fields, FromFields},
};

mod verification;
mod view;

use view::{LoginView, NoticeView, ProfileView, RegistrationView};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config
        .service(register)
        .service(login)
        .service(me)
        .service(forgot_password)
        .service(reset_password)
        .service(verification::page)
        .service(verification::verify);
}

/// How many mails with tokens are prepared at the same time, and how many of them are prepared or
/// wait.
static MAILERS: Semaphore = Semaphore::const_new(16);
static MAILS: Semaphore = Semaphore::const_new(256);

/// A new user, perhaps with a new organization.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({
        "email": "ama@example.com", "password": "correct horse battery", "firstName": "Ama",
        "lastName": "Mensah", "organizationName": "Kente Online",
    }),
)]
struct RegisterRequest {
    /// The address to sign in with.
    #[schema(value_type = String, format = Email)]
    email: Option<String>,
    #[schema(value_type = String, format = Password, min_length = 8)]
    password: Option<String>,
    /// Given name.
    #[schema(value_type = String)]
    first_name: Option<String>,
    /// Family name.
    #[schema(value_type = String)]
    last_name: Option<String>,
    /// When present, an organization of this name and its wallet are created.
    organization_name: Option<String>,
}

impl FromFields for RegisterRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            email: fields.optional("email"),
            password: fields.optional("password"),
            first_name: fields.optional("firstName"),
            last_name: fields.optional("lastName"),
            organization_name: fields.optional("organizationName"),
        }
    }
}

impl From<RegisterRequest> for Registration {
    fn from(request: RegisterRequest) -> Self {
        let RegisterRequest { email, password, first_name, last_name, organization_name } = request;
        Self { email, password, first_name, last_name, organization_name }
    }
}

/// Who signs in.
#[derive(ToSchema)]
#[schema(example = json!({ "email": "ama@example.com", "password": "correct horse battery" }))]
struct LoginRequest {
    #[schema(value_type = String, format = Email)]
    email: Option<String>,
    #[schema(value_type = String, format = Password)]
    password: Option<String>,
}

impl FromFields for LoginRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { email: fields.optional("email"), password: fields.optional("password") }
    }
}

/// Who forgot the password.
#[derive(ToSchema)]
#[schema(example = json!({ "email": "ama@example.com" }))]
struct ForgotPasswordRequest {
    #[schema(value_type = String, format = Email)]
    email: Option<String>,
}

impl FromFields for ForgotPasswordRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { email: fields.optional("email") }
    }
}

/// A new password.
#[derive(ToSchema)]
#[schema(example = json!({ "token": "5e884898da28…", "password": "correct horse battery" }))]
struct ResetPasswordRequest {
    /// The token that was mailed.
    #[schema(value_type = String)]
    token: Option<String>,
    #[schema(value_type = String, format = Password, min_length = 8)]
    password: Option<String>,
}

impl FromFields for ResetPasswordRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { token: fields.optional("token"), password: fields.optional("password") }
    }
}

/// Register.
///
/// Creates a user and, when `organizationName` is given, an organization that the user owns. A link
/// that verifies the address is mailed to it.
#[utoipa::path(
    operation_id = "register",
    tag = "Authentication",
    request_body = RegisterRequest,
    responses(
        (status = 201, description = "A session.", body = Success<RegistrationView>),
        (status = 409, description = "The address is taken: `EMAIL_EXISTS`.", body = FailureView),
    ),
)]
#[post("/auth/register")]
async fn register(
    Guest(address): Guest,
    api: Data<Api>,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (request, found) = body.read::<RegisterRequest>()?;
    api.limits.registration(address).await?;
    let (session, organization) = api.auth.register(request.into(), found).await?;
    if api.verifies_emails {
        mail_verification(&api, session.user.clone());
    }
    Ok(envelope::created(RegistrationView::of(session, organization)))
}

/// BreakerSignal in.
#[utoipa::path(
    operation_id = "login",
    tag = "Authentication",
    request_body = LoginRequest,
    responses(
        (status = 200, description = "A session, and where it can be used.",
         body = Success<LoginView>),
        (status = 401, description = "`INVALID_CREDENTIALS`.", body = FailureView),
    ),
)]
#[post("/auth/login")]
async fn login(Guest(address): Guest, api: Data<Api>, body: Body) -> Result<HttpResponse, Failure> {
    let (LoginRequest { email, password }, found) = body.read()?;
    let credentials = Credentials { email, password };
    let (session, memberships) = api.auth.login(credentials, address, found).await?;
    Ok(envelope::ok(LoginView::of(session, memberships)))
}

/// Who is signed in.
#[utoipa::path(
    operation_id = "getProfile",
    tag = "Authentication",
    security(("bearer" = [])),
    responses((status = 200, description = "The user.", body = Success<ProfileView>)),
)]
#[get("/auth/me")]
async fn me(Bearer(user): Bearer, api: Data<Api>) -> Result<HttpResponse, Failure> {
    let memberships = api.auth.memberships(&user).await?;
    Ok(envelope::ok(ProfileView::of(user, memberships)))
}

/// Ask for a new password.
///
/// The answer is the same whether or not the address is known.
#[utoipa::path(
    operation_id = "forgotPassword",
    tag = "Authentication",
    request_body = ForgotPasswordRequest,
    responses(
        (status = 200, description = "A token is mailed, if the address is known.",
         body = Success<NoticeView>),
        (status = 400, description = "`EMAIL_REQUIRED`, or `VALIDATION_ERROR`.",
         body = FailureView),
    ),
)]
#[post("/auth/forgot-password")]
async fn forgot_password(_: Guest, api: Data<Api>, body: Body) -> Result<HttpResponse, Failure> {
    let (request, found) = body.read::<ForgotPasswordRequest>()?;
    let email = api.auth.forgot_password(request.email, found)?;
    let Ok(place) = MAILS.try_acquire() else {
        Limit::Mails.count_refusal();
        return Err(Refusal::Overloaded.into());
    };
    api.background.spawn(mail_reset(api.auth.clone(), email, place));
    Ok(envelope::ok(NoticeView::new(
        "if somebody has registered with this address, a reset token is on its way to it",
    )))
}

/// Set a new password.
///
/// Ends all sessions of the user. A token works once, for 30 minutes.
#[utoipa::path(
    operation_id = "resetPassword",
    tag = "Authentication",
    request_body = ResetPasswordRequest,
    responses(
        (status = 200, description = "The password is set.", body = Success<NoticeView>),
        (status = 400, description = "The input is invalid, the password weak or the token expired: \
                                      `VALIDATION_ERROR`.", body = FailureView),
    ),
)]
#[post("/auth/reset-password")]
async fn reset_password(_: Guest, api: Data<Api>, body: Body) -> Result<HttpResponse, Failure> {
    let (ResetPasswordRequest { token, password }, found) = body.read()?;
    api.auth.reset_password(token, password, found).await?;
    Ok(envelope::ok(NoticeView::new("the password is updated")))
}

/// Has the mail written after the answer, unless too many wait: a user can do without it.
fn mail_verification(api: &Api, user: User) {
    match MAILS.try_acquire() {
        Ok(place) => {
            let mail = verification::mail(api.auth.clone(), user, api.public_url.clone());
            let mail = async move {
                let _place = place;
                mail.await;
            };
            api.background.spawn(mail);
        }
        Err(_) => {
            Limit::Mails.count_refusal();
            tracing::warn!(user = %user.id, "left out a verification link: too many wait");
        }
    }
}

/// Goes on after the answer, which must not depend on it.
async fn mail_reset(auth: Auth, email: String, _place: SemaphorePermit<'static>) {
    let _permit = MAILERS.acquire().await;
    if let Err(error) = auth.mail_reset(&email).await {
        tracing::error!(%error, "a reset token could not be mailed");
    }
}

//! `/auth`

use actix_web::{HttpRequest, web::Data};
use domain::identity::user::Registration;
use serde_json::{Value, json};
use usecases::{
    Error,
    identity::{
        auth::{
            Credentials, EMAIL_EXISTS, EMAIL_REQUIRED, INVALID_CREDENTIALS, REGISTRATION_CLOSED,
        },
        second_factors::SECOND_FACTOR_REQUIRED,
    },
};

use crate::inbound::{
    Api,
    identity::mails,
    shared::{
        answers::{Answer, Created},
        body::Body,
        caller::{AnyBearer, Guest, client},
        endpoint::{Area, get, post},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, field},
    },
};

mod account;
mod invitation;
mod mailed_link;
mod reset;
mod second_factor;
mod verification;
mod view;

use view::{LoginView, NoticeView, ProfileView, RegistrationView};

pub(super) fn area() -> Area {
    let mut area = own_area();
    area.endpoints.extend(account::endpoints());
    area
}

/// Returns the area without the endpoints that change the account of the signed-in user.
fn own_area() -> Area {
    let [show_reset, reset_password] = reset::endpoints();
    let [show_page, verify] = verification::endpoints();
    let [show_invitation, accept_invitation] = invitation::endpoints();
    let [propose_second_factor, confirm_second_factor, remove_second_factor] =
        second_factor::endpoints();
    Area {
        name: "Authentication",
        about: "Registration and login.",
        endpoints: vec![
            post("/auth/register", "register", register)
                .summary("Register.")
                .description(
                    "Creates a user and, if `organizationName` is given, an organization that the \
                     user owns. A verification link is mailed to the address.",
                )
                .answers("A session.")
                .refuses(Error::Forbidden(REGISTRATION_CLOSED))
                .refuses(Error::Conflict(EMAIL_EXISTS)),
            post("/auth/login", "login", login)
                .summary("Sign in.")
                .answers("A session, and the organizations in which it can be used.")
                .refuses(Error::Unauthenticated(INVALID_CREDENTIALS))
                .refuses(Error::Unauthenticated(SECOND_FACTOR_REQUIRED)),
            get("/auth/me", "getProfile", me)
                .summary("Get the signed-in user.")
                .answers("The user."),
            post("/auth/forgot-password", "forgotPassword", forgot_password)
                .summary("Request a new password.")
                .description("The answer does not reveal if the address is registered.")
                .answers("A link is mailed if the address is registered.")
                .refuses(Error::BadRequest(EMAIL_REQUIRED)),
            show_reset,
            reset_password,
            show_page,
            verify,
            show_invitation,
            accept_invitation,
            propose_second_factor,
            confirm_second_factor,
            remove_second_factor,
        ],
    }
}

const EMAIL: Field = field("email").format("email");
const PASSWORD: Field = field("password").format("password");
const NEW_PASSWORD: Field = PASSWORD.limits(&[("minLength", 8)]);

impl FromFields for Registration {
    const NAME: &'static str = "RegisterRequest";
    const ABOUT: &'static str = "A new user, optionally with a new organization.";

    fn from_fields(fields: &mut Fields) -> Self {
        let organization_name = field("organizationName")
            .about("If present, an organization with this name and its wallet are created.");
        Self {
            email: fields.required(EMAIL.about("The address to sign in with.")),
            password: fields.required(NEW_PASSWORD),
            first_name: fields.required(field("firstName").about("Given name.")),
            last_name: fields.required(field("lastName").about("Family name.")),
            organization_name: fields.optional(organization_name),
        }
    }

    fn example() -> Value {
        json!({
            "email": "ama@example.com", "password": "correct horse battery", "firstName": "Ama",
            "lastName": "Mensah", "organizationName": "Kente Online",
        })
    }
}

impl FromFields for Credentials {
    const NAME: &'static str = "LoginRequest";
    const ABOUT: &'static str = "The credentials of a user.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            email: fields.required(EMAIL),
            password: fields.required(PASSWORD),
            proof: second_factor::proof(fields),
        }
    }

    fn example() -> Value {
        json!({ "email": "ama@example.com", "password": "correct horse battery" })
    }
}

struct ForgottenPassword {
    email: Option<String>,
}

impl FromFields for ForgottenPassword {
    const NAME: &'static str = "ForgotPasswordRequest";
    const ABOUT: &'static str = "A request for a new password.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { email: fields.required(EMAIL) }
    }

    fn example() -> Value {
        json!({ "email": "ama@example.com" })
    }
}

async fn register(
    Guest(address, rate_limit): Guest,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<Registration>,
) -> Result<Created<RegistrationView>, ApiError> {
    let (registration, faults) = body.read()?;
    api.limits.registration(address, &rate_limit).await?;
    let (session, organization) =
        api.auth.register(registration, client(&api, &request), faults).await?;
    if api.verifies_emails {
        mails::verification(&api, session.user.clone());
    }
    Ok(Created::new(RegistrationView::of(session, organization)))
}

async fn login(
    _: Guest,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<Credentials>,
) -> Result<Answer<LoginView>, ApiError> {
    let (credentials, faults) = body.read()?;
    let (session, memberships) =
        api.auth.login(credentials, client(&api, &request), faults).await?;
    Ok(Answer::new(LoginView::of(session, memberships)))
}

async fn me(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
) -> Result<Answer<ProfileView>, ApiError> {
    let memberships = api.auth.memberships(&session).await?;
    Ok(Answer::new(ProfileView::of(session.user, memberships)))
}

async fn forgot_password(
    _: Guest,
    api: Data<Api>,
    body: Body<ForgottenPassword>,
) -> Result<Answer<NoticeView>, ApiError> {
    let (request, faults) = body.read()?;
    let email = api.auth.forgot_password(request.email, faults)?;
    mails::reset(&api, email)?;
    Ok(Answer::new(NoticeView::new(
        "if somebody has registered with this address, a reset link is on its way to it",
    )))
}

//! The account of the signed-in user: sessions, names, password, verification of the address.

use actix_web::{HttpRequest, web::Data};
use domain::identity::{open_session::OpenSession, user::UserUpdate};
use serde_json::{Value, json};
use usecases::identity::auth::PasswordChange;

use super::view::{NoticeView, OpenSessionView, ProfileView};
use crate::inbound::{
    Api,
    identity::mails,
    shared::{
        answers::{Answer, Listed, NoContent},
        body::Body,
        caller::{AnyBearer, Bearer, client},
        endpoint::{Endpoint, delete, get, patch, post},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
    },
};

const FIRST_NAME: Field = field("firstName").limits(&[("maxLength", 100)]);
const LAST_NAME: Field = field("lastName").limits(&[("maxLength", 100)]);
const CURRENT_PASSWORD: Field = field("currentPassword").format("password");
const NEW_PASSWORD: Field = field("newPassword").format("password").limits(&[("minLength", 8)]);

pub(super) fn endpoints() -> [Endpoint; 7] {
    [
        patch("/auth/me", "updateProfile", update)
            .extension()
            .summary("Change the signed-in user.")
            .description("Absent fields keep their values.")
            .answers("The changed user."),
        post("/auth/logout", "logout", logout)
            .extension()
            .summary("Sign out.")
            .description("Ends the session of the request at once, on every instance.")
            .answers("The session is ended."),
        post("/auth/logout-everywhere", "logoutEverywhere", logout_everywhere)
            .extension()
            .summary("Sign out everywhere.")
            .description("Ends all sessions of the user at once, that of the request included.")
            .answers("The sessions are ended."),
        get("/auth/sessions", "listSessions", sessions)
            .extension()
            .summary("List the sessions of the signed-in user.")
            .description(
                "The session of the request, then the others, last used first; at most 100. A \
                 session ends 24 hours after the login.",
            )
            .answers("The sessions that have not ended."),
        delete("/auth/sessions/{id}", "endSession", end_session)
            .extension()
            .summary("End a session of the signed-in user.")
            .description("It is refused at once, on every instance.")
            .answers("The session is ended."),
        post("/auth/change-password", "changePassword", change_password)
            .extension()
            .summary("Change the password.")
            .description(
                "Ends the other sessions of the user. A wrong present password is reported for its \
                 field, and counts as a failed login.",
            )
            .answers("The password is changed."),
        post("/auth/verify-email/resend", "resendVerification", resend_verification)
            .extension()
            .summary("Mail another verification link.")
            .description("At most five links are mailed within an hour.")
            .answers("The link is mailed, unless the address is verified already."),
    ]
}

impl Identified for OpenSession {
    const NAME: &'static str = "session";
}

impl FromFields for UserUpdate {
    const NAME: &'static str = "UpdateProfileRequest";
    const ABOUT: &'static str = "Changes to the signed-in user.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            first_name: fields.optional(FIRST_NAME.about("Given name.")),
            last_name: fields.optional(LAST_NAME.about("Family name.")),
        }
    }

    fn example() -> Value {
        json!({ "firstName": "Ama", "lastName": "Owusu" })
    }
}

impl FromFields for PasswordChange {
    const NAME: &'static str = "ChangePasswordRequest";
    const ABOUT: &'static str = "The present password, and a new one.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            current_password: fields.required(CURRENT_PASSWORD),
            new_password: fields.required(NEW_PASSWORD),
        }
    }

    fn example() -> Value {
        json!({ "currentPassword": "correct horse battery", "newPassword": "staple and stable" })
    }
}

async fn update(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
    body: Body<UserUpdate>,
) -> Result<Answer<ProfileView>, ApiError> {
    session.own_claims()?;
    let (update, faults) = body.read_some()?;
    let (user, memberships) = api.auth.update(&session, update, faults).await?;
    Ok(Answer::new(ProfileView::of(user, memberships)))
}

async fn logout(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
) -> Result<Answer<NoticeView>, ApiError> {
    api.auth.logout(&session).await?;
    Ok(Answer::new(NoticeView::new("the session is ended")))
}

async fn logout_everywhere(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
) -> Result<Answer<NoticeView>, ApiError> {
    api.auth.logout_everywhere(&session).await?;
    Ok(Answer::new(NoticeView::new("all sessions are ended")))
}

async fn sessions(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
) -> Result<Listed<OpenSessionView>, ApiError> {
    let current = session.claims.session;
    let sessions = api.auth.sessions(&session).await?;
    Ok(Listed::new(sessions.into_iter().map(|it| OpenSessionView::of(it, current))))
}

async fn end_session(
    AnyBearer(session): AnyBearer,
    api: Data<Api>,
    id: PathId<OpenSession>,
) -> Result<NoContent, ApiError> {
    session.own_claims()?;
    api.auth.end_session(&session, id.read()?).await?;
    Ok(NoContent)
}

async fn change_password(
    AnyBearer(session): AnyBearer,
    request: HttpRequest,
    api: Data<Api>,
    body: Body<PasswordChange>,
) -> Result<Answer<NoticeView>, ApiError> {
    session.own_claims()?;
    let (change, faults) = body.read()?;
    let client = client(&api, &request);
    api.auth.change_password(&session, change, &client, faults).await?;
    Ok(Answer::new(NoticeView::new("the password is changed, and the other sessions are ended")))
}

async fn resend_verification(
    Bearer(user): Bearer,
    api: Data<Api>,
) -> Result<Answer<NoticeView>, ApiError> {
    if user.email_verified_at.is_some() {
        return Ok(Answer::new(NoticeView::new("the address is verified already")));
    }
    mails::verification_again(&api, &user).await?;
    Ok(Answer::new(NoticeView::new("a link is on its way to the address")))
}

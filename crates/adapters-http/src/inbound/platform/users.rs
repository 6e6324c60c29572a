//! `/admin/users`

use actix_web::web::Data;
use domain::{
    identity::user::{PlatformRole, User},
    platform::user::{UserFilter, UserUpdate},
    shared::{id::Id, page::Page},
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{Error, platform::users::LAST_ADMIN};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Paginated},
        body::Body,
        endpoint::{Area, get, patch, post},
        error::ApiError,
        formats::{PlatformRoleName, Timestamp},
        json_fields::{Fields, FromFields, field},
        path_id::{Identified, PathId},
        platform_admin::PlatformAdmin,
        query::{FromQuery, Parameters, Query},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Users",
        about: "Users of all organizations, as platform administrators see and change them.",
        endpoints: vec![
            get("/admin/users", "listUsers", list)
                .extension()
                .summary("List all users.")
                .description("For platform administrators. Newest first.")
                .answers("The users."),
            patch("/admin/users/{id}", "updateUser", update)
                .extension()
                .summary("Change the platform role of a user, or the verification of the address.")
                .description(
                    "For platform administrators. Takes effect with the next request of the user, \
                     and is recorded in the audit log. The last administrator keeps the role.",
                )
                .answers("The changed user.")
                .refuses(Error::Conflict(LAST_ADMIN)),
            post("/admin/users/{id}/end-sessions", "endUserSessions", end_sessions)
                .extension()
                .summary("End all sessions of a user.")
                .description(
                    "For platform administrators. The user can sign in again. Recorded in the \
                     audit log.",
                )
                .answers("The user."),
            post("/admin/users/{id}/reset-totp", "resetUserSecondFactor", reset_totp)
                .extension()
                .summary("Remove the second factor of a user.")
                .description(
                    "For platform administrators, for users who lost their device and their \
                     recovery codes. The user signs in with the password alone, and can set up \
                     another one. Recorded in the audit log. A user without a second factor does \
                     not change.",
                )
                .answers("The user."),
        ],
    }
}

/// Marker of users in addresses of the platform.
enum PlatformUser {}

impl Identified for PlatformUser {
    const NAME: &'static str = "user";
}

fn user(id: Id<PlatformUser>) -> Id<User> {
    Id::of(id.uuid())
}

impl FromQuery for (UserFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let search = parameters.optional(
            "search",
            "Only users whose email addresses or names contain this text, in any letter case.",
        );
        parameters.short_page().map(|page| (UserFilter { search }, page))
    }
}

impl FromFields for UserUpdate {
    const NAME: &'static str = "UserUpdate";
    const ABOUT: &'static str =
        "Changes to a user by the platform. Absent fields keep their values.";

    fn from_fields(fields: &mut Fields) -> Self {
        let role =
            field("platformRole").about("The role on the platform; null for an ordinary user.");
        let is_verified = field("emailVerified")
            .about("True if the user is known to read the mail of the address.");
        Self { platform_role: fields.change(role), is_email_verified: fields.optional(is_verified) }
    }

    fn example() -> Value {
        json!({ "emailVerified": true })
    }
}

/// A user, as platform administrators see them.
#[derive(Serialize, ToSchema)]
#[schema(as = PlatformUser)]
#[serde(rename_all = "camelCase")]
struct PlatformUserView {
    id: Uuid,
    #[schema(format = Email)]
    email: String,
    /// True if the user has proved to read the mail of that address.
    email_verified: bool,
    #[schema(example = "Ama")]
    first_name: String,
    #[schema(example = "Mensah")]
    last_name: String,
    /// Role on the platform itself; null for nearly everybody.
    #[schema(value_type = Option<PlatformRoleName>)]
    platform_role: Option<&'static str>,
    /// True if logins need a second factor.
    second_factor: bool,
    created_at: Timestamp,
}

impl From<User> for PlatformUserView {
    fn from(user: User) -> Self {
        Self {
            id: user.id.uuid(),
            email: user.email,
            email_verified: user.email_verified_at.is_some(),
            first_name: user.first_name,
            last_name: user.last_name,
            platform_role: user.platform_role.map(PlatformRole::as_str),
            second_factor: user.second_factor_at.is_some(),
            created_at: user.created_at.into(),
        }
    }
}

async fn list(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<(UserFilter, Page)>,
) -> Result<Paginated<PlatformUserView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::new(api.platform_users.page(&admin, filter, page).await?))
}

async fn update(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<PlatformUser>,
    body: Body<UserUpdate>,
) -> Result<Answer<PlatformUserView>, ApiError> {
    let (update, faults) = body.read_some()?;
    let id = user(id.or_unknown());
    Ok(Answer::new(api.platform_users.update(&admin, id, update, faults).await?))
}

async fn end_sessions(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<PlatformUser>,
) -> Result<Answer<PlatformUserView>, ApiError> {
    Ok(Answer::new(api.platform_users.end_sessions(&admin, user(id.read()?)).await?))
}

async fn reset_totp(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<PlatformUser>,
) -> Result<Answer<PlatformUserView>, ApiError> {
    Ok(Answer::new(api.platform_users.reset_second_factor(&admin, user(id.read()?)).await?))
}

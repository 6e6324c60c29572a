//! `/admin/tenants/{id}/impersonate` and `/admin/exit-impersonation`

use actix_web::{HttpRequest, web::Data};
use domain::identity::organization::Organization;
use serde::Serialize;
use usecases::identity::auth::{Impersonated, Session};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        caller::{AnyBearer, session},
        endpoint::{Area, callers::BEARER, describe::Description, post},
        error::ApiError,
        formats::Timestamp,
        path_id::PathId,
        request_id,
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Impersonation",
        about: "Platform administrators who act as an organization.",
        endpoints: vec![
            post("/admin/tenants/{id}/impersonate", "impersonate", impersonate)
                .summary("Act as an organization.")
                .description(
                    "The token is good for 15 minutes, for this organization, and for what an owner \
                     may: but it sends no messages, starts, resumes and cancels no campaigns, moves \
                     no money, makes and revokes no API keys, invites nobody, and opens nothing else \
                     for administrators. `X-Organization-Id` may be left out. The owners are told by \
                     email, and the audit log has every request that is made with it.",
                )
                .answers("A session, and where it can be used.")
                .fails(404, "There is no such organization: `NOT_FOUND`."),
            post("/admin/exit-impersonation", "exitImpersonation", exit)
                .summary("Act as an administrator again.")
                .description(
                    "The token that this is called with is good for nothing afterwards. The new one \
                     ends when the session would have in which it began. So whoever holds the token \
                     of an impersonation can become the administrator: treat it as one of theirs.",
                )
                .answers("A session of the administrator.")
                .fails(400, "This session impersonates nobody: `NOT_IMPERSONATING`.")
                .with(takes_session),
        ],
    }
}

fn takes_session(description: &mut Description) {
    description.security = &[&[BEARER]];
}

/// A session in which an administrator acts as an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Impersonation)]
#[serde(rename_all = "camelCase")]
struct ImpersonationView {
    /// The token for the header `Authorization: Bearer …`.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi…")]
    token: String,
    /// When the token ceases to work.
    expires_at: Timestamp,
    organization: ImpersonatedView,
}

/// The organization as which an administrator acts.
#[derive(Serialize, ToSchema)]
#[schema(as = ImpersonatedOrganization)]
struct ImpersonatedView {
    id: Uuid,
    #[schema(example = "Kente Online")]
    name: String,
}

/// The session of an administrator.
#[derive(Serialize, ToSchema)]
#[schema(as = RestoredSession)]
#[serde(rename_all = "camelCase")]
struct RestoredView {
    /// The token for the header `Authorization: Bearer …`.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi…")]
    token: String,
    /// When the token ceases to work.
    expires_at: Timestamp,
}

impl From<Impersonated> for ImpersonationView {
    fn from(impersonated: Impersonated) -> Self {
        let Impersonated { token, expires_at, organization } = impersonated;
        let organization = ImpersonatedView { id: organization.id.uuid(), name: organization.name };
        Self { token, expires_at: expires_at.into(), organization }
    }
}

impl From<Session> for RestoredView {
    fn from(session: Session) -> Self {
        Self { token: session.token, expires_at: session.expires_at.into() }
    }
}

async fn impersonate(
    AnyBearer(session): AnyBearer,
    request: HttpRequest,
    api: Data<Api>,
    id: PathId<Organization>,
) -> Result<Answer<ImpersonationView>, ApiError> {
    let request = request_id::id_of(&request)?;
    Ok(Answer::new(api.auth.impersonate(&session, request, id.or_unknown()).await?))
}

/// What ends an impersonation is written down as its end only.
async fn exit(request: HttpRequest, api: Data<Api>) -> Result<Answer<RestoredView>, ApiError> {
    let (session, request) = (session(&request).await?, request_id::id_of(&request)?);
    Ok(Answer::new(api.auth.exit_impersonation(session, request).await?))
}

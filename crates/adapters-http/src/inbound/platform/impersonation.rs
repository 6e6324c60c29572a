//! `/admin/tenants/{id}/impersonate` and `/admin/exit-impersonation`

use actix_web::{HttpRequest, web::Data};
use domain::identity::organization::Organization;
use serde::Serialize;
use usecases::{
    Error,
    identity::auth::{Impersonated, NOT_IMPERSONATING, Session},
};
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
                    "The token is valid for 15 minutes, for this organization, with the \
                     permissions of an owner, except that it cannot send messages, start, resume \
                     or cancel campaigns, move money, create or revoke API keys, or invite \
                     members. It does not give access to the endpoints of administrators. \
                     `X-Organization-Id` may be omitted. The owners are notified by email, and the \
                     audit log records every request that is made with it.",
                )
                .answers("A session, and the organization in which it can be used."),
            post("/admin/exit-impersonation", "exitImpersonation", exit)
                .summary("End the impersonation.")
                .description(
                    "The token of the call becomes invalid. The new token expires with the session \
                     in which the impersonation began. The holder of an impersonation token can \
                     thus act as the administrator: protect it like an administrator's token.",
                )
                .answers("A session of the administrator.")
                .refuses(Error::BadRequest(NOT_IMPERSONATING))
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
    /// Time at which the token expires.
    expires_at: Timestamp,
    organization: ImpersonatedView,
}

/// Organization as which an administrator acts.
#[derive(Serialize, ToSchema)]
#[schema(as = ImpersonatedOrganization)]
struct ImpersonatedView {
    id: Uuid,
    #[schema(example = "Kente Online")]
    name: String,
}

/// Session of an administrator.
#[derive(Serialize, ToSchema)]
#[schema(as = RestoredSession)]
#[serde(rename_all = "camelCase")]
struct RestoredView {
    /// The token for the header `Authorization: Bearer …`.
    #[schema(example = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi…")]
    token: String,
    /// Time at which the token expires.
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
    Ok(Answer::new(api.auth.impersonate(&session, request, (id.or_unknown(), None)).await?))
}

/// Ends an impersonation. The audit log has this request only as the end.
async fn exit(request: HttpRequest, api: Data<Api>) -> Result<Answer<RestoredView>, ApiError> {
    let (session, request) = (session(&request).await?, request_id::id_of(&request)?);
    Ok(Answer::new(api.auth.exit_impersonation(session, request).await?))
}

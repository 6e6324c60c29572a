//! `/admin/audit` and `/organizations/audit`

use actix_web::web::Data;
use domain::{
    platform::audit::{AuditFilter, AuditLine},
    shared::page::Page,
};
use serde::Serialize;
use serde_json::Value;
use usecases::platform::audit::AuditRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::Paginated,
        caller::Member,
        endpoint::{Area, get},
        error::ApiError,
        formats::Timestamp,
        json_fields::Rfc3339,
        platform_admin::PlatformAdmin,
        query::{FromQuery, Parameters, Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Audit log",
        about: "Actions of platform administrators, also as organizations, and changes of members.",
        endpoints: vec![
            get("/admin/audit", "listAuditLog", list)
                .extension()
                .summary("List the actions of administrators.")
                .description(
                    "Lines of all organizations, newest first. They are kept for 25 months and \
                     never change: the hash of each includes the hash of the previous line of its \
                     organization.",
                )
                .answers("A page."),
            get("/organizations/audit", "listOwnAuditLog", list_own)
                .extension()
                .summary("List the actions of platform administrators on the organization.")
                .description(
                    "Newest first, with changes of members. For owners and administrators of the \
                     organization.",
                )
                .answers("A page."),
        ],
    }
}

impl FromQuery for (AuditFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let organization =
            parameters.optional("organization", "Only actions on this organization.");
        let actor = parameters.optional("actor", "Only actions of this user.");
        let action =
            parameters.optional("action", "Only this action, such as `impersonation.began`.");
        let from = parameters.optional("from", "Only actions at this time or later.");
        let to = parameters.optional("to", "Only actions before this time.");
        let filter = AuditFilter {
            organization,
            actor,
            action,
            from: from.map(|Rfc3339(time)| time),
            to: to.map(|Rfc3339(time)| time),
        };
        Some(filter).zip(parameters.short_page())
    }
}

/// Action of an administrator.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditLine)]
#[serde(rename_all = "camelCase")]
struct AuditLineView {
    id: Uuid,
    at: Timestamp,
    actor: ActorView,
    /// Name of the action.
    #[schema(example = "impersonation.acted")]
    action: String,
    organization_id: Uuid,
    /// Type of the resource concerned.
    #[schema(example = "ORGANIZATION")]
    resource_type: String,
    /// Identifier of the resource concerned.
    resource_id: Uuid,
    /// `X-Request-Id` of the answer; null in lines from before it was recorded.
    #[schema(example = "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b")]
    request_id: Option<String>,
    /// True if it was done while acting as the organization.
    impersonated: bool,
    /// Further details.
    #[schema(value_type = Object, example = json!({ "method": "GET", "path": "/contacts" }))]
    details: Value,
    /// Number of the line in its organization, from 1.
    sequence: u64,
    /// SHA-256 of the hash of the line before it and of its own content.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    hash: String,
}

/// User who acted.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditActor)]
struct ActorView {
    id: Uuid,
    /// Shown to platform administrators only; null if the user is deleted.
    #[schema(format = Email)]
    email: Option<String>,
}

impl From<AuditRecord> for AuditLineView {
    fn from(record: AuditRecord) -> Self {
        let AuditRecord { line, email } = record;
        let hash = line.hash.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        let AuditLine { id, organization, at, user, request, is_impersonated, .. } = line;
        Self {
            id: id.uuid(),
            at: at.into(),
            actor: ActorView { id: user.uuid(), email },
            action: line.action,
            organization_id: organization.uuid(),
            resource_type: line.resource_type,
            resource_id: line.resource,
            request_id: request,
            impersonated: is_impersonated,
            details: serde_json::from_str(&line.details).unwrap_or_default(),
            sequence: line.sequence,
            hash,
        }
    }
}

async fn list(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<(AuditFilter, Page)>,
) -> Result<Paginated<AuditLineView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::new(api.audit.page(&admin, filter, page).await?))
}

async fn list_own(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<AuditLineView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.audit.own(&caller, page).await?))
}

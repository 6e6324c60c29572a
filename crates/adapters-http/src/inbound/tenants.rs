//! `/admin/tenants`

use actix_web::web::Data;
use domain::organization::Organization;
use serde::Serialize;
use serde_json::{Value, json};
use usecases::tenants::TenantUpdate;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Api,
    answers::Answer,
    body::Body,
    endpoint::{Area, patch},
    error::ApiError,
    formats::Timestamp,
    json_fields::{Fields, FromFields, field},
    path_id::{Identified, PathId},
    platform_admin::PlatformAdmin,
};

pub(super) fn area() -> Area {
    Area {
        name: "Tenants",
        about: "Organizations, as platform administrators see and change them.",
        endpoints: vec![
            patch("/admin/tenants/{id}", "updateTenant", update)
                .extension()
                .summary("Change what the platform decides about an organization.")
                .description("For platform administrators. The audit log has the change.")
                .answers("The organization as it is now.")
                .fails(404, "There is no such organization: `NOT_FOUND`."),
        ],
    }
}

impl Identified for Organization {
    const NAME: &'static str = "organization";
}

impl FromFields for TenantUpdate {
    const NAME: &'static str = "TenantUpdate";
    const ABOUT: &'static str =
        "What the platform decides about an organization. What is absent stays as it is.";

    fn from_fields(fields: &mut Fields) -> Self {
        let screening = field("screening").about(
            "Whether texts that the organization sends directly are scored before they are handed \
             over. One that scores 60 or more fails with `BLOCKED_CONTENT`. Texts of templates are \
             not scored.",
        );
        Self { screening: fields.optional(screening) }
    }

    fn example() -> Value {
        json!({ "screening": true })
    }
}

/// An organization, as platform administrators see it.
#[derive(Serialize, ToSchema)]
#[schema(as = Tenant)]
#[serde(rename_all = "camelCase")]
struct TenantView {
    id: Uuid,
    #[schema(example = "Kente Ltd")]
    name: String,
    /// Whether texts that it sends directly are scored before they are handed over.
    screening: bool,
    created_at: Timestamp,
}

impl From<Organization> for TenantView {
    fn from(organization: Organization) -> Self {
        Self {
            id: organization.id.uuid(),
            name: organization.name,
            screening: organization.settings.is_screened,
            created_at: organization.created_at.into(),
        }
    }
}

async fn update(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<Organization>,
    body: Body<TenantUpdate>,
) -> Result<Answer<TenantView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.tenants.update(&admin, id.or_unknown(), update, faults).await?))
}

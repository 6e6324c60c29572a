//! `/organizations`

use actix_web::{HttpResponse, get, patch, post, web::Data};
use domain::organization::{Change, OrganizationUpdate, Role};
use usecases::organizations::Invitation;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    Api,
    body::Body,
    caller::Member,
    envelope::{self, FailureView, Success},
    error::Failure,
    form::{Fields, FromFields},
    wire::{ChannelName, RoleName},
};

mod view;

use view::{MemberView, OrganizationView};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(current).service(update).service(members).service(invite);
}

/// Changes to an organization. What is absent stays as it is; null clears a value.
#[derive(ToSchema)]
#[schema(
    as = OrganizationUpdate,
    rename_all = "camelCase",
    example = json!({
        "industry": "Retail", "businessEmail": "hello@kente.example", "timezone": "Africa/Accra",
        "preferredChannels": ["SMS", "WHATSAPP"], "onboardingComplete": true,
    }),
)]
struct UpdateOrganizationRequest {
    #[schema(value_type = Option<String>, nullable = false)]
    name: Option<String>,
    #[schema(value_type = Option<String>)]
    industry: Change<String>,
    #[schema(value_type = Option<String>)]
    business_phone: Change<String>,
    #[schema(value_type = Option<String>, format = Email)]
    business_email: Change<String>,
    /// A time zone, as in the IANA database.
    #[schema(value_type = Option<String>)]
    timezone: Change<String>,
    #[schema(value_type = Option<String>)]
    default_language: Change<String>,
    #[schema(value_type = Option<String>)]
    website: Change<String>,
    /// How many messages a month it expects to send.
    #[schema(value_type = Option<i32>, minimum = 0)]
    monthly_volume: Change<i32>,
    #[schema(value_type = Option<Vec<ChannelName>>)]
    preferred_channels: Change<Vec<String>>,
    onboarding_complete: Option<bool>,
    compliance_acknowledged: Option<bool>,
}

impl FromFields for UpdateOrganizationRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.optional("name"),
            industry: fields.change("industry"),
            business_phone: fields.change("businessPhone"),
            business_email: fields.change("businessEmail"),
            timezone: fields.change("timezone"),
            default_language: fields.change("defaultLanguage"),
            website: fields.change("website"),
            monthly_volume: fields.change("monthlyVolume"),
            preferred_channels: fields.change("preferredChannels"),
            onboarding_complete: fields.optional("onboardingComplete"),
            compliance_acknowledged: fields.optional("complianceAcknowledged"),
        }
    }
}

impl From<UpdateOrganizationRequest> for OrganizationUpdate {
    fn from(request: UpdateOrganizationRequest) -> Self {
        Self {
            name: request.name,
            industry: request.industry,
            business_phone: request.business_phone,
            business_email: request.business_email,
            timezone: request.timezone,
            default_language: request.default_language,
            website: request.website,
            monthly_volume: request.monthly_volume,
            preferred_channels: request.preferred_channels,
            onboarding_complete: request.onboarding_complete,
            compliance_acknowledged: request.compliance_acknowledged,
        }
    }
}

/// An invitation.
#[derive(ToSchema)]
#[schema(example = json!({ "email": "kofi@example.com", "role": "DEVELOPER" }))]
struct InviteRequest {
    /// The address of a user who has registered.
    #[schema(value_type = String, format = Email)]
    email: Option<String>,
    /// What the user is to be; `VIEWER` if absent.
    #[schema(value_type = Option<RoleName>)]
    role: Option<Role>,
}

impl FromFields for InviteRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { email: fields.optional("email"), role: fields.parsed("role") }
    }
}

impl From<InviteRequest> for Invitation {
    fn from(InviteRequest { email, role }: InviteRequest) -> Self {
        Self { email, role: role.unwrap_or_default() }
    }
}

/// The organization, with its wallet and its members.
#[utoipa::path(
    operation_id = "getOrganization",
    tag = "Organizations",
    params(Member),
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The organization.", body = Success<OrganizationView>),
        (status = 404, description = "There is no such organization.", body = FailureView),
    ),
)]
#[get("/organizations/current")]
async fn current(Member(caller): Member, api: Data<Api>) -> Result<HttpResponse, Failure> {
    Ok(envelope::ok(OrganizationView::from(api.organizations.current(&caller).await?)))
}

/// Change the organization.
///
/// For owners and administrators.
#[utoipa::path(
    operation_id = "updateOrganization",
    tag = "Organizations",
    params(Member),
    security(("bearer" = [])),
    request_body = UpdateOrganizationRequest,
    responses(
        (status = 200, description = "The organization as it is now.",
         body = Success<OrganizationView>),
        (status = 404, description = "There is no such organization.", body = FailureView),
    ),
)]
#[patch("/organizations/current")]
async fn update(
    Member(caller): Member,
    api: Data<Api>,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (request, found) = body.read::<UpdateOrganizationRequest>()?;
    let overview = api.organizations.update(&caller, request.into(), found).await?;
    Ok(envelope::ok(OrganizationView::from(overview)))
}

/// List the members.
#[utoipa::path(
    operation_id = "listMembers",
    tag = "Organizations",
    params(Member),
    security(("bearer" = [])),
    responses((status = 200, description = "The members.", body = Success<Vec<MemberView>>)),
)]
#[get("/organizations/members")]
async fn members(Member(caller): Member, api: Data<Api>) -> Result<HttpResponse, Failure> {
    let members = api.organizations.members(&caller).await?;
    Ok(envelope::ok(members.into_iter().map(MemberView::from).collect::<Vec<_>>()))
}

/// Add a member.
///
/// Adds a user who has registered, or gives a member another role. Only owners make owners.
#[utoipa::path(
    operation_id = "inviteMember",
    tag = "Organizations",
    params(Member),
    security(("bearer" = [])),
    request_body = InviteRequest,
    responses(
        (status = 201, description = "The member.", body = Success<MemberView>),
        (status = 404, description = "Nobody has registered with this address: `USER_NOT_FOUND`.",
         body = FailureView),
        (status = 409, description = "No owner would be left: `LAST_OWNER`.", body = FailureView),
    ),
)]
#[post("/organizations/invite")]
async fn invite(
    Member(caller): Member,
    api: Data<Api>,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (request, found) = body.read::<InviteRequest>()?;
    let member = api.organizations.invite(&caller, request.into(), found).await?;
    Ok(envelope::created(MemberView::from(member)))
}

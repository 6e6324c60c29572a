//! `/organizations`

use actix_web::{HttpRequest, HttpResponse, get, patch, post, web::Data};
use domain::organization::{Change, OrganizationUpdate, Role, SettingsUpdate};
use usecases::organizations::Invitation;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    Api,
    body::Body,
    caller::{Bearer, Member},
    envelope::{self, FailureView, Success},
    error::Failure,
    form::{Fields, FromFields},
    query::Query,
    wire::{ChannelName, RoleName},
};

mod view;

use view::{MemberView, OrganizationView};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(create).service(current).service(update).service(members).service(invite);
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
    /// Extension: what the organization decides about its messages.
    #[schema(nullable = false)]
    settings: Option<UpdateSettingsRequest>,
}

/// Changes to the settings of an organization. What is absent stays as it is.
#[derive(ToSchema)]
#[schema(as = SettingsUpdate, rename_all = "camelCase")]
struct UpdateSettingsRequest {
    /// Whether it writes to premium-rate and shared-cost numbers.
    allow_premium_numbers: Option<bool>,
}

impl FromFields for UpdateSettingsRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { allow_premium_numbers: fields.optional("allowPremiumNumbers") }
    }
}

impl From<UpdateSettingsRequest> for SettingsUpdate {
    fn from(request: UpdateSettingsRequest) -> Self {
        Self { allow_premium_numbers: request.allow_premium_numbers }
    }
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
            settings: fields.part("settings"),
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
            settings: request.settings.map(SettingsUpdate::from).unwrap_or_default(),
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

/// An organization to found.
#[derive(ToSchema)]
#[schema(example = json!({ "name": "Kente Online" }))]
struct FoundOrganizationRequest {
    #[schema(value_type = String)]
    name: Option<String>,
}

impl FromFields for FoundOrganizationRequest {
    fn from_fields(fields: &mut Fields) -> Self {
        Self { name: fields.optional("name") }
    }
}

/// Found an organization.
///
/// Extension: the user becomes its owner. A user owns three organizations at most.
#[utoipa::path(
    operation_id = "foundOrganization",
    tag = "Organizations",
    security(("bearer" = [])),
    request_body = FoundOrganizationRequest,
    responses((
        status = 201, description = "The organization.", body = Success<OrganizationView>,
    )),
)]
#[post("/organizations")]
async fn create(Bearer(user): Bearer, api: Data<Api>, body: Body) -> Result<HttpResponse, Failure> {
    let (request, faults) = body.read::<FoundOrganizationRequest>()?;
    let organization = api.auth.found(&user, request.name, faults).await?;
    let caller = api.auth.member(&user, organization.id).await?;
    Ok(envelope::created(OrganizationView::from(api.organizations.current(&caller).await?)))
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
    let (request, found) = body.read_some::<UpdateOrganizationRequest>()?;
    let overview = api.organizations.update(&caller, request.into(), found).await?;
    Ok(envelope::ok(OrganizationView::from(overview)))
}

/// List the members.
#[utoipa::path(
    operation_id = "listMembers",
    tag = "Organizations",
    params(
        Member,
        ("page" = Option<i64>, Query, minimum = 1, maximum = 4_294_967_295_i64,
         description = "Which page, from 1; 1 if absent."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100,
         description = "How many, 1 to 100; 100 if absent."),
    ),
    security(("bearer" = [])),
    responses((status = 200, description = "The members.", body = Success<Vec<MemberView>>)),
)]
#[get("/organizations/members")]
async fn members(
    Member(caller): Member,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let page = Query::of(&request).short_page()?;
    let members = page.cut(api.organizations.members(&caller).await?);
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

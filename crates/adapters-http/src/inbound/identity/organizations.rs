//! `/organizations`

use actix_web::web::Data;
use domain::{
    identity::{
        organization::{OrganizationUpdate, SettingsUpdate, TrafficSettingsUpdate},
        spending::SpendingUpdate,
    },
    shared::channel::Channel,
};
use serde_json::{Value, json};
use usecases::Error;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created},
        body::Body,
        caller::{Bearer, Member},
        endpoint::{Area, get, patch, post_once},
        error::ApiError,
        json_fields::{Field, Fields, FromFields, JsonSchema, field},
        query::{Query, ShortPage},
    },
};

mod invitations;
mod members;
mod roles;
mod view;
mod ways_out;

use roles::PageWithRoles;
use view::MemberView;
pub(in crate::inbound) use view::OrganizationView;
use ways_out::OPT_OUT;

pub(super) fn area() -> Area {
    let mut area = own_area();
    area.endpoints.extend(members::endpoints());
    area.endpoints.extend(invitations::endpoints());
    area
}

/// Returns the area without the endpoints that change members.
fn own_area() -> Area {
    Area {
        name: "Organizations",
        about: "The organization and its members.",
        endpoints: vec![
            post_once("/organizations", "createOrganization", create)
                .extension()
                .summary("Create an organization.")
                .description(
                    "The user becomes its owner. A user can own at most three organizations.",
                )
                .answers("The organization."),
            get("/organizations/current", "getOrganization", current)
                .summary("Get the organization, with its wallet and its members.")
                .answers("The organization.")
                .refuses(Error::NotFound("organization")),
            patch("/organizations/current", "updateOrganization", update)
                .summary("Change the organization.")
                .description("For owners and administrators.")
                .answers("The changed organization.")
                .refuses(Error::NotFound("organization")),
            get("/organizations/members", "listMembers", members)
                .summary("List the members.")
                .description("`roles` names what each role allows.")
                .answers("The members."),
        ],
    }
}

impl FromFields for OrganizationUpdate {
    const NAME: &'static str = "OrganizationUpdate";
    const ABOUT: &'static str =
        "Changes to an organization. Absent fields keep their values; null clears a value.";

    fn from_fields(fields: &mut Fields) -> Self {
        let business_email = field("businessEmail").format("email");
        let timezone = field("timezone").about("A time zone of the IANA database.");
        let monthly_volume = field("monthlyVolume")
            .about("The expected number of messages a month.")
            .limits(&[("minimum", 0)]);
        let preferred_channels = field("preferredChannels").documented_as(Vec::<Channel>::schema);
        let settings =
            field("settings").extension().about("Settings of the organization for its messages.");
        Self {
            name: fields.optional(field("name")),
            industry: fields.change(field("industry")),
            business_phone: fields.change(field("businessPhone")),
            business_email: fields.change(business_email),
            timezone: fields.change(timezone),
            default_language: fields.change(field("defaultLanguage")),
            website: fields.change(field("website")),
            monthly_volume: fields.change(monthly_volume),
            preferred_channels: fields.change(preferred_channels),
            onboarding_complete: fields.optional(field("onboardingComplete")),
            compliance_acknowledged: fields.optional(field("complianceAcknowledged")),
            settings: fields.part(settings).unwrap_or_default(),
        }
    }

    fn example() -> Value {
        json!({
            "industry": "Retail", "businessEmail": "hello@kente.example",
            "timezone": "Africa/Accra", "preferredChannels": ["SMS", "WHATSAPP"],
            "onboardingComplete": true,
        })
    }
}

impl FromFields for SettingsUpdate {
    const NAME: &'static str = "SettingsUpdate";
    const ABOUT: &'static str = "Changes to the settings of an organization. Absent fields keep \
         their values; null clears an amount.";

    fn from_fields(fields: &mut Fields) -> Self {
        let allow_premium_numbers = field("allowPremiumNumbers")
            .about("True if messages to premium-rate and shared-cost numbers are allowed.");
        let low_balance_threshold = field("lowBalanceThreshold")
            .about(
                "The balance in GHS below which owners and administrators are notified by email, \
                 once each time it is crossed. Null: no notification.",
            )
            .limits(&[("minimum", 0)]);
        let daily_limit = field("dailySpendingLimit")
            .about(
                "The maximum spending on messages in GHS in a day of UTC. Messages beyond it are \
                 refused with `SPENDING_LIMIT_REACHED`. Refunds do not raise the remaining amount. \
                 Null: no limit.",
            )
            .limits(&[("exclusiveMinimum", 0)]);
        Self {
            allow_premium_numbers: fields.optional(allow_premium_numbers),
            spending: SpendingUpdate {
                low_balance_threshold: fields.change(low_balance_threshold),
                daily_limit: fields.change(daily_limit),
            },
            traffic: traffic(fields),
            time_zone: fields.change(TIME_ZONE),
            ways_out: fields.change(OPT_OUT),
        }
    }
}

const TIME_ZONE: Field = field("timeZone").about(
    "A time zone of the IANA database, the same as `timezone` of the organization. Null: \
     `Africa/Accra`.",
);

fn traffic(fields: &mut Fields) -> TrafficSettingsUpdate {
    let allowed_countries = field("allowedCountries").about(
        "The codes of the countries to whose numbers the organization writes; `001` for numbers of \
         no country. Messages to others fail with `COUNTRY_NOT_ALLOWED`, at no cost. Null: all \
         that a provider serves.",
    );
    let velocity_limit = field("velocityLimit")
        .about(
            "The maximum number of messages within an hour to a thousand consecutive numbers. \
             Further ones fail with `VELOCITY_LIMIT`, at no cost. Campaigns are not limited. Null: \
             200.",
        )
        .limits(&[("minimum", 1), ("maximum", 1_000_000)]);
    TrafficSettingsUpdate {
        allowed_countries: fields.change(allowed_countries),
        velocity_limit: fields.change(velocity_limit),
    }
}

struct CreateOrganization {
    name: Option<String>,
}

impl FromFields for CreateOrganization {
    const NAME: &'static str = "CreateOrganizationRequest";
    const ABOUT: &'static str = "An organization to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { name: fields.required(field("name")) }
    }

    fn example() -> Value {
        json!({ "name": "Kente Online" })
    }
}

async fn create(
    Bearer(user): Bearer,
    api: Data<Api>,
    body: Body<CreateOrganization>,
) -> Result<Created<OrganizationView>, ApiError> {
    let (request, faults) = body.read()?;
    let organization = api.auth.create_organization(&user, request.name, faults).await?;
    let caller = api.auth.member(&user, organization.id).await?;
    Ok(Created::new(api.organizations.current(&caller).await?))
}

async fn current(
    Member(caller): Member,
    api: Data<Api>,
) -> Result<Answer<OrganizationView>, ApiError> {
    Ok(Answer::new(api.organizations.current(&caller).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<OrganizationUpdate>,
) -> Result<Answer<OrganizationView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.organizations.update(&caller, update, faults).await?))
}

async fn members(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<PageWithRoles<MemberView>, ApiError> {
    let ShortPage(page) = query.read()?;
    let members = api.organizations.members(&caller).await?;
    Ok(PageWithRoles::new(page.part(members)))
}

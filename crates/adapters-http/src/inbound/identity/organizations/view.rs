//! Organizations and their members in answers.

use domain::{
    identity::organization::{Member, Profile, Settings},
    money::wallet::Wallet,
    shared::{
        country::Country,
        money::{CURRENCY, Money},
    },
};
use serde::Serialize;
use usecases::identity::organizations::Overview;
use utoipa::ToSchema;
use uuid::Uuid;

use super::ways_out::OptOutView;
use crate::inbound::shared::formats::{ChannelName, RoleName, Timestamp};

/// An organization, with its wallet and its members.
#[derive(Serialize, ToSchema)]
#[schema(as = Organization)]
#[serde(rename_all = "camelCase")]
pub(in crate::inbound) struct OrganizationView {
    id: Uuid,
    #[schema(example = "Kente Online")]
    name: String,
    #[serde(flatten)]
    profile: ProfileView,
    /// Extension: settings of its messages.
    settings: SettingsView,
    wallet: BalanceView,
    /// The members, in the order in which they joined.
    members: Vec<MemberView>,
    created_at: Timestamp,
    /// Extension: time at which an owner closed it; null if it is open.
    closed_at: Option<Timestamp>,
}

/// Profile of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = OrganizationProfile)]
#[serde(rename_all = "camelCase")]
struct ProfileView {
    #[schema(example = "Retail")]
    industry: Option<String>,
    #[schema(example = "+233241234567")]
    business_phone: Option<String>,
    #[schema(example = "hello@kente.example")]
    business_email: Option<String>,
    #[schema(example = "Africa/Accra")]
    timezone: Option<String>,
    #[schema(example = "en")]
    default_language: Option<String>,
    #[schema(example = "https://kente.example")]
    website: Option<String>,
    /// Number of messages a month that it expects to send.
    #[schema(example = 20_000)]
    monthly_volume: Option<i32>,
    #[schema(value_type = Vec<ChannelName>)]
    preferred_channels: Vec<String>,
    onboarding_complete: bool,
    compliance_acknowledged: bool,
}

/// Settings of an organization for its messages.
#[derive(Serialize, ToSchema)]
#[schema(as = OrganizationSettings)]
#[serde(rename_all = "camelCase")]
struct SettingsView {
    /// True if it writes to premium-rate and shared-cost numbers.
    allow_premium_numbers: bool,
    /// Balance in GHS below which owners and administrators are notified; null for none.
    #[schema(example = 5.0)]
    low_balance_threshold: Option<f64>,
    /// Maximum spending in GHS in a day of UTC; null for no limit.
    #[schema(example = 100.0)]
    daily_spending_limit: Option<f64>,
    /// Countries to which it writes; null for all that a provider serves.
    #[schema(example = json!(["GH", "NG"]))]
    allowed_countries: Option<Vec<String>>,
    /// Maximum number of messages within an hour to a thousand consecutive numbers; null for 200.
    #[schema(example = json!(null))]
    velocity_limit: Option<u32>,
    /// Time zone of the organization, as named in the IANA database.
    #[schema(example = "Africa/Accra")]
    time_zone: String,
    /// Number and code by which recipients stop its promotion; null if there are none.
    opt_out: Option<OptOutView>,
}

/// Balance of a wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = Balance)]
struct BalanceView {
    #[schema(example = 9.93)]
    balance: f64,
    #[schema(example = "GHS")]
    currency: &'static str,
}

/// A member of an organization.
#[derive(Serialize, ToSchema)]
#[schema(as = Member)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemberView {
    user_id: Uuid,
    #[schema(format = Email)]
    email: String,
    /// Extension: true if the user has proved to read the mail of that address.
    email_verified: bool,
    #[schema(example = "Ama")]
    first_name: String,
    #[schema(example = "Mensah")]
    last_name: String,
    #[schema(value_type = RoleName)]
    role: &'static str,
    joined_at: Timestamp,
}

impl From<Overview> for OrganizationView {
    fn from(overview: Overview) -> Self {
        let Overview { organization, wallet, members } = overview;
        let time_zone = organization.time_zone().to_owned();
        let closed_at = organization.settings.closed_at;
        Self {
            id: organization.id.uuid(),
            name: organization.name,
            profile: organization.profile.into(),
            settings: SettingsView::of(organization.settings, time_zone),
            wallet: wallet.into(),
            members: members.into_iter().map(MemberView::from).collect(),
            created_at: organization.created_at.into(),
            closed_at: closed_at.map(Timestamp::from),
        }
    }
}

impl From<Profile> for ProfileView {
    fn from(profile: Profile) -> Self {
        Self {
            industry: profile.industry,
            business_phone: profile.business_phone,
            business_email: profile.business_email,
            timezone: profile.timezone,
            default_language: profile.default_language,
            website: profile.website,
            monthly_volume: profile.monthly_volume,
            preferred_channels: profile.preferred_channels,
            onboarding_complete: profile.onboarding_complete,
            compliance_acknowledged: profile.compliance_acknowledged,
        }
    }
}

impl SettingsView {
    fn of(settings: Settings, time_zone: String) -> Self {
        let countries = settings.traffic.allowed_countries;
        let names = |countries: Vec<Country>| countries.iter().map(Country::to_string).collect();
        Self {
            allow_premium_numbers: settings.allow_premium_numbers,
            low_balance_threshold: settings.spending.low_balance_threshold.map(Money::to_number),
            daily_spending_limit: settings.spending.daily_limit.map(Money::to_number),
            allowed_countries: countries.map(names),
            velocity_limit: settings.traffic.velocity_limit,
            time_zone,
            opt_out: OptOutView::of(settings.ways_out),
        }
    }
}

impl From<Wallet> for BalanceView {
    fn from(wallet: Wallet) -> Self {
        Self { balance: wallet.balance.to_number(), currency: CURRENCY }
    }
}

impl From<Member> for MemberView {
    fn from(member: Member) -> Self {
        Self {
            user_id: member.user.uuid(),
            email: member.email,
            email_verified: member.email_verified,
            first_name: member.first_name,
            last_name: member.last_name,
            role: member.role.as_str(),
            joined_at: member.joined_at.into(),
        }
    }
}

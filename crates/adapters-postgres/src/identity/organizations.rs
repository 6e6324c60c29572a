//! Organizations and their members.

mod decisions;
mod memberships;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{dsl, prelude::*};
use domain::{
    identity::{
        organization::{
            Member, Membership, Organization, Profile, Role, Settings, TrafficSettings, WaysOut,
        },
        spending::SpendingRules,
        user::User,
    },
    shared::{country::Country, id::Id, money::Money},
};
use ports::{identity::organizations::OrganizationRepository, shared::store::StoreError};
use uuid::Uuid;

use self::decisions::DecisionsRow;
pub(crate) use self::memberships::memberships;
use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, sql::sql},
    schema::{members, organizations, users},
};

#[derive(HasQuery, Insertable)]
#[diesel(table_name = organizations)]
struct OrganizationRow {
    id: Uuid,
    #[diesel(embed)]
    details: DetailsRow,
    #[diesel(embed)]
    settings: SettingsRow,
    #[diesel(embed)]
    decisions: DecisionsRow,
    created_at: DateTime<Utc>,
}

/// Columns of `organizations` that change.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = organizations, treat_none_as_null = true)]
struct DetailsRow {
    name: String,
    industry: Option<String>,
    business_phone: Option<String>,
    business_email: Option<String>,
    timezone: Option<String>,
    default_language: Option<String>,
    website: Option<String>,
    monthly_volume: Option<i32>,
    preferred_channels: Vec<String>,
    onboarding_complete: bool,
    compliance_acknowledged: bool,
}

/// Columns of `organizations` that are [`Settings`].
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = organizations, treat_none_as_null = true)]
struct SettingsRow {
    allow_premium_numbers: bool,
    is_screened: bool,
    low_balance_threshold_micros: Option<i64>,
    daily_spending_limit_micros: Option<i64>,
    allowed_countries: Option<Vec<String>>,
    velocity_limit: Option<i32>,
    opt_out_number: Option<String>,
    opt_out_ussd: Option<String>,
    closed_at: Option<DateTime<Utc>>,
}

#[async_trait]
impl OrganizationRepository for PgStore {
    async fn find(&self, id: Id<Organization>) -> Result<Option<Organization>, StoreError> {
        let query = OrganizationRow::query().filter(organizations::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(Organization::from))
    }

    async fn settings(&self, id: Id<Organization>) -> Result<Option<Settings>, StoreError> {
        let query = organizations::table
            .find(id.uuid())
            .select((SettingsRow::as_select(), DecisionsRow::as_select()));
        let row: Option<(SettingsRow, DecisionsRow)> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(row.map(|(settings, decisions)| settings.into_settings(decisions)))
    }

    async fn suspended(&self) -> Result<Vec<Id<Organization>>, StoreError> {
        let suspended = sql!("SELECT id FROM organizations WHERE suspended_at IS NOT NULL");
        suspended.values(self.session().await?.conn()).await
    }

    async fn members(&self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError> {
        members(self.session().await?.conn(), organization).await
    }

    async fn role(
        &self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<Option<Role>, StoreError> {
        let query = members::table.find((organization.uuid(), user.uuid())).select(members::role);
        let role: Option<String> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        role.map(|role| parse_role(&role, user.uuid())).transpose()
    }

    async fn unprovisioned(
        &self,
        founded_before: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Id<Organization>>, StoreError> {
        let query = organizations::table
            .filter(dsl::not(organizations::is_provisioned))
            .filter(organizations::created_at.lt(founded_before))
            .order(organizations::created_at)
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .select(organizations::id);
        let ids: Vec<Uuid> = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(ids.into_iter().map(Id::of).collect())
    }

    async fn mark_provisioned(&self, id: Id<Organization>) -> Result<(), StoreError> {
        let update = diesel::update(organizations::table.find(id.uuid()))
            .set(organizations::is_provisioned.eq(true));
        update.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn memberships(&self, user: Id<User>) -> Result<Vec<Membership>, StoreError> {
        memberships(self.session().await?.conn(), user).await
    }
}

/// Returns these organizations, newest first.
pub(crate) async fn newest(
    conn: &mut Connection,
    ids: &[Uuid],
) -> Result<Vec<Organization>, StoreError> {
    let query = OrganizationRow::query()
        .filter(organizations::id.eq_any(ids))
        .order(organizations::id.desc());
    let rows = query.load(conn).await.map_err(store_error)?;
    Ok(rows.into_iter().map(Organization::from).collect())
}

/// Adds an organization that is not provisioned yet.
pub(crate) async fn insert(
    conn: &mut Connection,
    organization: &Organization,
) -> Result<(), StoreError> {
    let row = OrganizationRow {
        id: organization.id.uuid(),
        details: organization.into(),
        settings: (&organization.settings).into(),
        decisions: (&organization.settings).into(),
        created_at: organization.created_at,
    };
    let insert = diesel::insert_into(organizations::table)
        .values((row, organizations::is_provisioned.eq(false)));
    insert.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Finds an organization and locks it until commit.
pub(crate) async fn lock(
    conn: &mut Connection,
    id: Id<Organization>,
) -> Result<Option<Organization>, StoreError> {
    let query = OrganizationRow::query().filter(organizations::id.eq(id.uuid())).for_update();
    let row = query.get_result(conn).await.optional().map_err(store_error)?;
    Ok(row.map(Organization::from))
}

/// Updates an organization's name, profile and settings.
pub(crate) async fn update(
    conn: &mut Connection,
    organization: &Organization,
) -> Result<(), StoreError> {
    let own = organizations::table.find(organization.id.uuid());
    let settings = SettingsRow::from(&organization.settings);
    let decisions = DecisionsRow::from(&organization.settings);
    let details = DetailsRow::from(organization);
    let update = diesel::update(own).set((details, settings, decisions));
    update.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Returns the members of an organization in the order in which they joined.
pub(crate) async fn members(
    conn: &mut Connection,
    organization: Id<Organization>,
) -> Result<Vec<Member>, StoreError> {
    let query = members::table
        .inner_join(users::table)
        .filter(members::organization_id.eq(organization.uuid()))
        .order((members::joined_at, members::user_id))
        .select(MemberRow::as_select());
    let rows: Vec<MemberRow> = query.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(Member::try_from).collect()
}

/// Makes a user a member with the given role, or changes the role of a member.
pub(crate) async fn put_member(
    conn: &mut Connection,
    organization: Id<Organization>,
    user: Id<User>,
    role: Role,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let upsert = diesel::insert_into(members::table)
        .values((
            members::organization_id.eq(organization.uuid()),
            members::user_id.eq(user.uuid()),
            members::role.eq(role.as_str()),
            members::joined_at.eq(now),
        ))
        .on_conflict((members::organization_id, members::user_id))
        .do_update()
        .set(members::role.eq(role.as_str()));
    upsert.execute(conn).await.map_err(store_error)?;
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct MemberRow {
    user_id: Uuid,
    #[diesel(select_expression = users::email)]
    email: String,
    #[diesel(select_expression = users::email_verified_at.is_not_null())]
    email_verified: bool,
    #[diesel(select_expression = users::first_name)]
    first_name: String,
    #[diesel(select_expression = users::last_name)]
    last_name: String,
    role: String,
    joined_at: DateTime<Utc>,
}

impl TryFrom<MemberRow> for Member {
    type Error = StoreError;

    fn try_from(row: MemberRow) -> Result<Self, StoreError> {
        Ok(Self {
            user: row.user_id.into(),
            email: row.email,
            email_verified: row.email_verified,
            first_name: row.first_name,
            last_name: row.last_name,
            role: parse_role(&row.role, row.user_id)?,
            joined_at: row.joined_at,
        })
    }
}

fn parse_role(role: &str, user: Uuid) -> Result<Role, StoreError> {
    role.parse().map_err(|_| corrupt("members", user))
}

impl From<&Organization> for DetailsRow {
    fn from(organization: &Organization) -> Self {
        let profile = organization.profile.clone();
        Self {
            name: organization.name.clone(),
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

impl From<&Settings> for SettingsRow {
    fn from(settings: &Settings) -> Self {
        let (spending, traffic) = (&settings.spending, &settings.traffic);
        let names = |countries: &Vec<Country>| countries.iter().map(Country::to_string).collect();
        Self {
            allow_premium_numbers: settings.allow_premium_numbers,
            is_screened: settings.is_screened,
            low_balance_threshold_micros: spending.low_balance_threshold.map(Money::micros),
            daily_spending_limit_micros: spending.daily_limit.map(Money::micros),
            allowed_countries: traffic.allowed_countries.as_ref().map(names),
            velocity_limit: traffic.velocity_limit.map(u32::cast_signed),
            opt_out_number: settings.ways_out.number.clone(),
            opt_out_ussd: settings.ways_out.ussd.clone(),
            closed_at: settings.closed_at,
        }
    }
}

impl SettingsRow {
    fn into_settings(self, decisions: DecisionsRow) -> Settings {
        Settings {
            allow_premium_numbers: self.allow_premium_numbers,
            is_screened: self.is_screened,
            spending: SpendingRules {
                low_balance_threshold: self.low_balance_threshold_micros.map(Money::from_micros),
                daily_limit: self.daily_spending_limit_micros.map(Money::from_micros),
            },
            traffic: TrafficSettings {
                allowed_countries: self.allowed_countries.as_deref().map(countries),
                velocity_limit: self.velocity_limit.map(i32::cast_unsigned),
            },
            ways_out: WaysOut { number: self.opt_out_number, ussd: self.opt_out_ussd },
            limits: decisions.limits(),
            suspension: decisions.suspension(),
            closed_at: self.closed_at,
        }
    }
}

/// An invalid code allows nothing.
fn countries(codes: &[String]) -> Vec<Country> {
    codes.iter().filter_map(|code| Country::parse_destination(code).ok()).collect()
}

impl From<OrganizationRow> for Organization {
    fn from(row: OrganizationRow) -> Self {
        let details = row.details;
        Self {
            id: row.id.into(),
            name: details.name,
            profile: Profile {
                industry: details.industry,
                business_phone: details.business_phone,
                business_email: details.business_email,
                timezone: details.timezone,
                default_language: details.default_language,
                website: details.website,
                monthly_volume: details.monthly_volume,
                preferred_channels: details.preferred_channels,
                onboarding_complete: details.onboarding_complete,
                compliance_acknowledged: details.compliance_acknowledged,
            },
            settings: row.settings.into_settings(row.decisions),
            created_at: row.created_at,
        }
    }
}

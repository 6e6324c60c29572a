//! Memberships of users.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    identity::{organization::Membership, user::User},
    shared::id::Id,
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use super::parse_role;
use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::run_query::RunQueryDsl,
    schema::{members, organizations},
};

/// Returns the memberships of a user.
pub(crate) async fn memberships(
    conn: &mut Connection,
    user: Id<User>,
) -> Result<Vec<Membership>, StoreError> {
    let query = members::table
        .inner_join(organizations::table)
        .filter(members::user_id.eq(user.uuid()))
        .order((members::joined_at, members::organization_id))
        .select(MembershipRow::as_select());
    let rows: Vec<MembershipRow> = query.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(Membership::try_from).collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct MembershipRow {
    user_id: Uuid,
    role: String,
    organization_id: Uuid,
    #[diesel(select_expression = organizations::name)]
    name: String,
    #[diesel(select_expression = organizations::closed_at)]
    closed_at: Option<DateTime<Utc>>,
}

impl TryFrom<MembershipRow> for Membership {
    type Error = StoreError;

    fn try_from(row: MembershipRow) -> Result<Self, StoreError> {
        Ok(Self {
            organization: row.organization_id.into(),
            name: row.name,
            role: parse_role(&row.role, row.user_id)?,
            closed_at: row.closed_at,
        })
    }
}

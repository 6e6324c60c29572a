//! Entries of suppression lists for given addresses.

use diesel::{
    dsl::{AsSelect, SqlTypeOf},
    pg::Pg,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use domain::{
    audience::suppression::Suppression, identity::organization::Organization, shared::id::Id,
};
use ports::shared::store::StoreError;

use super::SuppressionRow;
use crate::shared::{
    database::session::PgSession,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

impl PgSession {
    /// Returns the entries for numbers, devices and mail addresses in lower case, at most a hundred
    /// for each.
    pub(crate) async fn suppressions_of(
        &mut self,
        organization: Id<Organization>,
        numbers: &[&str],
        mails: &[&str],
    ) -> Result<Vec<Suppression>, StoreError> {
        if numbers.is_empty() && mails.is_empty() {
            return Ok(Vec::new());
        }
        let query =
            Statement::<SqlTypeOf<AsSelect<SuppressionRow, Pg>>>::returning(&[OF_ADDRESSES])
                .bind::<SqlUuid, _>(organization.uuid())
                .bind::<Array<Text>, _>(numbers)
                .bind::<Array<Text>, _>(mails);
        let rows: Vec<SuppressionRow> = query.load(self.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Suppression::try_from).collect()
    }
}

const OF_ADDRESSES: &str = "\
    SELECT id, organization_id, phone, email, channel, category, reason, source, created_at \
    FROM suppressions_of(?, ?, ?)";

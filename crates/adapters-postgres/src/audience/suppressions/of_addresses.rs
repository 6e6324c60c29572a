//! Entries of suppression lists for given addresses.

use domain::{
    audience::suppression::Suppression, identity::organization::Organization, shared::id::Id,
};
use ports::shared::store::StoreError;

use super::SuppressionRow;
use crate::shared::{database::session::PgSession, query::sql::sql};

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
        let query = sql!(
            "SELECT id, organization_id, phone, email, channel, category, reason, source, \
                created_at \
             FROM suppressions_of({organization}, {numbers}, {mails})",
            organization,
            numbers,
            mails,
        );
        let rows: Vec<SuppressionRow> = query.rows(self.conn()).await?;
        rows.into_iter().map(Suppression::try_from).collect()
    }
}

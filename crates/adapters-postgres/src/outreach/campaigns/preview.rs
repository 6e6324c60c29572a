//! Data for the preview of a campaign.

use diesel::sql_types::Uuid as SqlUuid;
use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Returns evenly spread identifiers of contacts: the beginnings of some of the blocks in which
/// contacts are counted.
pub(super) async fn sample_points(
    conn: &mut Connection,
    organization: Id<Organization>,
    limit: usize,
) -> Result<Vec<Id<Contact>>, StoreError> {
    let query =
        Statement::<SqlUuid>::returning(&[FIRST_OF_BLOCKS]).bind::<SqlUuid, _>(organization.uuid());
    let blocks: Vec<Uuid> = query.load(conn).await.map_err(store_error)?;
    let step = blocks.len().div_ceil(limit.max(1)).max(1);
    Ok(blocks.into_iter().step_by(step).map(Id::of).collect())
}

const FIRST_OF_BLOCKS: &str = "\
    SELECT first_id FROM contact_blocks WHERE organization_id = ? ORDER BY first_id";

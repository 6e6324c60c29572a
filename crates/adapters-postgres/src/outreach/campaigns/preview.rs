//! Data for the preview of a campaign.

use domain::{audience::contact::Contact, identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Returns evenly spread identifiers of contacts: the beginnings of some of the blocks in which
/// contacts are counted.
pub(super) async fn sample_points(
    conn: &mut Connection,
    organization: Id<Organization>,
    limit: usize,
) -> Result<Vec<Id<Contact>>, StoreError> {
    let first = sql!(
        "SELECT first_id FROM contact_blocks WHERE organization_id = {organization} \
         ORDER BY first_id",
        organization,
    );
    let blocks: Vec<Uuid> = first.values(conn).await?;
    let step = blocks.len().div_ceil(limit.max(1)).max(1);
    Ok(blocks.into_iter().step_by(step).map(Id::of).collect())
}

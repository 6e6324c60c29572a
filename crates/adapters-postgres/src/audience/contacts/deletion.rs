//! Deletion of contacts.

use domain::{identity::organization::Organization, shared::id::Id};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{database::connection::Connection, query::sql::sql};

/// Deletes those of the contacts that exist, marks their messages for erasure, and returns their
/// number.
pub(crate) async fn delete_contacts(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Uuid],
) -> Result<i64, StoreError> {
    sql!(DELETE, organization, ids).only(conn).await
}

/// Each contact is looked up by itself: for `id = ANY(…)` the planner may read all contacts of the
/// organization, if its statistics are from before most of them. A contact without an address needs
/// no erasure: nobody can have written to it.
const DELETE: &str = "\
    WITH gone AS ( \
        DELETE FROM contacts AS contact \
        USING (SELECT {organization}::uuid AS organization_id, given.id \
            FROM UNNEST({ids}::uuid[]) AS given (id) OFFSET 0) AS given \
        WHERE contact.organization_id = ANY(ARRAY[given.organization_id]) \
            AND contact.id = ANY(ARRAY[given.id]) \
        RETURNING contact.organization_id, contact.id, contact.phone, contact.email, \
            contact.fcm_token \
    ), erasure AS ( \
        INSERT INTO contact_erasures (organization_id, id, phone, email, fcm_token) \
        SELECT * FROM gone WHERE num_nonnulls(phone, email, fcm_token) > 0 \
    ) SELECT count(*) FROM gone";

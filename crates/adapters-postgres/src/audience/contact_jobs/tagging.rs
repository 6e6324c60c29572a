//! Changes of the tags of contacts.

use domain::{
    audience::{contact::Contact, contact_job::TagChange},
    identity::organization::Organization,
    shared::{id::Id, text::fold},
};
use ports::shared::store::StoreError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    query::{row::row, sql::sql},
};

row! {
    struct TaggedRow {
        id: Id<Contact>,
        tags: Vec<String>,
    }
}

/// Changes the tags of those of the contacts that exist. Others wait meanwhile that change them too.
pub(super) async fn tag_contacts(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Uuid],
    change: &TagChange,
) -> Result<(), StoreError> {
    // Whoever locks several contacts locks them in this order. Each is looked up by itself,
    // whatever the statistics of the table.
    let lock = sql!(
        "SELECT contact.id, contact.tags \
         FROM (SELECT {organization}::uuid AS organization_id, given.id \
            FROM UNNEST({ids}::uuid[]) AS given (id) OFFSET 0) AS given \
         JOIN contacts AS contact ON contact.organization_id = ANY(ARRAY[given.organization_id]) \
            AND contact.id = ANY(ARRAY[given.id]) \
         ORDER BY contact.id FOR NO KEY UPDATE OF contact",
        organization,
        ids,
    );
    let found: Vec<TaggedRow> = lock.rows(conn).await?;
    let mut changed = Vec::new();
    for TaggedRow { id, tags } in found {
        if let Some(tags) = change.apply(&tags) {
            let folded: Vec<_> = tags.iter().map(|tag| fold(tag)).collect();
            changed.push(json!({ "id": id.to_string(), "tags": tags, "folded": folded }));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let update = sql!(
        "UPDATE contacts SET tags = given.tags, tags_folded = given.folded, updated_at = now() \
         FROM (SELECT {organization}::uuid AS organization_id, given.* \
            FROM jsonb_to_recordset({changed}) AS given (id uuid, tags text[], folded text[]) \
            OFFSET 0) AS given \
         WHERE contacts.organization_id = ANY(ARRAY[given.organization_id]) \
            AND contacts.id = ANY(ARRAY[given.id])",
        organization,
        changed = Value::from(changed),
    );
    update.execute(conn).await?;
    Ok(())
}

//! Changes of the tags of contacts.

use diesel::sql_types::{Array, Jsonb, Text, Uuid as SqlUuid};
use domain::{
    audience::contact_job::TagChange,
    identity::organization::Organization,
    shared::{id::Id, text::fold},
};
use ports::shared::store::StoreError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Changes the tags of those of the contacts that exist. Others wait meanwhile that change them too.
pub(super) async fn tag_contacts(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Uuid],
    change: &TagChange,
) -> Result<(), StoreError> {
    let found = Statement::<(SqlUuid, Array<Text>)>::returning(&[LOCK])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Array<SqlUuid>, _>(ids);
    let found: Vec<(Uuid, Vec<String>)> = found.load(conn).await.map_err(store_error)?;
    let mut changed = Vec::new();
    for (id, tags) in found {
        if let Some(tags) = change.apply(&tags) {
            let folded: Vec<_> = tags.iter().map(|tag| fold(tag)).collect();
            changed.push(json!({ "id": id.to_string(), "tags": tags, "folded": folded }));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let update = Statement::new(&[UPDATE])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Jsonb, _>(Value::from(changed));
    update.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Whoever locks several contacts locks them in this order. Each is looked up by itself, whatever the
/// statistics of the table.
const LOCK: &str = "\
    SELECT contact.id, contact.tags \
    FROM (SELECT ?::uuid AS organization_id, given.id FROM UNNEST(?) AS given (id) OFFSET 0) AS given \
    JOIN contacts AS contact ON contact.organization_id = ANY(ARRAY[given.organization_id]) \
        AND contact.id = ANY(ARRAY[given.id]) \
    ORDER BY contact.id FOR NO KEY UPDATE OF contact";

const UPDATE: &str = "\
    UPDATE contacts SET tags = given.tags, tags_folded = given.folded, updated_at = now() \
    FROM (SELECT ?::uuid AS organization_id, given.* \
        FROM jsonb_to_recordset(?) AS given (id uuid, tags text[], folded text[]) OFFSET 0) AS given \
    WHERE contacts.organization_id = ANY(ARRAY[given.organization_id]) \
        AND contacts.id = ANY(ARRAY[given.id])";

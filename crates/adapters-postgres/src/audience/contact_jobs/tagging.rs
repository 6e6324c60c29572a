//! Changes of the tags of contacts.

use diesel::{
    prelude::*,
    sql_types::{Jsonb, Uuid as SqlUuid},
};
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
    schema::contacts,
};

/// Changes the tags of those of the contacts that exist. Others wait meanwhile that change them too.
pub(super) async fn tag_contacts(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Uuid],
    change: &TagChange,
) -> Result<(), StoreError> {
    let found = contacts::table
        .filter(contacts::organization_id.eq(organization.uuid()))
        .filter(contacts::id.eq_any(ids))
        .order(contacts::id)
        .select((contacts::id, contacts::tags))
        .for_no_key_update();
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
        .bind::<Jsonb, _>(Value::from(changed))
        .bind::<SqlUuid, _>(organization.uuid());
    update.execute(conn).await.map_err(store_error)?;
    Ok(())
}

const UPDATE: &str = "\
    UPDATE contacts SET tags = given.tags, tags_folded = given.folded, updated_at = now() \
    FROM jsonb_to_recordset(?) AS given (id uuid, tags text[], folded text[]) \
    WHERE contacts.organization_id = ? AND contacts.id = ANY(ARRAY[given.id])";

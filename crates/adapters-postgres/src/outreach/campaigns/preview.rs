//! Data for the preview of a campaign.

use std::collections::HashSet;

use diesel::sql_types::{Array, Text, Uuid as SqlUuid};
use domain::{
    audience::contact::Contact,
    identity::organization::Organization,
    shared::{address::Address, category::Category, channel::Channel, id::Id},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::{
    messaging::intake::lookup::{FIND_DEVICES, FIND_EMAILS, FIND_PHONES},
    shared::{
        database::connection::Connection,
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
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

/// Returns the suppressed ones of the recipients.
pub(super) async fn suppressed(
    conn: &mut Connection,
    organization: Id<Organization>,
    (channel, category): (Channel, Category),
    recipients: &[Address],
) -> Result<HashSet<Address>, StoreError> {
    let wanted = (organization, channel, category, recipients);
    match channel {
        Channel::Sms | Channel::WhatsApp | Channel::Voice => {
            find(conn, Statement::<SuppressedRow>::returning(&[FIND_PHONES]), wanted).await
        }
        Channel::Email => {
            find(conn, Statement::<SuppressedRow>::returning(&[FIND_EMAILS]), wanted).await
        }
        Channel::Push => {
            find(conn, Statement::<SuppressedRow>::returning(&[FIND_DEVICES]), wanted).await
        }
    }
}

type SuppressedRow = (SqlUuid, Text, Text, Text);

async fn find<'v>(
    conn: &mut Connection,
    statement: Statement<'v, SuppressedRow>,
    (organization, channel, category, recipients): (
        Id<Organization>,
        Channel,
        Category,
        &'v [Address],
    ),
) -> Result<HashSet<Address>, StoreError> {
    let wanted = recipients.len();
    let find = statement
        .bind::<Array<SqlUuid>, _>(vec![organization.uuid(); wanted])
        .bind::<Array<Text>, _>(vec![channel.as_str(); wanted])
        .bind::<Array<Text>, _>(vec![category.as_str(); wanted])
        .bind::<Array<Text>, _>(recipients.iter().map(Address::as_str).collect::<Vec<_>>());
    let found: Vec<(Uuid, String, String, String)> = find.load(conn).await.map_err(store_error)?;
    Ok(found.into_iter().map(|(.., recipient)| Address::stored(recipient)).collect())
}

const FIRST_OF_BLOCKS: &str = "\
    SELECT first_id FROM contact_blocks WHERE organization_id = ? ORDER BY first_id";

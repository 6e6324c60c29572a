//! What a batch reads before it is decided, and after.

use std::collections::{HashMap, HashSet};

use diesel::sql_types::{Array, Binary, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{address::Address, channel::Channel, id::Id, organization::Organization};
use ports::{messages::Submission, store::StoreError};
use uuid::Uuid;

use super::decision::KnownKey;
use crate::{
    error::{corrupt, store_error},
    statement::Statement,
};

type Keys = HashMap<(Id<Organization>, String), KnownKey>;
type KeyRow = (Uuid, String, Vec<u8>, Vec<Uuid>);
type Suppressed = HashSet<(Id<Organization>, Channel, Address)>;

/// Those of the batch's idempotency keys that are in use.
pub(super) async fn keys(
    mut conn: &AsyncPgConnection,
    submissions: &[&Submission],
) -> Result<Keys, StoreError> {
    let named: Vec<_> = submissions
        .iter()
        .filter_map(|it| Some((it.organization.uuid(), it.idempotency.as_ref()?.key.as_str())))
        .collect();
    if named.is_empty() {
        return Ok(Keys::new());
    }
    let (organizations, keys): (Vec<_>, Vec<_>) = named.into_iter().unzip();
    let rows: Vec<KeyRow> =
        Statement::<FindKeys, (SqlUuid, Text, Binary, Array<SqlUuid>)>::new(&[FIND_KEYS])
            .bind::<Array<SqlUuid>, _>(organizations)
            .bind::<Array<Text>, _>(keys)
            .load(&mut conn)
            .await
            .map_err(store_error)?;
    let known = |(organization, key, fingerprint, messages): KeyRow| {
        let fingerprint =
            fingerprint.try_into().map_err(|_| corrupt("idempotency_keys", organization))?;
        let messages = messages.into_iter().map(Id::of).collect();
        Ok(((Id::of(organization), key), KnownKey { fingerprint, messages }))
    };
    rows.into_iter().map(known).collect()
}

/// Those of the batch's recipients that are suppressed.
pub(super) async fn suppressed(
    conn: &AsyncPgConnection,
    submissions: &[&Submission],
) -> Result<Suppressed, StoreError> {
    let drafts = submissions.iter().flat_map(|it| &it.messages);
    let (emails, phones): (Vec<_>, Vec<_>) = drafts
        .filter(|message| message.draft.channel != Channel::Push)
        .map(|message| {
            let draft = &message.draft;
            (message.organization.uuid(), draft.channel, draft.recipient.as_str())
        })
        .partition(|(_, channel, _)| *channel == Channel::Email);
    let mut found = Suppressed::new();
    if !phones.is_empty() {
        let find = Statement::<FindPhones, SuppressedRow>::new(&[FIND_PHONES]);
        found.extend(matches(conn, find, phones).await?);
    }
    if !emails.is_empty() {
        let find = Statement::<FindEmails, SuppressedRow>::new(&[FIND_EMAILS]);
        found.extend(matches(conn, find, emails).await?);
    }
    Ok(found)
}

type SuppressedRow = (SqlUuid, Text, Text);

async fn matches<'r, N: Send + 'static>(
    mut conn: &AsyncPgConnection,
    find: Statement<'r, N, SuppressedRow>,
    recipients: Vec<(Uuid, Channel, &'r str)>,
) -> Result<Suppressed, StoreError> {
    let rows: Vec<(Uuid, String, String)> = find
        .bind::<Array<SqlUuid>, _>(recipients.iter().map(|it| it.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(recipients.iter().map(|it| it.1.as_str()).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(recipients.iter().map(|it| it.2).collect::<Vec<_>>())
        .load(&mut conn)
        .await
        .map_err(store_error)?;
    let row = |(organization, channel, recipient): (Uuid, String, String)| {
        let channel = channel.parse().map_err(|_| corrupt("suppressions", organization))?;
        Ok((Id::of(organization), channel, Address::stored(recipient)))
    };
    rows.into_iter().map(row).collect()
}

struct FindKeys;
const FIND_KEYS: &str = "\
    SELECT organization_id, key, fingerprint, message_ids FROM idempotency_keys \
    WHERE (organization_id, key) IN (SELECT * FROM UNNEST(?, ?)) AND expires_at > now()";

struct FindPhones;
const FIND_PHONES: &str = "\
    SELECT wanted.* FROM UNNEST(?, ?, ?) AS wanted (organization_id, channel, recipient) \
    WHERE EXISTS (SELECT FROM suppressions entry \
        WHERE entry.organization_id = wanted.organization_id AND entry.phone = wanted.recipient \
            AND coalesce(entry.channel, wanted.channel) = wanted.channel)";

struct FindEmails;
const FIND_EMAILS: &str = "\
    SELECT wanted.* FROM UNNEST(?, ?, ?) AS wanted (organization_id, channel, recipient) \
    WHERE EXISTS (SELECT FROM suppressions entry \
        WHERE entry.organization_id = wanted.organization_id \
            AND lower(entry.email) = lower(wanted.recipient) \
            AND coalesce(entry.channel, wanted.channel) = wanted.channel)";

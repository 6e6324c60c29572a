//! Reads of a batch before it is decided, and after.

use std::collections::{HashMap, HashSet};

use diesel::sql_types::{Array, Binary, Bool, Text, Uuid as SqlUuid};
use domain::{
    messaging::message::Message,
    shared::{address::Address, category::Category, channel::Channel, id::Id},
};
use ports::{messaging::messages::Submission, shared::store::StoreError};
use uuid::Uuid;

use super::decision::{KeyName, StoredKey, Suppressed};
use crate::shared::{
    database::connection::Connection,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

type Keys = HashMap<KeyName, StoredKey>;
type KeyRow = (Uuid, bool, String, Vec<u8>, Vec<Uuid>);

/// Returns the idempotency keys of the batch that are in use.
pub(super) async fn keys(
    mut conn: &Connection,
    submissions: &[&Submission],
) -> Result<Keys, StoreError> {
    let named: Vec<_> = submissions
        .iter()
        .filter_map(|it| Some((it.organization.uuid(), it.idempotency.as_ref()?)))
        .collect();
    if named.is_empty() {
        return Ok(Keys::new());
    }
    let organizations: Vec<_> = named.iter().map(|(organization, _)| *organization).collect();
    let modes: Vec<_> = named.iter().map(|(_, idempotency)| idempotency.is_sandbox).collect();
    let keys: Vec<_> = named.iter().map(|(_, idempotency)| idempotency.key.as_str()).collect();
    let rows: Vec<KeyRow> =
        Statement::<(SqlUuid, Bool, Text, Binary, Array<SqlUuid>)>::returning(&[FIND_KEYS])
            .bind::<Array<SqlUuid>, _>(organizations)
            .bind::<Array<Bool>, _>(modes)
            .bind::<Array<Text>, _>(keys)
            .load(&mut conn)
            .await
            .map_err(store_error)?;
    let known = |(organization, is_sandbox, key, fingerprint, messages): KeyRow| {
        let fingerprint =
            fingerprint.try_into().map_err(|_| corrupt("idempotency_keys", organization))?;
        let messages = messages.into_iter().filter(|id| !id.is_nil()).map(Id::of).collect();
        Ok(((Id::of(organization), is_sandbox, key), StoredKey { fingerprint, messages }))
    };
    rows.into_iter().map(known).collect()
}

/// Returns the recipients of the batch that are suppressed.
pub(super) async fn suppressed(
    conn: &Connection,
    submissions: &[&Submission],
) -> Result<Suppressed, StoreError> {
    find_suppressed(conn, &Recipients::of(submissions.iter().flat_map(|it| &it.messages))).await
}

/// Returns the messages whose recipients are suppressed.
pub(crate) async fn barred(
    conn: &Connection,
    messages: &[&Message],
) -> Result<HashSet<Id<Message>>, StoreError> {
    let found = find_suppressed(conn, &Recipients::of(messages.iter().copied())).await?;
    let mut barred = HashSet::new();
    for message in messages {
        let draft = &message.draft;
        let is_barred = message.kinds().any(|kind| {
            let recipient = draft.recipient.clone();
            found.contains(&(message.organization, draft.channel, kind, recipient))
        });
        if is_barred {
            barred.insert(message.id);
        }
    }
    Ok(barred)
}

async fn find_suppressed(
    conn: &Connection,
    recipients: &Recipients<'_>,
) -> Result<Suppressed, StoreError> {
    let mut found = Suppressed::new();
    if !recipients.phones.is_empty() {
        let find = Statement::<SuppressedRow>::returning(&[FIND_PHONES]);
        found.extend(matches(conn, bind(find, &recipients.phones)).await?);
    }
    if !recipients.emails.is_empty() {
        let find = Statement::<SuppressedRow>::returning(&[FIND_EMAILS]);
        found.extend(matches(conn, bind(find, &recipients.emails)).await?);
    }
    if !recipients.devices.is_empty() {
        let find = Statement::<SuppressedRow>::returning(&[FIND_DEVICES]);
        found.extend(matches(conn, bind(find, &recipients.devices)).await?);
    }
    Ok(found)
}

type SuppressedRow = (SqlUuid, Text, Text, Text);

async fn matches(
    mut conn: &Connection,
    find: Statement<'_, SuppressedRow>,
) -> Result<Suppressed, StoreError> {
    let rows: Vec<(Uuid, String, String, String)> =
        find.load(&mut conn).await.map_err(store_error)?;
    let row = |(organization, channel, category, recipient): (Uuid, String, String, String)| {
        let channel = channel.parse().map_err(|_| corrupt("suppressions", organization))?;
        let category = category.parse().map_err(|_| corrupt("suppressions", organization))?;
        Ok((Id::of(organization), channel, category, Address::stored(recipient)))
    };
    rows.into_iter().map(row).collect()
}

/// Recipients of messages.
pub(super) struct Recipients<'m> {
    phones: Vec<Recipient<'m>>,
    emails: Vec<Recipient<'m>>,
    devices: Vec<Recipient<'m>>,
}

type Recipient<'m> = (Uuid, Channel, Category, &'m str);

impl<'m> Recipients<'m> {
    pub(super) fn of(messages: impl Iterator<Item = &'m Message>) -> Self {
        let (mut phones, mut emails, mut devices) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages {
            let draft = &message.draft;
            let recipients = match draft.channel {
                Channel::Sms | Channel::WhatsApp | Channel::Voice => &mut phones,
                Channel::Email => &mut emails,
                Channel::Push => &mut devices,
            };
            let (organization, recipient) = (message.organization.uuid(), draft.recipient.as_str());
            let kinds = message.kinds();
            recipients.extend(kinds.map(|kind| (organization, draft.channel, kind, recipient)));
        }
        Self { phones, emails, devices }
    }

    pub(super) fn has_devices(&self) -> bool {
        !self.devices.is_empty()
    }

    /// Binds the values of [`FIND_PHONES`] and then those of [`FIND_EMAILS`].
    pub(super) fn bind<ST>(&self, statement: Statement<'m, ST>) -> Statement<'m, ST> {
        bind(bind(statement, &self.phones), &self.emails)
    }

    /// Binds the values of [`FIND_DEVICES`].
    pub(super) fn bind_devices<ST>(&self, statement: Statement<'m, ST>) -> Statement<'m, ST> {
        bind(statement, &self.devices)
    }
}

fn bind<'m, ST>(statement: Statement<'m, ST>, recipients: &[Recipient<'m>]) -> Statement<'m, ST> {
    statement
        .bind::<Array<SqlUuid>, _>(recipients.iter().map(|it| it.0).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(recipients.iter().map(|it| it.1.as_str()).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(recipients.iter().map(|it| it.2.as_str()).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(recipients.iter().map(|it| it.3).collect::<Vec<_>>())
}

const FIND_KEYS: &str = "\
    SELECT used.organization_id, used.is_sandbox, used.key, fingerprint, message_ids \
    FROM UNNEST(?, ?, ?) AS wanted (organization_id, is_sandbox, key) JOIN idempotency_keys used \
        ON used.organization_id = ANY(ARRAY[wanted.organization_id]) \
            AND used.is_sandbox = ANY(ARRAY[wanted.is_sandbox]) \
            AND used.key = ANY(ARRAY[wanted.key]) \
    WHERE expires_at > now()";

/// Finds phone numbers that are suppressed, by themselves or, for their channel, through the email
/// of the contact that has them.
///
/// Entries of the latter kind are rare: one read for the whole statement finds out if any exist,
/// and one for each message if its organization has some. Contacts and entries are found by a
/// range, in an order that a single index has: whatever the planner estimates, no other index is as
/// good (decision 101).
pub(crate) const FIND_PHONES: &str = "\
    SELECT wanted.* FROM UNNEST(?, ?, ?, ?) AS wanted (organization_id, channel, category, recipient) \
    WHERE EXISTS (SELECT FROM suppressions entry \
        WHERE entry.organization_id = ANY(ARRAY[wanted.organization_id]) \
            AND entry.phone = ANY(ARRAY[wanted.recipient]) \
            AND coalesce(entry.channel, wanted.channel) = wanted.channel \
            AND coalesce(entry.category, wanted.category) = wanted.category) \
    OR EXISTS (SELECT FROM crossing_suppressions) \
        AND EXISTS (SELECT FROM crossing_suppressions crossing \
            WHERE crossing.organization_id = ANY(ARRAY[wanted.organization_id])) \
        AND EXISTS (SELECT FROM ( \
                SELECT organization_id, email FROM contacts \
                WHERE organization_id = wanted.organization_id \
                    AND phone BETWEEN wanted.recipient AND wanted.recipient \
                ORDER BY phone LIMIT 1 \
            ) AS contact CROSS JOIN LATERAL ( \
                SELECT FROM suppressions \
                WHERE organization_id = contact.organization_id \
                    AND lower(email) BETWEEN contact.email AND contact.email \
                    AND phone IS NULL AND channel = wanted.channel \
                    AND coalesce(category, wanted.category) = wanted.category \
                ORDER BY lower(email) LIMIT 1 \
            ) AS entry)";

/// Finds mail addresses that are suppressed, by themselves or, for `EMAIL`, through the phone of
/// the contact that has them. See [`FIND_PHONES`].
pub(crate) const FIND_EMAILS: &str = "\
    SELECT wanted.* FROM UNNEST(?, ?, ?, ?) AS wanted (organization_id, channel, category, recipient) \
    WHERE EXISTS (SELECT FROM suppressions entry \
        WHERE entry.organization_id = ANY(ARRAY[wanted.organization_id]) \
            AND lower(entry.email) = ANY(ARRAY[lower(wanted.recipient)]) \
            AND coalesce(entry.channel, wanted.channel) = wanted.channel \
            AND coalesce(entry.category, wanted.category) = wanted.category) \
    OR EXISTS (SELECT FROM crossing_suppressions) \
        AND EXISTS (SELECT FROM crossing_suppressions crossing \
            WHERE crossing.organization_id = ANY(ARRAY[wanted.organization_id])) \
        AND EXISTS (SELECT FROM ( \
                SELECT organization_id, phone FROM contacts \
                WHERE organization_id = wanted.organization_id \
                    AND email BETWEEN lower(wanted.recipient) AND lower(wanted.recipient) \
                ORDER BY email LIMIT 1 \
            ) AS contact CROSS JOIN LATERAL ( \
                SELECT FROM suppressions \
                WHERE organization_id = contact.organization_id \
                    AND phone BETWEEN contact.phone AND contact.phone \
                    AND email IS NULL AND channel = wanted.channel \
                    AND coalesce(category, wanted.category) = wanted.category \
                ORDER BY phone LIMIT 1 \
            ) AS entry)";

/// Finds device tokens that are suppressed, by themselves or through a phone or an email of
/// contacts that have them.
pub(crate) const FIND_DEVICES: &str = "\
    SELECT wanted.* FROM UNNEST(?, ?, ?, ?) AS wanted (organization_id, channel, category, recipient) \
    WHERE EXISTS (SELECT FROM suppressions entry \
        WHERE entry.organization_id = ANY(ARRAY[wanted.organization_id]) \
            AND entry.phone = ANY(ARRAY[wanted.recipient]) \
            AND coalesce(entry.channel, wanted.channel) = wanted.channel \
            AND coalesce(entry.category, wanted.category) = wanted.category) \
    OR EXISTS (SELECT FROM contacts contact CROSS JOIN LATERAL ( \
            SELECT channel, category FROM suppressions entry \
            WHERE entry.organization_id = ANY(ARRAY[contact.organization_id]) \
                AND entry.phone = ANY(ARRAY[contact.phone]) \
            UNION ALL \
            SELECT channel, category FROM suppressions entry \
            WHERE entry.organization_id = ANY(ARRAY[contact.organization_id]) \
                AND lower(entry.email) = ANY(ARRAY[lower(contact.email)])) AS entry \
        WHERE contact.organization_id = ANY(ARRAY[wanted.organization_id]) \
            AND contact.fcm_token = ANY(ARRAY[wanted.recipient]) \
            AND coalesce(entry.channel, wanted.channel) = wanted.channel \
            AND coalesce(entry.category, wanted.category) = wanted.category)";

//! Reads of a batch before it is decided, and after.

use std::collections::{HashMap, HashSet};

use domain::{
    identity::organization::Organization,
    messaging::message::Message,
    shared::{address::Address, category::Category, channel::Channel, id::Id},
};
use ports::{messaging::messages::Submission, shared::store::StoreError};
use uuid::Uuid;

use super::decision::{KeyName, StoredKey, Suppressed};
use crate::shared::{
    database::connection::Connection,
    error::corrupt,
    query::{
        records::{FieldError, Fields, Record, Records},
        row::row,
        sql::sql,
    },
};

type Keys = HashMap<KeyName, StoredKey>;

row! {
    struct KeyRow {
        organization_id: Id<Organization>,
        is_sandbox: bool,
        key: String,
        fingerprint: Vec<u8>,
        message_ids: Vec<Uuid>,
    }
}

row! {
    struct SuppressedRow {
        organization_id: Id<Organization>,
        channel: String,
        category: String,
        recipient: String,
    }
}

/// Returns the idempotency keys of the batch that are in use.
pub(super) async fn keys(
    conn: &Connection,
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
    let rows: Vec<KeyRow> = sql!(FIND_KEYS, organizations, modes, keys).rows(conn).await?;
    let known = |row: KeyRow| {
        let organization = row.organization_id;
        let fingerprint = row.fingerprint.try_into();
        let fingerprint = fingerprint.map_err(|_| corrupt("idempotency_keys", organization))?;
        let messages = row.message_ids.into_iter().filter(|id| !id.is_nil()).map(Id::of).collect();
        Ok(((organization, row.is_sandbox, row.key), StoredKey { fingerprint, messages }))
    };
    rows.into_iter().map(known).collect()
}

/// Returns the recipients of the batch that are suppressed.
pub(super) async fn suppressed(
    conn: &Connection,
    submissions: &[&Submission],
) -> Result<Suppressed, StoreError> {
    find_suppressed(conn, Recipients::of(submissions.iter().flat_map(|it| &it.messages))).await
}

/// Returns the messages whose recipients are suppressed.
pub(crate) async fn barred(
    conn: &Connection,
    messages: &[&Message],
) -> Result<HashSet<Id<Message>>, StoreError> {
    let found = find_suppressed(conn, Recipients::of(messages.iter().copied())).await?;
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

/// Returns those of the recipients that are suppressed. All are of one organization, channel and
/// category.
pub(crate) async fn suppressed_among(
    conn: &Connection,
    organization: Id<Organization>,
    (channel, category): (Channel, Category),
    recipients: &[Address],
) -> Result<HashSet<Address>, StoreError> {
    let mut wanted = Recipients::default();
    wanted.on(channel).extend(recipients.iter().map(|address| Recipient {
        organization: organization.uuid(),
        channel,
        category,
        address: address.as_str(),
    }));
    let found = find_suppressed(conn, wanted).await?;
    Ok(found.into_iter().map(|(.., recipient)| recipient).collect())
}

async fn find_suppressed(
    conn: &Connection,
    recipients: Recipients<'_>,
) -> Result<Suppressed, StoreError> {
    let mut rows: Vec<SuppressedRow> = Vec::new();
    if !recipients.phones.is_empty() {
        let phones = Records::new(conn, recipients.phones).await?;
        let find = sql!(FIND_PHONES, phones);
        rows.extend(find.rows::<SuppressedRow>(conn).await?);
    }
    if !recipients.emails.is_empty() {
        let emails = Records::new(conn, recipients.emails).await?;
        let find = sql!(FIND_EMAILS, emails);
        rows.extend(find.rows::<SuppressedRow>(conn).await?);
    }
    if !recipients.devices.is_empty() {
        let devices = Records::new(conn, recipients.devices).await?;
        let find = sql!(FIND_DEVICES, devices);
        rows.extend(find.rows::<SuppressedRow>(conn).await?);
    }
    rows.into_iter().map(suppressed_recipient).collect()
}

fn suppressed_recipient(
    row: SuppressedRow,
) -> Result<(Id<Organization>, Channel, Category, Address), StoreError> {
    let organization = row.organization_id;
    let channel = row.channel.parse().map_err(|_| corrupt("suppressions", organization))?;
    let category = row.category.parse().map_err(|_| corrupt("suppressions", organization))?;
    Ok((organization, channel, category, Address::stored(row.recipient)))
}

/// Recipients of messages.
#[derive(Default)]
pub(super) struct Recipients<'m> {
    pub(super) phones: Vec<Recipient<'m>>,
    pub(super) emails: Vec<Recipient<'m>>,
    pub(super) devices: Vec<Recipient<'m>>,
}

/// Recipient of a message of one kind.
pub(super) struct Recipient<'m> {
    organization: Uuid,
    channel: Channel,
    category: Category,
    address: &'m str,
}

impl Record for Recipient<'_> {
    const TYPE: &'static str = "message_recipient";
    const ROOM: usize = 96;

    fn put(&self, fields: &mut Fields<'_>) -> Result<(), FieldError> {
        fields.add(self.organization)?;
        fields.add(self.channel.as_str())?;
        fields.add(self.category.as_str())?;
        fields.add(self.address)
    }
}

impl<'m> Recipients<'m> {
    pub(super) fn of(messages: impl Iterator<Item = &'m Message>) -> Self {
        let mut all = Self::default();
        for message in messages {
            let draft = &message.draft;
            for category in message.kinds() {
                all.on(draft.channel).push(Recipient {
                    organization: message.organization.uuid(),
                    channel: draft.channel,
                    category,
                    address: draft.recipient.as_str(),
                });
            }
        }
        all
    }

    /// Returns the recipients of the kind that a channel reaches.
    fn on(&mut self, channel: Channel) -> &mut Vec<Recipient<'m>> {
        match channel {
            Channel::Sms | Channel::WhatsApp | Channel::Voice => &mut self.phones,
            Channel::Email => &mut self.emails,
            Channel::Push => &mut self.devices,
        }
    }

    pub(super) fn has_devices(&self) -> bool {
        !self.devices.is_empty()
    }
}

const FIND_KEYS: &str = "\
    SELECT used.organization_id, used.is_sandbox, used.key, fingerprint, message_ids \
    FROM UNNEST({organizations}::uuid[], {modes}::boolean[], {keys}::text[]) \
        AS wanted (organization_id, is_sandbox, key) \
    JOIN idempotency_keys used \
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
pub(super) const FIND_PHONES: &str = "\
    SELECT wanted.* \
    FROM UNNEST({phones}::message_recipient[]) AS wanted \
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
pub(super) const FIND_EMAILS: &str = "\
    SELECT wanted.* \
    FROM UNNEST({emails}::message_recipient[]) AS wanted \
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
pub(super) const FIND_DEVICES: &str = "\
    SELECT wanted.* \
    FROM UNNEST({devices}::message_recipient[]) AS wanted \
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

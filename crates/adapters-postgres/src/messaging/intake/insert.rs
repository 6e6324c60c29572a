//! Statements that write a batch: all tables in one statement, for each statement is a round trip.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Jsonb, Nullable, SmallInt, Text, Timestamptz,
    Uuid as SqlUuid,
};
use domain::{
    content::template::FilledTemplate,
    messaging::{
        attempt::Attempt,
        delivery::Failure,
        job::Job,
        message::{Message, Metadata, Source},
        retry::RetryRules,
    },
    shared::id::Id,
};
use ports::{messaging::messages::Idempotency, shared::store::StoreError};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    advances::{ADVANCE, CampaignAdvances},
    lookup::{FIND_DEVICES, FIND_EMAILS, FIND_PHONES, Recipients},
    wallet_cache::WalletCache,
};
use crate::{
    messaging::{
        counters::CounterChanges,
        delivery_logs::TextNotes,
        jobs::LEASE_SECONDS,
        journal::{self, JournalLine},
        resends::{self, ResendsWritten},
        scheduled_messages::{self, ScheduledWritten},
        triggers::{self, TriggersWritten},
    },
    money::wallet_deltas::{MOVE, WalletDeltas},
    shared::{
        database::connection::Connection,
        error::store_error,
        query::{json::Json, run_query::RunQueryDsl, statement::Statement},
    },
};

/// Lifetime of an idempotency key.
const KEY_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Rows to write.
pub(super) struct Rows<'b> {
    pub(super) now: DateTime<Utc>,
    pub(super) jobs: Vec<&'b Job>,
    pub(super) keys: Vec<KeyRow<'b>>,
    pub(super) counters: CounterChanges,
    pub(super) debits: WalletDeltas,
    pub(super) campaigns: CampaignAdvances,
    pub(super) triggers: TriggersWritten<'b>,
    pub(super) resends: ResendsWritten<'b>,
}

/// Owner of an idempotency key, the key, and the messages that were accepted under it.
pub(super) type KeyRow<'b> = (Uuid, &'b Idempotency, &'b [Job]);

/// Writes the rows, all or nothing. Fails if a wallet would go below zero or is missing, if an
/// idempotency key is in use, if a recipient is suppressed whose message is not refused, if a
/// campaign or a trigger is not at the expected position, or if a failed message was sent again
/// meanwhile.
pub(super) async fn write(
    mut conn: &Connection,
    wallets: &WalletCache,
    mut rows: Rows<'_>,
) -> Result<(), StoreError> {
    let debits = rows.debits.columns();
    let unknown = wallets.unknown(&debits.organizations);
    let changes = rows.counters.take_campaigns();
    let line = JournalLine {
        counters: std::mem::take(&mut rows.counters),
        debits: &debits,
        now: rows.now,
    };
    let scheduled = ScheduledWritten::of(&rows.jobs);
    let messages = rows.jobs.iter().map(|job| &job.message);
    let recipients = Recipients::of(messages.filter(|message| message.refusal().is_none()));
    let is_plain = rows.campaigns.is_empty()
        && changes.is_empty()
        && rows.triggers.is_empty()
        && rows.resends.is_empty()
        && scheduled.is_empty()
        && !recipients.has_devices();
    let written = if is_plain {
        let statement = debits.bind_deltas(Statement::new(ACCEPT), rows.now);
        let statement = recipients.bind(bind_messages(line.bind(statement), &rows));
        bind_checks(statement, &rows, &unknown).execute(&mut conn).await
    } else {
        let statement = debits.bind_deltas(Statement::new(ACCEPT_AND_MOVE), rows.now);
        let statement = bind_messages(changes.bind(line.bind(statement)), &rows);
        let statement = recipients.bind_devices(recipients.bind(statement));
        let statement = rows.triggers.bind(rows.campaigns.bind(statement));
        let statement = scheduled.bind(rows.resends.bind(statement));
        let statement = statement
            .bind::<BigInt, _>(rows.campaigns.count())
            .bind::<BigInt, _>(rows.triggers.count())
            .bind::<BigInt, _>(rows.resends.count());
        bind_checks(statement, &rows, &unknown).execute(&mut conn).await
    };
    written.map_err(store_error)?;
    wallets.remember(unknown);
    Ok(())
}

/// Binds the values of [`KEYS`], [`JOBS`] and [`LOGS`].
fn bind_messages<'b, ST>(statement: Statement<'b, ST>, rows: &Rows<'b>) -> Statement<'b, ST> {
    let statement = bind_keys(statement, &rows.keys, rows.now);
    let jobs = rows.jobs.iter().copied();
    let due: Vec<&Job> = jobs.filter(|job| !job.message.is_scheduled()).collect();
    bind_logs(bind_jobs(statement, &due), &rows.jobs)
}

/// Binds the number of keys, and the organizations that must have wallets.
fn bind_checks<'b, ST>(
    statement: Statement<'b, ST>,
    rows: &Rows<'_>,
    payers: &'b [Uuid],
) -> Statement<'b, ST> {
    let keys = i64::try_from(rows.keys.len()).unwrap_or(i64::MAX);
    statement.bind::<BigInt, _>(keys).bind::<Array<SqlUuid>, _>(payers)
}

fn bind_logs<'b, ST>(statement: Statement<'b, ST>, jobs: &[&'b Job]) -> Statement<'b, ST> {
    let messages: Vec<&Message> = jobs.iter().map(|job| &job.message).collect();
    let refusals: Vec<Option<&Failure>> =
        messages.iter().map(|message| message.delivery.failure()).collect();
    statement
        .bind::<Array<SqlUuid>, _>(column(&messages, |it| it.id.uuid()))
        .bind::<Array<SqlUuid>, _>(column(&messages, |it| it.organization.uuid()))
        .bind::<Array<Text>, _>(column(&messages, |it| it.draft.channel.as_str()))
        .bind::<Array<Text>, _>(column(&messages, |it| it.delivery.status().as_str()))
        .bind::<Array<Text>, _>(column(&messages, |it| it.draft.recipient.as_str()))
        .bind::<Array<Text>, _>(column(&messages, |it| it.draft.country.as_str()))
        .bind::<Array<Text>, _>(column(&messages, |it| it.draft.category.as_str()))
        .bind::<Array<SmallInt>, _>(column(&messages, |it| it.priority.rank()))
        .bind::<Array<Nullable<Text>>, _>(column(&messages, |it| it.draft.sender.as_deref()))
        .bind::<Array<Nullable<Text>>, _>(column(&messages, |it| it.draft.subject.as_deref()))
        .bind::<Array<Text>, _>(column(&messages, |it| it.draft.body.as_str()))
        .bind::<Array<SmallInt>, _>(column(&messages, segments))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(&messages, |it| {
            it.draft.template.map(Uuid::from)
        }))
        .bind::<Array<BigInt>, _>(column(&messages, |it| it.cost.micros()))
        .bind::<Array<Bool>, _>(column(&messages, |it| it.is_sandbox))
        .bind::<Array<Bool>, _>(column(&messages, |it| it.is_confidential))
        .bind::<Array<Jsonb>, _>(column(&messages, attempts))
        .bind::<Array<Nullable<Text>>, _>(column(&refusals, |it| it.map(|it| it.code.as_str())))
        .bind::<Array<Nullable<Text>>, _>(column(&refusals, |it| it.map(|it| it.message.as_str())))
        .bind::<Array<Timestamptz>, _>(column(&messages, |it| it.created_at))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&messages, vendor_template))
        .bind::<Array<Timestamptz>, _>(column(&messages, |it| it.expires_at))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(&messages, |it| {
            it.source.and_then(Source::campaign).map(Uuid::from)
        }))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(&messages, |it| {
            it.source.and_then(Source::trigger).map(Uuid::from)
        }))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&messages, retry_rules))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&messages, |it| TextNotes::column(&it.draft)))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(&messages, |it| it.resent_from.map(Id::uuid)))
        .bind::<Array<Nullable<Jsonb>>, _>(column(&messages, metadata))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(&messages, |it| it.scheduled_at))
        .bind::<Array<Nullable<Text>>, _>(column(&messages, |it| it.event.as_deref()))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(&messages, |it| it.contact.map(Id::uuid)))
}

fn column<'r, T, V>(rows: &[T], value: impl Fn(T) -> V) -> Vec<V>
where
    T: Copy + 'r,
{
    rows.iter().copied().map(value).collect()
}

fn attempts(message: &Message) -> Json<'_, [Attempt]> {
    Json(&message.attempts)
}

fn vendor_template(message: &Message) -> Option<Json<'_, FilledTemplate>> {
    message.draft.vendor_template.as_ref().map(Json)
}

fn retry_rules(message: &Message) -> Option<Json<'_, RetryRules>> {
    message.draft.retry_rules.as_ref().map(Json)
}

fn metadata(message: &Message) -> Option<Json<'_, Metadata>> {
    let metadata = &message.draft.metadata;
    (!metadata.is_empty()).then_some(Json(metadata))
}

fn segments(message: &Message) -> i16 {
    i16::try_from(message.draft.segments).unwrap_or(i16::MAX)
}

fn bind_jobs<'b, ST>(statement: Statement<'b, ST>, jobs: &[&'b Job]) -> Statement<'b, ST> {
    let lease = |job: &Job| job.lease.is_held().then_some(job.lease.0);
    statement
        .bind::<BigInt, _>(LEASE_SECONDS)
        .bind::<Array<SqlUuid>, _>(column(jobs, |it| it.message.id.uuid()))
        .bind::<Array<SqlUuid>, _>(column(jobs, |it| it.message.organization.uuid()))
        .bind::<Array<SmallInt>, _>(column(jobs, |it| it.message.priority.rank()))
        .bind::<Array<Nullable<SqlUuid>>, _>(column(jobs, lease))
        .bind::<Array<Integer>, _>(column(jobs, |it| it.provider_queue.0))
}

fn bind_keys<'b, ST>(
    statement: Statement<'b, ST>,
    keys: &[KeyRow<'b>],
    now: DateTime<Utc>,
) -> Statement<'b, ST> {
    // SQL requires arrays of arrays to be rectangular, so the identifiers are bound as JSON.
    statement
        .bind::<Timestamptz, _>(now + KEY_LIFETIME)
        .bind::<Array<SqlUuid>, _>(keys.iter().map(|row| row.0).collect::<Vec<_>>())
        .bind::<Array<Bool>, _>(keys.iter().map(|row| row.1.is_sandbox).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(keys.iter().map(|row| row.1.key.as_str()).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(
            keys.iter().map(|row| row.1.fingerprint.as_slice()).collect::<Vec<_>>(),
        )
        .bind::<Array<Jsonb>, _>(keys.iter().map(message_ids).collect::<Vec<_>>())
}

/// Returns the identifiers of the messages accepted under a key, with the nil identifier in the places
/// of items that got none.
fn message_ids((_, idempotency, jobs): &KeyRow<'_>) -> Value {
    let mut ids: Vec<Uuid> = jobs.iter().map(|job| job.message.id.uuid()).collect();
    for gap in &idempotency.gaps {
        ids.insert(usize::from(*gap).min(ids.len()), Uuid::nil());
    }
    json!(ids)
}

/// PostgreSQL executes these from the last to the first, so a wallet is locked no longer than the
/// commit takes. The division fails, and everything with it, if a key was not free, a recipient is
/// suppressed, or a payer has no wallet.
const ACCEPT: &[&str] = &[
    "WITH moved AS (",
    MOVE,
    "), counted AS (",
    journal::WRITE,
    "), used AS (",
    KEYS,
    "), leased AS (",
    JOBS,
    "), logged AS (",
    LOGS,
    "), barred AS (",
    FIND_PHONES,
    " UNION ALL ",
    FIND_EMAILS,
    ") SELECT 1 / (",
    CHECKS,
];

/// The same for a batch that has messages of campaigns, of triggers with several channels, to
/// devices, that repeat others, or that are scheduled. It also fails if a campaign or trigger was not at
/// the expected position, or a message was repeated meanwhile. Other batches do not need these parts.
const ACCEPT_AND_MOVE: &[&str] = &[
    "WITH moved AS (",
    MOVE,
    "), counted AS (",
    journal::WRITE_WITH_CAMPAIGNS,
    "), used AS (",
    KEYS,
    "), leased AS (",
    JOBS,
    "), logged AS (",
    LOGS,
    "), barred AS (",
    FIND_PHONES,
    " UNION ALL ",
    FIND_EMAILS,
    " UNION ALL ",
    FIND_DEVICES,
    "), ",
    ADVANCE,
    ", triggered AS (",
    triggers::WRITE,
    "), resent AS (",
    resends::WRITE,
    "), scheduled AS (",
    scheduled_messages::WRITE,
    ") SELECT 1 / ((SELECT count(*) FROM advanced) = ? AND (SELECT count(*) FROM triggered) = ? AND \
       (SELECT count(*) FROM resent) = ? AND ",
    CHECKS,
];

const CHECKS: &str = "\
    count(*) = ? AND NOT EXISTS (SELECT FROM barred) \
      AND NOT EXISTS (SELECT FROM UNNEST(?) AS payer (organization_id) WHERE NOT EXISTS ( \
          SELECT FROM wallets \
          WHERE wallets.organization_id = ANY(ARRAY[payer.organization_id]))))::integer \
      FROM used";

const LOGS: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
        category, priority, sender, subject, body, segments, template_id, cost_micros, is_sandbox, \
        is_confidential, attempts, error_code, error_message, created_at, vendor_template, \
        expires_at, campaign_id, trigger_id, retry_rules, text_notes, resent_from, metadata, \
        scheduled_at, event, contact_id) \
    SELECT * FROM UNNEST(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
        ?, ?, ?, ?, ?, ?, ?, ?, ?)";

const JOBS: &str = "\
    INSERT INTO delivery_jobs (id, organization_id, priority, lease, line, is_ready, due_at) \
    SELECT id, organization_id, priority, lease, line, lease IS NULL, \
        CASE WHEN lease IS NULL THEN now() ELSE now() + make_interval(secs => seconds) END \
    FROM (SELECT ?::bigint) AS given (seconds), \
        UNNEST(?, ?, ?, ?, ?) AS job (id, organization_id, priority, lease, line)";

/// Writes idempotency keys, and replaces expired ones.
const KEYS: &str = "\
    INSERT INTO idempotency_keys \
        (expires_at, organization_id, is_sandbox, key, fingerprint, message_ids) \
    SELECT ?, organization_id, is_sandbox, key, fingerprint, \
        ARRAY(SELECT id::uuid FROM jsonb_array_elements_text(ids) WITH ORDINALITY AS each (id, place) \
              ORDER BY place) \
    FROM UNNEST(?, ?, ?, ?, ?) AS used (organization_id, is_sandbox, key, fingerprint, ids) \
    ON CONFLICT (organization_id, is_sandbox, key) DO UPDATE \
    SET fingerprint = EXCLUDED.fingerprint, message_ids = EXCLUDED.message_ids, \
        expires_at = EXCLUDED.expires_at \
    WHERE idempotency_keys.expires_at <= now() RETURNING 1";

//! Statements that write a batch: all tables in one statement, for each statement is a round trip.

use chrono::{DateTime, TimeDelta, Utc};
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
    lookup::{FIND_DEVICES, FIND_EMAILS, FIND_PHONES, RecipientColumns, Recipients},
    wallet_cache::WalletCache,
};
use crate::{
    messaging::{
        campaign_counts::CampaignColumns,
        counters::CounterChanges,
        delivery_logs::TextNotes,
        jobs::LEASE_SECONDS,
        journal::{self, JournalLine, LineColumns, write_line},
        resends::{self, ResendsWritten},
        scheduled_messages::{self, ScheduledWritten},
        triggers::{self, TriggersWritten},
    },
    money::wallet_deltas::{MOVE, WalletDeltas},
    shared::{
        database::connection::Connection,
        query::{columns::column, json::Json, sql::sql},
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

/// Values of each statement that accepts a batch.
struct Accepted<'b> {
    line: LineColumns<'b>,
    keys_expire_at: DateTime<Utc>,
    keys: &'b [KeyRow<'b>],
    /// Jobs of messages that may go at once.
    due: Vec<&'b Job>,
    messages: Vec<&'b Message>,
    refusals: Vec<Option<&'b Failure>>,
    phones: RecipientColumns<'b>,
    emails: RecipientColumns<'b>,
    /// Organizations that must have wallets.
    unknown_payers: &'b [Uuid],
}

/// Values of a statement that accepts messages other than plain ones.
struct Moved<'b> {
    changes: CampaignColumns,
    devices: RecipientColumns<'b>,
    campaigns: CampaignAdvances,
    triggers: TriggersWritten<'b>,
    resends: ResendsWritten<'b>,
    scheduled: ScheduledWritten,
}

/// Writes the rows, all or nothing. Fails if a wallet would go below zero or is missing, if an
/// idempotency key is in use, if a recipient is suppressed whose message is not refused, if a
/// campaign or a trigger is not at the expected position, or if a failed message was sent again
/// meanwhile.
pub(super) async fn write(
    conn: &Connection,
    wallets: &WalletCache,
    mut rows: Rows<'_>,
) -> Result<(), StoreError> {
    let debits = rows.debits.columns();
    let unknown = wallets.unknown(&debits.organizations);
    let changes = rows.counters.take_campaigns();
    let line = JournalLine { counters: rows.counters, debits: &debits, now: rows.now };
    let scheduled = ScheduledWritten::of(&rows.jobs);
    let messages: Vec<&Message> = rows.jobs.iter().map(|job| &job.message).collect();
    let sent = messages.iter().copied().filter(|message| message.refusal().is_none());
    let recipients = Recipients::of(sent);
    let is_plain = rows.campaigns.is_empty()
        && changes.is_empty()
        && rows.triggers.is_empty()
        && rows.resends.is_empty()
        && scheduled.is_empty()
        && !recipients.has_devices();
    let jobs = rows.jobs.iter().copied();
    let accepted = Accepted {
        line: line.columns(),
        keys_expire_at: rows.now + KEY_LIFETIME,
        keys: &rows.keys,
        due: jobs.filter(|job| !job.message.is_scheduled()).collect(),
        refusals: messages.iter().map(|message| message.delivery.failure()).collect(),
        messages,
        phones: recipients.phones(),
        emails: recipients.emails(),
        unknown_payers: &unknown,
    };
    if is_plain {
        accept(conn, accepted).await?;
    } else {
        let moved = Moved {
            changes: changes.columns(),
            devices: recipients.devices(),
            campaigns: rows.campaigns,
            triggers: rows.triggers,
            resends: rows.resends,
            scheduled,
        };
        accept_and_move(conn, accepted, moved).await?;
    }
    wallets.remember(unknown);
    Ok(())
}

/// Creates a statement that accepts a batch, as `sql!` does: from its parts, the values of
/// [`Accepted`], and further values.
macro_rules! accept {
    ([$($part:expr),+ $(,)?], $batch:ident $(, $name:ident = $value:expr)* $(,)?) => {
        write_line!(
            [$($part),+],
            $batch.line,
            key_count = count($batch.keys.len()),
            keys_expire_at = $batch.keys_expire_at,
            key_organizations = column($batch.keys, |row| row.0),
            key_modes = column($batch.keys, |row| row.1.is_sandbox),
            keys = column($batch.keys, |row| row.1.key.as_str()),
            fingerprints = column($batch.keys, |row| row.1.fingerprint.as_slice()),
            key_messages = column($batch.keys, message_ids),
            lease_seconds = LEASE_SECONDS,
            due_messages = column(&$batch.due, |it| it.message.id.uuid()),
            due_organizations = column(&$batch.due, |it| it.message.organization.uuid()),
            due_priorities = column(&$batch.due, |it| it.message.priority.rank()),
            leases = column(&$batch.due, lease),
            provider_queues = column(&$batch.due, |it| it.provider_queue.0),
            messages = column(&$batch.messages, |it| it.id.uuid()),
            organizations = column(&$batch.messages, |it| it.organization.uuid()),
            channels = column(&$batch.messages, |it| it.draft.channel.as_str()),
            statuses = column(&$batch.messages, |it| it.delivery.status().as_str()),
            recipients = column(&$batch.messages, |it| it.draft.recipient.as_str()),
            countries = column(&$batch.messages, |it| it.draft.country.as_str()),
            categories = column(&$batch.messages, |it| it.draft.category.as_str()),
            priorities = column(&$batch.messages, |it| it.priority.rank()),
            senders = column(&$batch.messages, |it| it.draft.sender.as_deref()),
            subjects = column(&$batch.messages, |it| it.draft.subject.as_deref()),
            bodies = column(&$batch.messages, |it| it.draft.body.as_str()),
            segments = column(&$batch.messages, segments),
            templates = column(&$batch.messages, |it| it.draft.template.map(Uuid::from)),
            costs = column(&$batch.messages, |it| it.cost.micros()),
            are_sandbox = column(&$batch.messages, |it| it.is_sandbox),
            are_confidential = column(&$batch.messages, |it| it.is_confidential),
            attempts = column(&$batch.messages, attempts),
            error_codes = column(&$batch.refusals, |it| it.map(|it| it.code.as_str())),
            error_messages = column(&$batch.refusals, |it| it.map(|it| it.message.as_str())),
            created_at = column(&$batch.messages, |it| it.created_at),
            vendor_templates = column(&$batch.messages, vendor_template),
            expire_at = column(&$batch.messages, |it| it.expires_at),
            campaign_ids = column(&$batch.messages, campaign),
            trigger_ids = column(&$batch.messages, trigger),
            retry_rules = column(&$batch.messages, retry_rules),
            text_notes = column(&$batch.messages, TextNotes::column),
            resent_from = column(&$batch.messages, |it| it.resent_from.map(Id::uuid)),
            metadata = column(&$batch.messages, metadata),
            scheduled_at = column(&$batch.messages, |it| it.scheduled_at),
            events = column(&$batch.messages, |it| it.event.as_deref()),
            contacts = column(&$batch.messages, |it| it.contact.map(Id::uuid)),
            phone_organizations = $batch.phones.organizations,
            phone_channels = $batch.phones.channels,
            phone_categories = $batch.phones.categories,
            phones = $batch.phones.recipients,
            email_organizations = $batch.emails.organizations,
            email_channels = $batch.emails.channels,
            email_categories = $batch.emails.categories,
            emails = $batch.emails.recipients,
            unknown_payers = $batch.unknown_payers,
            $($name = $value),*
        )
    };
}

/// PostgreSQL executes the parts from the last to the first, so a wallet is locked no longer than
/// the commit takes. The division fails, and everything with it, if a key was not free, a recipient
/// is suppressed, or a payer has no wallet.
async fn accept(conn: &Connection, batch: Accepted<'_>) -> Result<(), StoreError> {
    let accept = accept! {
        [
            "WITH moved AS (", MOVE, "), counted AS (", journal::WRITE, "), used AS (", KEYS,
            "), leased AS (", JOBS, "), logged AS (", LOGS, "), barred AS (", FIND_PHONES,
            " UNION ALL ", FIND_EMAILS, ") SELECT 1 / (", CHECKS,
        ],
        batch,
    };
    accept.execute(conn).await?;
    Ok(())
}

/// Does the same for a batch that has messages of campaigns, of triggers with several channels, to
/// devices, that repeat others, or that are scheduled. It also fails if a campaign or trigger was not
/// at the expected position, or a message was repeated meanwhile. Other batches do not need these
/// parts.
async fn accept_and_move(
    conn: &Connection,
    batch: Accepted<'_>,
    moved: Moved<'_>,
) -> Result<(), StoreError> {
    let Moved { changes, devices, campaigns, triggers, resends, scheduled } = moved;
    let (trigger_count, resend_count) = (triggers.count(), resends.count());
    let (triggers, resends) = (triggers.columns(), resends.columns());
    let accept = accept! {
        [
            "WITH moved AS (", MOVE, "), counted AS (", journal::WRITE_WITH_CAMPAIGNS,
            "), used AS (", KEYS, "), leased AS (", JOBS, "), logged AS (", LOGS,
            "), barred AS (", FIND_PHONES, " UNION ALL ", FIND_EMAILS, " UNION ALL ", FIND_DEVICES,
            "), ", ADVANCE, ", triggered AS (", triggers::WRITE, "), resent AS (", resends::WRITE,
            "), scheduled AS (", scheduled_messages::WRITE, ") SELECT 1 / (", MOVE_CHECKS, CHECKS,
        ],
        batch,
        campaign_organizations = changes.organizations, campaigns = changes.campaigns,
        campaign_statuses = changes.statuses, campaign_messages = changes.messages,
        campaign_reasons = changes.reasons, campaign_costs = changes.costs,
        device_organizations = devices.organizations, device_channels = devices.channels,
        device_categories = devices.categories, devices = devices.recipients,
        advance_count = campaigns.count(),
        advanced_organizations = campaigns.organizations, advanced_campaigns = campaigns.campaigns,
        after = campaigns.after, last = campaigns.last, unreachable = campaigns.unreachable,
        skip_organizations = campaigns.skips.organizations,
        skip_campaigns = campaigns.skips.campaigns, skipped_contacts = campaigns.skips.contacts,
        trigger_count = trigger_count,
        trigger_organizations = triggers.organizations, triggers = triggers.ids,
        trigger_events = triggers.events, trigger_modes = triggers.are_sandbox,
        trigger_channels = triggers.channels, tried = triggers.tried,
        trigger_messages = triggers.messages, drafts = triggers.drafts,
        after_seconds = triggers.after_seconds, until_statuses = triggers.until_statuses,
        starts_at = triggers.starts_at,
        resend_count = resend_count,
        resend_organizations = resends.organizations, resent_messages = resends.messages,
        replacements = resends.replacements, former_replacements = resends.former,
        resend_tasks = resends.tasks,
        scheduled_organizations = scheduled.organizations, scheduled_messages = scheduled.ids,
        due_at = scheduled.due_at, scheduled_priorities = scheduled.priorities,
        scheduled_queues = scheduled.provider_queues,
    };
    accept.execute(conn).await?;
    Ok(())
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

fn campaign(message: &Message) -> Option<Uuid> {
    message.source.and_then(Source::campaign).map(Uuid::from)
}

fn trigger(message: &Message) -> Option<Uuid> {
    message.source.and_then(Source::trigger).map(Uuid::from)
}

fn lease(job: &Job) -> Option<Uuid> {
    job.lease.is_held().then_some(job.lease.0)
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns the identifiers of the messages accepted under a key, with the nil identifier in the places
/// of items that got none. SQL requires arrays of arrays to be rectangular, so they are bound as JSON.
fn message_ids((_, idempotency, jobs): KeyRow<'_>) -> Value {
    let mut ids: Vec<Uuid> = jobs.iter().map(|job| job.message.id.uuid()).collect();
    for gap in &idempotency.gaps {
        ids.insert(usize::from(*gap).min(ids.len()), Uuid::nil());
    }
    json!(ids)
}

const MOVE_CHECKS: &str = "\
    (SELECT count(*) FROM advanced) = {advance_count} \
      AND (SELECT count(*) FROM triggered) = {trigger_count} \
      AND (SELECT count(*) FROM resent) = {resend_count} AND ";

const CHECKS: &str = "\
    count(*) = {key_count} AND NOT EXISTS (SELECT FROM barred) \
      AND NOT EXISTS (SELECT FROM UNNEST({unknown_payers}::uuid[]) AS payer (organization_id) \
        WHERE NOT EXISTS ( \
          SELECT FROM wallets \
          WHERE wallets.organization_id = ANY(ARRAY[payer.organization_id]))))::integer \
      FROM used";

const LOGS: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
        category, priority, sender, subject, body, segments, template_id, cost_micros, is_sandbox, \
        is_confidential, attempts, error_code, error_message, created_at, vendor_template, \
        expires_at, campaign_id, trigger_id, retry_rules, text_notes, resent_from, metadata, \
        scheduled_at, event, contact_id) \
    SELECT * FROM UNNEST({messages}::uuid[], {organizations}::uuid[], {channels}::text[], \
        {statuses}::text[], {recipients}::text[], {countries}::text[], {categories}::text[], \
        {priorities}::smallint[], {senders}::text[], {subjects}::text[], {bodies}::text[], \
        {segments}::smallint[], {templates}::uuid[], {costs}::bigint[], {are_sandbox}::boolean[], \
        {are_confidential}::boolean[], {attempts}::jsonb[], {error_codes}::text[], \
        {error_messages}::text[], {created_at}::timestamptz[], {vendor_templates}::jsonb[], \
        {expire_at}::timestamptz[], {campaign_ids}::uuid[], {trigger_ids}::uuid[], \
        {retry_rules}::jsonb[], {text_notes}::jsonb[], {resent_from}::uuid[], \
        {metadata}::jsonb[], {scheduled_at}::timestamptz[], {events}::text[], \
        {contacts}::uuid[])";

const JOBS: &str = "\
    INSERT INTO delivery_jobs (id, organization_id, priority, lease, line, is_ready, due_at) \
    SELECT id, organization_id, priority, lease, line, lease IS NULL, \
        CASE WHEN lease IS NULL THEN now() ELSE now() + make_interval(secs => seconds) END \
    FROM (SELECT {lease_seconds}::bigint) AS given (seconds), \
        UNNEST({due_messages}::uuid[], {due_organizations}::uuid[], {due_priorities}::smallint[], \
            {leases}::uuid[], {provider_queues}::integer[]) \
            AS job (id, organization_id, priority, lease, line)";

/// Writes idempotency keys, and replaces expired ones.
const KEYS: &str = "\
    INSERT INTO idempotency_keys \
        (expires_at, organization_id, is_sandbox, key, fingerprint, message_ids) \
    SELECT {keys_expire_at}::timestamptz, organization_id, is_sandbox, key, fingerprint, \
        ARRAY(SELECT id::uuid FROM jsonb_array_elements_text(ids) WITH ORDINALITY AS each (id, place) \
              ORDER BY place) \
    FROM UNNEST({key_organizations}::uuid[], {key_modes}::boolean[], {keys}::text[], \
            {fingerprints}::bytea[], {key_messages}::jsonb[]) \
        AS used (organization_id, is_sandbox, key, fingerprint, ids) \
    ON CONFLICT (organization_id, is_sandbox, key) DO UPDATE \
    SET fingerprint = EXCLUDED.fingerprint, message_ids = EXCLUDED.message_ids, \
        expires_at = EXCLUDED.expires_at \
    WHERE idempotency_keys.expires_at <= now() RETURNING 1";

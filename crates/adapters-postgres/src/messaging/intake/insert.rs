//! Statements that write a batch: all tables in one statement, for each statement is a round trip.

use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::{attempt::Attempt, job::Job};
use ports::shared::store::StoreError;
use uuid::Uuid;

use super::{
    advances::{ADVANCE, CampaignAdvances},
    basis::Basis,
    lookup::{FIND_DEVICES, FIND_EMAILS, FIND_PHONES, Recipient, Recipients},
    rows::{JobRow, KeyRow, LogRow},
    wallet_cache::WalletCache,
};
use crate::{
    messaging::{
        campaign_counts::CampaignColumns,
        counters::CounterChanges,
        jobs::LEASE_SECONDS,
        journal::{self, JournalLine, LineColumns, write_line},
        resends::{self, ResendsWritten},
        scheduled_messages::{self, ScheduledWritten},
        triggers::{self, TriggersWritten},
    },
    money::wallet_deltas::{MOVE, WalletDeltas},
    shared::{
        database::connection::Connection,
        query::{json::Json, records::Records, sql::sql},
    },
};

/// Lifetime of an idempotency key.
const KEY_LIFETIME: TimeDelta = TimeDelta::hours(24);

/// Rows to write.
pub(super) struct Rows<'b> {
    pub(super) basis: Basis,
    pub(super) now: DateTime<Utc>,
    pub(super) jobs: Vec<&'b Job>,
    pub(super) keys: Vec<KeyRow<'b>>,
    pub(super) counters: CounterChanges,
    pub(super) debits: WalletDeltas,
    pub(super) campaigns: CampaignAdvances,
    pub(super) triggers: TriggersWritten<'b>,
    pub(super) resends: ResendsWritten<'b>,
}

/// Values of each statement that accepts a batch.
struct Accepted<'b> {
    line: LineColumns<'b>,
    keys_expire_at: DateTime<Utc>,
    key_count: i64,
    keys: Records<KeyRow<'b>>,
    /// Jobs of messages that may go at once.
    due: Records<JobRow<'b>>,
    /// Attempts of the messages that name none of their own.
    plan: Json<'b, [Attempt]>,
    messages: Records<LogRow<'b>>,
    phones: Records<Recipient<'b>>,
}

/// Values of a statement that accepts messages other than plain ones.
struct Moved<'b> {
    /// Organizations that must have wallets.
    unknown_payers: &'b [Uuid],
    changes: CampaignColumns,
    emails: Records<Recipient<'b>>,
    devices: Records<Recipient<'b>>,
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
    let messages = rows.jobs.iter().map(|job| &job.message);
    let sent = messages.clone().filter(|message| message.refusal().is_none());
    let recipients = Recipients::of(sent);
    let is_plain = rows.basis == Basis::Optimistic
        && unknown.is_empty()
        && rows.campaigns.is_empty()
        && changes.is_empty()
        && rows.triggers.is_empty()
        && rows.resends.is_empty()
        && scheduled.is_empty()
        && !recipients.has_devices();
    let due = rows.jobs.iter().copied().filter(|job| !job.message.is_scheduled());
    let plan = common_plan(&rows.jobs);
    let accepted = Accepted {
        line: line.columns(),
        keys_expire_at: rows.now + KEY_LIFETIME,
        key_count: count(rows.keys.len()),
        keys: Records::new(conn, rows.keys).await?,
        due: Records::new(conn, due.map(JobRow).collect()).await?,
        plan: Json(plan),
        messages: Records::new(conn, messages.map(|it| LogRow::new(it, plan)).collect()).await?,
        phones: Records::new(conn, recipients.phones).await?,
    };
    if is_plain && recipients.emails.is_empty() {
        accept_to_phones(conn, accepted).await?;
    } else if is_plain {
        accept(conn, accepted, Records::new(conn, recipients.emails).await?).await?;
    } else {
        let moved = Moved {
            unknown_payers: &unknown,
            changes: changes.columns(),
            emails: Records::new(conn, recipients.emails).await?,
            devices: Records::new(conn, recipients.devices).await?,
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

/// Returns the attempts that most messages of a batch have: they were planned at the same time, and
/// nearly always for the same provider.
fn common_plan<'b>(jobs: &[&'b Job]) -> &'b [Attempt] {
    let mut plans = jobs.iter().map(|job| job.message.attempts.as_slice());
    plans.find(|attempts| !attempts.is_empty()).unwrap_or_default()
}

/// Creates a statement that accepts a batch, as `sql!` does: from its parts, the values of
/// [`Accepted`], and further values.
macro_rules! accept {
    ([$($part:expr),+ $(,)?], $batch:ident $(, $name:ident = $value:expr)* $(,)?) => {
        write_line!(
            [$($part),+],
            $batch.line,
            key_count = $batch.key_count,
            keys_expire_at = $batch.keys_expire_at,
            keys = $batch.keys,
            lease_seconds = LEASE_SECONDS,
            due = $batch.due,
            plan = $batch.plan,
            messages = $batch.messages,
            phones = $batch.phones,
            $($name = $value),*
        )
    };
}

/// Accepts a batch whose recipients are all phones. `PostgreSQL` executes the parts from the last to
/// the first, so a wallet is locked no longer than the commit takes. The division fails, and
/// everything with it, if a key was not free or a recipient is suppressed.
async fn accept_to_phones(conn: &Connection, batch: Accepted<'_>) -> Result<(), StoreError> {
    let accept = accept! {
        [
            "WITH moved AS (", MOVE, "), counted AS (", journal::WRITE, "), used AS (", FREE_KEYS,
            "), leased AS (", JOBS, "), logged AS (", LOGS, "), barred AS (", FIND_PHONES,
            ") SELECT 1 / (", CHECKS, END,
        ],
        batch,
    };
    accept.execute(conn).await?;
    Ok(())
}

/// Does the same for messages to mail addresses, and to phones beside them. A part that a batch does
/// not need would cost `PostgreSQL` some 20 µs in each execution.
async fn accept(
    conn: &Connection,
    batch: Accepted<'_>,
    emails: Records<Recipient<'_>>,
) -> Result<(), StoreError> {
    let accept = accept! {
        [
            "WITH moved AS (", MOVE, "), counted AS (", journal::WRITE, "), used AS (", FREE_KEYS,
            "), leased AS (", JOBS, "), logged AS (", LOGS, "), barred AS (", FIND_PHONES,
            " UNION ALL ", FIND_EMAILS, ") SELECT 1 / (", CHECKS, END,
        ],
        batch,
        emails = emails,
    };
    accept.execute(conn).await?;
    Ok(())
}

/// Does the same for a batch that was decided by what was read, or that has messages of campaigns, of
/// triggers with several channels, to devices, that repeat others, or that are scheduled. It replaces
/// keys that have ended, and also fails if a campaign or trigger was not at the expected position, a
/// message was repeated meanwhile, or a payer has no wallet.
async fn accept_and_move(
    conn: &Connection,
    batch: Accepted<'_>,
    moved: Moved<'_>,
) -> Result<(), StoreError> {
    let Moved { changes, campaigns, triggers, resends, scheduled, .. } = moved;
    let (trigger_count, resend_count) = (triggers.count(), resends.count());
    let (triggers, resends) = (triggers.columns(), resends.columns());
    let accept = accept! {
        [
            "WITH moved AS (", MOVE, "), counted AS (", journal::WRITE_WITH_CAMPAIGNS,
            "), used AS (", KEYS, "), leased AS (", JOBS, "), logged AS (", LOGS,
            "), barred AS (", FIND_PHONES, " UNION ALL ", FIND_EMAILS, " UNION ALL ", FIND_DEVICES,
            "), ", ADVANCE, ", triggered AS (", triggers::WRITE, "), resent AS (", resends::WRITE,
            "), scheduled AS (", scheduled_messages::WRITE, ") SELECT 1 / (", MOVE_CHECKS, CHECKS,
            PAYERS, END,
        ],
        batch,
        unknown_payers = moved.unknown_payers,
        campaign_organizations = changes.organizations, campaigns = changes.campaigns,
        campaign_statuses = changes.statuses, campaign_messages = changes.messages,
        campaign_reasons = changes.reasons, campaign_costs = changes.costs,
        emails = moved.emails,
        devices = moved.devices,
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

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

const MOVE_CHECKS: &str = "\
    (SELECT count(*) FROM advanced) = {advance_count} \
      AND (SELECT count(*) FROM triggered) = {trigger_count} \
      AND (SELECT count(*) FROM resent) = {resend_count} AND ";

const CHECKS: &str = "count(*) = {key_count} AND NOT EXISTS (SELECT FROM barred)";

const PAYERS: &str = " \
      AND NOT EXISTS (SELECT FROM UNNEST({unknown_payers}::uuid[]) AS payer (organization_id) \
        WHERE NOT EXISTS ( \
          SELECT FROM wallets \
          WHERE wallets.organization_id = ANY(ARRAY[payer.organization_id])))";

const END: &str = ")::integer FROM used";

const LOGS: &str = "\
    INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, country_code, \
        category, priority, sender, subject, body, segments, template_id, cost_micros, is_sandbox, \
        is_confidential, attempts, error_code, error_message, created_at, vendor_template, \
        expires_at, campaign_id, trigger_id, retry_rules, text_notes, resent_from, metadata, \
        scheduled_at, event, contact_id) \
    SELECT id, organization_id, channel, status, recipient, country_code, \
        category, priority, sender, subject, body, segments, template_id, cost_micros, is_sandbox, \
        is_confidential, coalesce(attempts, {plan}::jsonb), error_code, error_message, created_at, \
        vendor_template, expires_at, campaign_id, trigger_id, retry_rules, text_notes, resent_from, \
        metadata, scheduled_at, event, contact_id \
    FROM UNNEST({messages}::accepted_message[])";

const JOBS: &str = "\
    INSERT INTO delivery_jobs (id, organization_id, priority, lease, line, is_ready, due_at) \
    SELECT id, organization_id, priority, lease, line, lease IS NULL, \
        CASE WHEN lease IS NULL THEN now() ELSE now() + make_interval(secs => seconds) END \
    FROM (SELECT {lease_seconds}::bigint) AS given (seconds), \
        UNNEST({due}::accepted_job[]) AS job";

/// Writes idempotency keys. Fails if one is in use, or has ended and is not removed yet.
const FREE_KEYS: &str = "\
    INSERT INTO idempotency_keys \
        (expires_at, organization_id, is_sandbox, key, fingerprint, message_ids) \
    SELECT {keys_expire_at}::timestamptz, used.* FROM UNNEST({keys}::used_key[]) AS used \
    RETURNING 1";

/// Writes idempotency keys, and replaces those that have ended.
const KEYS: &str = "\
    INSERT INTO idempotency_keys \
        (expires_at, organization_id, is_sandbox, key, fingerprint, message_ids) \
    SELECT {keys_expire_at}::timestamptz, used.* FROM UNNEST({keys}::used_key[]) AS used \
    ON CONFLICT (organization_id, is_sandbox, key) DO UPDATE \
    SET fingerprint = EXCLUDED.fingerprint, message_ids = EXCLUDED.message_ids, \
        expires_at = EXCLUDED.expires_at \
    WHERE idempotency_keys.expires_at <= now() RETURNING 1";

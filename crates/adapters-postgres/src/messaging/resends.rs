//! Failed messages that are sent again: repetitions, and tasks for many of them.

mod queue;
mod written;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    messaging::{
        delivery::{FailureCode, Status},
        delivery_log::LogFilter,
        message::{Message, Metadata},
        resend::{FailedGroup, FailedKind, FailedMessages, MAX_COUNTED, Resend, ResendTask},
        retry,
    },
    shared::{category::Category, channel::Channel, country::Country, id::Id},
};
use ports::{messaging::resends::ResendRepository, shared::store::StoreError};
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) use self::written::{OwnedResend, Replacements, ResendsWritten, WRITE, replacements};
use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::resend_tasks,
};

#[derive(HasQuery)]
#[diesel(table_name = resend_tasks)]
struct TaskRow {
    id: Uuid,
    organization_id: Uuid,
    status: String,
    failure: Option<String>,
    messages_since: Uuid,
    position: Uuid,
    recipients: Option<Vec<String>>,
    channel: Option<String>,
    campaign_id: Option<Uuid>,
    provider: Option<String>,
    error_code: Option<String>,
    event: Option<String>,
    metadata: Option<Value>,
    is_sandbox: bool,
    message_count: i64,
    is_capped: bool,
    resent: i64,
    skipped: i64,
    created_at: DateTime<Utc>,
    completed_at: Option<DateTime<Utc>>,
}

row! {
    #[expect(clippy::struct_field_names, reason = "the names of the columns")]
    struct ResendRow {
        message_id: Id<Message>,
        replacement_id: Id<Message>,
        former_id: Option<Id<Message>>,
        task_id: Option<Id<ResendTask>>,
    }
}

row! {
    struct GroupRow {
        error_code: String,
        channel: String,
        country_code: String,
        category: String,
        segments: i16,
        /// In seconds, if it matters.
        validity: Option<i64>,
        is_text_lost: bool,
        is_resent: bool,
        messages: i64,
    }
}

#[async_trait]
impl ResendRepository for PgStore {
    async fn find(
        &self,
        organization: Id<Organization>,
        messages: &[Id<Message>],
    ) -> Result<Vec<Resend>, StoreError> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let find = sql!(
            "SELECT message_id, replacement_id, former_id, task_id FROM message_resends \
             WHERE organization_id = {organization} AND message_id = ANY({messages})",
            organization,
            messages,
        );
        let rows: Vec<ResendRow> = find.rows(self.session().await?.conn()).await?;
        let resends = rows.into_iter().map(|row| Resend {
            message: row.message_id,
            replacement: row.replacement_id,
            former: row.former_id,
            task: row.task_id,
        });
        Ok(resends.collect())
    }

    async fn count(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
    ) -> Result<FailedMessages, StoreError> {
        let (since, below) = (filter.since(), filter.below());
        let mut session = self.session().await?;
        // Finds the first of the failed messages that are too many to be counted.
        let beyond = sql!(
            "SELECT id FROM delivery_logs \
             WHERE organization_id = {organization} AND failed_at IS NOT NULL \
                AND id > {since} AND id < {below} \
             ORDER BY id DESC OFFSET {most} LIMIT 1",
            organization,
            since,
            below,
            most = i64::from(MAX_COUNTED),
        );
        let beyond: Option<Id<Message>> = beyond.value(session.conn()).await?;
        let count = sql!(
            [COUNT, FITS, " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8"],
            organization,
            since = beyond.unwrap_or(since),
            below,
            is_sandbox = filter.is_sandbox,
            recipients = filter.recipients.as_ref(),
            channel = filter.channel.map(Channel::as_str),
            campaign = filter.campaign,
            provider = filter.provider.as_deref(),
            error_code = filter.error_code.map(FailureCode::as_str),
            event = filter.event.as_deref(),
            pairs = pairs(filter),
        );
        let rows: Vec<GroupRow> = count.rows(session.conn()).await?;
        let mut groups = Vec::with_capacity(rows.len());
        for row in rows {
            groups.push(row.into_group().ok_or_else(|| corrupt("delivery_logs", organization))?);
        }
        Ok(FailedMessages { groups, is_capped: beyond.is_some() })
    }

    async fn begin(&self, task: &ResendTask, most: usize) -> Result<bool, StoreError> {
        let filter = &task.filter;
        let begin = sql!(
            BEGIN,
            organization = task.organization,
            id = task.id,
            status = task.status.as_str(),
            since = filter.since(),
            below = filter.below(),
            recipients = filter.recipients.as_ref(),
            channel = filter.channel.map(Channel::as_str),
            campaign = filter.campaign,
            provider = filter.provider.as_deref(),
            error_code = filter.error_code.map(FailureCode::as_str),
            event = filter.event.as_deref(),
            metadata = pairs(filter),
            is_sandbox = task.is_sandbox(),
            count = stored(task.count),
            is_capped = task.is_capped,
            created_at = task.created_at,
            most = i64::try_from(most).unwrap_or(i64::MAX),
        );
        Ok(begin.execute(self.session().await?.conn()).await? > 0)
    }

    async fn newest_tasks(
        &self,
        organization: Id<Organization>,
        most: usize,
    ) -> Result<Vec<ResendTask>, StoreError> {
        let query = TaskRow::query()
            .filter(resend_tasks::organization_id.eq(organization.uuid()))
            .order(resend_tasks::id.desc())
            .limit(i64::try_from(most).unwrap_or(i64::MAX));
        let rows: Vec<TaskRow> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        rows.into_iter().map(ResendTask::try_from).collect()
    }

    async fn find_task(
        &self,
        organization: Id<Organization>,
        id: Id<ResendTask>,
    ) -> Result<Option<ResendTask>, StoreError> {
        let query = TaskRow::query()
            .filter(resend_tasks::organization_id.eq(organization.uuid()))
            .filter(resend_tasks::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(ResendTask::try_from).transpose()
    }
}

/// Returns the pairs of a filter; `None` if it has none.
fn pairs(filter: &LogFilter) -> Option<Value> {
    (!filter.metadata.is_empty()).then(|| json!(filter.metadata))
}

fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl GroupRow {
    fn into_group(self) -> Option<FailedGroup> {
        let category: Category = self.category.parse().ok()?;
        let validity = self.validity.and_then(TimeDelta::try_seconds);
        Some(FailedGroup {
            kind: FailedKind {
                code: self.error_code.parse().ok()?,
                category,
                validity: validity.unwrap_or_else(|| retry::validity(category)),
                is_text_lost: self.is_text_lost,
            },
            channel: self.channel.parse().ok()?,
            country: Country::parse_destination(&self.country_code).ok()?,
            segments: self.segments.try_into().ok()?,
            is_resent: self.is_resent,
            messages: self.messages.unsigned_abs(),
        })
    }
}

impl TryFrom<TaskRow> for ResendTask {
    type Error = StoreError;

    fn try_from(row: TaskRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_task().ok_or_else(|| corrupt("resend_tasks", id))
    }
}

impl TaskRow {
    fn into_task(self) -> Option<ResendTask> {
        let metadata: Option<Metadata> =
            self.metadata.map(serde_json::from_value).transpose().ok()?;
        Some(ResendTask {
            id: self.id.into(),
            organization: self.organization_id.into(),
            filter: LogFilter {
                status: Some(Status::Failed),
                channel: self.channel.map(|text| text.parse()).transpose().ok()?,
                recipients: self.recipients,
                campaign: self.campaign_id.map(Into::into),
                from: Some(Id::<Message>::of(self.messages_since).time()),
                to: Some(Id::<Message>::of(self.position).time()),
                event: self.event,
                provider: self.provider,
                error_code: self.error_code.map(|text| text.parse()).transpose().ok()?,
                is_sandbox: Some(self.is_sandbox),
                metadata: metadata.unwrap_or_default(),
            },
            status: self.status.parse().ok()?,
            failure: self.failure.map(|text| text.parse()).transpose().ok()?,
            count: self.message_count.unsigned_abs(),
            is_capped: self.is_capped,
            resent: self.resent.unsigned_abs(),
            skipped: self.skipped.unsigned_abs(),
            created_at: self.created_at,
            completed_at: self.completed_at,
        })
    }
}

const COUNT: &str = "\
    SELECT log.error_code, log.channel, log.country_code, log.category, log.segments, \
        CASE WHEN log.error_code = 'EXPIRED' \
            THEN extract(epoch FROM log.expires_at \
                - coalesce(log.valid_from, log.scheduled_at, log.created_at))::bigint \
            END AS validity, \
        log.is_confidential OR log.recipient = '[erased]' AS is_text_lost, \
        resend.message_id IS NOT NULL AS is_resent, count(*) AS messages \
    FROM delivery_logs log LEFT JOIN message_resends resend \
        ON resend.organization_id = log.organization_id AND resend.message_id = log.id \
    WHERE log.organization_id = {organization} AND log.failed_at IS NOT NULL \
        AND log.id > {since} AND log.id < {below} AND ";

/// True if a failed message fits a filter.
const FITS: &str = "\
    (log.status = 'FAILED' AND log.is_sandbox = coalesce({is_sandbox}, log.is_sandbox) \
        AND log.recipient = ANY(coalesce({recipients}, ARRAY[log.recipient])) \
        AND log.channel = coalesce({channel}, log.channel) \
        AND log.campaign_id IS NOT DISTINCT FROM coalesce({campaign}, log.campaign_id) \
        AND log.provider IS NOT DISTINCT FROM coalesce({provider}, log.provider) \
        AND log.error_code = coalesce({error_code}, log.error_code) \
        AND log.event IS NOT DISTINCT FROM coalesce({event}, log.event) \
        AND coalesce(log.metadata, '{}') @> coalesce({pairs}::jsonb, '{}'))";

const BEGIN: &str = "\
    INSERT INTO resend_tasks (organization_id, id, status, messages_since, position, recipients, \
        channel, campaign_id, provider, error_code, event, metadata, is_sandbox, message_count, \
        is_capped, created_at) \
    SELECT {organization}::uuid, {id}::uuid, {status}::text, {since}::uuid, {below}::uuid, \
        {recipients}::text[], {channel}::text, {campaign}::uuid, {provider}::text, \
        {error_code}::text, {event}::text, {metadata}::jsonb, {is_sandbox}::boolean, \
        {count}::bigint, {is_capped}::boolean, {created_at}::timestamptz \
    WHERE (SELECT count(*) FROM resend_tasks \
        WHERE organization_id = {organization} AND completed_at IS NULL) < {most}";

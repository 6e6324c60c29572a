//! Failed messages that are sent again: repetitions, and tasks for many of them.

mod queue;
mod written;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::{
    prelude::*,
    sql_types::{
        Array, BigInt, Bool, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
    },
};
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
    query::{run_query::RunQueryDsl, statement::Statement},
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

/// Message, its replacement, the former one, and the task.
type ResendTypes = (SqlUuid, SqlUuid, Nullable<SqlUuid>, Nullable<SqlUuid>);

#[derive(Queryable)]
struct ResendRow {
    message: Uuid,
    replacement: Uuid,
    former: Option<Uuid>,
    task: Option<Uuid>,
}

/// Failure code, channel, country, category, segments, validity in seconds if it matters, true if
/// the text is lost, true if it was sent again, and number of messages.
type GroupTypes = (Text, Text, Text, Text, SmallInt, Nullable<BigInt>, Bool, Bool, BigInt);

#[derive(Queryable)]
struct GroupRow {
    error_code: String,
    channel: String,
    country: String,
    category: String,
    segments: i16,
    validity: Option<i64>,
    is_text_lost: bool,
    is_resent: bool,
    messages: i64,
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
        let find = Statement::<ResendTypes>::returning(&[FIND])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Array<SqlUuid>, _>(messages.iter().map(|id| id.uuid()).collect::<Vec<_>>());
        let rows: Vec<ResendRow> =
            find.load(self.session().await?.conn()).await.map_err(store_error)?;
        let resends = rows.into_iter().map(|row| Resend {
            message: row.message.into(),
            replacement: row.replacement.into(),
            former: row.former.map(Into::into),
            task: row.task.map(Into::into),
        });
        Ok(resends.collect())
    }

    async fn count(
        &self,
        organization: Id<Organization>,
        filter: &LogFilter,
    ) -> Result<FailedMessages, StoreError> {
        let (since, until) = (filter.since().uuid(), filter.below().uuid());
        let mut session = self.session().await?;
        let beyond = Statement::<SqlUuid>::returning(&[FIND_BEYOND])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(since)
            .bind::<SqlUuid, _>(until)
            .bind::<BigInt, _>(i64::from(MAX_COUNTED));
        let beyond: Option<Uuid> =
            beyond.get_result(session.conn()).await.optional().map_err(store_error)?;
        let count = Statement::<GroupTypes>::returning(&[COUNT, FITS, GROUPED])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<SqlUuid, _>(beyond.unwrap_or(since))
            .bind::<SqlUuid, _>(until);
        let rows: Vec<GroupRow> =
            bind_filter(count, filter).load(session.conn()).await.map_err(store_error)?;
        let mut groups = Vec::with_capacity(rows.len());
        for row in rows {
            groups.push(row.into_group().ok_or_else(|| corrupt("delivery_logs", organization))?);
        }
        Ok(FailedMessages { groups, is_capped: beyond.is_some() })
    }

    async fn begin(&self, task: &ResendTask, most: usize) -> Result<bool, StoreError> {
        let filter = &task.filter;
        let begin = Statement::new(&[BEGIN])
            .bind::<SqlUuid, _>(task.organization.uuid())
            .bind::<SqlUuid, _>(task.id.uuid())
            .bind::<Text, _>(task.status.as_str())
            .bind::<SqlUuid, _>(filter.since().uuid())
            .bind::<SqlUuid, _>(filter.below().uuid())
            .bind::<Nullable<Array<Text>>, _>(filter.recipients.as_ref())
            .bind::<Nullable<Text>, _>(filter.channel.map(Channel::as_str))
            .bind::<Nullable<SqlUuid>, _>(filter.campaign.map(Id::uuid))
            .bind::<Nullable<Text>, _>(filter.provider.as_deref())
            .bind::<Nullable<Text>, _>(filter.error_code.map(FailureCode::as_str))
            .bind::<Nullable<Text>, _>(filter.event.as_deref())
            .bind::<Nullable<Jsonb>, _>(pairs(filter))
            .bind::<Bool, _>(task.is_sandbox())
            .bind::<BigInt, _>(stored(task.count))
            .bind::<Bool, _>(task.is_capped)
            .bind::<Timestamptz, _>(task.created_at)
            .bind::<SqlUuid, _>(task.organization.uuid())
            .bind::<BigInt, _>(i64::try_from(most).unwrap_or(i64::MAX));
        let mut session = self.session().await?;
        Ok(begin.execute(session.conn()).await.map_err(store_error)? > 0)
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

/// Binds the values of [`FITS`].
fn bind_filter<'v, ST>(statement: Statement<'v, ST>, filter: &LogFilter) -> Statement<'v, ST> {
    statement
        .bind::<Nullable<Bool>, _>(filter.is_sandbox)
        .bind::<Nullable<Array<Text>>, _>(filter.recipients.clone())
        .bind::<Nullable<Text>, _>(filter.channel.map(Channel::as_str))
        .bind::<Nullable<SqlUuid>, _>(filter.campaign.map(Id::uuid))
        .bind::<Nullable<Text>, _>(filter.provider.clone())
        .bind::<Nullable<Text>, _>(filter.error_code.map(FailureCode::as_str))
        .bind::<Nullable<Text>, _>(filter.event.clone())
        .bind::<Nullable<Jsonb>, _>(pairs(filter))
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
            country: Country::parse_destination(&self.country).ok()?,
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

const FIND: &str = "\
    SELECT message_id, replacement_id, former_id, task_id FROM message_resends \
    WHERE organization_id = ? AND message_id = ANY(?)";

/// Finds the first of the failed messages that are too many to be counted.
const FIND_BEYOND: &str = "\
    SELECT id FROM delivery_logs \
    WHERE organization_id = ? AND failed_at IS NOT NULL AND id > ? AND id < ? \
    ORDER BY id DESC OFFSET ? LIMIT 1";

const COUNT: &str = "\
    SELECT log.error_code, log.channel, log.country_code, log.category, log.segments, \
        CASE WHEN log.error_code = 'EXPIRED' \
            THEN extract(epoch FROM log.expires_at \
                - coalesce(log.valid_from, log.scheduled_at, log.created_at))::bigint \
            END AS validity, \
        log.is_confidential OR log.recipient = '[erased]' AS is_text_lost, \
        resend.message_id IS NOT NULL AS is_resent, count(*) \
    FROM delivery_logs log LEFT JOIN message_resends resend \
        ON resend.organization_id = log.organization_id AND resend.message_id = log.id \
    WHERE log.organization_id = ? AND log.failed_at IS NOT NULL AND log.id > ? AND log.id < ? AND ";

const GROUPED: &str = " GROUP BY 1, 2, 3, 4, 5, 6, 7, 8";

/// True if a failed message fits a filter.
const FITS: &str = "\
    (log.status = 'FAILED' AND log.is_sandbox = coalesce(?, log.is_sandbox) \
        AND log.recipient = ANY(coalesce(?, ARRAY[log.recipient])) \
        AND log.channel = coalesce(?, log.channel) \
        AND log.campaign_id IS NOT DISTINCT FROM coalesce(?, log.campaign_id) \
        AND log.provider IS NOT DISTINCT FROM coalesce(?, log.provider) \
        AND log.error_code = coalesce(?, log.error_code) \
        AND log.event IS NOT DISTINCT FROM coalesce(?, log.event) \
        AND coalesce(log.metadata, '{}') @> coalesce(?, '{}'))";

const BEGIN: &str = "\
    INSERT INTO resend_tasks (organization_id, id, status, messages_since, position, recipients, \
        channel, campaign_id, provider, error_code, event, metadata, is_sandbox, message_count, \
        is_capped, created_at) \
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? \
    WHERE (SELECT count(*) FROM resend_tasks WHERE organization_id = ? AND completed_at IS NULL) < ?";

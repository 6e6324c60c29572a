//! Callbacks of vendors: delivery reports and messages of recipients.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    identity::organization::Organization,
    messaging::{
        callback::{Inbound, MessageRef},
        delivery::Failure,
        message::Message,
        report::Report,
    },
    shared::{address::Address, channel::Channel, id::Id},
};
use ports::{
    messaging::callbacks::{CallbackRepository, EarlyReport, MatchedReport},
    shared::store::StoreError,
};
use serde_json::{Value, json};
use uuid::Uuid;

use self::resolve::Question;
use crate::shared::{
    database::session::PgStore,
    query::{
        batching::{self, BatchSender},
        row::row,
        sql::sql,
    },
    task::{Task, run_all},
};

mod event;
mod resolve;

/// Maximum number of lookups that may wait, and of messages that are read together.
const WAITING: usize = 4_096;
const BATCH: usize = 500;
/// Maximum number of old reports deleted at a time.
const FORGOTTEN_AT_ONCE: i64 = 5_000;

/// [`CallbackRepository`] on `PostgreSQL`.
pub struct PgCallbacks {
    store: PgStore,
    questions: BatchSender<Question, resolve::Answer>,
}

impl PgCallbacks {
    /// Creates the repository, with the tasks that have to run for it.
    pub fn new(store: PgStore) -> (Arc<Self>, Vec<Task>) {
        let (questions, asked) = batching::channel(WAITING, BATCH);
        let finder = Task::new("report finder", resolve::answer_all(store.clone(), asked));
        (Arc::new(Self { store, questions }), vec![finder])
    }

    /// Creates the repository with its tasks on the current runtime; the end of a task goes
    /// unnoticed.
    pub fn start(store: PgStore) -> Arc<Self> {
        let (callbacks, tasks) = Self::new(store);
        run_all(tasks);
        callbacks
    }
}

row! {
    struct MatchedRow {
        id: Id<MatchedReport>,
        message_id: Id<Message>,
        provider: String,
        event: Value,
    }
}

#[async_trait]
impl CallbackRepository for PgCallbacks {
    async fn resolve(
        &self,
        provider: &str,
        named: &[MessageRef],
    ) -> Result<Vec<Option<Message>>, StoreError> {
        let question = Question { provider: provider.to_owned(), named: named.to_vec() };
        let answer = self.questions.write(question).await;
        answer
            .unwrap_or_else(|_| Err(StoreError::Unavailable("the service is shutting down".into())))
    }

    async fn close_attempts(
        &self,
        organization: Id<Organization>,
        message: Id<Message>,
        provider: &str,
        failure: &Failure,
    ) -> Result<(), StoreError> {
        let ending = json!({
            "outcome": "REJECTED", "errorCode": failure.code, "vendorCode": failure.vendor_code,
        });
        let close = sql!(CLOSE_ATTEMPTS, provider, ending, organization, message);
        close.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn keep_early(
        &self,
        provider: &str,
        reports: &[EarlyReport],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let kept = reports
            .iter()
            .filter_map(|report| Some((report.reference.as_str(), event::write(&report.event)?)));
        let (references, events): (Vec<_>, Vec<_>) = kept.unzip();
        // Reports are applied in the order of their identifiers.
        let mut ids: Vec<_> =
            references.iter().map(|_| Id::<MatchedReport>::new(now).uuid()).collect();
        ids.sort_unstable();
        let keep = sql!(KEEP, provider, now, ids, references, events);
        keep.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn matched(
        &self,
        recent: DateTime<Utc>,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError> {
        let last = last.map_or_else(Uuid::nil, Id::uuid);
        let find = sql!(
            MATCHED,
            last,
            last_recent = last.max(Id::<MatchedReport>::floor(recent).uuid()),
            most = i64::try_from(limit).unwrap_or(i64::MAX),
        );
        let rows: Vec<MatchedRow> = find.rows(self.store.session().await?.conn()).await?;
        let matched = |MatchedRow { id, message_id, provider, event }| {
            let Some(event) = event::read(event) else {
                tracing::error!(report_id = %id, "failed to read a kept report back");
                return None;
            };
            let report = Report { message: message_id, provider: Some(provider), event };
            Some(MatchedReport { id, report })
        };
        Ok(rows.into_iter().filter_map(matched).collect())
    }

    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError> {
        let forget = sql!("DELETE FROM unmatched_reports WHERE id = ANY({reports})", reports);
        forget.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn forget_old(
        &self,
        before: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut session = self.store.session().await?;
        let forget = sql!(
            "DELETE FROM unmatched_reports WHERE id = ANY(ARRAY( \
                SELECT id FROM unmatched_reports WHERE id < {before} \
                ORDER BY id LIMIT {at_once} FOR UPDATE SKIP LOCKED))",
            before = Id::<MatchedReport>::floor(before),
            at_once = FORGOTTEN_AT_ONCE,
        );
        forget.execute(session.conn()).await?;
        let full = sql!(
            "SELECT provider FROM unmatched_reports GROUP BY provider HAVING count(*) >= {most}",
            most = i64::try_from(most).unwrap_or(i64::MAX),
        );
        full.values(session.conn()).await
    }

    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError> {
        let note = sql!(
            "INSERT INTO messaging_windows AS open (provider, address, heard_at) \
             VALUES ({provider}, {address}, {at}) \
             ON CONFLICT (provider, address) DO UPDATE \
             SET heard_at = greatest(open.heard_at, EXCLUDED.heard_at)",
            provider,
            address = inbound.from.as_str(),
            at = inbound.at,
        );
        note.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }

    async fn last_inbound(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let find = sql!(
            "SELECT heard_at FROM messaging_windows \
             WHERE provider = {provider} AND address = {address}",
            provider,
            address = address.as_str(),
        );
        find.value(self.store.session().await?.conn()).await
    }

    async fn senders_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError> {
        let find = sql!(
            "SELECT organization_id FROM conversations \
             WHERE provider = {provider} AND address = {address}",
            provider,
            address = address.as_str(),
        );
        find.values(self.store.session().await?.conn()).await
    }

    async fn suppress(&self, opt_out: &OptOut) -> Result<(), StoreError> {
        self.store.session().await?.opt_out(opt_out).await?;
        Ok(())
    }

    async fn unsuppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError> {
        let lifted = SuppressionSource::ALL.into_iter().filter(|it| it.is_lifted_by_start());
        let lift = sql!(
            "DELETE FROM suppressions WHERE organization_id = {organization} \
                AND channel = {channel} AND source = ANY({sources}) \
                AND (phone = {address} OR lower(email) = lower({address}))",
            organization,
            channel = channel.as_str(),
            sources = lifted.map(SuppressionSource::as_str).collect::<Vec<_>>(),
            address = address.as_str(),
        );
        lift.execute(self.store.session().await?.conn()).await?;
        Ok(())
    }
}

const CLOSE_ATTEMPTS: &str = "\
    UPDATE delivery_logs log SET attempts = ( \
        SELECT jsonb_agg(CASE WHEN attempt ->> 'provider' = given.provider \
            AND attempt ->> 'outcome' IN ('ACCEPTED', 'UNKNOWN') \
            THEN attempt || jsonb_strip_nulls(given.ending) ELSE attempt END ORDER BY place) \
        FROM jsonb_array_elements(log.attempts) WITH ORDINALITY AS each (attempt, place)) \
    FROM (SELECT {provider}::text AS provider, {ending}::jsonb AS ending) AS given \
    WHERE log.organization_id = {organization} AND log.id = {message} \
        AND log.status IN ('QUEUED', 'PENDING', 'SENT') AND log.attempts <> '[]'";

/// A message may have become known since the lookup.
const KEEP: &str = "\
    INSERT INTO unmatched_reports (id, provider, reference, event, received_at, message_id) \
    SELECT early.id, given.provider, early.reference, early.event, given.received_at, \
        (SELECT max(message_id::text)::uuid FROM provider_references known \
         WHERE known.provider = given.provider AND known.reference = early.reference) \
    FROM (SELECT {provider}::text AS provider, {now}::timestamptz AS received_at) AS given, \
        UNNEST({ids}::uuid[], {references}::text[], {events}::jsonb[]) \
            AS early (id, reference, event)";

/// Reports are matched when a reference is written. A report that was being stored at that moment
/// was not seen, and did not see the reference.
const MATCHED: &str = "\
    SELECT * FROM ( \
        SELECT id, message_id, provider, event FROM unmatched_reports \
        WHERE message_id IS NOT NULL AND id > {last} \
        UNION ALL \
        SELECT kept.id, known.message_id, kept.provider, kept.event FROM unmatched_reports kept \
        CROSS JOIN LATERAL (SELECT max(message_id::text)::uuid AS message_id \
            FROM provider_references known \
            WHERE known.provider = kept.provider AND known.reference = kept.reference) AS known \
        WHERE kept.message_id IS NULL AND kept.id > {last_recent} AND known.message_id IS NOT NULL \
    ) AS matched ORDER BY id LIMIT {most}";

//! What vendors and recipients told us on their own.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::sql_types::{Array, BigInt, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::{
    address::Address,
    callback::{About, Inbound},
    channel::Channel,
    delivery::DeliveryEvent,
    id::Id,
    message::Message,
    organization::Organization,
    provider::Report,
};
use ports::{
    callbacks::{CallbackRepository, MatchedReport, OPTED_OUT},
    store::StoreError,
};
use serde_json::Value;
use uuid::Uuid;

use crate::{error::store_error, session::PgStore, statement::Statement};

mod event;

#[async_trait]
impl CallbackRepository for PgStore {
    async fn find_message(
        &self,
        provider: &str,
        reference: &str,
    ) -> Result<Option<Id<Message>>, StoreError> {
        let mut session = self.session().await?;
        let found: Vec<Uuid> = Statement::<Find, SqlUuid>::new(&[FIND])
            .bind::<Text, _>(provider)
            .bind::<Text, _>(reference)
            .load(session.conn())
            .await
            .map_err(store_error)?;
        Ok(found.into_iter().next().map(Id::of))
    }

    async fn keep_unmatched(
        &self,
        provider: &str,
        about: &About,
        event: &DeliveryEvent,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let reference = match about {
            About::Ours(id) => id.to_string(),
            About::Vendors(reference) => reference.clone(),
        };
        let Some(event) = event::write(event) else { return Ok(()) };
        let mut session = self.session().await?;
        Statement::<Keep>::new(&[KEEP])
            .bind::<SqlUuid, _>(Id::<MatchedReport>::new(now).uuid())
            .bind::<Text, _>(provider)
            .bind::<Text, _>(reference)
            .bind::<Jsonb, _>(event)
            .bind::<Timestamptz, _>(now)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn matched(
        &self,
        last: Option<Id<MatchedReport>>,
        limit: usize,
    ) -> Result<Vec<MatchedReport>, StoreError> {
        let mut session = self.session().await?;
        let rows: Vec<(Uuid, Uuid, Value)> =
            Statement::<Matched, (SqlUuid, SqlUuid, Jsonb)>::new(&[MATCHED])
                .bind::<SqlUuid, _>(last.map_or_else(Uuid::nil, Id::uuid))
                .bind::<BigInt, _>(i64::try_from(limit).unwrap_or(i64::MAX))
                .load(session.conn())
                .await
                .map_err(store_error)?;
        let matched = |(id, message, event): (Uuid, Uuid, Value)| {
            let Some(event) = event::read(event) else {
                tracing::error!(report = %id, "a kept report cannot be read back");
                return None;
            };
            let report = Report { message: Id::of(message), event };
            Some(MatchedReport { id: Id::of(id), report })
        };
        Ok(rows.into_iter().filter_map(matched).collect())
    }

    async fn forget(&self, reports: &[Id<MatchedReport>]) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::<Forget>::new(&[FORGET])
            .bind::<Array<SqlUuid>, _>(reports.iter().map(|id| id.uuid()).collect::<Vec<_>>())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn note_inbound(&self, provider: &str, inbound: &Inbound) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::<NoteInbound>::new(&[NOTE_INBOUND])
            .bind::<Text, _>(provider)
            .bind::<Text, _>(inbound.from.as_str())
            .bind::<Timestamptz, _>(inbound.at)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn last_heard(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Option<DateTime<Utc>>, StoreError> {
        let mut session = self.session().await?;
        let heard: Vec<DateTime<Utc>> = Statement::<LastHeard, Timestamptz>::new(&[LAST_HEARD])
            .bind::<Text, _>(provider)
            .bind::<Text, _>(address.as_str())
            .load(session.conn())
            .await
            .map_err(store_error)?;
        Ok(heard.into_iter().next())
    }

    async fn writers_to(
        &self,
        provider: &str,
        address: &Address,
    ) -> Result<Vec<Id<Organization>>, StoreError> {
        let mut session = self.session().await?;
        let writers: Vec<Uuid> = Statement::<Writers, SqlUuid>::new(&[WRITERS])
            .bind::<Text, _>(provider)
            .bind::<Text, _>(address.as_str())
            .load(session.conn())
            .await
            .map_err(store_error)?;
        Ok(writers.into_iter().map(Id::of).collect())
    }

    async fn suppress(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let (phone, email) = columns(channel, address);
        let mut session = self.session().await?;
        Statement::<Suppress>::new(&[SUPPRESS])
            .bind::<SqlUuid, _>(Id::<Address>::new(now).uuid())
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<diesel::sql_types::Nullable<Text>, _>(phone)
            .bind::<diesel::sql_types::Nullable<Text>, _>(email)
            .bind::<Text, _>(channel.as_str())
            .bind::<Text, _>(OPTED_OUT)
            .bind::<Timestamptz, _>(now)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn lift(
        &self,
        organization: Id<Organization>,
        channel: Channel,
        address: &Address,
    ) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::<Lift>::new(&[LIFT])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Text, _>(channel.as_str())
            .bind::<Text, _>(OPTED_OUT)
            .bind::<Text, _>(address.as_str())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

/// The columns `phone` and `email` of an address.
fn columns(channel: Channel, address: &Address) -> (Option<&str>, Option<&str>) {
    match channel {
        Channel::Email => (None, Some(address.as_str())),
        _ => (Some(address.as_str()), None),
    }
}

struct Find;
const FIND: &str =
    "SELECT message_id FROM provider_references WHERE provider = ? AND reference = ?";

struct Keep;
const KEEP: &str = "\
    INSERT INTO unmatched_reports (id, provider, reference, event, received_at) \
    VALUES (?, ?, ?, ?, ?)";

struct Matched;
const MATCHED: &str = "\
    SELECT kept.id, known.message_id, kept.event FROM unmatched_reports kept \
    JOIN provider_references known \
        ON known.provider = kept.provider AND known.reference = kept.reference \
    WHERE kept.id > ? ORDER BY kept.id LIMIT ?";

struct Forget;
const FORGET: &str = "DELETE FROM unmatched_reports WHERE id = ANY(?)";

struct NoteInbound;
const NOTE_INBOUND: &str = "\
    INSERT INTO sessions AS session (provider, address, heard_at) VALUES (?, ?, ?) \
    ON CONFLICT (provider, address) DO UPDATE \
    SET heard_at = greatest(session.heard_at, EXCLUDED.heard_at)";

struct LastHeard;
const LAST_HEARD: &str = "SELECT heard_at FROM sessions WHERE provider = ? AND address = ?";

struct Writers;
const WRITERS: &str =
    "SELECT organization_id FROM conversations WHERE provider = ? AND address = ?";

struct Suppress;
const SUPPRESS: &str = "\
    INSERT INTO suppressions (id, organization_id, phone, email, channel, reason, created_at) \
    SELECT * FROM (SELECT ?::uuid AS id, ?::uuid AS organization_id, ?::text AS phone, \
        ?::text AS email, ?::text AS channel, ?::text AS reason, ?::timestamptz AS created_at) AS new \
    WHERE NOT EXISTS (SELECT FROM suppressions known \
        WHERE known.organization_id = new.organization_id \
            AND known.channel IS NOT DISTINCT FROM new.channel \
            AND known.phone IS NOT DISTINCT FROM new.phone \
            AND known.email IS NOT DISTINCT FROM new.email)";

struct Lift;
const LIFT: &str = "\
    DELETE FROM suppressions WHERE organization_id = ? AND channel = ? AND reason = ? \
        AND ? IN (phone, email)";

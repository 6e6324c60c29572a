//! Refused calls.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    identity::{actor::RequestId, organization::Organization},
    platform::refused_call::{RefusedCall, RefusedCallFilter},
    shared::id::Id,
};
use ports::{platform::refused_calls::RefusedCallRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore, error::store_error, query::run_query::RunQueryDsl,
    schema::refused_calls,
};

/// Maximum number of calls written by one statement.
const WRITTEN_AT_ONCE: usize = 500;

#[derive(HasQuery, Insertable)]
#[diesel(table_name = refused_calls)]
struct RefusedCallRow {
    organization_id: Uuid,
    call_id: Uuid,
    request_id: String,
    method: String,
    path: String,
    status: i16,
    code: String,
    message: String,
    api_key_id: Option<Uuid>,
    user_id: Option<Uuid>,
    address: String,
    is_sampled: bool,
    at: DateTime<Utc>,
}

#[async_trait]
impl RefusedCallRepository for PgStore {
    async fn add(&self, calls: &[RefusedCall]) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        for calls in calls.chunks(WRITTEN_AT_ONCE) {
            let rows: Vec<_> = calls.iter().map(RefusedCallRow::from).collect();
            let insert = diesel::insert_into(refused_calls::table).values(rows);
            let insert = insert.on_conflict_do_nothing();
            insert.execute(session.conn()).await.map_err(store_error)?;
        }
        Ok(())
    }

    async fn older(
        &self,
        organization: Id<Organization>,
        filter: &RefusedCallFilter,
        since: DateTime<Utc>,
        before: Option<Id<RefusedCall>>,
        limit: usize,
    ) -> Result<Vec<RefusedCall>, StoreError> {
        let mut query = RefusedCallRow::query()
            .filter(refused_calls::organization_id.eq(organization.uuid()))
            .filter(refused_calls::call_id.ge(Id::<RefusedCall>::floor(since).uuid()))
            .order(refused_calls::call_id.desc())
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .into_boxed();
        if let Some(before) = before {
            query = query.filter(refused_calls::call_id.lt(before.uuid()));
        }
        if let Some(request) = &filter.request {
            query = query.filter(refused_calls::request_id.eq(request.clone()));
        }
        if let Some(status) = filter.status {
            query = query.filter(refused_calls::status.eq(status.cast_signed()));
        }
        if let Some(code) = &filter.code {
            query = query.filter(refused_calls::code.eq(code.clone()));
        }
        if let Some(key) = filter.key {
            query = query.filter(refused_calls::api_key_id.eq(key.uuid()));
        }
        let mut session = self.session().await?;
        let rows: Vec<RefusedCallRow> = query.load(session.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(RefusedCall::from).collect())
    }
}

impl From<&RefusedCall> for RefusedCallRow {
    fn from(call: &RefusedCall) -> Self {
        Self {
            organization_id: call.organization.uuid(),
            call_id: call.id.uuid(),
            request_id: call.request.as_str().to_owned(),
            method: call.method.clone(),
            path: call.path.clone(),
            status: call.status.cast_signed(),
            code: call.code.clone(),
            message: call.message.clone(),
            api_key_id: call.key.map(Id::uuid),
            user_id: call.user.map(Id::uuid),
            address: call.address.clone(),
            is_sampled: call.is_sampled,
            at: call.at,
        }
    }
}

impl From<RefusedCallRow> for RefusedCall {
    fn from(row: RefusedCallRow) -> Self {
        Self {
            id: row.call_id.into(),
            organization: row.organization_id.into(),
            request: RequestId::new(&row.request_id),
            method: row.method,
            path: row.path,
            status: row.status.cast_unsigned(),
            code: row.code,
            message: row.message,
            key: row.api_key_id.map(Id::of),
            user: row.user_id.map(Id::of),
            address: row.address,
            is_sampled: row.is_sampled,
            at: row.at,
        }
    }
}

//! The audit log. A trigger of the database assigns each entry its place in the chain of its
//! organization.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    dsl::{self, IntoBoxed},
    expression::SqlLiteral,
    pg::Pg,
    prelude::*,
    sql_types::Text,
};
use domain::{
    identity::organization::Organization,
    platform::audit::{AuditEntry, AuditFilter, AuditHead, AuditLine},
    shared::{
        chain::Hash,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{platform::audit_log::AuditLog, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    audit_entries,
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, sql::sql},
    schema::{audit_heads, audit_log},
};

/// Maximum number of entries counted and shown, except those of one organization.
const MOST_COUNTED: u64 = 10_000;

type Lines<'q> = IntoBoxed<'q, audit_log::table, Pg>;

#[async_trait]
impl AuditLog for PgStore {
    async fn record(&self, entry: &AuditEntry) -> Result<(), StoreError> {
        audit_entries::insert(self.session().await?.conn(), entry).await
    }

    async fn page(&self, filter: &AuditFilter, page: Page) -> Result<Paged<AuditLine>, StoreError> {
        let of_one = AuditFilter { organization: filter.organization, ..AuditFilter::default() };
        match filter.organization {
            Some(organization) if *filter == of_one => self.page_of_one(organization, page).await,
            _ => self.search(filter, page).await,
        }
    }

    async fn organization_after(
        &self,
        last: Option<Id<Organization>>,
    ) -> Result<Option<Id<Organization>>, StoreError> {
        let last = last.map_or(Uuid::nil(), Id::uuid);
        let next = sql!(
            "SELECT organization_id FROM ( \
                (SELECT organization_id FROM audit_heads WHERE organization_id > {last} \
                    ORDER BY organization_id LIMIT 1) \
                UNION ALL \
                (SELECT organization_id FROM audit_log WHERE organization_id > {last} \
                    ORDER BY organization_id LIMIT 1)) AS next \
             ORDER BY organization_id LIMIT 1",
            last,
        );
        next.value(self.session().await?.conn()).await
    }

    async fn head(&self, organization: Id<Organization>) -> Result<Option<AuditHead>, StoreError> {
        let query = audit_heads::table.find(organization.uuid()).select((
            audit_heads::sequence,
            audit_heads::hash,
            audit_heads::purged_sequence,
            audit_heads::purged_hash,
        ));
        let mut session = self.session().await?;
        let row: Option<(i64, Vec<u8>, i64, Vec<u8>)> =
            query.first(session.conn()).await.optional().map_err(store_error)?;
        let Some((sequence, hash, purged_sequence, purged_hash)) = row else { return Ok(None) };
        let hash_of = |bytes| hash_of(bytes).ok_or_else(|| corrupt("audit_heads", organization));
        Ok(Some(AuditHead {
            sequence: sequence.unsigned_abs(),
            hash: hash_of(hash)?,
            purged_sequence: purged_sequence.unsigned_abs(),
            purged_hash: hash_of(purged_hash)?,
        }))
    }

    async fn lines_after(
        &self,
        organization: Id<Organization>,
        sequence: u64,
        limit: usize,
    ) -> Result<Vec<AuditLine>, StoreError> {
        let lines = audit_log::table
            .filter(audit_log::organization_id.eq(organization.uuid()))
            .filter(audit_log::sequence.gt(sequence.cast_signed()))
            .order(audit_log::sequence)
            .limit(i64::try_from(limit).unwrap_or(i64::MAX))
            .into_boxed();
        self.load_lines(lines).await
    }
}

impl PgStore {
    /// Returns a page of all entries of an organization. It is found by the numbers of the entries,
    /// and as fast at the end as at the beginning.
    async fn page_of_one(
        &self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Paged<AuditLine>, StoreError> {
        let Some(head) = self.head(organization).await? else {
            return Ok(Paged::counted(Vec::new(), page, 0));
        };
        let newest = head.sequence.saturating_sub(page.offset());
        let lines = audit_log::table
            .filter(audit_log::organization_id.eq(organization.uuid()))
            .filter(audit_log::sequence.le(newest.cast_signed()))
            .filter(audit_log::sequence.gt(head.purged_sequence.cast_signed()))
            .order(audit_log::sequence.desc())
            .limit(page.limit().into())
            .into_boxed();
        let lines = self.load_lines(lines).await?;
        Ok(Paged::counted(lines, page, head.sequence - head.purged_sequence))
    }

    /// Returns a page of the entries that match a filter, of all organizations or of one.
    async fn search(
        &self,
        filter: &AuditFilter,
        page: Page,
    ) -> Result<Paged<AuditLine>, StoreError> {
        let limit = MOST_COUNTED.saturating_add(1).cast_signed();
        let counted = filtered(filter).select(audit_log::sequence).limit(limit);
        let mut session = self.session().await?;
        let found: Vec<i64> = counted.load(session.conn()).await.map_err(store_error)?;
        let found = u64::try_from(found.len()).unwrap_or(u64::MAX);
        drop(session);
        if page.offset() >= MOST_COUNTED {
            return Ok(Paged::counted_up_to(MOST_COUNTED, Vec::new(), page, found));
        }
        let lines = filtered(filter)
            .order((audit_log::at.desc(), audit_log::id.desc()))
            .offset(page.offset().cast_signed())
            .limit(page.limit().into());
        let lines = self.load_lines(lines).await?;
        Ok(Paged::counted_up_to(MOST_COUNTED, lines, page, found))
    }

    async fn load_lines(&self, lines: Lines<'_>) -> Result<Vec<AuditLine>, StoreError> {
        let query = lines.select(columns());
        let mut session = self.session().await?;
        let rows: Vec<AuditRow> = query.load(session.conn()).await.map_err(store_error)?;
        rows.into_iter().map(AuditLine::try_from).collect()
    }
}

fn filtered(filter: &AuditFilter) -> Lines<'_> {
    let mut lines = audit_log::table.into_boxed();
    if let Some(organization) = filter.organization {
        lines = lines.filter(audit_log::organization_id.eq(organization.uuid()));
    }
    if let Some(actor) = filter.actor {
        lines = lines.filter(audit_log::user_id.eq(actor.uuid()));
    }
    if let Some(action) = &filter.action {
        lines = lines.filter(audit_log::action.eq(action));
    }
    if let Some(from) = filter.from {
        lines = lines.filter(audit_log::at.ge(from));
    }
    if let Some(to) = filter.to {
        lines = lines.filter(audit_log::at.lt(to));
    }
    lines
}

/// Row of an entry. Its details are the text that its hash is computed from.
#[derive(Queryable)]
struct AuditRow {
    id: Uuid,
    organization_id: Uuid,
    at: DateTime<Utc>,
    user_id: Uuid,
    request_id: Option<String>,
    impersonated: bool,
    action: String,
    resource_type: String,
    resource_id: Uuid,
    details: String,
    sequence: i64,
    hash: Vec<u8>,
}

type Columns = (
    audit_log::id,
    audit_log::organization_id,
    audit_log::at,
    audit_log::user_id,
    audit_log::request_id,
    audit_log::impersonated,
    audit_log::action,
    audit_log::resource_type,
    audit_log::resource_id,
    SqlLiteral<Text>,
    audit_log::sequence,
    audit_log::hash,
);

fn columns() -> Columns {
    (
        audit_log::id,
        audit_log::organization_id,
        audit_log::at,
        audit_log::user_id,
        audit_log::request_id,
        audit_log::impersonated,
        audit_log::action,
        audit_log::resource_type,
        audit_log::resource_id,
        dsl::sql("details::text"),
        audit_log::sequence,
        audit_log::hash,
    )
}

impl TryFrom<AuditRow> for AuditLine {
    type Error = StoreError;

    fn try_from(row: AuditRow) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            at: row.at,
            user: row.user_id.into(),
            request: row.request_id,
            is_impersonated: row.impersonated,
            action: row.action,
            resource_type: row.resource_type,
            resource: row.resource_id,
            details: row.details,
            sequence: row.sequence.unsigned_abs(),
            hash: hash_of(row.hash).ok_or_else(|| corrupt("audit_log", row.id))?,
        })
    }
}

fn hash_of(bytes: Vec<u8>) -> Option<Hash> {
    bytes.try_into().ok()
}

//! Suppression lists, as organizations see and change them.

mod of_addresses;
mod opt_out;
mod search;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    define_sql_function,
    prelude::*,
    sql_types::{Nullable, Text},
};
use domain::{
    audience::suppression::{Suppression, SuppressionFilter},
    identity::organization::Organization,
    shared::{
        address::Address,
        category::Category,
        channel::Channel,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{audience::suppressions::SuppressionRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::{corrupt, store_error},
    query::{row::row, run_query::RunQueryDsl, sql::sql},
    schema::{suppression_counts, suppressions},
};

/// Maximum number of attempts to find or insert an entry that others insert and delete at the same
/// time.
const ATTEMPTS: usize = 5;

row! {
    #[derive(HasQuery, Insertable)]
    #[diesel(table_name = suppressions)]
    struct SuppressionRow {
        id: Uuid,
        organization_id: Uuid,
        phone: Option<String>,
        email: Option<String>,
        channel: Option<String>,
        category: Option<String>,
        reason: Option<String>,
        source: String,
        created_at: DateTime<Utc>,
    }
}

#[async_trait]
impl SuppressionRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &SuppressionFilter,
        page: Page,
    ) -> Result<Paged<Suppression>, StoreError> {
        let mut session = self.session().await?;
        let length = session.count_suppressions(organization).await?;
        let (ids, total, is_lower_bound) = match &filter.search {
            None => {
                let ids = session.newest_suppressions(organization, page).await?;
                (ids, length.unsigned_abs(), false)
            }
            Some(text) => {
                let found = session.search_suppressions(organization, text, length).await?;
                let total = u64::try_from(found.ids.len()).unwrap_or(u64::MAX);
                (page.cut(found.ids), total, found.is_lower_bound)
            }
        };
        let items = session.suppressions(organization, &ids).await?;
        Ok(Paged { items, page, total, is_lower_bound })
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<Option<Suppression>, StoreError> {
        let mut session = self.session().await?;
        Ok(session.suppressions(organization, &[id.uuid()]).await?.pop())
    }

    async fn count(&self, organization: Id<Organization>) -> Result<u64, StoreError> {
        let length = self.session().await?.count_suppressions(organization).await?;
        Ok(length.unsigned_abs())
    }

    async fn insert(&self, entry: &Suppression) -> Result<Suppression, StoreError> {
        use suppressions::{category, channel, email, organization_id, phone, source, table};

        let row = SuppressionRow::from(entry);
        let mut session = self.session().await?;
        for _ in 0..ATTEMPTS {
            let insert = diesel::insert_into(table).values(&row).on_conflict_do_nothing();
            if insert.execute(session.conn()).await.map_err(store_error)? > 0 {
                return Ok(entry.clone());
            }
            let same = SuppressionRow::query()
                .filter(organization_id.eq(row.organization_id))
                .filter(phone.is_not_distinct_from(&row.phone))
                .filter(lower(email).is_not_distinct_from(lower(row.email.as_deref())))
                .filter(channel.is_not_distinct_from(&row.channel))
                .filter(category.is_not_distinct_from(&row.category))
                .filter(source.eq(&row.source));
            let known: Option<SuppressionRow> =
                same.first(session.conn()).await.optional().map_err(store_error)?;
            if let Some(known) = known {
                return known.try_into();
            }
            // It was deleted in between.
        }
        Err(StoreError::Unavailable("a suppression comes and goes".into()))
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Suppression>,
    ) -> Result<bool, StoreError> {
        let entry = suppressions::table.find((organization.uuid(), id.uuid()));
        let mut session = self.session().await?;
        let deleted = diesel::delete(entry).execute(session.conn()).await.map_err(store_error)?;
        Ok(deleted > 0)
    }
}

impl PgSession {
    /// Returns the number of entries of the list, which is stored, not counted.
    pub(crate) async fn count_suppressions(
        &mut self,
        organization: Id<Organization>,
    ) -> Result<i64, StoreError> {
        let kept = suppression_counts::table.find(organization.uuid());
        let entries = kept.select(suppression_counts::entries).first(self.conn()).await;
        Ok(entries.optional().map_err(store_error)?.unwrap_or_default())
    }

    /// Returns the identifiers of the entries on a page.
    async fn newest_suppressions(
        &mut self,
        organization: Id<Organization>,
        page: Page,
    ) -> Result<Vec<Uuid>, StoreError> {
        let newest = sql!(
            "SELECT suppressions_after({organization}, {skipped}, {most})",
            organization,
            skipped = i64::try_from(page.offset()).unwrap_or(i64::MAX),
            most = i64::from(page.limit()),
        );
        newest.values(self.conn()).await
    }

    /// Returns these entries, newest first.
    async fn suppressions(
        &mut self,
        organization: Id<Organization>,
        ids: &[Uuid],
    ) -> Result<Vec<Suppression>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = SuppressionRow::query()
            .filter(suppressions::organization_id.eq(organization.uuid()))
            .filter(suppressions::id.eq_any(ids))
            .order(suppressions::id.desc());
        let rows = query.load(self.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Suppression::try_from).collect()
    }
}

define_sql_function! {
    /// Returns `text` in lower case, as stored in the index on addresses.
    fn lower(text: Nullable<Text>) -> Nullable<Text>;
}

impl From<&Suppression> for SuppressionRow {
    fn from(entry: &Suppression) -> Self {
        let text = |address: &Option<Address>| address.as_ref().map(|it| it.as_str().to_owned());
        Self {
            id: entry.id.uuid(),
            organization_id: entry.organization.uuid(),
            phone: text(&entry.phone),
            email: text(&entry.email),
            channel: entry.channel.map(|channel| channel.as_str().to_owned()),
            category: entry.category.map(|category| category.as_str().to_owned()),
            reason: entry.reason.clone(),
            source: entry.source.as_str().to_owned(),
            created_at: entry.created_at,
        }
    }
}

impl TryFrom<SuppressionRow> for Suppression {
    type Error = StoreError;

    fn try_from(row: SuppressionRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("suppressions", row.id);
        let channel: Option<Result<Channel, _>> = row.channel.map(|name| name.parse());
        let category: Option<Result<Category, _>> = row.category.map(|name| name.parse());
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            phone: row.phone.map(Address::stored),
            email: row.email.map(Address::stored),
            channel: channel.transpose().map_err(|_| corrupt())?,
            category: category.transpose().map_err(|_| corrupt())?,
            reason: row.reason,
            source: row.source.parse().map_err(|_| corrupt())?,
            created_at: row.created_at,
        })
    }
}

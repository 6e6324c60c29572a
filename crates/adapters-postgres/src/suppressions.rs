//! Suppression lists, as organizations see and change them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    define_sql_function,
    prelude::*,
    sql_types::{Nullable, Text},
};
use diesel_async::RunQueryDsl;
use domain::{
    address::Address,
    category::Category,
    channel::Channel,
    id::Id,
    organization::Organization,
    page::{Page, Paged},
    suppression::{Suppression, SuppressionFilter},
};
use ports::{store::StoreError, suppressions::SuppressionRepository};
use uuid::Uuid;

use crate::{
    error::{corrupt, store_error},
    schema::{suppression_counts, suppressions},
    search,
    session::PgStore,
};

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

#[async_trait]
impl SuppressionRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &SuppressionFilter,
        page: Page,
    ) -> Result<Paged<Suppression>, StoreError> {
        use suppressions::{email, id, organization_id, phone, reason, table};

        let mut session = self.session().await?;
        let own = organization_id.eq(organization.uuid());
        let mut query = SuppressionRow::query().filter(own).into_boxed();
        let total: Option<i64> = match &filter.search {
            // Kept, not counted.
            None => suppression_counts::table
                .find(organization.uuid())
                .select(suppression_counts::entries)
                .first(session.conn())
                .await
                .optional()
                .map_err(store_error)?,
            Some(text) => {
                let pattern = search::pattern(text);
                let matches = (phone.ilike(pattern.clone()).is_not_distinct_from(true))
                    .or(email.ilike(pattern.clone()).is_not_distinct_from(true))
                    .or(reason.ilike(pattern).is_not_distinct_from(true));
                query = query.filter(matches.clone());
                let count = table.filter(own).filter(matches).count();
                Some(count.get_result(session.conn()).await.map_err(store_error)?)
            }
        };
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let query = query.order(id.desc()).offset(offset).limit(page.limit().into());
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(Suppression::try_from).collect();
        Ok(Paged::counted(items?, page, total.unwrap_or_default().unsigned_abs()))
    }

    async fn count(&self, organization: Id<Organization>) -> Result<u64, StoreError> {
        let kept = suppression_counts::table.find(organization.uuid());
        let mut session = self.session().await?;
        let count = kept.select(suppression_counts::entries).first::<i64>(session.conn()).await;
        Ok(count.optional().map_err(store_error)?.unwrap_or_default().unsigned_abs())
    }

    async fn insert(&self, entry: &Suppression) -> Result<Suppression, StoreError> {
        use suppressions::{category, channel, email, organization_id, phone, source, table};

        let row = SuppressionRow::from(entry);
        let mut session = self.session().await?;
        let insert = diesel::insert_into(table).values(&row).on_conflict_do_nothing();
        if insert.execute(session.conn()).await.map_err(store_error)? > 0 {
            return Ok(entry.clone());
        }
        let same = SuppressionRow::query()
            .filter(organization_id.eq(row.organization_id))
            .filter(phone.is_not_distinct_from(row.phone))
            .filter(lower(email).is_not_distinct_from(lower(row.email)))
            .filter(channel.is_not_distinct_from(row.channel))
            .filter(category.is_not_distinct_from(row.category))
            .filter(source.eq(row.source));
        let known: Option<SuppressionRow> =
            same.first(session.conn()).await.optional().map_err(store_error)?;
        known.map_or_else(|| Ok(entry.clone()), Suppression::try_from)
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

define_sql_function! {
    /// `text` in lower case, as the index on addresses has it.
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

//! Sending windows.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{dsl::count_star, prelude::*};
use domain::{
    messaging::sending_window::{SendingWindow, TimeOfDay, UtcOffset, Weekday, WeeklyHours},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{messaging::sending_windows::SendingWindowRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::run_query::RunQueryDsl,
    schema::sending_windows,
};

#[derive(HasQuery, Insertable, AsChangeset)]
#[diesel(table_name = sending_windows)]
struct SendingWindowRow {
    id: Uuid,
    country_code: String,
    category: String,
    weekdays: Vec<String>,
    opens_minute: i16,
    closes_minute: i16,
    utc_offset_minutes: i16,
    source: String,
    is_active: bool,
    created_at: DateTime<Utc>,
}

#[async_trait]
impl SendingWindowRepository for PgStore {
    async fn page(&self, page: Page) -> Result<Paged<SendingWindow>, StoreError> {
        let mut session = self.session().await?;
        let count = sending_windows::table.select(count_star());
        let total: i64 = count.first(session.conn()).await.map_err(store_error)?;
        let query = SendingWindowRow::query()
            .order(sending_windows::id.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into());
        let rows = query.load(session.conn()).await.map_err(store_error)?;
        let windows: Result<_, _> = rows.into_iter().map(SendingWindow::try_from).collect();
        Ok(Paged::counted(windows?, page, total.unsigned_abs()))
    }

    async fn active(&self) -> Result<Vec<SendingWindow>, StoreError> {
        let query = SendingWindowRow::query().filter(sending_windows::is_active);
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        rows.into_iter().map(SendingWindow::try_from).collect()
    }

    async fn find(&self, id: Id<SendingWindow>) -> Result<Option<SendingWindow>, StoreError> {
        let query = SendingWindowRow::query().filter(sending_windows::id.eq(id.uuid()));
        let found = query.first(self.session().await?.conn()).await;
        let row: Option<SendingWindowRow> = found.optional().map_err(store_error)?;
        row.map(SendingWindow::try_from).transpose()
    }

    async fn insert(&self, window: &SendingWindow) -> Result<(), StoreError> {
        let row = SendingWindowRow::from(window);
        let insert = diesel::insert_into(sending_windows::table).values(&row);
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn update(&self, window: &SendingWindow) -> Result<bool, StoreError> {
        let row = SendingWindowRow::from(window);
        let update = diesel::update(sending_windows::table.find(row.id)).set(&row);
        let mut session = self.session().await?;
        Ok(update.execute(session.conn()).await.map_err(store_error)? > 0)
    }

    async fn delete(&self, id: Id<SendingWindow>) -> Result<bool, StoreError> {
        let delete = diesel::delete(sending_windows::table.find(id.uuid()));
        let mut session = self.session().await?;
        Ok(delete.execute(session.conn()).await.map_err(store_error)? > 0)
    }
}

impl From<&SendingWindow> for SendingWindowRow {
    fn from(window: &SendingWindow) -> Self {
        let hours = &window.hours;
        Self {
            id: window.id.uuid(),
            country_code: window.country.as_str().to_owned(),
            category: window.category.as_str().to_owned(),
            weekdays: hours.weekdays.iter().map(|day| day.as_str().to_owned()).collect(),
            opens_minute: hours.opens.minutes(),
            closes_minute: hours.closes.minutes(),
            utc_offset_minutes: hours.utc_offset.minutes(),
            source: window.source.clone(),
            is_active: window.is_active,
            created_at: window.created_at,
        }
    }
}

impl TryFrom<SendingWindowRow> for SendingWindow {
    type Error = StoreError;

    fn try_from(row: SendingWindowRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_window().ok_or_else(|| corrupt("sending_windows", id))
    }
}

impl SendingWindowRow {
    /// Converts the row; `None` if the columns are invalid.
    fn into_window(self) -> Option<SendingWindow> {
        let weekdays: Option<Vec<Weekday>> =
            self.weekdays.iter().map(|day| day.parse().ok()).collect();
        Some(SendingWindow {
            id: self.id.into(),
            country: self.country_code.parse().ok()?,
            category: self.category.parse().ok()?,
            hours: WeeklyHours {
                weekdays: weekdays?,
                opens: TimeOfDay::from_minutes(self.opens_minute).ok()?,
                closes: TimeOfDay::from_minutes(self.closes_minute).ok()?,
                utc_offset: UtcOffset::from_minutes(self.utc_offset_minutes).ok()?,
            },
            source: self.source,
            is_active: self.is_active,
            created_at: self.created_at,
        })
    }
}

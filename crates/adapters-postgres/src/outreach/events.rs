//! Events, as organizations create and change them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{dsl::count_star, prelude::*, sql_types::Text};
use domain::{
    content::template::{Template, TemplateText},
    identity::organization::Organization,
    outreach::event::{
        Event, EventFilter, EventRetryRules, FallbackRules, LinkedEvent, MAX_EVENTS,
    },
    shared::{
        channel::Channel,
        id::Id,
        page::{Page, Paged},
        text::fold,
    },
};
use ports::{
    content::templates::TemplateRepository,
    outreach::events::{EventRepository, EventWritten},
    shared::store::StoreError,
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    content::templates::{find_listed, find_whole, hold},
    shared::{
        database::{connection::Connection, session::PgStore},
        error::{corrupt, store_error},
        query::{run_query::RunQueryDsl, search},
        schema::events,
    },
};

define_sql_function! {
    fn lower(text: Text) -> Text;
}

#[derive(HasQuery, Insertable, AsChangeset)]
#[diesel(table_name = events, treat_none_as_null = true)]
struct EventRow {
    organization_id: Uuid,
    id: Uuid,
    name: String,
    slug: String,
    description: Option<String>,
    channel_priority: Vec<String>,
    template_id: Option<Uuid>,
    templates: Value,
    retry_rules: Option<Value>,
    fallback_rules: Option<Value>,
    sender: Option<String>,
    country_code: Option<String>,
    is_active: bool,
    version: i32,
    created_at: DateTime<Utc>,
}

#[async_trait]
impl EventRepository for PgStore {
    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &EventFilter,
        page: Page,
    ) -> Result<Paged<LinkedEvent>, StoreError> {
        let mut session = self.session().await?;
        let ids = passing(session.conn(), organization, filter).await?;
        let total = ids.len() as u64;
        let rows = EventRow::query()
            .filter(events::organization_id.eq(organization.uuid()))
            .filter(events::id.eq_any(page.cut(ids)))
            .order(events::id.desc())
            .load(session.conn())
            .await
            .map_err(store_error)?;
        let events = rows.into_iter().map(Event::try_from).collect::<Result<Vec<_>, _>>()?;
        let known = find_listed(session.conn(), organization, &template_ids(&events)).await?;
        Ok(Paged::counted(linked(events, &known), page, total))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<Option<LinkedEvent>, StoreError> {
        let mut session = self.session().await?;
        let row = EventRow::query()
            .filter(events::organization_id.eq(organization.uuid()))
            .filter(events::id.eq(id.uuid()))
            .first(session.conn())
            .await
            .optional()
            .map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let events = vec![Event::try_from(row)?];
        let known = find_whole(session.conn(), organization, &template_ids(&events)).await?;
        Ok(linked(events, &known).pop())
    }

    async fn find_by_slug(
        &self,
        organization: Id<Organization>,
        slug: &str,
    ) -> Result<Option<(Event, Vec<TemplateText>)>, StoreError> {
        let query = EventRow::query()
            .filter(events::organization_id.eq(organization.uuid()))
            .filter(events::slug.eq(slug));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let event = Event::try_from(row)?;
        let texts = self.find_all(organization, &event.template_ids()).await?;
        Ok(Some((event, texts)))
    }

    async fn insert(&self, event: &Event) -> Result<EventWritten, StoreError> {
        let mut session = self.transaction().await?;
        if count(session.conn(), event.organization).await? >= MAX_EVENTS {
            return Ok(EventWritten::NoRoom);
        }
        if !hold(session.conn(), event.organization, &event.template_ids()).await? {
            return Ok(EventWritten::Stale);
        }
        let insert = diesel::insert_into(events::table).values(EventRow::from(event));
        let written = written(insert.execute(session.conn()).await)?;
        if written == EventWritten::Done {
            session.commit().await?;
        }
        Ok(written)
    }

    async fn update(&self, event: &Event) -> Result<EventWritten, StoreError> {
        let same = events::table
            .find((event.organization.uuid(), event.id.uuid()))
            .filter(events::version.eq(event.version - 1));
        let update = diesel::update(same).set(EventRow::from(event));
        let mut session = self.transaction().await?;
        if !hold(session.conn(), event.organization, &event.template_ids()).await? {
            return Ok(EventWritten::Stale);
        }
        let written = written(update.execute(session.conn()).await)?;
        if written == EventWritten::Done {
            session.commit().await?;
        }
        Ok(written)
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Event>,
    ) -> Result<Option<String>, StoreError> {
        let event = events::table.find((organization.uuid(), id.uuid()));
        let delete = diesel::delete(event).returning(events::slug);
        let mut session = self.session().await?;
        delete.get_result(session.conn()).await.optional().map_err(store_error)
    }
}

/// Returns the events that pass a filter, newest first, at most [`MAX_EVENTS`].
async fn passing(
    conn: &mut Connection,
    organization: Id<Organization>,
    filter: &EventFilter,
) -> Result<Vec<Uuid>, StoreError> {
    let mut passing =
        events::table.filter(events::organization_id.eq(organization.uuid())).into_boxed();
    if let Some(text) = &filter.search {
        let pattern = search::pattern(&fold(text));
        let is_in_slug = lower(events::slug).like(pattern.clone());
        passing = passing.filter(lower(events::name).like(pattern).or(is_in_slug));
    }
    let ids = passing.select(events::id).order(events::id.desc());
    ids.load(conn).await.map_err(store_error)
}

/// Counts the events of an organization, at most [`MAX_EVENTS`].
async fn count(conn: &mut Connection, organization: Id<Organization>) -> Result<u64, StoreError> {
    let own = events::table.filter(events::organization_id.eq(organization.uuid()));
    let count: i64 = own.select(count_star()).first(conn).await.map_err(store_error)?;
    Ok(count.unsigned_abs())
}

/// Returns the templates that events name.
fn template_ids(events: &[Event]) -> Vec<Id<Template>> {
    events.iter().flat_map(Event::template_ids).collect()
}

/// Links events to those of the templates that they name.
fn linked(events: Vec<Event>, known: &[Template]) -> Vec<LinkedEvent> {
    let link = |event: Event| {
        let ids = event.template_ids();
        let is_named = |template: &&Template| ids.contains(&template.id);
        LinkedEvent { templates: known.iter().filter(is_named).cloned().collect(), event }
    };
    events.into_iter().map(link).collect()
}

fn written(rows: QueryResult<usize>) -> Result<EventWritten, StoreError> {
    match rows.map_err(store_error) {
        Ok(0) => Ok(EventWritten::Stale),
        Ok(_) => Ok(EventWritten::Done),
        Err(StoreError::Conflict { constraint }) if constraint == "events_slug" => {
            Ok(EventWritten::SlugTaken)
        }
        Err(error) => Err(error),
    }
}

impl From<&Event> for EventRow {
    fn from(event: &Event) -> Self {
        let templates = event.templates.iter();
        let templates = templates.map(|(channel, id)| (channel.to_string(), id.to_string().into()));
        Self {
            organization_id: event.organization.uuid(),
            id: event.id.uuid(),
            name: event.name.clone(),
            slug: event.slug.clone(),
            description: event.description.clone(),
            channel_priority: event.channel_priority.iter().map(Channel::to_string).collect(),
            template_id: event.template.map(Id::uuid),
            templates: Value::Object(templates.collect()),
            retry_rules: event.retry_rules.as_ref().map(|rules| rules.source().clone()),
            fallback_rules: event.fallback_rules.as_ref().map(|rules| rules.source().clone()),
            sender: event.sender.clone(),
            country_code: event.country.map(|country| country.to_string()),
            is_active: event.is_active,
            version: event.version,
            created_at: event.created_at,
        }
    }
}

impl TryFrom<EventRow> for Event {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self, StoreError> {
        let id = row.id;
        row.into_event().ok_or_else(|| corrupt("events", id))
    }
}

impl EventRow {
    /// Converts the row; `None` if the columns are invalid.
    fn into_event(self) -> Option<Event> {
        let channels = self.channel_priority.iter().map(|name| name.parse().ok());
        let templates: BTreeMap<Channel, Uuid> = serde_json::from_value(self.templates).ok()?;
        let templates = templates.into_iter().map(|(channel, id)| (channel, Id::of(id)));
        Some(Event {
            id: self.id.into(),
            organization: self.organization_id.into(),
            name: self.name,
            slug: self.slug,
            description: self.description,
            channel_priority: channels.collect::<Option<_>>()?,
            template: self.template_id.map(Id::of),
            templates: templates.collect(),
            retry_rules: self.retry_rules.map(EventRetryRules::parse).transpose().ok()?,
            fallback_rules: self.fallback_rules.map(FallbackRules::parse).transpose().ok()?,
            sender: self.sender,
            country: self.country_code.map(|it| it.parse()).transpose().ok()?,
            is_active: self.is_active,
            version: self.version,
            created_at: self.created_at,
        })
    }
}

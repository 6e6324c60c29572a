//! Webhook endpoints, as organizations see and change them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::webhook::{
        BEGINS_AFTER, Deactivation, MAX_ACTIVE_ENDPOINTS, MAX_INACTIVE_ENDPOINTS, PreviousSecret,
        WebhookEndpoint, WebhookEndpointUpdate, WebhookSecret,
    },
};
use ports::{
    shared::store::StoreError,
    webhooks::webhook_endpoints::{EndpointWritten, WebhookEndpointRepository},
};
use uuid::Uuid;

use crate::shared::{
    database::session::{PgSession, PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, sql::sql},
    schema::webhook_endpoints,
};

#[derive(HasQuery, Insertable)]
#[diesel(table_name = webhook_endpoints)]
struct EndpointRow {
    organization_id: Uuid,
    id: Uuid,
    url: String,
    events: Option<Vec<String>>,
    is_active: bool,
    deactivation: Option<String>,
    secret: String,
    previous_secret: Option<String>,
    previous_secret_until: Option<DateTime<Utc>>,
    failing_since: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

#[async_trait]
impl WebhookEndpointRepository for PgStore {
    async fn insert(&self, endpoint: &WebhookEndpoint) -> Result<EndpointWritten, StoreError> {
        let mut session = self.transaction().await?;
        let known = session.lock_endpoints(endpoint.organization).await?;
        if active(&known) >= MAX_ACTIVE_ENDPOINTS {
            return Ok(EndpointWritten::TooManyActive);
        }
        let surplus = known.iter().filter(|known| !known.is_active).skip(MAX_INACTIVE_ENDPOINTS);
        let surplus: Vec<_> = surplus.map(|endpoint| endpoint.id).collect();
        session.remove_endpoints(endpoint.organization, &surplus).await?;
        let begins_at = endpoint.created_at + BEGINS_AFTER;
        let row = (EndpointRow::from(endpoint), webhook_endpoints::begins_at.eq(begins_at));
        let insert = diesel::insert_into(webhook_endpoints::table).values(row);
        insert.execute(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(EndpointWritten::Done(endpoint.clone()))
    }

    async fn list(
        &self,
        organization: Id<Organization>,
    ) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.session().await?.endpoints(organization).await
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        let query = EndpointRow::query()
            .filter(webhook_endpoints::organization_id.eq(organization.uuid()))
            .filter(webhook_endpoints::id.eq(id.uuid()));
        let found = query.first(self.session().await?.conn()).await;
        let row: Option<EndpointRow> = found.optional().map_err(store_error)?;
        row.map(WebhookEndpoint::try_from).transpose()
    }

    async fn update(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
        update: &WebhookEndpointUpdate,
        now: DateTime<Utc>,
    ) -> Result<EndpointWritten, StoreError> {
        let mut session = self.transaction().await?;
        let known = session.lock_endpoints(organization).await?;
        let Some(present) = known.iter().find(|endpoint| endpoint.id == id) else {
            return Ok(EndpointWritten::NotFound);
        };
        let changed = update.apply(present);
        let is_activated = changed.is_active && !present.is_active;
        if is_activated && active(&known) >= MAX_ACTIVE_ENDPOINTS {
            return Ok(EndpointWritten::TooManyActive);
        }
        if changed != *present {
            session.write_endpoint(&changed, is_activated.then_some(now)).await?;
        }
        session.commit().await?;
        Ok(EndpointWritten::Done(changed))
    }

    async fn remove(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
    ) -> Result<bool, StoreError> {
        let mut session = self.session().await?;
        Ok(session.remove_endpoints(organization, &[id]).await? > 0)
    }

    async fn rotate_secret(
        &self,
        organization: Id<Organization>,
        id: Id<WebhookEndpoint>,
        secret: &WebhookSecret,
        until: DateTime<Utc>,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        use webhook_endpoints as table;

        let rotate = diesel::update(table::table.find((organization.uuid(), id.uuid()))).set((
            table::previous_secret.eq(table::secret.nullable()),
            table::previous_secret_until.eq(until),
            table::secret.eq(secret.expose()),
        ));
        let rotated = rotate.returning(EndpointRow::as_returning());
        let rotated = rotated.get_result(self.session().await?.conn()).await;
        let row: Option<EndpointRow> = rotated.optional().map_err(store_error)?;
        row.map(WebhookEndpoint::try_from).transpose()
    }
}

fn active(endpoints: &[WebhookEndpoint]) -> usize {
    endpoints.iter().filter(|endpoint| endpoint.is_active).count()
}

impl PgSession {
    /// Returns the endpoints of an organization, which no other transaction creates or changes
    /// until the end of this one.
    async fn lock_endpoints(
        &mut self,
        organization: Id<Organization>,
    ) -> Result<Vec<WebhookEndpoint>, StoreError> {
        // Rows that do not exist yet cannot be locked.
        sql!(LOCK, organization = organization.uuid().to_string()).execute(self.conn()).await?;
        sql!(LOCK_ROWS, organization).execute(self.conn()).await?;
        self.endpoints(organization).await
    }

    /// Removes endpoints, and returns their number. Workers end the deliveries that are left.
    async fn remove_endpoints(
        &mut self,
        organization: Id<Organization>,
        ids: &[Id<WebhookEndpoint>],
    ) -> Result<usize, StoreError> {
        if ids.is_empty() {
            return Ok(0);
        }
        let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
        let removed = webhook_endpoints::table
            .filter(webhook_endpoints::organization_id.eq(organization.uuid()))
            .filter(webhook_endpoints::id.eq_any(ids));
        diesel::delete(removed).execute(self.conn()).await.map_err(store_error)
    }

    /// Returns the endpoints of an organization, newest first.
    async fn endpoints(
        &mut self,
        organization: Id<Organization>,
    ) -> Result<Vec<WebhookEndpoint>, StoreError> {
        let query = EndpointRow::query()
            .filter(webhook_endpoints::organization_id.eq(organization.uuid()))
            .order(webhook_endpoints::id.desc());
        let rows = query.load(self.conn()).await.map_err(store_error)?;
        rows.into_iter().map(WebhookEndpoint::try_from).collect()
    }

    /// Writes the changes to an endpoint; `activated_at` is `None` if they did not activate it.
    async fn write_endpoint(
        &mut self,
        changed: &WebhookEndpoint,
        activated_at: Option<DateTime<Utc>>,
    ) -> Result<(), StoreError> {
        use webhook_endpoints as table;

        let row = EndpointRow::from(changed);
        let notified_at = table::notified_at.eq(None::<DateTime<Utc>>);
        let write = diesel::update(table::table.find((row.organization_id, row.id))).set((
            table::url.eq(row.url),
            table::events.eq(row.events),
            table::is_active.eq(row.is_active),
            table::deactivation.eq(row.deactivation),
            table::failing_since.eq(row.failing_since),
            changed.failing_since.is_none().then_some(notified_at),
            activated_at.map(|at| table::begins_at.eq(at + BEGINS_AFTER)),
        ));
        write.execute(self.conn()).await.map_err(store_error)?;
        Ok(())
    }
}

const LOCK: &str =
    "SELECT pg_advisory_xact_lock(hashtext('atumpan webhook endpoints'), hashtext({organization}))";

const LOCK_ROWS: &str = "\
    SELECT FROM webhook_endpoints WHERE organization_id = {organization} ORDER BY id \
    FOR NO KEY UPDATE";

impl From<&WebhookEndpoint> for EndpointRow {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        let names = |events: &Vec<WebhookEvent>| {
            events.iter().map(|event| event.as_str().to_owned()).collect()
        };
        let previous = endpoint.previous_secret.as_ref();
        Self {
            organization_id: endpoint.organization.uuid(),
            id: endpoint.id.uuid(),
            url: endpoint.url.clone(),
            events: endpoint.events.as_ref().map(names),
            is_active: endpoint.is_active,
            deactivation: endpoint.deactivation.map(|reason| reason.as_str().to_owned()),
            secret: endpoint.secret.expose().to_owned(),
            previous_secret: previous.map(|previous| previous.secret.expose().to_owned()),
            previous_secret_until: previous.map(|previous| previous.until),
            failing_since: endpoint.failing_since,
            created_at: endpoint.created_at,
        }
    }
}

impl TryFrom<EndpointRow> for WebhookEndpoint {
    type Error = StoreError;

    fn try_from(row: EndpointRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("webhook_endpoints", row.id);
        let deactivation: Option<Result<Deactivation, _>> =
            row.deactivation.as_deref().map(str::parse);
        let previous = row.previous_secret.zip(row.previous_secret_until);
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            url: row.url,
            // An event that only another version of the service knows is left out.
            events: row.events.map(|names| names.iter().filter_map(|it| it.parse().ok()).collect()),
            is_active: row.is_active,
            deactivation: deactivation.transpose().map_err(|_| corrupt())?,
            secret: WebhookSecret::stored(row.secret),
            previous_secret: previous.map(|(secret, until)| PreviousSecret {
                secret: WebhookSecret::stored(secret),
                until,
            }),
            failing_since: row.failing_since,
            created_at: row.created_at,
        })
    }
}

//! Subscriptions of organizations' webhooks.

use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvents},
};
use ports::{shared::store::StoreError, webhooks::calls::WebhookSubscriptions};

use crate::shared::{
    database::session::PgStore, error::store_error, query::run_query::RunQueryDsl,
    schema::webhook_endpoints,
};

#[async_trait]
impl WebhookSubscriptions for PgStore {
    async fn subscribed_events(
        &self,
        organization: Id<Organization>,
    ) -> Result<WebhookEvents, StoreError> {
        let query = webhook_endpoints::table
            .filter(webhook_endpoints::organization_id.eq(organization.uuid()))
            .filter(webhook_endpoints::is_active)
            .select(webhook_endpoints::events);
        let subscribed: Vec<Option<Vec<String>>> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        let names: Option<Vec<Vec<String>>> = subscribed.into_iter().collect();
        Ok(match names {
            None => WebhookEvents::ALL,
            Some(names) => names.iter().flatten().filter_map(|name| name.parse().ok()).collect(),
        })
    }
}

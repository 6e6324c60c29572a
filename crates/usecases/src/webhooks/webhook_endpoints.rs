//! Webhook endpoints: URLs to which events are sent.

mod records;
mod refusals;
mod test_calls;

use std::sync::Arc;

use domain::{
    identity::{caller::Caller, permission::Permission},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
    webhooks::webhook::{
        MAX_ACTIVE_ENDPOINTS, ROTATION, WebhookEndpoint, WebhookEndpointRequest,
        WebhookEndpointUpdate, WebhookSecret,
    },
};
use ports::{
    shared::{
        clock::Clock,
        random::Random,
        signals::{Change, ChangeBroadcast},
    },
    webhooks::{
        calls::{EventViews, UrlRefused, WebhookCaller, WebhookUrls, WebhookWakeup},
        webhook_endpoints::{DeliveryRecordRepository, EndpointWritten, WebhookEndpointRepository},
    },
};

pub use self::{
    records::Recovered,
    refusals::{
        URL_REQUIRED, WEBHOOK_ENDPOINT_BUSY, WEBHOOK_ENDPOINT_INACTIVE, active_limit_reached,
    },
};
use self::{
    refusals::{NOT_FOUND, too_many_checks},
    test_calls::TestTurns,
};
use crate::Error;

/// Operations on webhook endpoints. Clones share everything.
#[derive(Clone)]
pub struct WebhookEndpoints {
    inner: Arc<Inner>,
}

struct Inner {
    deps: WebhookEndpointsDeps,
    tests: TestTurns,
}

/// Dependencies of [`WebhookEndpoints`].
pub struct WebhookEndpointsDeps {
    /// Store of endpoints.
    pub endpoints: Arc<dyn WebhookEndpointRepository>,
    /// Records of their deliveries.
    pub deliveries: Arc<dyn DeliveryRecordRepository>,
    /// Check of their URLs.
    pub urls: Arc<dyn WebhookUrls>,
    /// Client that calls them.
    pub caller: Arc<dyn WebhookCaller>,
    /// Views of the data in example events.
    pub views: Arc<dyn EventViews>,
    /// Wake-up of the workers that call them.
    pub wakeup: Arc<dyn WebhookWakeup>,
    /// Broadcast of changes of endpoints to all instances.
    pub change_broadcaster: Arc<dyn ChangeBroadcast>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of secrets.
    pub random: Arc<dyn Random>,
}

impl WebhookEndpoints {
    /// Creates the operations from their dependencies.
    pub fn new(deps: WebhookEndpointsDeps) -> Self {
        Self { inner: Arc::new(Inner { deps, tests: TestTurns::default() }) }
    }

    /// Returns a page of the organization's endpoints, newest first, including deactivated ones.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<WebhookEndpoint>, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let endpoints = self.deps().endpoints.list(caller.organization).await?;
        let total = u64::try_from(endpoints.len()).unwrap_or(u64::MAX);
        Ok(Paged::counted(page.cut(endpoints), page, total))
    }

    /// Returns an endpoint, deactivated or not.
    pub async fn get(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<WebhookEndpoint, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        self.find(caller, id).await
    }

    /// Creates an endpoint. `faults` holds the faults found so far.
    pub async fn create(
        &self,
        caller: &Caller,
        mut request: WebhookEndpointRequest,
        mut faults: Faults,
    ) -> Result<WebhookEndpoint, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        if request.url.trim().is_empty() && !faults.knows("", "url") {
            return Err(Error::BadRequest(URL_REQUIRED));
        }
        faults.merge_new("", request.faults());
        self.find_room(caller).await?;
        let url = self.checked_url(caller, &request.url, &mut faults).await?;
        request.url = faults.require(url)?;
        let (organization, now) = (caller.organization, self.deps().clock.now());
        let endpoint = request.endpoint(organization, self.new_secret(), now);
        self.written(self.deps().endpoints.insert(&endpoint).await?)
    }

    /// Changes an endpoint. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        mut update: WebhookEndpointUpdate,
        mut faults: Faults,
    ) -> Result<WebhookEndpoint, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        faults.merge_new("", update.faults());
        let present = match self.find(caller, id).await {
            Ok(present) => present,
            // Faults of the request come first, as everywhere.
            Err(missing) => return Err(faults.or(()).err().map_or(missing, Error::from)),
        };
        if let Some(url) = update.url {
            update.url = self.checked_url(caller, &url, &mut faults).await?;
        }
        faults.or(())?;
        let is_activated = update.is_active == Some(true) && !present.is_active;
        if is_activated && !self.end_pending(&present).await? {
            return Err(Error::InProgress(WEBHOOK_ENDPOINT_BUSY));
        }
        let now = self.deps().clock.now();
        let updated = self.deps().endpoints.update(caller.organization, id, &update, now).await?;
        let updated = self.written(updated)?;
        self.adopt(&updated);
        if update.is_active == Some(false) {
            // The workers that call endpoints end the deliveries left after that.
            self.end_pending(&updated).await?;
        }
        Ok(updated)
    }

    /// Deactivates an endpoint.
    pub async fn delete(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<WebhookEndpoint, Error> {
        let deactivation = WebhookEndpointUpdate::deactivation();
        self.update(caller, id, deactivation, Faults::default()).await
    }

    /// Removes an endpoint: deactivates it, ends its pending deliveries, and forgets it. The records of
    /// its deliveries stay. A partial failure can be repeated.
    pub async fn remove(&self, caller: &Caller, id: Id<WebhookEndpoint>) -> Result<(), Error> {
        let endpoint = self.delete(caller, id).await?;
        if self.deps().endpoints.remove(endpoint.organization, endpoint.id).await? {
            Ok(())
        } else {
            Err(NOT_FOUND)
        }
    }

    /// Replaces the secret of an endpoint. The previous one also signs for a day.
    pub async fn rotate_secret(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<WebhookEndpoint, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        let (secret, until) = (self.new_secret(), self.deps().clock.now() + ROTATION);
        let endpoints = &self.deps().endpoints;
        let rotated = endpoints.rotate_secret(caller.organization, id, &secret, until).await?;
        let rotated = rotated.ok_or(NOT_FOUND)?;
        self.adopt(&rotated);
        Ok(rotated)
    }

    /// Lets the workers of this instance read an endpoint before they call it again.
    fn adopt(&self, changed: &WebhookEndpoint) {
        self.deps().wakeup.wake(changed.organization);
    }

    fn deps(&self) -> &WebhookEndpointsDeps {
        &self.inner.deps
    }

    fn new_secret(&self) -> WebhookSecret {
        WebhookSecret::new(&self.deps().random.secret())
    }

    async fn find(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<WebhookEndpoint, Error> {
        let found = self.deps().endpoints.find(caller.organization, id).await?;
        found.ok_or(NOT_FOUND)
    }

    fn written(&self, written: EndpointWritten) -> Result<WebhookEndpoint, Error> {
        match written {
            EndpointWritten::Done(endpoint) => {
                self.deps().change_broadcaster.broadcast(Change::Organizations);
                Ok(endpoint)
            }
            EndpointWritten::NotFound => Err(NOT_FOUND),
            EndpointWritten::TooManyActive => Err(active_limit_reached()),
        }
    }

    /// Fails if there is no room for another endpoint, before anything is done for it.
    async fn find_room(&self, caller: &Caller) -> Result<(), Error> {
        let endpoints = self.deps().endpoints.list(caller.organization).await?;
        let active = endpoints.iter().filter(|endpoint| endpoint.is_active).count();
        if active >= MAX_ACTIVE_ENDPOINTS {
            return Err(active_limit_reached());
        }
        Ok(())
    }

    /// Returns the URL in its stored form, if it may be called.
    async fn checked_url(
        &self,
        caller: &Caller,
        url: &str,
        faults: &mut Faults,
    ) -> Result<Option<String>, Error> {
        if faults.knows("", "url") {
            return Ok(None);
        }
        match self.deps().urls.check(caller.organization, url.trim()).await {
            Err(UrlRefused::Busy) => Err(too_many_checks()),
            checked => Ok(faults.take("url", checked)),
        }
    }
}

#[cfg(test)]
mod tests;

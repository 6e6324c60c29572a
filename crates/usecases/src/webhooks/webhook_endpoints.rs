//! Webhook endpoints: addresses at which organizations are told what happened.

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
        MAX_ACTIVE_ENDPOINTS, MAX_ENDPOINTS, ROTATION, WebhookEndpoint, WebhookEndpointRequest,
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
        endpoint_limit_reached,
    },
};
use self::{
    refusals::{NOT_FOUND, too_many_checks},
    test_calls::TestTurns,
};
use crate::{Error, shared::change_broadcaster::ChangeBroadcaster};

/// Operations on webhook endpoints. Clones share everything.
#[derive(Clone)]
pub struct WebhookEndpoints {
    inner: Arc<Inner>,
    change_broadcaster: ChangeBroadcaster,
}

struct Inner {
    deps: WebhookEndpointsDeps,
    tests: TestTurns,
}

/// What webhook endpoints are made of.
pub struct WebhookEndpointsDeps {
    /// Where they are kept.
    pub endpoints: Arc<dyn WebhookEndpointRepository>,
    /// What is recorded of their deliveries.
    pub deliveries: Arc<dyn DeliveryRecordRepository>,
    /// Which URLs they may have.
    pub urls: Arc<dyn WebhookUrls>,
    /// What calls them.
    pub caller: Arc<dyn WebhookCaller>,
    /// How examples are shown.
    pub views: Arc<dyn EventViews>,
    /// Who hears that something is due.
    pub wakeup: Arc<dyn WebhookWakeup>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where secrets come from.
    pub random: Arc<dyn Random>,
}

impl WebhookEndpoints {
    /// Webhook endpoints of those deps.
    pub fn new(deps: WebhookEndpointsDeps) -> Self {
        let inner = Arc::new(Inner { deps, tests: TestTurns::default() });
        Self { inner, change_broadcaster: ChangeBroadcaster::default() }
    }

    /// Tells all instances at once what endpoints are to hear. Without that they find it by themselves.
    #[must_use]
    pub fn broadcasting(self, broadcast: Arc<dyn ChangeBroadcast>) -> Self {
        Self { change_broadcaster: ChangeBroadcaster::new(broadcast), ..self }
    }

    /// A page of the organization's endpoints, newest first, with those that are deactivated.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<WebhookEndpoint>, Error> {
        caller.authorize(Permission::ReadIntegrations)?;
        let endpoints = self.deps().endpoints.list(caller.organization).await?;
        let total = u64::try_from(endpoints.len()).unwrap_or(u64::MAX);
        Ok(Paged::counted(page.cut(endpoints), page, total))
    }

    /// Makes an endpoint. `faults` is what is already known to be wrong.
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

    /// Changes an endpoint. `faults` is what is already known to be wrong.
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
            // What is wrong with the request is told first, as it is everywhere.
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
        if update.is_active == Some(false) {
            // Those who call endpoints end what is left after that.
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

    /// Gives an endpoint another secret. The one before signs too for a day.
    pub async fn rotate_secret(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
    ) -> Result<WebhookEndpoint, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        let (secret, until) = (self.new_secret(), self.deps().clock.now() + ROTATION);
        let endpoints = &self.deps().endpoints;
        let rotated = endpoints.rotate_secret(caller.organization, id, &secret, until).await?;
        rotated.ok_or(NOT_FOUND)
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
                self.change_broadcaster.broadcast(Change::Organizations);
                Ok(endpoint)
            }
            EndpointWritten::NotFound => Err(NOT_FOUND),
            EndpointWritten::TooManyActive => Err(active_limit_reached()),
            EndpointWritten::TooMany => Err(endpoint_limit_reached()),
        }
    }

    /// Refuses an endpoint for which there is no room, before anything is done for it.
    async fn find_room(&self, caller: &Caller) -> Result<(), Error> {
        let endpoints = self.deps().endpoints.list(caller.organization).await?;
        if endpoints.len() >= MAX_ENDPOINTS {
            return Err(endpoint_limit_reached());
        }
        let active = endpoints.iter().filter(|endpoint| endpoint.is_active).count();
        if active >= MAX_ACTIVE_ENDPOINTS {
            return Err(active_limit_reached());
        }
        Ok(())
    }

    /// The URL as it is kept, if it may be called.
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

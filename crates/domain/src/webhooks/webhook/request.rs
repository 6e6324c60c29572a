//! Requests for endpoints and their changes.

use chrono::{DateTime, Utc};

use super::{WebhookEndpoint, WebhookSecret};
use crate::{
    identity::organization::Organization,
    shared::{change::Change, fault::Faults, id::Id, text, webhook_event::WebhookEvent},
};

/// Maximum number of active endpoints of an organization.
pub const MAX_ACTIVE_ENDPOINTS: usize = 20;
/// Maximum number of deactivated endpoints of an organization. The oldest beyond it are removed.
pub const MAX_INACTIVE_ENDPOINTS: usize = 1_000;
/// Maximum length of a URL, in characters.
const MAX_URL: usize = 2_048;

/// An unchecked request for an endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookEndpointRequest {
    /// URL to call. Required; its absence is an error of its own.
    pub url: String,
    /// Subscribed events; all if absent or empty.
    pub events: Option<Vec<WebhookEvent>>,
}

impl WebhookEndpointRequest {
    /// Returns everything that is wrong with the request, except for the destination of the URL.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        faults.take("url", text::line(&self.url, MAX_URL));
        faults
    }

    /// Returns the requested endpoint. Fails with everything that is wrong.
    pub fn endpoint(
        self,
        organization: Id<Organization>,
        secret: WebhookSecret,
        now: DateTime<Utc>,
    ) -> WebhookEndpoint {
        WebhookEndpoint {
            id: Id::new_in(now, organization),
            organization,
            url: self.url,
            events: self.events.as_deref().and_then(each_once),
            is_active: true,
            deactivation: None,
            secret,
            previous_secret: None,
            failing_since: None,
            created_at: now,
        }
    }
}

/// Unchecked changes of an endpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookEndpointUpdate {
    /// URL to call.
    pub url: Option<String>,
    /// Subscribed events; all if null or empty.
    pub events: Change<Vec<WebhookEvent>>,
    /// True to activate the endpoint, false to deactivate it.
    pub is_active: Option<bool>,
}

impl WebhookEndpointUpdate {
    /// Returns the update that deactivates an endpoint.
    pub fn deactivation() -> Self {
        Self { is_active: Some(false), ..Self::default() }
    }

    /// Returns everything that is wrong with the changes, except for the destination of the URL.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if let Some(url) = &self.url {
            faults.take("url", text::line(url, MAX_URL));
        }
        faults
    }

    /// Returns `endpoint` with these checked changes. Failures at another URL, or before a user
    /// activated or deactivated it, are forgotten.
    #[must_use]
    pub fn apply(&self, endpoint: &WebhookEndpoint) -> WebhookEndpoint {
        let mut changed = endpoint.clone();
        if let Some(url) = &self.url {
            changed.url.clone_from(url);
        }
        self.events.apply(&mut changed.events);
        changed.events = changed.events.as_deref().and_then(each_once);
        if let Some(is_active) = self.is_active {
            changed.is_active = is_active;
        }
        let is_moved = changed.url != endpoint.url;
        let is_switched = changed.is_active != endpoint.is_active || !changed.is_active;
        if is_moved || self.is_active.is_some() && is_switched {
            changed.failing_since = None;
        }
        if self.is_active.is_some() {
            changed.deactivation = None;
        }
        changed
    }
}

/// Returns the events in the usual order, each once; `None` if none is named.
fn each_once(named: &[WebhookEvent]) -> Option<Vec<WebhookEvent>> {
    let events = WebhookEvent::ALL.into_iter().filter(|event| named.contains(event));
    (!named.is_empty()).then(|| events.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{identity::organization::PLATFORM, webhooks::webhook::Deactivation};

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn endpoint() -> WebhookEndpoint {
        let url = "https://kente.example".to_owned();
        let request = WebhookEndpointRequest { url, events: None };
        let made = request.endpoint(PLATFORM, WebhookSecret::new(&[0; 32]), NOW);
        WebhookEndpoint { id: Id::floor(NOW), ..made }
    }

    fn given_up() -> WebhookEndpoint {
        WebhookEndpoint {
            is_active: false,
            deactivation: Some(Deactivation::Failing),
            failing_since: Some(NOW),
            ..endpoint()
        }
    }

    fn switch(is_active: bool) -> WebhookEndpointUpdate {
        WebhookEndpointUpdate { is_active: Some(is_active), ..WebhookEndpointUpdate::default() }
    }

    #[test]
    fn events_are_kept_once_and_an_empty_list_means_all() {
        let named = [WebhookEvent::CampaignCompleted, WebhookEvent::ContactOptedOut];
        let events = Some([named, named].concat());
        let update = WebhookEndpointUpdate { events: Change::Set(events), ..Default::default() };
        let changed = update.apply(&endpoint());
        assert_eq!(changed.events, Some(vec![named[1], named[0]]));

        for none in [None, Some(Vec::new())] {
            let all = WebhookEndpointUpdate { events: Change::Set(none), ..Default::default() };
            assert_eq!(all.apply(&changed).events, None);
        }
        let url = "https://kente.example".to_owned();
        let request = WebhookEndpointRequest { url, events: Some(Vec::new()) };
        let made = request.endpoint(PLATFORM, WebhookSecret::new(&[0; 32]), NOW);
        assert_eq!(made.events, None);
    }

    #[test]
    fn a_url_is_one_line() {
        for (url, is_line) in [
            (" https://kente.example/ ", true),
            ("https://kente.example/\0", false),
            ("https://kente.example/\nx", false),
            (" ", false),
        ] {
            let request = WebhookEndpointRequest { url: url.to_owned(), events: None };
            assert_eq!(request.faults().is_empty(), is_line, "{url:?}");
        }
    }

    #[test]
    fn activating_an_endpoint_again_forgets_its_failures() {
        assert_eq!(switch(true).apply(&given_up()), endpoint());
    }

    #[test]
    fn deactivating_an_endpoint_clears_the_service_s_reason() {
        let by_will = WebhookEndpoint { is_active: false, ..endpoint() };
        assert_eq!(switch(false).apply(&given_up()), by_will);
        assert_eq!(switch(false).apply(&endpoint()), by_will);
    }

    #[test]
    fn a_failing_endpoint_goes_on_failing_unless_its_url_changes() {
        let failing = WebhookEndpoint { failing_since: Some(NOW), ..endpoint() };
        assert_eq!(switch(true).apply(&failing).failing_since, Some(NOW));
        let url = Some("https://kente.example/2".to_owned());
        let moved = WebhookEndpointUpdate { url, ..Default::default() };
        assert_eq!(moved.apply(&failing).failing_since, None);
    }
}

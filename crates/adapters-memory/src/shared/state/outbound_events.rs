//! Webhook subscriptions and published events.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::{id::Id, webhook_event::WebhookEvents},
    webhooks::outbound_event::OutboundEvent,
};

/// Time for which a change counts as recent.
const LATELY: TimeDelta = TimeDelta::minutes(1);

/// Subscriptions of organizations, and published events.
#[derive(Default)]
pub(crate) struct OutboundEvents {
    subscriptions: BTreeMap<Id<Organization>, (WebhookEvents, DateTime<Utc>)>,
    events: Vec<OutboundEvent>,
}

impl OutboundEvents {
    pub(crate) fn subscribe(
        &mut self,
        organization: Id<Organization>,
        events: WebhookEvents,
        now: DateTime<Utc>,
    ) {
        self.subscriptions.insert(organization, (events, now));
    }

    pub(crate) fn subscription(&self, organization: Id<Organization>) -> WebhookEvents {
        self.subscriptions.get(&organization).map(|(events, _)| *events).unwrap_or_default()
    }

    pub(crate) fn changed_lately(&self, now: DateTime<Utc>) -> Vec<Id<Organization>> {
        let changed = self.subscriptions.iter().filter(|(_, (_, at))| *at >= now - LATELY);
        changed.map(|(organization, _)| *organization).collect()
    }

    /// Publishes an event, if its organization is still subscribed to its kind.
    pub(crate) fn publish(&mut self, event: &OutboundEvent) {
        if self.subscription(event.organization).contain(event.event) {
            self.events.push(event.clone());
        }
    }

    pub(crate) fn events(&self) -> &[OutboundEvent] {
        &self.events
    }
}

//! What organizations are told of, and what they were told.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::outbound_event::{OutboundEvent, WebhookEvents},
};

/// For how long a subscription has changed lately.
const LATELY: TimeDelta = TimeDelta::minutes(1);

/// Subscriptions, and what was told.
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

    /// Tells an event, if its organization is still to be told of such.
    pub(crate) fn tell(&mut self, event: &OutboundEvent) {
        if self.subscription(event.organization).contain(event.event) {
            self.events.push(event.clone());
        }
    }

    pub(crate) fn events(&self) -> &[OutboundEvent] {
        &self.events
    }
}

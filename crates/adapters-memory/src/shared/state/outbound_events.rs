//! What organizations are told of, and what they were told.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    identity::organization::Organization,
    shared::id::Id,
    webhooks::outbound_event::{OutboundEvents, ToldEvent},
};

/// For how long a subscription has changed lately.
const LATELY: TimeDelta = TimeDelta::minutes(1);

/// Subscriptions, and what was told.
#[derive(Default)]
pub(crate) struct ToldEvents {
    subscriptions: BTreeMap<Id<Organization>, (OutboundEvents, DateTime<Utc>)>,
    events: Vec<ToldEvent>,
}

impl ToldEvents {
    pub(crate) fn subscribe(
        &mut self,
        organization: Id<Organization>,
        events: OutboundEvents,
        now: DateTime<Utc>,
    ) {
        self.subscriptions.insert(organization, (events, now));
    }

    pub(crate) fn subscription(&self, organization: Id<Organization>) -> OutboundEvents {
        self.subscriptions.get(&organization).map(|(events, _)| *events).unwrap_or_default()
    }

    pub(crate) fn changed_lately(&self, now: DateTime<Utc>) -> Vec<Id<Organization>> {
        let changed = self.subscriptions.iter().filter(|(_, (_, at))| *at >= now - LATELY);
        changed.map(|(organization, _)| *organization).collect()
    }

    /// Tells an event, if its organization is still to be told of such.
    pub(crate) fn tell(&mut self, event: &ToldEvent) {
        if self.subscription(event.organization).contain(event.event) {
            self.events.push(event.clone());
        }
    }

    pub(crate) fn events(&self) -> &[ToldEvent] {
        &self.events
    }
}

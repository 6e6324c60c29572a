//! EventPublisher organizations what becomes of their messages.

use std::sync::Arc;

use domain::{
    identity::organization::Organization,
    messaging::job::Step,
    shared::id::Id,
    webhooks::outbound_event::{OutboundEvent, WebhookEvent},
};
use ports::{
    shared::clock::Clock,
    webhooks::calls::{EventViews, WebhookWakeup},
};

use crate::identity::policies::Policies;

/// What is told with the steps of messages.
#[derive(Clone)]
pub struct EventPublisher {
    policies: Policies,
    views: Arc<dyn EventViews>,
    wakeup: Arc<dyn WebhookWakeup>,
    clock: Arc<dyn Clock>,
}

impl EventPublisher {
    /// Tells those whose `policies` say so, as `views` show it. `wakeup` hears what was written.
    pub fn new(
        policies: Policies,
        views: Arc<dyn EventViews>,
        wakeup: Arc<dyn WebhookWakeup>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { policies, views, wakeup, clock }
    }

    /// The step with what is told of it, if the organization wants to be told. While nobody knows
    /// whether it does, it is told: the store leaves out who does not.
    pub(crate) async fn tell(&self, step: Step) -> Step {
        if !step.is_told() {
            return step;
        }
        let message = step.message();
        let event = WebhookEvent::MessageStatusUpdated;
        let wants_it = match self.policies.of_or_last_known(message.organization).await {
            Ok(policy) => policy.is_some_and(|policy| policy.subscribed_events.contain(event)),
            Err(error) => {
                tracing::debug!(%error, "failed to read what an organization is told");
                true
            }
        };
        if !wants_it {
            return step;
        }
        let at = self.clock.now();
        let told = OutboundEvent {
            id: Id::new_in(at, message.organization),
            organization: message.organization,
            event,
            subject: message.id.uuid(),
            data: self.views.delivery_log(&message.clone().without_codes()),
            at,
        };
        step.telling(told)
    }

    /// What is told to an organization is written.
    pub(crate) fn written(&self, organization: Id<Organization>) {
        self.wakeup.wake(organization);
    }
}

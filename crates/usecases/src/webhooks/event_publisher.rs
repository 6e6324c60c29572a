//! Publication of message states to organizations.

use std::sync::Arc;

use derive_more::Constructor;
use domain::{
    messaging::job::Step,
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use ports::{shared::clock::Clock, webhooks::calls::EventViews};

use crate::identity::policies::Policies;

/// Publisher of the events that the steps of messages cause.
#[derive(Clone, Constructor)]
pub struct EventPublisher {
    /// Says which organizations are subscribed.
    policies: Policies,
    views: Arc<dyn EventViews>,
    clock: Arc<dyn Clock>,
}

impl EventPublisher {
    /// Returns the step with its event, if the organization is subscribed. If that is unknown, the
    /// event is added, and the store drops it for an organization that is not.
    pub(crate) async fn publish(&self, step: Step) -> Step {
        if !step.publishes_event() {
            return step;
        }
        let message = step.message();
        let event = WebhookEvent::MessageStatusUpdated;
        let wants_it = match self.policies.of_or_last_known(message.organization).await {
            Ok(policy) => policy.is_some_and(|policy| policy.subscribed_events.contain(event)),
            Err(error) => {
                tracing::debug!(%error, "failed to read the subscribed events of an organization");
                true
            }
        };
        if !wants_it {
            return step;
        }
        let at = self.clock.now();
        let outbound = OutboundEvent {
            id: Id::new_in(at, message.organization),
            organization: message.organization,
            event,
            subject: message.id.uuid(),
            data: self.views.delivery_log(message.clone().without_codes()),
            at,
        };
        step.publishing(outbound)
    }
}

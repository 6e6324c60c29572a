//! Webhook endpoint whose receiver was out of order for an hour.

use std::ops::Range;

use adapters_http::{ApiViews, outbound::random::SystemRandom};
use adapters_postgres::PgWebhookQueue;
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use domain::{
    messaging::job::{JobConcluded, Step},
    shared::{id::Id, webhook_event::WebhookEvent},
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{WebhookEndpointRequest, WebhookSecret},
    },
};
use ports::{
    shared::random::Random,
    webhooks::{
        calls::EventViews,
        webhook_endpoints::{EndpointWritten, WebhookEndpointRepository},
        webhook_queue::{AfterAttempt, DeliveryAttempt, EndpointKey, WebhookQueue},
    },
};

use super::tenant::Tenant;
use crate::service::{PastService, StartError};

/// Address of the receiver. Nobody can have it.
const URL: &str = "https://hooks.adinkra.example/atumpan";
/// Number of deliveries of the hour of which one is given up.
const GIVEN_UP: usize = 9;

/// Endpoint of an organization with the hour in which its receiver fails.
pub(super) struct Webhook {
    key: EndpointKey,
    fails: Range<DateTime<Utc>>,
}

impl Webhook {
    /// Makes the endpoint. Its receiver fails on the day before `now`, in the afternoon.
    pub(super) async fn make(
        service: &PastService,
        tenant: &Tenant,
        (begin, now): (DateTime<Utc>, DateTime<Utc>),
    ) -> Result<Self, StartError> {
        let request = WebhookEndpointRequest {
            url: URL.to_owned(),
            events: Some(vec![WebhookEvent::MessageStatusUpdated]),
        };
        let organization = tenant.caller.organization;
        let secret = WebhookSecret::new(&SystemRandom.secret());
        let endpoint = request.endpoint(organization, secret, begin);
        let written = WebhookEndpointRepository::insert(&*service.store, &endpoint).await?;
        let EndpointWritten::Done(endpoint) = written else {
            return Err("the endpoint of the demo was not made".into());
        };
        let midnight = now.date_naive().and_time(NaiveTime::MIN).and_utc();
        let fails = midnight - TimeDelta::hours(10)..midnight - TimeDelta::hours(9);
        Ok(Self { key: EndpointKey { organization, endpoint: endpoint.id }, fails })
    }

    /// Returns the step of a message with the event that it publishes, if it is one of the organization's.
    pub(super) fn publish(&self, concluded: JobConcluded) -> Step {
        let step = Step::from(concluded);
        let message = step.message();
        if message.organization != self.key.organization || !step.publishes_event() {
            return step;
        }
        let delivery = &message.delivery;
        let at = delivery.delivered_at().or(delivery.failed_at()).or(delivery.sent_at());
        let at = at.unwrap_or(message.created_at);
        let event = OutboundEvent {
            id: Id::new_in(at, message.organization),
            organization: message.organization,
            event: WebhookEvent::MessageStatusUpdated,
            subject: message.id.uuid(),
            data: ApiViews.delivery_log(message.clone().without_codes()),
            at,
        };
        step.publishing(event)
    }

    /// Records the calls for these events. During its hour the receiver answers 503, and later it gets the
    /// events all the same, except for a few.
    pub(super) async fn deliver(
        &self,
        queue: &PgWebhookQueue,
        events: &[(Id<OutboundEvent>, DateTime<Utc>)],
    ) -> Result<(), StartError> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (place, (id, at)) in events.iter().enumerate() {
            let fails = self.fails.contains(at);
            let next = if fails {
                AfterAttempt::Retry(self.fails.end - *at)
            } else {
                AfterAttempt::Delivered
            };
            first.push(self.attempt(*id, (0, *at), !fails, next));
            if fails {
                let is_lost = place % GIVEN_UP == 0;
                let next = if is_lost { AfterAttempt::Failed } else { AfterAttempt::Delivered };
                let at = self.fails.end + TimeDelta::minutes(2);
                second.push(self.attempt(*id, (1, at), !is_lost, next));
            }
        }
        queue.record(&first, &[]).await?;
        Ok(queue.record(&second, &[]).await?)
    }

    fn attempt(
        &self,
        id: Id<OutboundEvent>,
        (earlier, at): (u16, DateTime<Utc>),
        is_answered: bool,
        next: AfterAttempt,
    ) -> DeliveryAttempt {
        let status_code = Some(if is_answered { 200 } else { 503 });
        let took = TimeDelta::milliseconds(140);
        DeliveryAttempt { key: self.key, id, earlier, at, status_code, failure: None, took, next }
    }
}

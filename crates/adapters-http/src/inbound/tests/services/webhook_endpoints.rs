//! Webhook endpoints over ports that must not be called.

use std::sync::Arc;

use ports::shared::{
    clock::Clock,
    mock::{
        MockDeliveryRecordRepository, MockRandom, MockWebhookCaller, MockWebhookEndpointRepository,
        MockWebhookUrls, MockWebhookWakeup,
    },
    nobody::Nobody,
};
use usecases::webhooks::webhook_endpoints::{WebhookEndpoints, WebhookEndpointsDeps};

use crate::inbound::ApiViews;

pub(in crate::inbound::tests) fn webhook_endpoints(clock: &Arc<dyn Clock>) -> WebhookEndpoints {
    WebhookEndpoints::new(WebhookEndpointsDeps {
        endpoints: Arc::new(MockWebhookEndpointRepository::new()),
        deliveries: Arc::new(MockDeliveryRecordRepository::new()),
        urls: Arc::new(MockWebhookUrls::new()),
        caller: Arc::new(MockWebhookCaller::new()),
        views: Arc::new(ApiViews),
        wakeup: Arc::new(MockWebhookWakeup::new()),
        change_broadcaster: Arc::new(Nobody),
        clock: clock.clone(),
        random: Arc::new(MockRandom::new()),
    })
}

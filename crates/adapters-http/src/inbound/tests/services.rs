//! Use cases over ports that nobody is to call.

use std::sync::Arc;

use ports::{
    clock::Clock,
    mock::{
        MockAudienceRepository, MockCampaignRepository, MockContactRepository,
        MockDeliveryLogRepository, MockEventRepository, MockJobs, MockRandom,
        MockSegmentRepository, MockTemplateRepository, MockTriggerRepository,
    },
};
use usecases::{
    billing::Prices,
    campaigns::{Campaigns, CampaignsParts},
    deliveries::Deliveries,
    events::{Events, EventsParts, KnownEvents},
    messages::Messages,
    providers::Providers,
};

pub(super) fn deliveries(
    jobs: &Arc<MockJobs>,
    providers: &Arc<Providers>,
    clock: &Arc<dyn Clock>,
) -> Deliveries {
    let random = Arc::new(MockRandom::new());
    Deliveries::new(jobs.clone(), providers.clone(), clock.clone(), random)
}

pub(super) fn campaigns(
    providers: &Arc<Providers>,
    prices: &Prices,
    clock: &Arc<dyn Clock>,
) -> Campaigns {
    Campaigns::new(CampaignsParts {
        campaigns: Arc::new(MockCampaignRepository::new()),
        templates: Arc::new(MockTemplateRepository::new()),
        segments: Arc::new(MockSegmentRepository::new()),
        contacts: Arc::new(MockContactRepository::new()),
        audience: Arc::new(MockAudienceRepository::new()),
        providers: providers.clone(),
        prices: prices.clone(),
        clock: clock.clone(),
    })
}

pub(super) fn events(messages: &Messages, clock: &Arc<dyn Clock>) -> Events {
    let events = Arc::new(MockEventRepository::new());
    Events::new(EventsParts {
        events: events.clone(),
        triggers: Arc::new(MockTriggerRepository::new()),
        templates: Arc::new(MockTemplateRepository::new()),
        contacts: Arc::new(MockContactRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        messages: messages.clone(),
        known: KnownEvents::new(events, clock.clone()),
        clock: clock.clone(),
    })
}

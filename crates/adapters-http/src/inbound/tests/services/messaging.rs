//! Use cases of messaging, over mocked ports.

use std::sync::Arc;

use ports::shared::{
    clock::Clock,
    mock::{
        MockAuditLog, MockDeliveryLogRepository, MockHeldCampaigns, MockIntake, MockJobs,
        MockOrganizationRepository, MockRandom, MockResendRepository,
        MockScheduledMessageRepository, MockSendingWindowRepository, MockTemplateRepository,
    },
    nobody::Nobody,
    traces::Tracer,
};
use usecases::{
    messaging::{
        deliveries::{Deliveries, DeliveriesDeps},
        holding::Holding,
        messages::{Messages, MessagesDeps},
        resends::Resends,
        scheduled_messages::ScheduledMessages,
        sending_windows::SendingWindows,
    },
    money::prices::Prices,
    providers::provider_registry::Providers,
    shared::limits::Limits,
};

pub(in crate::inbound::tests) fn deliveries(
    jobs: &Arc<MockJobs>,
    providers: &Arc<Providers>,
    clock: &Arc<dyn Clock>,
) -> Deliveries {
    Deliveries::new(DeliveriesDeps {
        jobs: jobs.clone(),
        own_leases: Arc::new(Nobody),
        providers: providers.clone(),
        recipients: None,
        policies: None,
        holding: None,
        publisher: None,
        clock: clock.clone(),
        random: Arc::new(MockRandom::new()),
        tracer: Tracer::default(),
    })
}

/// Returns the use case that accepts messages and looks them up in these ports.
pub(in crate::inbound::tests) fn messages(
    (delivery_logs, intake): (&Arc<MockDeliveryLogRepository>, MockIntake),
    prices: &Prices,
    (providers, deliveries): (&Arc<Providers>, &Deliveries),
    clock: &Arc<dyn Clock>,
) -> Messages {
    Messages::new(MessagesDeps {
        templates: Arc::new(MockTemplateRepository::new()),
        delivery_logs: delivery_logs.clone(),
        intake: Arc::new(intake),
        prices: prices.clone(),
        providers: providers.clone(),
        deliveries: deliveries.clone(),
        clock: clock.clone(),
        limits: Limits::off(),
        fraud_guard: None,
        tracer: Tracer::default(),
    })
}

pub(in crate::inbound::tests) fn resends(messages: &Messages, clock: &Arc<dyn Clock>) -> Resends {
    let repository = Arc::new(MockResendRepository::new());
    let audit_log = Arc::new(MockAuditLog::new());
    Resends::new(repository, messages.clone(), audit_log, clock.clone())
}

pub(in crate::inbound::tests) fn scheduled_messages(
    delivery_logs: &Arc<MockDeliveryLogRepository>,
    deliveries: &Deliveries,
    clock: &Arc<dyn Clock>,
) -> ScheduledMessages {
    let repository = Arc::new(MockScheduledMessageRepository::new());
    ScheduledMessages::new(repository, delivery_logs.clone(), deliveries.clone(), clock.clone())
}

pub(in crate::inbound::tests) fn sending_windows(clock: &Arc<dyn Clock>) -> SendingWindows {
    let repository = Arc::new(MockSendingWindowRepository::new());
    let organizations = Arc::new(MockOrganizationRepository::new());
    let campaigns = Arc::new(MockHeldCampaigns::new());
    let holding = Holding::new(repository.clone(), campaigns, organizations, Arc::new(Nobody));
    SendingWindows::new(repository, Arc::new(MockAuditLog::new()), holding, clock.clone())
}

//! Use cases over ports that nobody is to call.

use std::sync::Arc;

use ports::{
    clock::Clock,
    mock::{
        MockAnalyticsRepository, MockApiKeyRepository, MockAudienceRepository, MockAuditLog,
        MockCampaignRepository, MockContactRepository, MockDeliveryLogRepository,
        MockEventRepository, MockIdentityStore, MockInvoiceRepository, MockJobs,
        MockOrganizationRepository, MockPaymentRepository, MockRandom,
        MockRecommendationRepository, MockSegmentRepository, MockSpendingRulesStore,
        MockSuppressionRepository, MockTemplateRepository, MockTopUpRepository,
        MockTriggerRepository, MockWalletRepository,
    },
    organizations::OrganizationRepository,
};
use usecases::{
    analytics::Analytics,
    billing::Prices,
    campaigns::{Campaigns, CampaignsParts},
    checkouts::Checkouts,
    deliveries::Deliveries,
    events::{Events, EventsParts, KnownEvents},
    invoices::{InvoiceCredit, Invoices, InvoicesParts},
    messages::Messages,
    organizations::{Organizations, OrganizationsParts},
    payment_exceptions::PaymentExceptions,
    policies::Policies,
    providers::Providers,
    recommendations::{Recommendations, RecommendationsParts},
    spending::Spending,
    suppressions::Suppressions,
    templates::Templates,
    top_ups::{TopUps, TopUpsParts},
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

pub(super) fn analytics(
    delivery_logs: &Arc<MockDeliveryLogRepository>,
    clock: &Arc<dyn Clock>,
) -> Analytics {
    let repository = Arc::new(MockAnalyticsRepository::new());
    Analytics::new(repository, delivery_logs.clone(), clock.clone())
}

pub(super) fn recommendations(clock: &Arc<dyn Clock>) -> Recommendations {
    Recommendations::new(RecommendationsParts {
        recommendations: Arc::new(MockRecommendationRepository::new()),
        analytics: Arc::new(MockAnalyticsRepository::new()),
        wallets: Arc::new(MockWalletRepository::new()),
        api_keys: Arc::new(MockApiKeyRepository::new()),
        events: Arc::new(MockEventRepository::new()),
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

pub(super) fn templates(clock: &Arc<dyn Clock>) -> Templates {
    Templates::new(Arc::new(MockTemplateRepository::new()), clock.clone())
}

pub(super) fn suppressions(clock: &Arc<dyn Clock>) -> Suppressions {
    Suppressions::new(Arc::new(MockSuppressionRepository::new()), clock.clone())
}

pub(super) fn top_ups(clock: &Arc<dyn Clock>) -> TopUps {
    TopUps::new(TopUpsParts {
        top_ups: Arc::new(MockTopUpRepository::new()),
        payments: Arc::new(MockPaymentRepository::new()),
        gateway: None,
        invoices: invoices(clock),
        clock: clock.clone(),
        random: Arc::new(MockRandom::new()),
    })
}

pub(super) fn payment_exceptions(clock: &Arc<dyn Clock>) -> PaymentExceptions {
    let repository = Arc::new(MockPaymentRepository::new());
    PaymentExceptions::new(repository, Arc::new(MockAuditLog::new()), clock.clone())
}

pub(super) fn checkouts(
    organizations: &Arc<dyn OrganizationRepository>,
    clock: &Arc<dyn Clock>,
) -> Checkouts {
    Checkouts::new(None, organizations.clone(), clock.clone())
}

pub(super) fn invoices(clock: &Arc<dyn Clock>) -> Invoices {
    Invoices::new(InvoicesParts {
        invoices: Arc::new(MockInvoiceRepository::new()),
        wallets: Arc::new(MockWalletRepository::new()),
        organizations: Arc::new(MockOrganizationRepository::new()),
        audit_log: Arc::new(MockAuditLog::new()),
        credit: InvoiceCredit::WhenPaid,
        clock: clock.clone(),
    })
}

pub(super) fn organizations(
    organizations: &Arc<dyn OrganizationRepository>,
    wallets: &Arc<MockWalletRepository>,
    identity: Arc<MockIdentityStore>,
    policies: &Policies,
    clock: &Arc<dyn Clock>,
) -> Organizations {
    Organizations::new(OrganizationsParts {
        repository: organizations.clone(),
        wallets: wallets.clone(),
        identity,
        policies: policies.clone(),
        spending: Spending::new(Arc::new(MockSpendingRulesStore::new())),
        clock: clock.clone(),
    })
}

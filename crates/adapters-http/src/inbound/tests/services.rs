//! Use cases over ports that nobody is to call.

use std::sync::Arc;

use ports::{
    clock::Clock,
    mock::{
        MockAnalyticsRepository, MockApiKeyRepository, MockAudienceRepository, MockAuditLog,
        MockCampaignRepository, MockContactRepository, MockDeliveryLogRepository,
        MockEventRepository, MockIdentityStore, MockInvoiceRepository, MockJobs,
        MockOrganizationRepository, MockRandom, MockRecommendationRepository,
        MockSegmentRepository, MockSpendingRulesStore, MockTemplateRepository,
        MockTriggerRepository, MockWalletRepository,
    },
    organizations::OrganizationRepository,
};
use usecases::{
    analytics::Analytics,
    billing::Prices,
    campaigns::{Campaigns, CampaignsParts},
    deliveries::Deliveries,
    events::{Events, EventsParts, KnownEvents},
    invoices::{InvoiceCredit, Invoices, InvoicesParts},
    messages::Messages,
    organizations::{Organizations, OrganizationsParts},
    policies::Policies,
    providers::Providers,
    recommendations::{Recommendations, RecommendationsParts},
    spending::Spending,
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

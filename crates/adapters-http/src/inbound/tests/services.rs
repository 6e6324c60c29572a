//! Use cases over ports that must not be called.

mod campaign_recipients;
mod health;
mod messaging;
mod webhook_endpoints;

use std::sync::Arc;

use domain::identity::user::RegistrationRule;
use ports::{
    identity::organizations::OrganizationRepository,
    shared::{
        clock::Clock,
        mock::{
            MockAnalyticsRepository, MockApiKeyRepository, MockAudienceRepository, MockAuditLog,
            MockCampaignRepository, MockClosingRepository, MockContactRepository,
            MockDeliveryLogRepository, MockEventRepository, MockIdentityStore,
            MockInvitationRepository, MockInvoiceRepository, MockLedgerRepository,
            MockMessagingProvider, MockOrganizationRepository, MockPasswordHasher,
            MockPaymentRepository, MockPlatformUserRepository, MockPricingRepository, MockRandom,
            MockRecommendationRepository, MockRefusedCallRepository, MockRevokedSessions,
            MockSealer, MockSecondFactorRepository, MockSegmentRepository, MockSessionRepository,
            MockSpendingRulesStore, MockSuppressionRepository, MockTemplateRepository,
            MockTenantRepository, MockTokenIssuer, MockTopUpRepository, MockTriggerRepository,
            MockUsageRepository, MockUserRepository, MockWalletCorrectionRepository,
            MockWalletRepository, MockWebhookEndpointRepository,
        },
        nobody::Nobody,
    },
};
use usecases::{
    audience::suppressions::Suppressions,
    content::templates::Templates,
    identity::{
        auth::{Auth, AuthDeps},
        members::{Members, MembersDeps},
        organizations::{Organizations, OrganizationsDeps},
        policies::Policies,
        provisioning::Provisioning,
        second_factors::{SecondFactors, SecondFactorsDeps},
        spending::Spending,
    },
    messaging::messages::Messages,
    money::{
        checkouts::Checkouts,
        invoices::{InvoiceCredit, Invoices, InvoicesDeps},
        ledger::Ledger,
        payment_exceptions::PaymentExceptions,
        prices::Prices,
        pricing::Pricing,
        top_ups::{TopUps, TopUpsDeps},
    },
    outreach::{
        campaigns::{Campaigns, CampaignsDeps},
        events::{EventCache, Events, EventsDeps},
    },
    platform::{
        analytics::Analytics,
        closings::{Closings, ClosingsDeps},
        organization_limits::OrganizationLimits,
        recommendations::{Recommendations, RecommendationsDeps},
        refused_calls::RefusedCalls,
        tenants::{Tenants, TenantsDeps},
        users::PlatformUsers,
        wallet_corrections::WalletCorrections,
    },
    providers::provider_registry::Providers,
    shared::{bounds::Bounds, limits::Limits},
};

pub(super) use self::{
    campaign_recipients::campaign_recipients,
    health::health,
    messaging::{deliveries, messages, resends, scheduled_messages, sending_windows},
    webhook_endpoints::webhook_endpoints,
};

pub(super) fn refused_calls(clock: &Arc<dyn Clock>) -> RefusedCalls {
    RefusedCalls::new(Arc::new(MockRefusedCallRepository::new()), clock.clone())
}

/// Returns providers of which none carries messages.
pub(super) fn providers() -> Arc<Providers> {
    let sandbox = Arc::new(MockMessagingProvider::new());
    Arc::new(Providers::new(vec![], sandbox, None))
}

pub(super) fn ledger() -> Ledger {
    Ledger::new(Arc::new(MockLedgerRepository::new()))
}

pub(super) fn auth(
    (tokens, users, organizations): (
        MockTokenIssuer,
        Arc<MockUserRepository>,
        Arc<dyn OrganizationRepository>,
    ),
    policies: &Policies,
    provisioning: Provisioning,
    messages: &Messages,
    clock: &Arc<dyn Clock>,
) -> Auth {
    Auth::new(AuthDeps {
        users,
        organizations,
        policies: policies.clone(),
        identity: Arc::new(MockIdentityStore::new()),
        passwords: Arc::new(MockPasswordHasher::new()),
        second_factors: second_factors(clock),
        tokens: Arc::new(tokens),
        revoked_sessions: Arc::new(MockRevokedSessions::new()),
        sessions: Arc::new(MockSessionRepository::new()),
        audit_log: Arc::new(MockAuditLog::new()),
        provisioning,
        mailer: Arc::new(messages.clone()),
        clock: clock.clone(),
        random: Arc::new(MockRandom::new()),
        registration: RegistrationRule::Open,
    })
}

fn second_factors(clock: &Arc<dyn Clock>) -> SecondFactors {
    SecondFactors::new(SecondFactorsDeps {
        repository: Arc::new(MockSecondFactorRepository::new()),
        users: Arc::new(MockUserRepository::new()),
        passwords: Arc::new(MockPasswordHasher::new()),
        sealer: Arc::new(MockSealer::new()),
        clock: clock.clone(),
        random: Arc::new(MockRandom::new()),
        are_required: true,
    })
}

pub(super) fn organization_limits(
    limits: &Limits,
    messages: &Messages,
    clock: &Arc<dyn Clock>,
) -> OrganizationLimits {
    let usage = Arc::new(MockUsageRepository::new());
    OrganizationLimits::new(usage, limits.clone(), messages.clone(), true, clock.clone())
}

pub(super) fn campaigns(
    providers: &Arc<Providers>,
    prices: &Prices,
    clock: &Arc<dyn Clock>,
) -> Campaigns {
    Campaigns::new(CampaignsDeps {
        campaigns: Arc::new(MockCampaignRepository::new()),
        templates: Arc::new(MockTemplateRepository::new()),
        segments: Arc::new(MockSegmentRepository::new()),
        contacts: Arc::new(MockContactRepository::new()),
        audience: Arc::new(MockAudienceRepository::new()),
        providers: providers.clone(),
        prices: prices.clone(),
        links: Arc::new(Nobody),
        wakeup: Arc::new(Nobody),
        bounds: Bounds::none(),
        change_broadcaster: Arc::new(Nobody),
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
    Recommendations::new(RecommendationsDeps {
        recommendations: Arc::new(MockRecommendationRepository::new()),
        analytics: Arc::new(MockAnalyticsRepository::new()),
        wallets: Arc::new(MockWalletRepository::new()),
        api_keys: Arc::new(MockApiKeyRepository::new()),
        events: Arc::new(MockEventRepository::new()),
        webhook_endpoints: Arc::new(MockWebhookEndpointRepository::new()),
        clock: clock.clone(),
    })
}

pub(super) fn events(messages: &Messages, clock: &Arc<dyn Clock>) -> Events {
    let events = Arc::new(MockEventRepository::new());
    Events::new(EventsDeps {
        events: events.clone(),
        triggers: Arc::new(MockTriggerRepository::new()),
        templates: Arc::new(MockTemplateRepository::new()),
        contacts: Arc::new(MockContactRepository::new()),
        delivery_logs: Arc::new(MockDeliveryLogRepository::new()),
        messages: messages.clone(),
        known: EventCache::new(events, clock.clone(), Arc::new(Nobody)),
        clock: clock.clone(),
    })
}

pub(super) fn templates(clock: &Arc<dyn Clock>) -> Templates {
    let repository = Arc::new(MockTemplateRepository::new());
    Templates::new(repository, Arc::new(Nobody), Bounds::none(), clock.clone())
}

pub(super) fn suppressions(clock: &Arc<dyn Clock>) -> Suppressions {
    let repository = Arc::new(MockSuppressionRepository::new());
    Suppressions::new(repository, Bounds::none(), clock.clone())
}

pub(super) fn top_ups(clock: &Arc<dyn Clock>) -> TopUps {
    TopUps::new(TopUpsDeps {
        top_ups: Arc::new(MockTopUpRepository::new()),
        organizations: Arc::new(MockOrganizationRepository::new()),
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
    Invoices::new(InvoicesDeps {
        invoices: Arc::new(MockInvoiceRepository::new()),
        wallets: Arc::new(MockWalletRepository::new()),
        organizations: Arc::new(MockOrganizationRepository::new()),
        credit: InvoiceCredit::WhenPaid,
        clock: clock.clone(),
    })
}

pub(super) fn members(
    organizations: &Arc<dyn OrganizationRepository>,
    users: &Arc<MockUserRepository>,
    messages: &Messages,
    clock: &Arc<dyn Clock>,
) -> Members {
    Members::new(MembersDeps {
        organizations: organizations.clone(),
        invitations: Arc::new(MockInvitationRepository::new()),
        users: users.clone(),
        identity: Arc::new(MockIdentityStore::new()),
        passwords: Arc::new(MockPasswordHasher::new()),
        audit_log: Arc::new(MockAuditLog::new()),
        mailer: Arc::new(messages.clone()),
        clock: clock.clone(),
        random: Arc::new(MockRandom::new()),
        verifies_emails: false,
        registration: RegistrationRule::Open,
    })
}

pub(super) fn organizations(
    organizations: &Arc<dyn OrganizationRepository>,
    wallets: &Arc<MockWalletRepository>,
    policies: &Policies,
) -> Organizations {
    Organizations::new(OrganizationsDeps {
        repository: organizations.clone(),
        wallets: wallets.clone(),
        identity: Arc::new(MockIdentityStore::new()),
        policies: policies.clone(),
        spending: Spending::new(Arc::new(MockSpendingRulesStore::new())),
    })
}

pub(super) fn tenants(messages: &Messages, policies: &Policies, clock: &Arc<dyn Clock>) -> Tenants {
    Tenants::new(TenantsDeps {
        repository: Arc::new(MockTenantRepository::new()),
        organizations: Arc::new(MockOrganizationRepository::new()),
        identity: Arc::new(MockIdentityStore::new()),
        audit_log: Arc::new(MockAuditLog::new()),
        mailer: Arc::new(messages.clone()),
        policies: policies.clone(),
        clock: clock.clone(),
    })
}

pub(super) fn closings(
    messages: &Messages,
    policies: &Policies,
    clock: &Arc<dyn Clock>,
) -> Closings {
    Closings::new(ClosingsDeps {
        closings: Arc::new(MockClosingRepository::new()),
        organizations: Arc::new(MockOrganizationRepository::new()),
        identity: Arc::new(MockIdentityStore::new()),
        wallets: Arc::new(MockWalletRepository::new()),
        corrections: Arc::new(MockWalletCorrectionRepository::new()),
        campaigns: Arc::new(MockCampaignRepository::new()),
        scheduled: Arc::new(Nobody),
        mailer: Arc::new(messages.clone()),
        audit_log: Arc::new(MockAuditLog::new()),
        policies: policies.clone(),
        clock: clock.clone(),
    })
}

pub(super) fn platform_users(clock: &Arc<dyn Clock>) -> PlatformUsers {
    let repository = Arc::new(MockPlatformUserRepository::new());
    let second_factors = Arc::new(MockSecondFactorRepository::new());
    PlatformUsers::new(repository, second_factors, Arc::new(MockAuditLog::new()), clock.clone())
}

pub(super) fn wallet_corrections(clock: &Arc<dyn Clock>) -> WalletCorrections {
    let repository = Arc::new(MockWalletCorrectionRepository::new());
    let organizations = Arc::new(MockOrganizationRepository::new());
    WalletCorrections::new(repository, organizations, clock.clone())
}

pub(super) fn pricing(prices: &Prices, clock: &Arc<dyn Clock>) -> Pricing {
    let organizations = Arc::new(MockOrganizationRepository::new());
    let audit_log = Arc::new(MockAuditLog::new());
    let repository = Arc::new(MockPricingRepository::new());
    Pricing::new(repository, organizations, audit_log, prices.clone(), clock.clone())
}

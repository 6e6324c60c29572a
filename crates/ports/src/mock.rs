//! Test doubles for unit tests, ours and yours.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
    },
    providers::provider::{Check, LookUp, Outcome},
};

use crate::providers::MessagingProvider;
pub use crate::{
    analytics::MockAnalyticsRepository,
    api_keys::MockApiKeyRepository,
    approvals::MockApprovalRepository,
    audit_log::MockAuditLog,
    auth::{MockPasswordHasher, MockRevokedSessions, MockTokenIssuer, MockUserRepository},
    billing::MockWalletRepository,
    callbacks::MockCallbackRepository,
    campaign_queue::MockCampaignQueue,
    campaigns::{MockCampaignRepository, MockCampaignWakeup},
    clock::MockClock,
    contacts::{MockContactRepository, MockDeviceTokens},
    content::MockContentWriter,
    delivery_logs::MockDeliveryLogRepository,
    events::{MockEventRepository, MockTriggerRepository},
    health::{MockSharedProbe, MockStoreProbe, MockWorkerProbe},
    held_campaigns::MockHeldCampaigns,
    identity::{MockIdentityStore, MockIdentityTransaction},
    imports::{MockImportQueue, MockImportRepository},
    invoices::{MockInvoiceRepository, MockStatementRepository},
    ledger::{MockBooks, MockLedgerRepository, MockOpenBooks},
    messages::{MockIntake, MockJobs, MockLocalQueue, MockOwnLeases},
    organization_limits::MockUsageRepository,
    organizations::MockOrganizationRepository,
    payments::{
        MockPaymentGateway, MockPaymentRepository, MockSimulatedPaymentRepository,
        MockWebhookSender,
    },
    pricing::MockPricingRepository,
    providers::{MockProviderRegistry, MockReportSink},
    random::MockRandom,
    rate_limits::MockRateLimiter,
    recommendations::MockRecommendationRepository,
    segments::{MockAudienceRepository, MockSegmentRepository},
    sender_names::MockSenderNameRepository,
    sending_windows::MockSendingWindowRepository,
    signals::{MockChangeBroadcast, MockDoorbell, MockSignalListener},
    spending::{MockLowBalances, MockSpendingRulesStore},
    suppressions::MockSuppressionRepository,
    templates::MockTemplateRepository,
    tenants::MockTenantRepository,
    top_ups::MockTopUpRepository,
    traffic::{MockTrafficAlertRepository, MockTrafficRulesRepository, MockTrafficWatchStore},
    unsubscribes::{MockSubscriptionTokens, MockUnsubscribeLinks, MockUnsubscribeRepository},
    webhook_endpoints::{MockDeliveryRecordRepository, MockWebhookEndpointRepository},
    webhook_queue::{MockFailingEndpoints, MockWebhookQueue},
    webhooks::{
        MockEventViews, MockWebhookCaller, MockWebhookSubscriptions, MockWebhookUrls,
        MockWebhookWakeup,
    },
};

mockall::mock! {
    /// A provider that may always be called.
    pub MessagingProvider {}

    #[async_trait]
    impl MessagingProvider for MessagingProvider {
        async fn send(&self, message: &Message) -> Outcome;
        fn group_limit(&self) -> usize;
        async fn send_group(&self, messages: &[Message]) -> Vec<Outcome>;
        async fn look_up(&self, message: &Message) -> LookUp;
        async fn check(&self) -> Check;
        fn can_be_answered(&self) -> bool;
        fn session_window(&self) -> Option<TimeDelta>;
        fn receive(&self, callback: &Callback) -> Result<Received, CallbackRefused>;
        fn read_out(&self, text: &str) -> CallbackAnswer;
    }
}

impl MockIdentityStore {
    /// A store whose only transaction is `transaction`.
    pub fn with(transaction: MockIdentityTransaction) -> Self {
        let mut store = Self::new();
        store.expect_begin().once().return_once(|| Ok(Box::new(transaction)));
        store
    }
}

impl MockClock {
    /// A clock that stands still.
    pub fn at(now: DateTime<Utc>) -> Self {
        let mut clock = Self::new();
        clock.expect_now().return_const(now);
        clock
    }
}

//! Test doubles for unit tests of this project and of its users.
//!
//! ```
//! use chrono::DateTime;
//! use ports::shared::{clock::Clock, mock::MockClock};
//!
//! assert_eq!(MockClock::at(DateTime::UNIX_EPOCH).now(), DateTime::UNIX_EPOCH);
//! ```

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackRefused, Received},
        message::Message,
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
};

use crate::providers::provider::MessagingProvider;
pub use crate::{
    audience::{
        contact_jobs::{MockContactJobQueue, MockContactJobRepository},
        contacts::{MockContactRepository, MockDeviceTokens},
        imports::{MockImportQueue, MockImportRepository, MockUndoQueue},
        segments::{MockAudienceRepository, MockSegmentRepository},
        suppressions::MockSuppressionRepository,
        unsubscribes::{MockSubscriptionTokens, MockUnsubscribeLinks, MockUnsubscribeRepository},
    },
    content::{
        approvals::MockApprovalRepository, sender_names::MockSenderNameRepository,
        templates::MockTemplateRepository, writing::MockContentWriter,
    },
    identity::{
        api_keys::MockApiKeyRepository,
        auth::{MockPasswordHasher, MockRevokedSessions, MockTokenIssuer, MockUserRepository},
        identity_store::{MockIdentityStore, MockIdentityTransaction},
        invitations::MockInvitationRepository,
        organizations::MockOrganizationRepository,
        second_factors::MockSecondFactorRepository,
        sessions::MockSessionRepository,
    },
    messaging::{
        callbacks::MockCallbackRepository,
        delivery_logs::MockDeliveryLogRepository,
        log_exports::{MockLogExportQueue, MockLogExportRepository},
        messages::{MockIntake, MockJobs, MockLocalQueue, MockOwnLeases},
        resends::{MockResendQueue, MockResendRepository},
        scheduled_messages::MockScheduledMessageRepository,
        sending_windows::MockSendingWindowRepository,
        timelines::MockTimelineRepository,
    },
    money::{
        billing::MockWalletRepository,
        invoices::{MockInvoiceRepository, MockStatementRepository},
        ledger::{MockBooks, MockLedgerRepository, MockOpenBooks},
        payments::{
            MockPaymentGateway, MockPaymentRepository, MockSimulatedPaymentRepository,
            MockWebhookSender,
        },
        pricing::MockPricingRepository,
        spending::MockSpendingRulesStore,
        top_ups::MockTopUpRepository,
    },
    outreach::{
        campaign_queue::MockCampaignQueue,
        campaign_recipients::MockCampaignRecipientRepository,
        campaigns::{MockCampaignRepository, MockCampaignWakeup},
        events::{MockEventRepository, MockTriggerRepository},
        held_campaigns::MockHeldCampaigns,
    },
    platform::{
        analytics::MockAnalyticsRepository,
        audit_log::MockAuditLog,
        background_tasks::MockBackgroundTaskProbe,
        closings::MockClosingRepository,
        health::{MockSharedProbe, MockStoreProbe, MockWorkerProbe},
        notices::MockNoticeQueue,
        organization_limits::MockUsageRepository,
        rate_limits::MockRateLimiter,
        recommendations::MockRecommendationRepository,
        reconciliations::MockReconciliations,
        refused_calls::MockRefusedCallRepository,
        request_keys::MockRequestKeyRepository,
        tenants::MockTenantRepository,
        traffic::{MockTrafficAlertRepository, MockTrafficRulesRepository, MockTrafficWatchStore},
        users::MockPlatformUserRepository,
        wallet_corrections::MockWalletCorrectionRepository,
    },
    providers::provider::{MockProviderRegistry, MockReportSink},
    shared::{
        changes::MockChangeLog,
        clock::MockClock,
        random::MockRandom,
        sealer::MockSealer,
        signals::{MockChangeBroadcast, MockSignalListener, MockWakeSignal},
    },
    webhooks::{
        calls::{
            MockEventViews, MockWebhookCaller, MockWebhookSubscriptions, MockWebhookUrls,
            MockWebhookWakeup,
        },
        webhook_endpoints::{MockDeliveryRecordRepository, MockWebhookEndpointRepository},
        webhook_queue::{MockFreshDeliveries, MockWebhookQueue},
    },
};

mockall::mock! {
    /// Provider that admits every call.
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
    /// Returns a store whose only transaction is `transaction`.
    pub fn with(transaction: MockIdentityTransaction) -> Self {
        let mut store = Self::new();
        store.expect_begin().once().return_once(|| Ok(Box::new(transaction)));
        store
    }
}

impl MockClock {
    /// Returns a clock that always shows `now`.
    pub fn at(now: DateTime<Utc>) -> Self {
        let mut clock = Self::new();
        clock.expect_now().return_const(now);
        clock
    }
}

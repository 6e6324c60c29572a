//! Test doubles for unit tests, ours and yours.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    callback::{Callback, CallbackAnswer, CallbackRefused, Received},
    message::Message,
    provider::{Check, LookUp, Outcome},
};

use crate::{
    api_keys::ApiKeyRepository,
    auth::UserRepository,
    billing::{PricingRepository, WalletRepository},
    delivery_logs::DeliveryLogRepository,
    organizations::OrganizationRepository,
    providers::MessagingProvider,
    store::{Repositories, Store, StoreError, Transaction},
    templates::TemplateRepository,
};
pub use crate::{
    api_keys::MockApiKeyRepository,
    auth::{MockPasswordHasher, MockTokenIssuer, MockUserRepository},
    billing::{MockPricingRepository, MockWalletRepository},
    callbacks::MockCallbackRepository,
    clock::MockClock,
    contacts::MockDeviceTokens,
    delivery_logs::MockDeliveryLogRepository,
    health::{MockSharedProbe, MockStoreProbe, MockWorkerProbe},
    messages::{MockIntake, MockJobs, MockLocalQueue},
    organizations::MockOrganizationRepository,
    providers::{MockProviderRegistry, MockReportSink},
    random::MockRandom,
    rate_limits::MockRateLimiter,
    templates::MockTemplateRepository,
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

/// A session made of mocked repositories.
#[derive(Default)]
pub struct MockSession {
    /// Answers for API keys.
    pub api_keys: MockApiKeyRepository,
    /// Answers for the delivery log.
    pub delivery_logs: MockDeliveryLogRepository,
    /// Answers for organizations.
    pub organizations: MockOrganizationRepository,
    /// Answers for prices.
    pub pricing: MockPricingRepository,
    /// Answers for templates.
    pub templates: MockTemplateRepository,
    /// Answers for users.
    pub users: MockUserRepository,
    /// Answers for wallets.
    pub wallets: MockWalletRepository,
    committed: Arc<AtomicBool>,
}

impl Repositories for MockSession {
    fn api_keys(&mut self) -> &mut dyn ApiKeyRepository {
        &mut self.api_keys
    }

    fn delivery_logs(&mut self) -> &mut dyn DeliveryLogRepository {
        &mut self.delivery_logs
    }

    fn organizations(&mut self) -> &mut dyn OrganizationRepository {
        &mut self.organizations
    }

    fn pricing(&mut self) -> &mut dyn PricingRepository {
        &mut self.pricing
    }

    fn templates(&mut self) -> &mut dyn TemplateRepository {
        &mut self.templates
    }

    fn users(&mut self) -> &mut dyn UserRepository {
        &mut self.users
    }

    fn wallets(&mut self) -> &mut dyn WalletRepository {
        &mut self.wallets
    }
}

#[async_trait]
impl Transaction for MockSession {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        self.committed.store(true, Ordering::SeqCst);
        Ok(())
    }
}

/// A store that hands out prepared sessions, in their order.
pub struct MockStore {
    sessions: Mutex<Vec<MockSession>>,
    committed: Arc<AtomicBool>,
}

impl MockStore {
    /// A store whose only session is `session`.
    pub fn with(session: MockSession) -> Self {
        Self::with_all(vec![session])
    }

    /// A store that hands out these sessions.
    pub fn with_all(mut sessions: Vec<MockSession>) -> Self {
        let committed = Arc::new(AtomicBool::new(false));
        for session in &mut sessions {
            session.committed = Arc::clone(&committed);
        }
        sessions.reverse();
        Self { sessions: Mutex::new(sessions), committed }
    }

    /// Whether any of the sessions was committed.
    pub fn committed(&self) -> bool {
        self.committed.load(Ordering::SeqCst)
    }

    #[expect(clippy::expect_used, reason = "a mock reports misuse by panicking")]
    fn take(&self) -> MockSession {
        let session = self.sessions.lock().expect("no test panicked here").pop();
        session.expect("the mock store has no more sessions")
    }
}

#[async_trait]
impl Store for MockStore {
    async fn connect(&self) -> Result<Box<dyn Repositories>, StoreError> {
        Ok(Box::new(self.take()))
    }

    async fn begin(&self) -> Result<Box<dyn Transaction>, StoreError> {
        Ok(Box::new(self.take()))
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

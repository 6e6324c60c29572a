//! The API as clients see it, over use cases with mocked ports.

use std::sync::{Arc, Once};

use actix_web::{
    body::to_bytes,
    dev::ServiceResponse,
    http::{Method, header::HeaderMap},
    test::{self, TestRequest},
};
use chrono::{DateTime, Utc};
use domain::{
    content::sender_name::SenderRule,
    identity::{
        api_key::{ApiKey, DEFAULT_SCOPES},
        organization::{Membership, Role, Settings},
        session::Claims,
        traffic::TrafficRules,
        user::User,
    },
    messaging::job::{Job, Lease},
    money::pricing::{PriceList, PricingRule},
    shared::{channel::Channel, id::Id, money::Money, webhook_event::WebhookEvents},
};
use ports::{
    identity::organizations::OrganizationRepository,
    messaging::{
        messages::{IntakeError, Receipt},
        timelines::Neighbours,
    },
    platform::rate_limits::Exceeded,
    shared::{
        mock::{
            MockApiKeyRepository, MockApprovalRepository, MockAuditLog, MockCallbackRepository,
            MockClock, MockDeliveryLogRepository, MockImportRepository, MockIntake, MockJobs,
            MockOrganizationRepository, MockPricingRepository, MockProviderRegistry, MockRandom,
            MockRateLimiter, MockSegmentRepository, MockSenderNameRepository,
            MockSuppressionRepository, MockTimelineRepository, MockTokenIssuer,
            MockTrafficAlertRepository, MockTrafficRulesRepository, MockUserRepository,
            MockWalletRepository, MockWebhookSubscriptions,
        },
        nobody::Nobody,
    },
};
use serde_json::{Value, json};
use usecases::{
    audience::segments::Segments,
    identity::{
        policies::{Policies, PolicySources},
        provisioning::Provisioning,
    },
    messaging::deliveries::Deliveries,
    money::prices::Prices,
    providers::provider_registry::Providers,
    shared::{bounds::Bounds, limits::Rates},
};

use super::*;

mod documentation;
mod failures;
mod headers;
mod keys;
mod log_exports;
mod recipients;
mod requests;
mod scopes;
mod server;
mod services;
mod telemetry;
mod traces;

const NOW: DateTime<Utc> = DateTime::from_timestamp_nanos(1_700_000_000_123_000_000);

/// Ports and settings of the API in a test.
struct TestApi {
    tokens: MockTokenIssuer,
    users: MockUserRepository,
    organizations: MockOrganizationRepository,
    api_keys: MockApiKeyRepository,
    delivery_logs: MockDeliveryLogRepository,
    prices: MockPricingRepository,
    intake: MockIntake,
    rate_limits: Option<MockRateLimiter>,
    cors_origins: Vec<String>,
    trusted_proxies: TrustedProxies,
    metrics: MetricsText,
    tracer: Tracer,
}

impl Default for TestApi {
    fn default() -> Self {
        Self {
            tokens: MockTokenIssuer::new(),
            users: MockUserRepository::new(),
            organizations: MockOrganizationRepository::new(),
            api_keys: MockApiKeyRepository::new(),
            delivery_logs: MockDeliveryLogRepository::new(),
            prices: MockPricingRepository::new(),
            intake: MockIntake::new(),
            rate_limits: None,
            cors_origins: Vec::new(),
            trusted_proxies: TrustedProxies::default(),
            metrics: Arc::new(|| "# no metrics\n".to_owned()),
            tracer: Tracer::default(),
        }
    }
}

impl TestApi {
    /// Returns an API in which every token is valid.
    fn signed_in() -> Self {
        let mut test_api = Self::default();
        test_api.tokens.expect_read().returning(|_| Ok(Claims::begin(&user(), NOW)));
        test_api.users.expect_find_signed_in().returning(|_| Ok(Some((user(), None))));
        test_api
    }

    /// Returns an API in which every token is valid, and its user has that role in every organization.
    fn member(role: Option<Role>) -> Self {
        let mut test_api = Self::signed_in();
        test_api.organizations.expect_role().returning(move |_, _| Ok(role));
        test_api.organizations.expect_settings().returning(|_| Ok(Some(Settings::default())));
        test_api
    }

    /// Returns an API in which every API key is valid.
    fn keyed() -> Self {
        let mut test_api = Self::default();
        test_api.organizations.expect_settings().returning(|_| Ok(Some(Settings::default())));
        test_api.api_keys.expect_find_by_hash().returning(|_| Ok(Some(key())));
        test_api
    }

    #[expect(clippy::too_many_lines, reason = "a line for each of the operations")]
    fn api(self) -> Api {
        let clock: Arc<dyn Clock> = Arc::new(MockClock::at(NOW));
        let organizations: Arc<dyn OrganizationRepository> = Arc::new(self.organizations);
        let (policies, users) = (policies(&organizations, &clock), Arc::new(self.users));
        let (jobs, wallets) = (Arc::new(MockJobs::new()), Arc::new(MockWalletRepository::new()));
        let delivery_logs = Arc::new(self.delivery_logs);
        let providers = services::providers();
        let prices = Prices::new(Arc::new(self.prices), clock.clone(), Arc::new(Nobody));
        let deliveries = services::deliveries(&jobs, &providers, &clock);
        let (stores, way) = ((&delivery_logs, self.intake), (&providers, &deliveries));
        let messages = services::messages(stores, &prices, way, &clock);
        let provisioning = provisioning(&organizations, &wallets, &clock);
        let deps = (self.tokens, users.clone(), organizations.clone());
        let limits = self.rate_limits.map_or_else(Limits::off, limits);
        Api {
            auth: services::auth(deps, &policies, provisioning, &messages, &clock),
            organization_limits: services::organization_limits(&limits, &messages, &clock),
            organizations: services::organizations(&organizations, &wallets, &policies),
            members: services::members(&organizations, &users, &messages, &clock),
            sender_names: sender_names(&policies, &clock),
            closings: services::closings(&messages, &policies, &clock),
            tenants: services::tenants(&messages, &policies, &clock),
            platform_users: services::platform_users(&clock),
            wallet_corrections: services::wallet_corrections(&clock),
            pricing: services::pricing(&prices, &clock),
            sending_windows: services::sending_windows(&clock),
            scheduled_messages: services::scheduled_messages(&delivery_logs, &deliveries, &clock),
            timelines: timelines(),
            traffic_alerts: traffic_alerts(&policies, &clock),
            api_keys: api_keys(self.api_keys, policies, &clock),
            events: services::events(&messages, &clock),
            approvals: approvals(clock.clone()),
            resends: services::resends(&messages, &clock),
            campaign_recipients: services::campaign_recipients(&messages, &clock),
            messages,
            analytics: services::analytics(&delivery_logs, &clock),
            recommendations: services::recommendations(&clock),
            log_exports: log_exports::log_exports(&delivery_logs, &clock),
            delivery_logs: DeliveryLogs::new(delivery_logs, clock.clone()),
            billing: Billing::new(wallets, prices.clone()),
            top_ups: services::top_ups(&clock),
            payment_exceptions: services::payment_exceptions(&clock),
            checkouts: services::checkouts(&organizations, &clock),
            invoices: services::invoices(&clock),
            health: services::health(clock.clone()),
            ledger: services::ledger(),
            compliance: compliance(prices.clone()),
            content: Content::by_rules(),
            imports: imports(clock.clone()),
            templates: services::templates(&clock),
            suppressions: services::suppressions(&clock),
            audit: Audit::new(Arc::new(MockAuditLog::new()), users),
            refused_calls: services::refused_calls(&clock),
            request_keys: keys::request_keys(&clock),
            campaigns: services::campaigns(&providers, &prices, &clock),
            segments: Segments::new(Arc::new(MockSegmentRepository::new()), clock.clone()),
            contact_jobs: recipients::contact_jobs(&clock),
            contacts: recipients::contacts(&clock),
            provider_health: provider_health(&providers, &clock),
            callbacks: callbacks(providers, deliveries, jobs, &clock),
            unsubscribes: recipients::unsubscribes(organizations, &clock),
            webhook_endpoints: services::webhook_endpoints(&clock),
            public_url: "https://notify.example.com".to_owned(),
            verifies_emails: false,
            trusted_proxies: self.trusted_proxies,
            background: BackgroundWork::new(tokio::runtime::Handle::current()),
            limits,
            credentials: Credentials::default(),
            cors_origins: Arc::from(self.cors_origins),
            metrics: Some(self.metrics),
            is_demo: false,
            tracer: self.tracer,
            clock,
        }
    }

    /// Returns the answer to `request`.
    async fn answer(self, request: TestRequest) -> Answer {
        LISTEN.call_once(|| {
            let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
        });
        let api = self.api();
        let app = test::init_service(app(&api, |_| {})).await;
        match test::try_call_service(&app, request.to_request()).await {
            Ok(response) => Answer::of(response).await,
            Err(error) => {
                let request = TestRequest::default().to_http_request();
                Answer::of(ServiceResponse::new(request, error.error_response())).await
            }
        }
    }
}

/// Guards the installation of a subscriber before the first span: a callsite that is passed without
/// a subscriber may be cached as disabled, also for a test that subscribes later.
static LISTEN: Once = Once::new();

fn limits(limiter: MockRateLimiter) -> Limits {
    Limits::new(Arc::new(limiter), Rates::default())
}

/// Returns timelines of messages of which nothing else is kept.
fn timelines() -> Timelines {
    let mut repository = MockTimelineRepository::new();
    repository.expect_neighbours().returning(|_| Ok(Neighbours::default()));
    repository.expect_event_deliveries().returning(|_| Ok(Vec::new()));
    Timelines::new(Arc::new(repository))
}

fn api_keys(
    repository: MockApiKeyRepository,
    policies: Policies,
    clock: &Arc<dyn Clock>,
) -> ApiKeys {
    let random = Arc::new(MockRandom::new());
    ApiKeys::new(Arc::new(repository), policies, clock.clone(), random, Arc::new(Nobody))
}

fn policies(organizations: &Arc<dyn OrganizationRepository>, clock: &Arc<dyn Clock>) -> Policies {
    let sender_names = Arc::new(MockSenderNameRepository::new());
    let mut subscriptions = MockWebhookSubscriptions::new();
    subscriptions.expect_subscribed_events().returning(|_| Ok(WebhookEvents::default()));
    let subscriptions = Arc::new(subscriptions);
    let mut traffic = MockTrafficRulesRepository::new();
    traffic.expect_rules().returning(|_| Ok(TrafficRules::default()));
    let organizations = organizations.clone();
    let traffic = Arc::new(traffic);
    let sources = PolicySources { organizations, sender_names, subscriptions, traffic };
    Policies::new(sources, SenderRule::Open, clock.clone(), Arc::new(Nobody))
}

fn sender_names(policies: &Policies, clock: &Arc<dyn Clock>) -> SenderNames {
    let repository = Arc::new(MockSenderNameRepository::new());
    SenderNames::new(repository, policies.clone(), clock.clone())
}

fn traffic_alerts(policies: &Policies, clock: &Arc<dyn Clock>) -> TrafficAlerts {
    let repository = Arc::new(MockTrafficAlertRepository::new());
    TrafficAlerts::new(repository, policies.clone(), clock.clone())
}

fn provisioning(
    organizations: &Arc<dyn OrganizationRepository>,
    wallets: &Arc<MockWalletRepository>,
    clock: &Arc<dyn Clock>,
) -> Provisioning {
    Provisioning::new(organizations.clone(), wallets.clone(), clock.clone(), Money::ZERO)
}

fn compliance(prices: Prices) -> Compliance {
    let suppressions = Arc::new(MockSuppressionRepository::new());
    Compliance::new(suppressions, Arc::new(MockApprovalRepository::new()), prices)
}

fn imports(clock: Arc<dyn Clock>) -> Imports {
    let repository = Arc::new(MockImportRepository::new());
    Imports::new(repository, Arc::new(Nobody), Bounds::none(), clock)
}

fn approvals(clock: Arc<dyn Clock>) -> Approvals {
    Approvals::new(Arc::new(MockApprovalRepository::new()), clock)
}

fn provider_health(providers: &Arc<Providers>, clock: &Arc<dyn Clock>) -> ProviderHealth {
    let registry = Arc::new(MockProviderRegistry::new());
    ProviderHealth::new(registry, providers.clone(), clock.clone())
}

fn callbacks(
    providers: Arc<Providers>,
    deliveries: Deliveries,
    jobs: Arc<MockJobs>,
    clock: &Arc<dyn Clock>,
) -> Callbacks {
    let repository = Arc::new(MockCallbackRepository::new());
    Callbacks::new(providers, deliveries, jobs, repository, clock.clone())
}

/// An answer, read to its end.
struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    async fn of(response: ServiceResponse) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = to_bytes(response.into_body()).await.unwrap();
        Self { status, headers, text: String::from_utf8_lossy(&body).into_owned() }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the code of a failure, after a check of its envelope.
    fn code(&self) -> String {
        let body = self.json();
        assert_eq!(body["success"], json!(false), "{body}");
        assert!(body["error"]["message"].is_string() && body["error"]["details"].is_object());
        assert!(self.header("x-request-id").is_some());
        let codes = &openapi()["components"]["schemas"]["ErrorCode"]["enum"];
        assert!(codes.as_array().unwrap().contains(&body["error"]["code"]), "{body}");
        body["error"]["code"].as_str().unwrap().to_owned()
    }

    fn faulty_fields(&self) -> Vec<String> {
        assert_eq!((self.status, self.code().as_str()), (400, "VALIDATION_ERROR"));
        let body = self.json();
        body["error"]["details"]["fieldErrors"].as_object().unwrap().keys().cloned().collect()
    }
}

fn user() -> User {
    User {
        id: Id::floor(NOW),
        email: "ama@example.com".into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: "secret".into(),
        platform_role: None,
        session_version: 1,
        email_verified_at: None,
        second_factor_at: None,
        created_at: NOW,
    }
}

fn key() -> ApiKey {
    ApiKey {
        id: Id::floor(NOW),
        organization: Id::floor(NOW),
        name: "test".into(),
        prefix: "ak_test_0000".into(),
        scopes: DEFAULT_SCOPES.map(str::to_owned).to_vec(),
        is_sandbox: true,
        expires_at: None,
        last_used_at: Some(NOW),
        created_at: NOW,
        created_by: None,
    }
}

fn post(path: &str, body: &Value) -> TestRequest {
    TestRequest::post().uri(path).set_json(body)
}

fn with_key(request: TestRequest) -> TestRequest {
    request.insert_header(("X-API-Key", "ak_test_0"))
}

fn with_token(request: TestRequest) -> TestRequest {
    request
        .insert_header(("Authorization", "Bearer token"))
        .insert_header(("X-Organization-Id", Id::<User>::floor(NOW).to_string()))
}

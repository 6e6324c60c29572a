//! Wiring of the use cases that serve requests and deliver messages.

mod areas;
mod caches;

use std::{sync::Arc, time::Duration};

use adapters_http::{
    Api, ApiViews, BackgroundWork, Credentials, MetricsText,
    outbound::{password::Argon2Hasher, random::SystemRandom, token::JwtIssuer},
};
use adapters_postgres::{
    PgCallbacks, PgInstance, PgIntake, PgJobs, PgMonitor, PgSegments, PgStore, PgTarget,
};
use ports::{
    audience::unsubscribes::{SubscriptionTokens, UnsubscribeLinks},
    platform::health::SharedProbe,
    shared::{clock::Clock, random::Random},
};
use tokio::runtime::Handle;
use usecases::{
    audience::{
        contacts::Contacts, imports::Imports, segments::Segments, suppressions::Suppressions,
        unsubscribes::Unsubscribes,
    },
    content::{
        approvals::Approvals, compliance::Compliance, sender_names::SenderNames,
        templates::Templates,
    },
    identity::{
        auth::{Auth, AuthDeps},
        policies::Policies,
        provisioning::Provisioning,
    },
    messaging::{
        deliveries::Deliveries,
        delivery_logs::DeliveryLogs,
        fraud_guard::FraudGuard,
        holding::Holding,
        messages::{Messages, MessagesDeps},
        resends::Resends,
        sending_windows::SendingWindows,
        timelines::Timelines,
    },
    money::{
        billing::Billing, checkouts::Checkouts, ledger::Ledger,
        payment_exceptions::PaymentExceptions, prices::Prices,
    },
    outreach::events::EventCache,
    platform::{
        analytics::Analytics, audit::Audit, health::Health, refused_calls::RefusedCalls,
        traffic::TrafficAlerts,
    },
    providers::{provider_health::ProviderHealth, provider_registry::Providers},
    shared::{bounds::Bounds, limits::Limits},
    webhooks::event_publisher::EventPublisher,
};

use self::caches::Caches;
pub(super) use self::caches::policy_sources;
use super::{
    StartError, gateway::Gateway, links, providers, shared::Shared, stores::Stores,
    webhooks::Webhooks, writing::Writing,
};
use crate::{
    config::{Config, Environment},
    delivery_pool::{DeliveryPool, Workers},
    report_relay::ReportRelay,
    secrets,
    signals::Signals,
    supervisor::Supervisor,
};

/// Service before it accepts requests.
pub(super) struct Wiring {
    /// Use cases that serve requests.
    pub(super) api: Api,
    pub(super) store: PgStore,
    pub(super) instance: PgInstance,
    pub(super) monitor: Arc<PgMonitor>,
    pub(super) providers: Arc<Providers>,
    pub(super) provisioning: Provisioning,
    pub(super) policies: Policies,
    pub(super) prices: Prices,
    pub(super) holding: Holding,
    pub(super) event_cache: EventCache,
    pub(super) probe: Arc<dyn SharedProbe>,
    pub(super) deliveries: Deliveries,
    pub(super) intake: Arc<PgIntake>,
    pub(super) jobs: Arc<PgJobs>,
    pub(super) pool: Arc<DeliveryPool>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) signals: Arc<Signals>,
    pub(super) webhooks: Webhooks,
    pub(super) links: Arc<dyn UnsubscribeLinks>,
    /// Tasks that write for requests and workers.
    pub(super) writers: Supervisor,
    pub(super) longest_call: Duration,
}

/// Dependencies that are built outside of the wiring.
pub(super) struct Outside {
    /// Tokens of unsubscribe links.
    pub(super) tokens: Arc<dyn SubscriptionTokens>,
    /// Payment gateway.
    pub(super) gateway: Gateway,
    /// Source of the current time.
    pub(super) clock: Arc<dyn Clock>,
}

/// Dependencies of the use cases.
struct UseCaseDeps<'c> {
    config: &'c Config,
    store: Arc<PgStore>,
    segments: Arc<PgSegments>,
    monitor: Arc<PgMonitor>,
    intake: Arc<PgIntake>,
    jobs: Arc<PgJobs>,
    callbacks: Arc<PgCallbacks>,
    tokens: Arc<dyn SubscriptionTokens>,
    gateway: Gateway,
    links: Arc<dyn UnsubscribeLinks>,
    providers: Arc<Providers>,
    pool: Arc<DeliveryPool>,
    deliveries: Deliveries,
    prices: Prices,
    provisioning: Provisioning,
    policies: Policies,
    holding: Holding,
    event_cache: EventCache,
    limits: Limits,
    probe: Arc<dyn SharedProbe>,
    metrics: MetricsText,
    passwords: Arc<Argon2Hasher>,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    signals: Arc<Signals>,
    webhooks: Webhooks,
}

impl Wiring {
    /// Wires a service on a database, and starts the tasks that write there. `metrics` renders its
    /// metrics.
    pub(super) fn new(
        config: &Config,
        target: &PgTarget,
        metrics: MetricsText,
        Outside { tokens, gateway, clock }: Outside,
    ) -> Result<Self, StartError> {
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let stores = Stores::connect(target, Arc::clone(&random))?;
        let store = Arc::new(stores.requests.clone());
        let ((relay, outlet), webhooks) = (ReportRelay::new(), Webhooks::new(config)?);
        let links = links::links(config, &tokens, &store, &random);
        let assembled = providers::assemble(config, Arc::new(relay), &clock, &links)?;
        let Shared { limits, probe, signals } = Shared::new(config, &*random, &webhooks.waker)?;
        let providers = caches::providers(assembled.providers, &store, &signals);
        let Caches { policies, holding, prices, events: event_cache } =
            Caches::new(&store, config.delivery.senders, &clock, &signals);
        let pool = pool(config, &providers, &holding, (&signals, &clock));
        let Writing { intake, jobs, callbacks, tasks: mut writers } =
            Writing::start(&stores, Arc::clone(&pool) as _, &clock, &*random);
        let deliveries = deliveries(&jobs, &stores.instance, &providers, (&clock, &random))
            .with_recipient_state(Arc::clone(&callbacks) as _, Arc::clone(&store) as _);
        let deliveries = ruled(deliveries, &policies, &holding, &webhooks, &clock);
        writers.spawn("report relay", outlet.run(deliveries.clone()));
        let deps = UseCaseDeps {
            config,
            prices,
            provisioning: provisioning(&store, config, &clock),
            policies: policies.clone(),
            holding: holding.clone(),
            event_cache,
            store,
            segments: Arc::new(stores.segments),
            monitor: Arc::clone(&stores.monitor),
            intake: Arc::new(intake),
            jobs: Arc::clone(&jobs),
            callbacks,
            tokens,
            gateway,
            links: Arc::clone(&links),
            providers: Arc::clone(&providers),
            pool: Arc::clone(&pool),
            deliveries: deliveries.clone(),
            limits,
            probe: Arc::clone(&probe),
            metrics,
            passwords: Arc::new(Argon2Hasher::new()),
            clock: Arc::clone(&clock),
            random,
            signals: Arc::clone(&signals),
            webhooks,
        };
        Ok(Self {
            api: deps.api()?,
            event_cache: deps.event_cache,
            store: stores.requests,
            instance: stores.instance,
            monitor: stores.monitor,
            providers,
            provisioning: deps.provisioning,
            policies,
            prices: deps.prices,
            holding,
            probe,
            deliveries,
            intake: deps.intake,
            jobs,
            pool,
            clock,
            signals,
            webhooks: deps.webhooks,
            links,
            writers,
            longest_call: assembled.longest_call,
        })
    }
}

impl UseCaseDeps<'_> {
    /// Builds all use cases of the API. A new area is added here.
    fn api(&self) -> Result<Api, StartError> {
        let (config, clients) = (self.config, &self.config.server.clients);
        let is_development = config.security.environment == Environment::Development;
        let store = || Arc::clone(&self.store);
        let clock = || Arc::clone(&self.clock);
        let bounds = || Bounds::new(Arc::clone(&self.store) as _);
        let messages = self.messages();
        Ok(Api {
            auth: self.auth(messages.clone())?,
            organization_limits: self.organization_limits(messages.clone()),
            organizations: self.organizations(),
            members: self.members(messages.clone()),
            approvals: Approvals::new(store(), store(), Arc::new(messages.clone()), clock()),
            audit: Audit::new(store(), store()),
            refused_calls: RefusedCalls::new(store(), clock()),
            request_keys: self.request_keys()?,
            api_keys: self.api_keys(),
            resends: Resends::new(store(), messages.clone(), store(), clock()),
            messages: messages.clone(),
            templates: Templates::new(store(), clock())
                .within(bounds())
                .reporting(Arc::new(self.event_cache.clone())),
            events: self.events(messages.clone()),
            delivery_logs: DeliveryLogs::new(store(), clock()),
            log_exports: self.log_exports(),
            billing: Billing::new(store(), self.prices.clone()),
            analytics: Analytics::new(store(), store(), clock()),
            recommendations: self.recommendations(),
            top_ups: self.top_ups(),
            payment_exceptions: PaymentExceptions::new(store(), store(), clock()),
            checkouts: Checkouts::new(self.gateway.simulated.clone(), store(), clock()),
            invoices: self.invoices(),
            content: self.content()?,
            ledger: Ledger::new(store()),
            compliance: Compliance::new(store(), store(), self.prices.clone()),
            imports: Imports::new(store(), clock()).within(bounds()),
            suppressions: Suppressions::new(store(), clock()).within(bounds()),
            webhook_endpoints: self.webhook_endpoints(),
            contact_jobs: self.contact_jobs(),
            contacts: Contacts::new(store(), clock()).within(bounds()),
            campaigns: self.campaigns(),
            campaign_recipients: self.campaign_recipients(messages.clone()),
            segments: Segments::new(Arc::clone(&self.segments) as _, clock()),
            sender_names: SenderNames::new(store(), self.policies.clone(), clock()),
            closings: self.closings(messages.clone()),
            tenants: self.tenants(messages.clone()),
            platform_users: self.platform_users(),
            wallet_corrections: self.wallet_corrections(),
            pricing: self.pricing(),
            scheduled_messages: self.scheduled_messages(),
            timelines: Timelines::new(store()),
            sending_windows: SendingWindows::new(store(), store(), self.holding.clone(), clock()),
            health: self.health(),
            provider_health: ProviderHealth::new(store(), Arc::clone(&self.providers), clock()),
            traffic_alerts: TrafficAlerts::new(store(), self.policies.clone(), clock()),
            callbacks: self.callbacks(),
            unsubscribes: Unsubscribes::new(Arc::clone(&self.tokens), store(), store(), clock()),
            public_url: config.server.public_url(),
            verifies_emails: config.security.email_verification,
            trusted_proxies: clients.trusted_proxies.clone(),
            background: BackgroundWork::new(Handle::current()),
            limits: self.limits.clone(),
            credentials: Credentials::default(),
            cors_origins: clients.cors_origins.clone().into(),
            metrics: is_development.then(|| Arc::clone(&self.metrics)),
            is_demo: config.is_demo,
            clock: clock(),
        })
    }

    fn messages(&self) -> Messages {
        let messages = Messages::new(MessagesDeps {
            templates: Arc::clone(&self.store) as _,
            delivery_logs: Arc::clone(&self.store) as _,
            intake: Arc::clone(&self.intake) as _,
            prices: self.prices.clone(),
            providers: Arc::clone(&self.providers),
            deliveries: self.deliveries.clone(),
            clock: Arc::clone(&self.clock),
        });
        let fraud_guard =
            FraudGuard::new(self.policies.clone(), self.config.delivery.velocity_limits);
        messages.limited_by(self.limits.clone()).refused_by(fraud_guard)
    }

    fn auth(&self, messages: Messages) -> Result<Auth, StartError> {
        let secret = self.jwt_secret()?;
        let auth = Auth::new(AuthDeps {
            users: Arc::clone(&self.store) as _,
            organizations: Arc::clone(&self.store) as _,
            policies: self.policies.clone(),
            identity: Arc::clone(&self.store) as _,
            passwords: Arc::clone(&self.passwords) as _,
            second_factors: self.second_factors(secret.as_bytes()),
            tokens: Arc::new(JwtIssuer::new(secret.as_bytes())),
            revoked_sessions: Arc::clone(&self.store) as _,
            sessions: Arc::clone(&self.store) as _,
            audit_log: Arc::clone(&self.store) as _,
            provisioning: self.provisioning.clone(),
            mailer: Arc::new(messages),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
        });
        Ok(auth.with_registration(self.config.security.registration))
    }

    fn jwt_secret(&self) -> Result<String, StartError> {
        let Config { security, storage, .. } = self.config;
        match &security.jwt_secret {
            Some(secret) => Ok(secret.clone()),
            None => secrets::keep(&storage.data_dir, "jwt-secret", &*self.random)
                .map_err(|error| format!("the JWT secret cannot be kept: {error}").into()),
        }
    }

    fn health(&self) -> Health {
        let workers = Workers { pool: Arc::clone(&self.pool), deliveries: self.deliveries.clone() };
        Health::new(
            Arc::clone(&self.monitor) as _,
            Arc::clone(&self.probe),
            Arc::new(workers),
            Arc::clone(&self.clock),
        )
    }
}

fn pool(
    config: &Config,
    providers: &Arc<Providers>,
    holding: &Holding,
    (signals, clock): (&Arc<Signals>, &Arc<dyn Clock>),
) -> Arc<DeliveryPool> {
    let (providers, clock) = (Arc::clone(providers), Arc::clone(clock));
    let (workers, holding) = (config.delivery.workers, holding.clone());
    DeliveryPool::new(workers, providers, holding, Arc::clone(signals), clock)
}

fn deliveries(
    jobs: &Arc<PgJobs>,
    instance: &PgInstance,
    providers: &Arc<Providers>,
    (clock, random): (&Arc<dyn Clock>, &Arc<dyn Random>),
) -> Deliveries {
    let (jobs, providers) = (Arc::clone(jobs), Arc::clone(providers));
    Deliveries::new(jobs, providers, Arc::clone(clock), Arc::clone(random))
        .with_own_leases(Arc::new(instance.clone()))
}

/// Makes deliveries obey the policies and holds of organizations, and publish events to them.
fn ruled(
    deliveries: Deliveries,
    policies: &Policies,
    holding: &Holding,
    webhooks: &Webhooks,
    clock: &Arc<dyn Clock>,
) -> Deliveries {
    let (views, waker) = (Arc::new(ApiViews), Arc::clone(&webhooks.waker));
    let publisher = EventPublisher::new(policies.clone(), views, waker, Arc::clone(clock));
    deliveries.screening(policies.clone()).holding_back(holding.clone()).publishing(publisher)
}

fn provisioning(store: &Arc<PgStore>, config: &Config, clock: &Arc<dyn Clock>) -> Provisioning {
    let store = || Arc::clone(store);
    Provisioning::new(store(), store(), Arc::clone(clock), config.delivery.trial_credit)
}

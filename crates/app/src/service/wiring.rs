//! Wiring of the use cases that serve requests and deliver messages.

mod areas;
mod caches;

use std::{sync::Arc, time::Duration};

use adapters_http::{
    Api, ApiViews, BackgroundWork, Credentials, MetricsText,
    outbound::{password::Argon2Hasher, random::SystemRandom},
};
use adapters_postgres::{
    PgCallbacks, PgInstance, PgIntake, PgJobs, PgMonitor, PgSegments, PgStore, PgTarget,
};
use ports::{
    audience::unsubscribes::{SubscriptionTokens, UnsubscribeLinks},
    platform::health::SharedProbe,
    shared::{clock::Clock, random::Random, traces::Tracer},
};
use tokio::runtime::Handle;
use usecases::{
    audience::{
        contacts::Contacts, imports::Imports, segments::Segments, suppressions::Suppressions,
        unsubscribes::Unsubscribes,
    },
    content::{approvals::Approvals, compliance::Compliance, sender_names::SenderNames},
    identity::{
        auth::{Auth, AuthDeps},
        policies::Policies,
        provisioning::Provisioning,
    },
    messaging::{
        deliveries::{Deliveries, DeliveriesDeps, Recipients},
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
use super::{
    StartError,
    gateway::Gateway,
    links,
    providers::{Outward, assemble},
    reloading::Reloading,
    sessions,
    shared::Shared,
    stores::Stores,
    webhooks::Webhooks,
    writing::Writing,
};
use crate::{
    background::TaskStates,
    config::{Config, Environment},
    delivery_pool::{DeliveryPool, Workers},
    report_relay::ReportRelay,
    signals::Signals,
    supervisor::Supervisor,
};

/// Service before it accepts requests.
pub(super) struct Wiring {
    /// Use cases that serve requests.
    pub(super) api: Api,
    pub(super) core: Core,
    /// Tasks that write for requests and workers.
    pub(super) writers: Supervisor,
    pub(super) longest_call: Duration,
    /// Settings that are read again while the service runs.
    pub(super) reloading: Reloading,
}

/// Parts that requests, workers and background tasks share.
pub(crate) struct Core {
    pub(crate) store: PgStore,
    pub(crate) instance: PgInstance,
    pub(crate) monitor: Arc<PgMonitor>,
    pub(crate) providers: Arc<Providers>,
    pub(crate) provisioning: Provisioning,
    pub(crate) policies: Policies,
    pub(crate) prices: Prices,
    pub(crate) holding: Holding,
    pub(crate) event_cache: EventCache,
    pub(crate) probe: Arc<dyn SharedProbe>,
    pub(crate) deliveries: Deliveries,
    pub(crate) intake: Arc<PgIntake>,
    pub(crate) jobs: Arc<PgJobs>,
    pub(crate) pool: Arc<DeliveryPool>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) signals: Arc<Signals>,
    pub(super) webhooks: Webhooks,
    pub(crate) links: Arc<dyn UnsubscribeLinks>,
    /// States of the background tasks.
    pub(super) task_states: Arc<TaskStates>,
}

/// Dependencies that are built outside of the wiring.
pub(super) struct Outside {
    /// Tokens of unsubscribe links.
    pub(super) tokens: Arc<dyn SubscriptionTokens>,
    /// Payment gateway.
    pub(super) gateway: Gateway,
    /// Source of the current time.
    pub(super) clock: Arc<dyn Clock>,
    /// Tracer of requests and messages.
    pub(super) tracer: Tracer,
    /// Key of the tokens of callbacks.
    pub(super) callback_key: Vec<u8>,
}

/// Dependencies of the use cases that serve requests.
struct UseCaseDeps<'c> {
    config: &'c Config,
    core: &'c Core,
    store: Arc<PgStore>,
    segments: Arc<PgSegments>,
    callbacks: Arc<PgCallbacks>,
    tokens: Arc<dyn SubscriptionTokens>,
    gateway: Gateway,
    limits: Limits,
    metrics: MetricsText,
    passwords: Arc<Argon2Hasher>,
    reloading: &'c Reloading,
    random: Arc<dyn Random>,
    tracer: Tracer,
}

impl Wiring {
    /// Wires a service on a database, and starts the tasks that write there. `metrics` renders its
    /// metrics.
    pub(super) fn new(
        config: &Config,
        target: &PgTarget,
        metrics: MetricsText,
        Outside { tokens, gateway, clock, tracer, callback_key }: Outside,
    ) -> Result<Self, StartError> {
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let stores = Stores::connect(target, Arc::clone(&random))?;
        let store = Arc::new(stores.requests.clone());
        let (relay, outlet) = ReportRelay::new();
        let webhooks = Webhooks::new(config)?;
        let links = links::links(config, &tokens, &store, &random);
        let Shared { limits, probe, signals } = Shared::new(config, &*random, &webhooks.waker)?;
        let sharing = caches::sharing(&store, &signals);
        let outward = Outward { reports: Arc::new(relay), sharing, callback_key };
        let assembled = assemble(config, outward, &clock, &links)?;
        let providers = assembled.providers;
        let reloading = Reloading::new(config, assembled.declared, &gateway, &clock)?;
        let caches = Caches::new(&store, config.delivery.senders, &clock, &signals);
        let pool = pool(config, &providers, &caches.holding, &signals, &clock);
        let handovers = (Arc::clone(&pool) as _, Arc::clone(&webhooks.waker) as _);
        let Writing { intake, jobs, callbacks, tasks: mut writers } =
            Writing::start(&stores, handovers, (&clock, &tracer), &*random);
        let deliveries = Deliveries::new(DeliveriesDeps {
            jobs: Arc::clone(&jobs) as _,
            own_leases: Arc::new(stores.instance.clone()),
            providers: Arc::clone(&providers),
            recipients: Some(recipients(&callbacks, &store)),
            policies: Some(caches.policies.clone()),
            holding: Some(caches.holding.clone()),
            publisher: Some(publisher(&caches.policies, &clock)),
            clock: Arc::clone(&clock),
            random: Arc::clone(&random),
            tracer: tracer.clone(),
        });
        writers.spawn("report relay", outlet.run(deliveries.clone()));
        let core = Core {
            task_states: TaskStates::new(Arc::clone(&clock)),
            provisioning: provisioning(&store, config, &clock),
            store: stores.requests,
            instance: stores.instance,
            monitor: stores.monitor,
            providers,
            policies: caches.policies,
            prices: caches.prices,
            holding: caches.holding,
            event_cache: caches.events,
            probe,
            deliveries,
            intake: Arc::new(intake),
            jobs,
            pool,
            clock,
            signals,
            webhooks,
            links,
        };
        let api = UseCaseDeps {
            config,
            core: &core,
            store,
            segments: Arc::new(stores.segments),
            callbacks,
            tokens,
            gateway,
            limits,
            metrics,
            passwords: Arc::new(Argon2Hasher::new()),
            reloading: &reloading,
            random,
            tracer,
        }
        .api()?;
        Ok(Self { api, core, writers, longest_call: assembled.longest_call, reloading })
    }
}

impl UseCaseDeps<'_> {
    fn store(&self) -> Arc<PgStore> {
        Arc::clone(&self.store)
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.core.clock)
    }

    fn bounds(&self) -> Bounds {
        Bounds::new(self.store())
    }

    /// Builds all use cases of the API. A new area is added here.
    fn api(&self) -> Result<Api, StartError> {
        let (core, config, clients) = (self.core, self.config, &self.config.server.clients);
        let is_development = config.security.environment == Environment::Development;
        let (store, clock) = (|| self.store(), || self.clock());
        let messages = self.messages();
        Ok(Api {
            auth: self.auth(messages.clone())?,
            organization_limits: self.organization_limits(messages.clone()),
            organizations: self.organizations(),
            members: self.members(messages.clone()),
            approvals: Approvals::new(store(), clock()),
            audit: Audit::new(store(), store()),
            refused_calls: RefusedCalls::new(store(), clock()),
            request_keys: self.request_keys()?,
            api_keys: self.api_keys(),
            resends: Resends::new(store(), messages.clone(), store(), clock()),
            messages: messages.clone(),
            templates: self.templates(),
            events: self.events(messages.clone()),
            delivery_logs: DeliveryLogs::new(store(), clock()),
            log_exports: self.log_exports(),
            billing: Billing::new(store(), core.prices.clone()),
            analytics: Analytics::new(store(), store(), clock()),
            recommendations: self.recommendations(),
            top_ups: self.top_ups(),
            payment_exceptions: PaymentExceptions::new(store(), store(), clock()),
            checkouts: Checkouts::new(self.gateway.simulated.clone(), store(), clock()),
            invoices: self.invoices(),
            content: self.content(),
            ledger: Ledger::new(store()),
            compliance: Compliance::new(store(), store(), core.prices.clone()),
            imports: Imports::new(store(), Arc::clone(&core.signals) as _, self.bounds(), clock()),
            suppressions: Suppressions::new(store(), self.bounds(), clock()),
            webhook_endpoints: self.webhook_endpoints(),
            contact_jobs: self.contact_jobs(),
            contacts: Contacts::new(store(), self.bounds(), clock()),
            campaigns: self.campaigns(),
            campaign_recipients: self.campaign_recipients(messages.clone()),
            segments: Segments::new(Arc::clone(&self.segments) as _, clock()),
            sender_names: SenderNames::new(store(), core.policies.clone(), clock()),
            closings: self.closings(messages.clone()),
            tenants: self.tenants(messages.clone()),
            platform_users: self.platform_users(),
            wallet_corrections: self.wallet_corrections(),
            pricing: self.pricing(),
            scheduled_messages: self.scheduled_messages(),
            timelines: Timelines::new(store()),
            sending_windows: SendingWindows::new(store(), store(), core.holding.clone(), clock()),
            health: self.health(),
            provider_health: ProviderHealth::new(store(), Arc::clone(&core.providers), clock()),
            traffic_alerts: TrafficAlerts::new(store(), core.policies.clone(), clock()),
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
            tracer: self.tracer.clone(),
            clock: clock(),
        })
    }

    fn messages(&self) -> Messages {
        let policies = self.core.policies.clone();
        let limits_velocity = self.config.delivery.velocity_limits;
        Messages::new(MessagesDeps {
            templates: self.store(),
            delivery_logs: self.store(),
            intake: Arc::clone(&self.core.intake) as _,
            prices: self.core.prices.clone(),
            providers: Arc::clone(&self.core.providers),
            deliveries: self.core.deliveries.clone(),
            clock: self.clock(),
            limits: self.limits.clone(),
            fraud_guard: Some(FraudGuard::new(policies, limits_velocity)),
            tracer: self.tracer.clone(),
        })
    }

    fn auth(&self, messages: Messages) -> Result<Auth, StartError> {
        let secret = sessions::secret(self.config, &*self.random)?;
        Ok(Auth::new(AuthDeps {
            users: self.store(),
            organizations: self.store(),
            policies: self.core.policies.clone(),
            identity: self.store(),
            passwords: Arc::clone(&self.passwords) as _,
            second_factors: self.second_factors(secret.as_bytes()),
            tokens: Arc::clone(&self.reloading.sessions) as _,
            revoked_sessions: self.store(),
            sessions: self.store(),
            audit_log: self.store(),
            provisioning: self.core.provisioning.clone(),
            mailer: Arc::new(messages),
            clock: self.clock(),
            random: Arc::clone(&self.random),
            registration: self.config.security.registration,
        }))
    }

    fn health(&self) -> Health {
        let core = self.core;
        let workers = Workers { pool: Arc::clone(&core.pool), deliveries: core.deliveries.clone() };
        Health::new(
            Arc::clone(&core.monitor) as _,
            Arc::clone(&core.probe),
            Arc::new(workers),
            Arc::clone(&core.task_states) as _,
            self.clock(),
        )
    }
}

fn pool(
    config: &Config,
    providers: &Arc<Providers>,
    holding: &Holding,
    signals: &Arc<Signals>,
    clock: &Arc<dyn Clock>,
) -> Arc<DeliveryPool> {
    let (providers, signals) = (Arc::clone(providers), Arc::clone(signals));
    let workers = config.delivery.workers;
    DeliveryPool::new(workers, providers, Some(holding.clone()), signals, Arc::clone(clock))
}

/// Returns the stores of the state of recipients.
fn recipients(callbacks: &Arc<PgCallbacks>, store: &Arc<PgStore>) -> Recipients {
    Recipients { callbacks: Arc::clone(callbacks) as _, devices: Arc::clone(store) as _ }
}

fn publisher(policies: &Policies, clock: &Arc<dyn Clock>) -> EventPublisher {
    EventPublisher::new(policies.clone(), Arc::new(ApiViews), Arc::clone(clock))
}

fn provisioning(store: &Arc<PgStore>, config: &Config, clock: &Arc<dyn Clock>) -> Provisioning {
    let store = || Arc::clone(store);
    Provisioning::new(store(), store(), Arc::clone(clock), config.delivery.trial_credit)
}

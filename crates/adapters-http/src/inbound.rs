//! The REST API.

use std::sync::Arc;

use actix_web::{
    App, Error,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web::{self, Data, ServiceConfig},
};
use ports::shared::{clock::Clock, traces::Tracer};
use usecases::{
    audience::{
        contact_jobs::ContactJobs, contacts::Contacts, imports::Imports, segments::Segments,
        suppressions::Suppressions, unsubscribes::Unsubscribes,
    },
    content::{
        approvals::Approvals, compliance::Compliance, sender_names::SenderNames,
        templates::Templates, writing::Content,
    },
    identity::{api_keys::ApiKeys, auth::Auth, members::Members, organizations::Organizations},
    messaging::{
        callbacks::Callbacks, delivery_logs::DeliveryLogs, log_exports::LogExports,
        messages::Messages, resends::Resends, scheduled_messages::ScheduledMessages,
        sending_windows::SendingWindows, timelines::Timelines,
    },
    money::{
        billing::Billing, checkouts::Checkouts, invoices::Invoices, ledger::Ledger,
        payment_exceptions::PaymentExceptions, pricing::Pricing, top_ups::TopUps,
    },
    outreach::{campaign_recipients::CampaignRecipients, campaigns::Campaigns, events::Events},
    platform::{
        analytics::Analytics, audit::Audit, closings::Closings, health::Health,
        organization_limits::OrganizationLimits, recommendations::Recommendations,
        refused_calls::RefusedCalls, request_keys::RequestKeys, tenants::Tenants,
        traffic::TrafficAlerts, users::PlatformUsers, wallet_corrections::WalletCorrections,
    },
    providers::provider_health::ProviderHealth,
    shared::limits::Limits,
    webhooks::webhook_endpoints::WebhookEndpoints,
};

mod audience;
mod content;
mod identity;
mod messaging;
mod money;
mod outreach;
mod platform;
mod providers;
mod shared;
mod webhooks;

pub use money::invoices::invoice_page;
pub use platform::edge;
pub use platform::event_views::ApiViews;
pub use platform::openapi::{openapi, postman};
pub(crate) use platform::{health::metrics_app, telemetry};
pub use shared::background::BackgroundWork;
pub use shared::credentials::Credentials;

use self::shared::endpoint::Area;
use crate::client_address::TrustedProxies;

/// Writes the metrics of this instance in the text format of Prometheus.
pub type MetricsText = Arc<dyn Fn() -> String + Send + Sync>;

/// Use cases and settings of the API. Clones share everything.
#[derive(Clone)]
pub struct Api {
    /// Operations on users and their sessions.
    pub auth: Auth,
    /// Operations on organizations.
    pub organizations: Organizations,
    /// Operations on members of organizations.
    pub members: Members,
    /// Operations on the limits of organizations.
    pub organization_limits: OrganizationLimits,
    /// Operations on API keys.
    pub api_keys: ApiKeys,
    /// Operations on messages.
    pub messages: Messages,
    /// Operations on the timelines of messages.
    pub timelines: Timelines,
    /// Operations on messages that wait.
    pub scheduled_messages: ScheduledMessages,
    /// Operations on failed messages that are sent again.
    pub resends: Resends,
    /// Operations on the delivery log.
    pub delivery_logs: DeliveryLogs,
    /// Operations on exports of the delivery log.
    pub log_exports: LogExports,
    /// Operations on wallets and prices.
    pub billing: Billing,
    /// Operations on figures about messages.
    pub analytics: Analytics,
    /// Operations on recommendations.
    pub recommendations: Recommendations,
    /// Operations on top-ups.
    pub top_ups: TopUps,
    /// Operations on payments that could not be credited.
    pub payment_exceptions: PaymentExceptions,
    /// Operations on payments at the simulated gateway.
    pub checkouts: Checkouts,
    /// Operations on invoices.
    pub invoices: Invoices,
    /// Operations on ledgers.
    pub ledger: Ledger,
    /// Operations on the health of the service.
    pub health: Health,
    /// Operations on the health of providers.
    pub provider_health: ProviderHealth,
    /// Operations on compliance.
    pub compliance: Compliance,
    /// Operations on imports.
    pub imports: Imports,
    /// Operations on sender names.
    pub sender_names: SenderNames,
    /// Operations on templates.
    pub templates: Templates,
    /// Operations on events.
    pub events: Events,
    /// Operations on approvals.
    pub approvals: Approvals,
    /// Operations on the audit log.
    pub audit: Audit,
    /// Operations on refused calls.
    pub refused_calls: RefusedCalls,
    /// Operations on idempotency keys of requests.
    pub request_keys: RequestKeys,
    /// Operations on suppression lists.
    pub suppressions: Suppressions,
    /// Operations on contacts.
    pub contacts: Contacts,
    /// Operations on jobs that delete or tag many contacts.
    pub contact_jobs: ContactJobs,
    /// Operations that write texts.
    pub content: Content,
    /// Operations on segments.
    pub segments: Segments,
    /// Operations on campaigns.
    pub campaigns: Campaigns,
    /// Operations on the recipients of campaigns.
    pub campaign_recipients: CampaignRecipients,
    /// Operations that close and restore organizations.
    pub closings: Closings,
    /// Operations of platform administrators on organizations.
    pub tenants: Tenants,
    /// Operations of platform administrators on users.
    pub platform_users: PlatformUsers,
    /// Operations of platform administrators on wallets.
    pub wallet_corrections: WalletCorrections,
    /// Operations of platform administrators on prices and plans.
    pub pricing: Pricing,
    /// Operations on sending windows.
    pub sending_windows: SendingWindows,
    /// Operations on traffic alerts.
    pub traffic_alerts: TrafficAlerts,
    /// Operations on callbacks.
    pub callbacks: Callbacks,
    /// Operations of recipients on their subscriptions.
    pub unsubscribes: Unsubscribes,
    /// Operations on webhook endpoints.
    pub webhook_endpoints: WebhookEndpoints,
    /// Base URL that others call, without a trailing slash: vendors sign it.
    pub public_url: String,
    /// True if new users are mailed a link that verifies their address.
    pub verifies_emails: bool,
    /// Work that outlives its request.
    pub background: BackgroundWork,
    /// Rate limits.
    pub limits: Limits,
    /// Cache of recent authentication results.
    pub credentials: Credentials,
    /// Origins of pages that may call the API.
    pub cors_origins: Arc<[String]>,
    /// Trusted proxies in front of the API.
    pub trusted_proxies: TrustedProxies,
    /// Writer of `/metrics`; `None` if metrics are not served beside the API.
    pub metrics: Option<MetricsText>,
    /// True if the installation is a demonstration, which its pages say.
    pub is_demo: bool,
    /// Tracer of requests.
    pub tracer: Tracer,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
}

/// Adds the pages of an adapter beside the API.
pub type Site = fn(&mut ServiceConfig);

/// Builds the application that serves the API and a site beside it: one for each worker of the server.
pub fn app(
    api: &Api,
    site: Site,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    App::new()
        .app_data(Data::new(api.clone()))
        .configure(routes)
        // Before the documentation, for a site may have the address `/`.
        .configure(site)
        .configure(platform::docs::routes)
        .default_service(web::to(platform::routing::unmatched))
        .wrap(from_fn(platform::telemetry::observe))
}

/// Returns all areas, in the order in which the document shows them.
fn areas() -> Vec<Area> {
    [
        identity::areas(),
        messaging::areas(),
        audience::areas(),
        content::areas(),
        outreach::areas(),
        webhooks::areas(),
        money::areas(),
        providers::areas(),
        platform::areas(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Addresses to which most requests go.
const BUSIEST: [&str; 3] = ["/messages/send", "/messages/bulk", "/events/trigger"];

/// Adds the endpoints of all areas. Addresses are tried in order, so the busiest are added first. Those
/// with a variable part are matched by a regular expression, so they are added last.
fn routes(config: &mut ServiceConfig) {
    let areas = areas();
    let endpoints = areas.iter().flat_map(|area| &area.endpoints);
    let (variable, mut literal): (Vec<_>, Vec<_>) =
        endpoints.partition(|endpoint| endpoint.path.contains('{'));
    literal.sort_by_key(|endpoint| !BUSIEST.contains(&endpoint.path));
    for endpoint in literal.into_iter().chain(variable) {
        endpoint.mount(config);
    }
}

#[cfg(test)]
mod tests;

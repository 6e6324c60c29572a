//! The REST API.

use std::sync::Arc;

use actix_web::{
    App, Error,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    middleware::from_fn,
    web::{self, Data, ServiceConfig},
};
use ports::clock::Clock;
use usecases::{
    analytics::Analytics, api_keys::ApiKeys, approvals::Approvals, audit::Audit, auth::Auth,
    billing::Billing, callbacks::Callbacks, campaigns::Campaigns, checkouts::Checkouts,
    compliance::Compliance, contacts::Contacts, content::Content, delivery_logs::DeliveryLogs,
    events::Events, health::Health, imports::Imports, invoices::Invoices, ledger::Ledger,
    limits::Limits, messages::Messages, organization_limits::OrganizationLimits,
    organizations::Organizations, payment_exceptions::PaymentExceptions, pricing::Pricing,
    provider_health::ProviderHealth, recommendations::Recommendations, segments::Segments,
    sender_names::SenderNames, sending_windows::SendingWindows, suppressions::Suppressions,
    templates::Templates, tenants::Tenants, top_ups::TopUps, traffic::TrafficAlerts,
    unsubscribes::Unsubscribes, webhook_endpoints::WebhookEndpoints,
};

mod accept;
mod analytics;
mod answers;
mod api_keys;
mod approvals;
mod audit;
mod auth;
mod background;
mod billing;
mod body;
mod callbacks;
mod caller;
mod campaigns;
mod checkouts;
mod compliance;
mod contacts;
mod content;
mod credentials;
mod cross_origin;
mod csv;
mod delivery_logs;
mod docs;
mod endpoint;
mod error;
mod events;
mod flow;
mod formats;
mod hang_up;
mod health;
mod html;
mod impersonation;
mod imports;
mod invoices;
mod issues;
mod json_fields;
mod ledger;
mod long_text;
mod messages;
mod openapi;
mod organization_limits;
mod organizations;
mod path_id;
mod payment_exceptions;
mod platform_admin;
mod pricing;
mod providers;
mod query;
mod rate_limits;
mod request_id;
mod revenue;
mod routing;
mod segments;
mod sender_names;
mod sending_windows;
mod suppressions;
mod telemetry;
mod templates;
mod tenants;
mod told;
mod top_ups;
mod traffic;
mod unique_json;
mod unsubscribes;
mod upload;
mod webhook_endpoints;

pub use background::BackgroundWork;
pub use credentials::Credentials;
pub(crate) use health::metrics_app;
pub use openapi::openapi;
pub use told::ApiViews;

use self::endpoint::Area;
use crate::client_address::TrustedProxies;

/// Writes the metrics of this instance in the text format of Prometheus.
pub type MetricsText = Arc<dyn Fn() -> String + Send + Sync>;

/// What the API shows. Clones share everything.
#[derive(Clone)]
pub struct Api {
    /// Operations on users and their sessions.
    pub auth: Auth,
    /// Operations on organizations.
    pub organizations: Organizations,
    /// Operations on what limits organizations.
    pub organization_limits: OrganizationLimits,
    /// Operations on API keys.
    pub api_keys: ApiKeys,
    /// Operations on messages.
    pub messages: Messages,
    /// Operations on the delivery log.
    pub delivery_logs: DeliveryLogs,
    /// Operations on money.
    pub billing: Billing,
    /// Operations on figures.
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
    /// Operations on suppression lists.
    pub suppressions: Suppressions,
    /// Operations on contacts.
    pub contacts: Contacts,
    /// Operations on texts.
    pub content: Content,
    /// Operations on segments.
    pub segments: Segments,
    /// Operations on campaigns.
    pub campaigns: Campaigns,
    /// Operations of platform administrators on organizations.
    pub tenants: Tenants,
    /// Operations of platform administrators on prices and plans.
    pub pricing: Pricing,
    /// Operations on sending windows.
    pub sending_windows: SendingWindows,
    /// Operations on alerts about codes.
    pub traffic_alerts: TrafficAlerts,
    /// Operations on callbacks.
    pub callbacks: Callbacks,
    /// Operations of recipients on their subscriptions.
    pub unsubscribes: Unsubscribes,
    /// Operations on webhook endpoints.
    pub webhook_endpoints: WebhookEndpoints,
    /// What others call, without a slash at the end: vendors sign it.
    pub public_url: String,
    /// Whether those who register are mailed a link that verifies their address.
    pub verifies_emails: bool,
    /// What goes on after its request.
    pub background: BackgroundWork,
    /// What counts requests.
    pub limits: Limits,
    /// What is remembered of credentials.
    pub credentials: Credentials,
    /// The origins of pages that may call the API.
    pub cors_origins: Arc<[String]>,
    /// The proxies that are believed about whom they speak for.
    pub trusted_proxies: TrustedProxies,
    /// What `/metrics` answers, if it is served beside the API.
    pub metrics: Option<MetricsText>,
    /// What the time is.
    pub clock: Arc<dyn Clock>,
}

/// The application that serves the API: one for each worker of the server.
pub fn app(
    api: &Api,
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
        .configure(docs::routes)
        .default_service(web::to(routing::unmatched))
        .wrap(from_fn(telemetry::observe))
}

/// All areas, in the order in which the document shows them.
fn areas() -> Vec<Area> {
    vec![
        auth::area(),
        organizations::area(),
        traffic::area(),
        organization_limits::area(),
        api_keys::area(),
        messages::area(),
        callbacks::area(),
        delivery_logs::area(),
        billing::area(),
        analytics::area(),
        top_ups::area(),
        payment_exceptions::area(),
        checkouts::area(),
        invoices::area(),
        ledger::area(),
        imports::area(),
        contacts::area(),
        compliance::area(),
        content::area(),
        segments::area(),
        campaigns::area(),
        sender_names::area(),
        events::area(),
        suppressions::area(),
        webhook_endpoints::area(),
        providers::area(),
        tenants::area(),
        revenue::area(),
        pricing::area(),
        sending_windows::area(),
        templates::area(),
        approvals::area(),
        impersonation::area(),
        audit::area(),
        unsubscribes::area(),
        health::area(),
    ]
}

/// Adds the endpoints of all areas. Addresses are tried one after the other, and one with a variable part
/// by a regular expression: so those without go first.
fn routes(config: &mut ServiceConfig) {
    let areas = areas();
    let endpoints = areas.iter().flat_map(|area| &area.endpoints);
    let (variable, literal): (Vec<_>, Vec<_>) =
        endpoints.partition(|endpoint| endpoint.path.contains('{'));
    for endpoint in literal.into_iter().chain(variable) {
        endpoint.mount(config);
    }
}

#[cfg(test)]
mod tests;

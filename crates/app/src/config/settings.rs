//! Table of all settings, with the values that hold.

use std::time::Duration;

use domain::{
    identity::user::RegistrationRule,
    shared::{money::Money, rate::Rate, retention::RetentionDays},
};
use usecases::money::invoices::InvoiceCredit;

use super::Config;
use crate::logging::LogFormat;

/// Setting of the operator.
pub(super) struct Setting {
    /// Name of the variable.
    pub(super) variable: &'static str,
    secrecy: Secrecy,
    /// Returns the value that holds; `None` if there is none, or the service chooses it.
    value: fn(&Config) -> Option<String>,
}

/// Part of a value that may be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    /// The whole value.
    Public,
    /// Nothing.
    Secret,
    /// Host, port and name of a database.
    Database,
    /// Host and port of a Redis.
    Redis,
}

/// Text that is shown instead of a secret.
pub(super) const MASK: &str = "***";

impl Setting {
    /// True if a variable with the suffix `_FILE` may name the file that has the value.
    pub(super) fn may_be_in_file(&self) -> bool {
        self.secrecy != Secrecy::Public
    }

    /// Returns the value that holds, without secrets.
    pub(super) fn held(&self, config: &Config) -> Option<String> {
        (self.value)(config).map(|value| self.shown(value))
    }

    fn shown(&self, value: String) -> String {
        let address = match self.secrecy {
            Secrecy::Public => return value,
            Secrecy::Secret => return MASK.to_owned(),
            Secrecy::Database => adapters_postgres::DatabaseAddress::of(&value)
                .map(|address| address.to_string())
                .unwrap_or_default(),
            Secrecy::Redis => adapters_redis::address(&value),
        };
        if address.is_empty() { MASK.to_owned() } else { address }
    }
}

/// Returns the settings that differ.
pub fn changed(old: &Config, new: &Config) -> Vec<&'static str> {
    let changed = SETTINGS.iter().filter(|setting| (setting.value)(old) != (setting.value)(new));
    changed.map(|setting| setting.variable).collect()
}

type Value = fn(&Config) -> Option<String>;

const fn public(variable: &'static str, value: Value) -> Setting {
    Setting { variable, secrecy: Secrecy::Public, value }
}

const fn secret(variable: &'static str, value: Value) -> Setting {
    Setting { variable, secrecy: Secrecy::Secret, value }
}

const fn address(variable: &'static str, secrecy: Secrecy, value: Value) -> Setting {
    Setting { variable, secrecy, value }
}

/// All settings, sorted by name.
pub(super) const SETTINGS: &[Setting] = &[
    public("ATUMPAN_ADMIN_EMAIL", |it| it.security.admin.as_ref().map(|admin| admin.email.clone())),
    secret("ATUMPAN_ADMIN_PASSWORD", |it| {
        it.security.admin.as_ref().map(|admin| admin.password.clone())
    }),
    public("ATUMPAN_CALLBACKS_ALLOW_PRIVATE", |it| Some(it.webhooks.allow_private.to_string())),
    secret("ATUMPAN_CALLBACK_SECRET", |it| it.security.callback_secret.clone()),
    public("ATUMPAN_CLIENT_TIMEOUT", |it| Some(seconds(it.server.clients.timeout))),
    secret("ATUMPAN_CONTENT_KEY", |it| {
        it.content.as_ref().and_then(|model| Some(model.key.as_ref()?.expose().to_owned()))
    }),
    public("ATUMPAN_CONTENT_MODEL", |it| it.content.as_ref().map(|model| model.model.clone())),
    public("ATUMPAN_CONTENT_TIMEOUT", |it| it.content.as_ref().map(|model| seconds(model.timeout))),
    public("ATUMPAN_CONTENT_URL", |it| it.content.as_ref().map(|model| model.url.clone())),
    public("ATUMPAN_CORS_ORIGINS", |it| listed(&it.server.clients.cors_origins)),
    public("ATUMPAN_DATABASE_WAIT_SECONDS", |it| Some(seconds(it.storage.database_wait))),
    public("ATUMPAN_DATA_DIR", |it| Some(it.storage.data_dir.display().to_string())),
    public("ATUMPAN_DRAIN_SECONDS", |it| Some(seconds(it.server.drain))),
    public("ATUMPAN_EMAIL_VERIFICATION", |it| Some(switch(it.security.email_verification))),
    public("ATUMPAN_EMBEDDED_DATABASE", |it| Some(switch(it.storage.database_url.is_none()))),
    public("ATUMPAN_ENV", |it| Some(it.security.environment.as_str().to_owned())),
    secret("ATUMPAN_GATEWAY_SECRET", |it| it.payments.gateway_secret.clone()),
    public("ATUMPAN_GATEWAY_URL", |it| it.payments.gateway_url.clone()),
    public("ATUMPAN_IDLE_TIMEOUT", |it| Some(seconds(it.server.clients.idle_timeout))),
    public("ATUMPAN_INVOICE_CREDIT", |it| {
        Some(match it.delivery.invoice_credit {
            InvoiceCredit::WhenPaid => "when-paid".to_owned(),
            InvoiceCredit::AtOnce(_) => "at-once".to_owned(),
        })
    }),
    public("ATUMPAN_INVOICE_CREDIT_LIMIT_GHS", |it| match it.delivery.invoice_credit {
        InvoiceCredit::WhenPaid => None,
        InvoiceCredit::AtOnce(limit) => Some(amount(limit)),
    }),
    secret("ATUMPAN_JWT_SECRET", |it| it.security.jwt_secret.clone()),
    secret("ATUMPAN_JWT_SECRET_PREVIOUS", |it| it.security.previous_jwt_secret.clone()),
    public("ATUMPAN_LIMIT_GUESTS", |it| Some(rate(it.server.clients.rates.guests))),
    public("ATUMPAN_LIMIT_LIVE", |it| Some(rate(it.server.clients.rates.live_messages))),
    public("ATUMPAN_LIMIT_REGISTRATIONS", |it| {
        Some(it.server.clients.rates.registrations.burst.to_string())
    }),
    public("ATUMPAN_LIMIT_REQUESTS", |it| Some(rate(it.server.clients.rates.requests))),
    public("ATUMPAN_LIMIT_SANDBOX", |it| Some(rate(it.server.clients.rates.sandbox_messages))),
    secret("ATUMPAN_LINK_SECRET", |it| it.security.link_secret.clone()),
    public("ATUMPAN_LISTEN", |it| Some(it.server.listen.to_string())),
    public("ATUMPAN_LOG", |it| {
        Some(match it.log {
            LogFormat::Text => "text".to_owned(),
            LogFormat::Json => "json".to_owned(),
        })
    }),
    public("ATUMPAN_MAX_CONNECTIONS", |it| Some(it.server.clients.connections.to_string())),
    public("ATUMPAN_MAX_CONNECTIONS_PER_ADDRESS", |it| {
        Some(it.server.clients.connections_per_address.to_string())
    }),
    public("ATUMPAN_METRICS_LISTEN", |it| {
        it.server.metrics_listen.map(|address| address.to_string())
    }),
    public("ATUMPAN_PROVIDERS", |it| {
        it.delivery.providers.as_ref().map(|path| path.display().to_string())
    }),
    public("ATUMPAN_PUBLIC_URL", |it| Some(it.server.public_url())),
    public("ATUMPAN_RATE_LIMITS", |it| Some(switch(it.server.rate_limits))),
    public("ATUMPAN_REGISTRATION", |it| {
        Some(match it.security.registration {
            RegistrationRule::Open => "open".to_owned(),
            RegistrationRule::Invited => "invited".to_owned(),
            RegistrationRule::Closed => "closed".to_owned(),
        })
    }),
    public("ATUMPAN_RETENTION_DAYS", |it| {
        it.storage.retention.map(RetentionDays::get).map(|days| days.to_string())
    }),
    secret("ATUMPAN_SEAL_SECRET", |it| it.security.seal_secret.clone()),
    public("ATUMPAN_SENDER_NAMES", |it| Some(it.delivery.senders.as_str().to_owned())),
    public("ATUMPAN_TRIAL_CREDIT_GHS", |it| Some(amount(it.delivery.trial_credit))),
    public("ATUMPAN_TRUSTED_PROXIES", |it| {
        Some(it.server.clients.trusted_proxies.to_string()).filter(|text| !text.is_empty())
    }),
    public("ATUMPAN_VELOCITY_LIMITS", |it| Some(switch(it.delivery.velocity_limits))),
    public("ATUMPAN_WORKERS", |it| Some(it.delivery.workers.to_string())),
    address("DATABASE_URL", Secrecy::Database, |it| it.storage.database_url.clone()),
    public("OTEL_EXPORTER_OTLP_ENDPOINT", |it| {
        it.traces.as_ref().map(|traces| traces.endpoint.clone())
    }),
    secret("OTEL_EXPORTER_OTLP_HEADERS", |it| {
        it.traces
            .as_ref()
            .map(|traces| traces.headers.clone())
            .filter(|headers| !headers.is_empty())
    }),
    public("OTEL_EXPORTER_OTLP_PROTOCOL", |it| {
        it.traces.as_ref().map(|traces| traces.protocol.clone())
    }),
    public("OTEL_SERVICE_NAME", |it| it.traces.as_ref().map(|traces| traces.service.clone())),
    public("OTEL_TRACES_SAMPLER", |it| Some(it.traces.as_ref()?.sampler_name())),
    public("OTEL_TRACES_SAMPLER_ARG", |it| Some(it.traces.as_ref()?.share())),
    address("REDIS_URL", Secrecy::Redis, |it| it.storage.redis_url.clone()),
];

fn seconds(time: Duration) -> String {
    time.as_secs().to_string()
}

fn switch(is_on: bool) -> String {
    if is_on { "on".to_owned() } else { "off".to_owned() }
}

fn listed(texts: &[String]) -> Option<String> {
    Some(texts.join(",")).filter(|text| !text.is_empty())
}

fn rate(rate: Rate) -> String {
    format!("{}/{}", rate.tokens_per_second(), rate.burst)
}

/// Returns an amount without its currency, as it is written in settings.
fn amount(money: Money) -> String {
    money.to_string().split(' ').next_back().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_sorted_and_named_once() {
        assert!(SETTINGS.windows(2).all(|pair| pair[0].variable < pair[1].variable));
    }
}

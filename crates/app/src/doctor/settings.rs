//! Settings that are unknown, without effect, or meant for trials.

use usecases::money::invoices::InvoiceCredit;

use super::{
    check::Finding,
    checks::{PRODUCTION_DECLARED, RATE_LIMITS_ON, SETTINGS_EFFECTIVE, SETTINGS_KNOWN},
    is_production,
};
use crate::config::{Config, Source};

/// Variables of single limits.
const LIMITS: [&str; 5] = [
    "ATUMPAN_LIMIT_GUESTS",
    "ATUMPAN_LIMIT_LIVE",
    "ATUMPAN_LIMIT_REGISTRATIONS",
    "ATUMPAN_LIMIT_REQUESTS",
    "ATUMPAN_LIMIT_SANDBOX",
];

/// Examines the settings as a whole.
pub(super) fn examine(source: &Source, config: &Config) -> Vec<Finding> {
    vec![known(source), effective(source, config), declared(config), limited(config)]
}

fn known(source: &Source) -> Finding {
    let unknown = source.unknown_variables();
    if unknown.is_empty() {
        return SETTINGS_KNOWN.ok("all variables are settings");
    }
    let names = unknown.iter().map(|(name, nearest)| format!("{name} (did you mean {nearest}?)"));
    let names: Vec<_> = names.collect();
    SETTINGS_KNOWN.warn(format!("variables that are no settings: {}", names.join(", ")))
}

fn effective(source: &Source, config: &Config) -> Finding {
    let is_set = |variable: &str| source.get(variable).is_some();
    let mut without_effect = Vec::new();
    let mut note = |variable: &str, needed: &str| {
        without_effect.push(format!("{variable} has no effect {needed}"));
    };
    if is_set("ATUMPAN_ADMIN_PASSWORD") && !is_set("ATUMPAN_ADMIN_EMAIL") {
        note("ATUMPAN_ADMIN_PASSWORD", "without ATUMPAN_ADMIN_EMAIL");
    }
    if is_set("ATUMPAN_CONTENT_TIMEOUT") && config.content.is_none() {
        note("ATUMPAN_CONTENT_TIMEOUT", "without ATUMPAN_CONTENT_URL");
    }
    let limit = "ATUMPAN_INVOICE_CREDIT_LIMIT_GHS";
    if is_set(limit) && matches!(config.delivery.invoice_credit, InvoiceCredit::WhenPaid) {
        note(limit, "without ATUMPAN_INVOICE_CREDIT=at-once");
    }
    let has_gateway = config.payments.gateway_url.is_some();
    if is_production(config) && is_set("ATUMPAN_GATEWAY_SECRET") && !has_gateway {
        note("ATUMPAN_GATEWAY_SECRET", "without ATUMPAN_GATEWAY_URL");
    }
    if !config.server.rate_limits {
        for variable in LIMITS.into_iter().filter(|variable| is_set(variable)) {
            note(variable, "with ATUMPAN_RATE_LIMITS=off");
        }
    }
    if without_effect.is_empty() {
        SETTINGS_EFFECTIVE.ok("all settings have an effect")
    } else {
        SETTINGS_EFFECTIVE.warn(without_effect.join("; "))
    }
}

fn declared(config: &Config) -> Finding {
    if is_production(config) {
        return PRODUCTION_DECLARED.ok("the environment is production");
    }
    let url = config.server.given_public_url.as_deref().unwrap_or_default();
    if url.starts_with("https://") {
        let message = format!("the environment is development, and others reach it at {url}");
        return PRODUCTION_DECLARED.warn(message);
    }
    if !config.server.listen.ip().is_loopback() {
        let listen = config.server.listen;
        let message = format!("the environment is development, and other machines reach {listen}");
        return PRODUCTION_DECLARED.warn(message);
    }
    PRODUCTION_DECLARED.ok("the environment is development, and only this machine reaches it")
}

fn limited(config: &Config) -> Finding {
    match (config.server.rate_limits, is_production(config)) {
        (true, _) => RATE_LIMITS_ON.ok("requests are limited"),
        (false, true) => RATE_LIMITS_ON.warn("ATUMPAN_RATE_LIMITS is off in production"),
        (false, false) => RATE_LIMITS_ON.ok("requests are not limited, which suits load tests"),
    }
}

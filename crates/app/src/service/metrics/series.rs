//! Series that exist from the start, so that the first event of each is seen as an increase.

use usecases::{
    messaging::{callbacks, deliveries, fraud_guard},
    money::top_ups,
    shared::limits::Limit,
    webhooks::endpoint_queues,
};

use super::catalogue;
use crate::signals;

/// Registers all series whose labels do not depend on settings.
pub(super) fn register() {
    catalogue::register();
    adapters_http::register_metrics();
    Limit::register_refusals();
    fraud_guard::register_refusals();
    top_ups::register_outcomes();
    endpoint_queues::register_attempts();
    signals::register();
}

/// Registers the series of a provider.
pub(super) fn register_provider(name: &str) {
    register_attempts(name);
    callbacks::register_callbacks(name);
}

/// Registers the series of the attempts to hand messages to a provider.
pub(super) fn register_attempts(name: &str) {
    deliveries::register_attempts(name);
}

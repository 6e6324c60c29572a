//! Webhooks: endpoints of organizations and the events sent to them.

pub(crate) mod subscriptions;

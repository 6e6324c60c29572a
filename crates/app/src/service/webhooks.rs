//! The calls of webhook endpoints by this instance.

use domain::{id::Id, organization::Organization};
use ports::webhooks::WebhookWakeup;
use tokio::sync::Notify;

/// Wakes those of this instance who call endpoints.
#[derive(Debug, Default)]
pub(super) struct WebhookBell(Notify);

impl WebhookWakeup for WebhookBell {
    fn wake(&self, _organization: Id<Organization>) {
        self.0.notify_one();
    }
}

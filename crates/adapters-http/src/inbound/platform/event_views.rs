//! Webhook events, as the API shows them.

use domain::messaging::message::Message;
use ports::webhooks::calls::EventViews;

use crate::inbound::messaging::messages::MessageView;

/// Shows events as the REST API does.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApiViews;

impl EventViews for ApiViews {
    fn delivery_log(&self, message: Message) -> String {
        // A view has no map with keys other than texts, so writing it cannot fail.
        serde_json::to_string(&MessageView::from(message)).unwrap_or_default()
    }
}

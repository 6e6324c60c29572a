//! Policy for the messages of an organization.
//!
//! ```
//! use domain::identity::policy::Policy;
//!
//! assert!(Policy::default().settings.suspension.is_none());
//! ```

use crate::{
    identity::{organization::Settings, traffic::TrafficRules},
    shared::{sender::UsableSenders, webhook_event::WebhookEvents},
};

/// All settings and facts about an organization that requests and workers need.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Settings for its messages.
    pub settings: Settings,
    /// Senders that its messages may have.
    pub senders: UsableSenders,
    /// Events that its webhooks are subscribed to.
    pub subscribed_events: WebhookEvents,
    /// Findings about the destinations of its messages.
    pub traffic: TrafficRules,
}

//! Kinds of events to which the webhooks of organizations subscribe.
//!
//! ```
//! use domain::shared::webhook_event::{WebhookEvent, WebhookEvents};
//!
//! let events = WebhookEvents::from_iter([WebhookEvent::WalletLow]);
//! assert!(events.contain(WebhookEvent::WalletLow));
//! assert!(!events.contain(WebhookEvent::TopUpCompleted));
//! ```

crate::closed_list! {
    /// Kind of an event, named as in webhooks.
    pub enum WebhookEvent {
        /// A message was handed to a provider, was delivered, or failed.
        MessageStatusUpdated = "message.status.updated",
        /// A recipient opted out of all messages or of advertising.
        ContactOptedOut = "contact.opted_out",
        /// A campaign ended, and none of its messages is left to be sent.
        CampaignCompleted = "campaign.completed",
        /// A campaign began to reach its audience.
        CampaignStarted = "campaign.started",
        /// All rows of an imported file are processed.
        ImportCompleted = "import.completed",
        /// A template was approved.
        TemplateApproved = "template.approved",
        /// A template was rejected.
        TemplateRejected = "template.rejected",
        /// The balance of the wallet fell below its threshold.
        WalletLow = "wallet.low",
        /// A top-up was paid and credited to the wallet.
        TopUpCompleted = "top_up.completed",
    }
    impl FromStr;
}

/// A set of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebhookEvents(u16);

impl WebhookEvents {
    /// Set of all events.
    pub const ALL: Self = Self((1 << WebhookEvent::ALL.len()) - 1);

    /// True if `event` is in the set.
    pub const fn contain(self, event: WebhookEvent) -> bool {
        self.0 & (1 << event as u8) != 0
    }
}

impl FromIterator<WebhookEvent> for WebhookEvents {
    fn from_iter<I: IntoIterator<Item = WebhookEvent>>(events: I) -> Self {
        Self(events.into_iter().fold(0, |bits, event| bits | 1 << event as u8))
    }
}

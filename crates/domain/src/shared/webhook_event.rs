//! Kinds of events to which the webhooks of organizations subscribe.

use std::str::FromStr;

/// Kind of an event, named as in webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WebhookEvent {
    /// A message was handed to a provider, was delivered, or failed.
    MessageStatusUpdated,
    /// A recipient opted out of all messages or of advertising.
    ContactOptedOut,
    /// A campaign ended, and none of its messages is left to be sent.
    CampaignCompleted,
    /// A campaign began to reach its audience.
    CampaignStarted,
    /// All rows of an imported file are processed.
    ImportCompleted,
    /// A template was approved.
    TemplateApproved,
    /// A template was rejected.
    TemplateRejected,
    /// The balance of the wallet fell below its threshold.
    WalletLow,
    /// A top-up was paid and credited to the wallet.
    TopUpCompleted,
}

impl WebhookEvent {
    /// Every event.
    pub const ALL: [Self; 9] = [
        Self::MessageStatusUpdated,
        Self::ContactOptedOut,
        Self::CampaignCompleted,
        Self::CampaignStarted,
        Self::ImportCompleted,
        Self::TemplateApproved,
        Self::TemplateRejected,
        Self::WalletLow,
        Self::TopUpCompleted,
    ];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MessageStatusUpdated => "message.status.updated",
            Self::ContactOptedOut => "contact.opted_out",
            Self::CampaignCompleted => "campaign.completed",
            Self::CampaignStarted => "campaign.started",
            Self::ImportCompleted => "import.completed",
            Self::TemplateApproved => "template.approved",
            Self::TemplateRejected => "template.rejected",
            Self::WalletLow => "wallet.low",
            Self::TopUpCompleted => "top_up.completed",
        }
    }
}

/// The text names no event of webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of {}", WebhookEvent::ALL.map(WebhookEvent::as_str).join(", "))]
pub struct UnknownWebhookEvent;

impl FromStr for WebhookEvent {
    type Err = UnknownWebhookEvent;

    fn from_str(text: &str) -> Result<Self, UnknownWebhookEvent> {
        Self::ALL.into_iter().find(|event| event.as_str() == text).ok_or(UnknownWebhookEvent)
    }
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

//! What organizations are told of by their webhooks.

/// What happened, by its name in a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutboundEvent {
    /// A recipient wants no more messages, or no more advertising.
    ContactOptedOut,
    /// A campaign has ended, and none of its messages is to be sent any more.
    CampaignCompleted,
}

impl OutboundEvent {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ContactOptedOut => "contact.opted_out",
            Self::CampaignCompleted => "campaign.completed",
        }
    }
}

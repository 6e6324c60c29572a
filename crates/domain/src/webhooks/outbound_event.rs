//! What organizations are told of by their webhooks.

use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;

use crate::{identity::organization::Organization, shared::id::Id};

/// What happened, by its name in a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WebhookEvent {
    /// A message was handed to a provider, was delivered, or failed.
    MessageStatusUpdated,
    /// A recipient wants no more messages, or no more advertising.
    ContactOptedOut,
    /// A campaign has ended, and none of its messages is to be sent any more.
    CampaignCompleted,
}

impl WebhookEvent {
    /// Every event.
    pub const ALL: [Self; 3] =
        [Self::MessageStatusUpdated, Self::ContactOptedOut, Self::CampaignCompleted];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MessageStatusUpdated => "message.status.updated",
            Self::ContactOptedOut => "contact.opted_out",
            Self::CampaignCompleted => "campaign.completed",
        }
    }
}

/// The text names no event that webhooks tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of {}", WebhookEvent::ALL.map(WebhookEvent::as_str).join(", "))]
pub struct UnknownWebhookEvent;

impl FromStr for WebhookEvent {
    type Err = UnknownWebhookEvent;

    fn from_str(text: &str) -> Result<Self, UnknownWebhookEvent> {
        Self::ALL.into_iter().find(|event| event.as_str() == text).ok_or(UnknownWebhookEvent)
    }
}

/// Some of the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WebhookEvents(u8);

impl WebhookEvents {
    /// All of them.
    pub const ALL: Self = Self((1 << WebhookEvent::ALL.len()) - 1);

    /// Whether `event` is one of them.
    pub const fn contain(self, event: WebhookEvent) -> bool {
        self.0 & (1 << event as u8) != 0
    }
}

impl FromIterator<WebhookEvent> for WebhookEvents {
    fn from_iter<I: IntoIterator<Item = WebhookEvent>>(events: I) -> Self {
        Self(events.into_iter().fold(0, |bits, event| bits | 1 << event as u8))
    }
}

/// Something that happened, as the webhooks of an organization tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundEvent {
    /// Which one this is: what receivers know it by.
    pub id: Id<OutboundEvent>,
    /// Whom it concerns.
    pub organization: Id<Organization>,
    /// What happened.
    pub event: WebhookEvent,
    /// To what it happened: events with one subject are told in their order.
    pub subject: Uuid,
    /// What is told of it, as JSON.
    pub data: String,
    /// When.
    pub at: DateTime<Utc>,
}

impl OutboundEvent {
    /// The body in which it is told, byte by byte the same each time.
    pub fn body(&self) -> String {
        let (id, organization, data) = (self.id, self.organization, &self.data);
        let event = self.event.as_str();
        let at = self.at.to_rfc3339_opts(SecondsFormat::Millis, true);
        // None of these values has a character that JSON would escape.
        format!(
            r#"{{"id":"{id}","event":"{event}","createdAt":"{at}","organizationId":"{organization}","data":{data}}}"#
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_read_by_its_name_and_sets_hold_what_was_put_into_them() {
        for event in WebhookEvent::ALL {
            assert_eq!(event.as_str().parse(), Ok(event));
            assert!(WebhookEvents::ALL.contain(event));
            assert!(!WebhookEvents::default().contain(event));
            let one: WebhookEvents = [event].into_iter().collect();
            assert!(WebhookEvent::ALL.iter().all(|it| one.contain(*it) == (*it == event)));
        }
        assert_eq!("message.sent".parse::<WebhookEvent>(), Err(UnknownWebhookEvent));
    }

    #[test]
    fn a_body_has_what_is_told_and_the_data_as_they_were_kept() {
        let event = OutboundEvent {
            id: Id::of(Uuid::from_u128(1)),
            organization: Id::of(Uuid::from_u128(2)),
            event: WebhookEvent::ContactOptedOut,
            subject: Uuid::from_u128(3),
            data: r#"{"b": 1.50, "a":"\u00e9"}"#.to_owned(),
            at: DateTime::from_timestamp(1_800_000_000, 120_000_000).unwrap(),
        };
        assert_eq!(
            event.body(),
            r#"{"id":"00000000-0000-0000-0000-000000000001","event":"contact.opted_out","#
                .to_owned()
                + r#""createdAt":"2027-01-15T08:00:00.120Z","#
                + r#""organizationId":"00000000-0000-0000-0000-000000000002","#
                + r#""data":{"b": 1.50, "a":"\u00e9"}}"#
        );
    }
}

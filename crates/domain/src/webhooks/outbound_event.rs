//! Events that are published to the webhooks of organizations.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     shared::{id::Id, webhook_event::WebhookEvent},
//!     webhooks::outbound_event::OutboundEvent,
//! };
//!
//! let at = DateTime::UNIX_EPOCH;
//! let organization = Id::new(at);
//! let event = OutboundEvent {
//!     id: Id::new_in(at, organization),
//!     organization,
//!     event: WebhookEvent::WalletLow,
//!     subject: organization.uuid(),
//!     data: "{}".to_owned(),
//!     at,
//! };
//! assert!(event.body().contains("wallet.low"));
//! ```

use std::fmt::Write;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{
    identity::organization::Organization,
    shared::{id::Id, time_text, webhook_event::WebhookEvent},
};

/// Room for what is around the data in a body.
const ENVELOPE: usize = 256;

/// An event as it is published to the webhooks of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundEvent {
    /// Identifier by which receivers know the event.
    pub id: Id<OutboundEvent>,
    /// Organization whose webhooks it is published to.
    pub organization: Id<Organization>,
    /// Kind of the event.
    pub event: WebhookEvent,
    /// Subject of the event. Events with one subject are published in their order.
    pub subject: Uuid,
    /// Data of the event, as JSON.
    pub data: String,
    /// Time of the event.
    pub at: DateTime<Utc>,
}

impl OutboundEvent {
    /// Returns the body in which it is published, identical for every attempt.
    pub fn body(&self) -> String {
        let (id, organization, data) = (self.id, self.organization, &self.data);
        let event = self.event.as_str();
        let at = time_text::to_the_millisecond(self.at);
        let mut body = String::with_capacity(ENVELOPE + data.len());
        // None of these values has a character that JSON would escape. Writing to a text cannot fail.
        let _ = write!(
            body,
            r#"{{"id":"{id}","event":"{event}","createdAt":"{at}","organizationId":"{organization}","data":{data}}}"#
        );
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::webhook_event::WebhookEvents;

    #[test]
    fn a_set_of_events_holds_what_was_put_into_it() {
        for event in WebhookEvent::ALL {
            assert!(WebhookEvents::ALL.contain(event));
            assert!(!WebhookEvents::default().contain(event));
            let one: WebhookEvents = [event].into_iter().collect();
            assert!(WebhookEvent::ALL.iter().all(|it| one.contain(*it) == (*it == event)));
        }
    }

    #[test]
    fn a_body_has_the_fields_of_the_event_and_its_data_unchanged() {
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

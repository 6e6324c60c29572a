//! Messages that are sent again.

use super::{Draft, Message, MessageRequest, Source};
use crate::{
    content::template::TemplateText,
    identity::policy::Policy,
    messaging::{
        priority::{Origin, Priority},
        resend::FailedKind,
        retry,
    },
    shared::{fault::Faults, sms},
};

/// Recipient and text of a message whose recipient was erased.
const ERASED: &str = "[erased]";

impl Message {
    /// Properties on which it depends if this message can be sent again; `None` if it has not
    /// failed.
    pub fn failed_kind(&self) -> Option<FailedKind> {
        self.delivery.failed_at()?;
        Some(FailedKind {
            code: self.delivery.failure()?.code,
            category: self.draft.category,
            validity: self.draft.validity,
            is_text_lost: self.is_confidential || self.draft.recipient.as_str() == ERASED,
        })
    }

    /// Origin of a message that repeats this one and was asked for by itself, or with many others.
    pub fn resend_origin(&self, is_one_of_many: bool) -> Origin {
        match (self.is_of_campaign(), is_one_of_many) {
            (true, _) => Origin::Campaign,
            (false, true) => Origin::Bulk,
            (false, false) => Origin::Single,
        }
    }

    /// True if it belongs to a campaign, or repeats a message of one.
    pub(super) fn is_of_campaign(&self) -> bool {
        let campaign = self.source.and_then(Source::campaign);
        campaign.is_some() || self.priority == Priority::Campaign
    }
}

impl Draft {
    /// Returns the draft of a message that repeats this one under the organization's policy. Its
    /// text stays as it was filled; `template` is the one that it came from.
    pub fn again(&self, policy: &Policy, template: Option<&TemplateText>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let request = MessageRequest {
            channel: Some(self.channel),
            to: Some(self.recipient.as_str().to_owned()),
            sender: self.sender.clone(),
            ..MessageRequest::default()
        };
        let recipient = request.recipient(self.country, policy, &mut faults);
        let destination = recipient.as_ref().map(|(_, country)| *country);
        let sender = request.sender(destination, policy, &mut faults);
        let category = template.map_or(self.category, |template| template.category);
        let draft = recipient.map(|(recipient, country)| Self {
            recipient,
            country,
            category,
            sender,
            segments: sms::segments_on(self.channel, &self.body),
            is_open: template.map_or(self.is_open, TemplateText::is_open),
            validity: self.validity.min(retry::longest_validity(category)),
            ..self.clone()
        });
        faults.require(draft)
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;
    use crate::{
        messaging::{
            delivery::{Delivery, Failure, FailureCode},
            message::Terms,
        },
        shared::{address::Address, channel::Channel, id::Id, money::Money},
    };

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn failed(origin: Origin) -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Your parcel has arrived.".into()),
            ..MessageRequest::default()
        };
        let draft = request.draft(None).unwrap();
        let terms =
            Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
        let failure = Failure::new(FailureCode::NoRoute, "no route");
        let delivery = Delivery::Failed { sent_at: None, at: NOW, failure };
        Message { delivery, ..Message::queue(Id::new(NOW), draft, origin, terms, NOW) }
    }

    #[test]
    fn a_repeated_draft_is_checked_anew_and_keeps_its_text() {
        let first = failed(Origin::Single);

        assert_eq!(first.draft.again(&Policy::default(), None).as_ref(), Ok(&*first.draft));
        let recipient = Address::stored("x".into());
        let unknown = Draft { recipient, ..(*first.draft).clone() };
        let faults = unknown.again(&Policy::default(), None).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["to"]);
    }

    #[test]
    fn a_repeated_message_of_a_campaign_counts_as_promotion() {
        let first = failed(Origin::Campaign);

        assert_eq!(first.resend_origin(false), Origin::Campaign);
        let again = Message { source: None, ..failed(first.resend_origin(true)) };
        assert_eq!(again.kinds().count(), 2);
        assert_eq!(failed(Origin::Bulk).kinds().count(), 1);
        assert_eq!(failed(Origin::Single).resend_origin(true), Origin::Bulk);
    }

    #[test]
    fn only_a_failed_message_has_a_kind_of_failure() {
        let message = failed(Origin::Single);

        assert_eq!(message.failed_kind().map(|kind| kind.code), Some(FailureCode::NoRoute));
        assert_eq!(Message { delivery: Delivery::NEW, ..message }.failed_kind(), None);
    }
}

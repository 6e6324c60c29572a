//! Holds that keep an accepted message from going now: its campaign, its organization, and quiet
//! hours.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     messaging::{
//!         hold::{CampaignHold, Hold},
//!         sending_window::QuietHours,
//!     },
//!     platform::webhook_examples::example_message,
//!     shared::id::Id,
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let message = example_message(Id::new(now), now);
//! let is_paused = (Some(CampaignHold::Paused), false);
//! assert_eq!(Hold::of(&message, is_paused, &QuietHours::default(), now), Some(Hold::Paused));
//! ```

use chrono::{DateTime, Utc};

use crate::{
    identity::organization::PLATFORM,
    messaging::{message::Message, sending_window::QuietHours},
};

/// Hold on the messages of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignHold {
    /// The campaign is paused.
    Paused,
    /// The campaign is cancelled.
    Cancelled,
}

/// Reason why a message may not go now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Its campaign is paused: it waits until the campaign resumes.
    Paused,
    /// Its campaign is cancelled: it never goes.
    Cancelled,
    /// Its organization is suspended: it waits until the organization is restored, or until the
    /// given time, when it is no longer worth sending.
    Suspended(DateTime<Utc>),
    /// It may go from the given time on.
    Until(DateTime<Utc>),
}

impl Hold {
    /// Returns what keeps a message from going at `now`, if anything does: its campaign, the
    /// suspension of its organization, or quiet hours. Quiet hours delay neither sandbox messages
    /// nor the service's own mails.
    pub fn of(
        message: &Message,
        (campaign, is_suspended): (Option<CampaignHold>, bool),
        quiet_hours: &QuietHours,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        match campaign {
            Some(CampaignHold::Paused) => return Some(Self::Paused),
            Some(CampaignHold::Cancelled) => return Some(Self::Cancelled),
            None => {}
        }
        if is_suspended {
            return (now < message.expires_at).then_some(Self::Suspended(message.expires_at));
        }
        if message.is_sandbox || message.organization == PLATFORM {
            return None;
        }
        let draft = &message.draft;
        let quiet_end =
            |at| message.kinds().filter_map(|kind| quiet_hours.end(draft.country, kind, at)).max();
        if now < message.expires_at {
            return quiet_end(now).map(Self::Until);
        }
        // Not examined before. If it could not go in all that time, it is still worth sending.
        let first = quiet_end(message.valid_from)?;
        (now < first + draft.validity).then_some(Self::Until(first))
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::{
        messaging::{
            message::{Draft, MessageRequest, Source, Terms},
            priority::Origin,
            sending_window::{SendingWindowRequest, Weekday},
        },
        shared::{category::Category, channel::Channel, country::Country, id::Id, money::Money},
    };

    fn at(time: &str) -> DateTime<Utc> {
        format!("2023-06-14T{time}Z").parse().unwrap()
    }

    /// A marketing message to Ghana, worth sending for an hour.
    fn message(accepted: DateTime<Utc>, is_sandbox: bool) -> Message {
        let request = MessageRequest {
            channel: Some(Channel::Sms),
            to: Some("0241234567".into()),
            body: Some("Akwaaba".into()),
            category: Some(Category::Marketing),
            validity: Some(3_600),
            ..MessageRequest::default()
        };
        let terms = Terms { cost: Money::ZERO, refusal: None, is_sandbox, is_confidential: false };
        let draft = request.draft(None).unwrap();
        Message::queue(Id::new(accepted), draft, Origin::Single, terms, accepted)
    }

    /// No marketing to Ghana before eight and after seven.
    fn quiet_hours() -> QuietHours {
        let request = SendingWindowRequest {
            country: Some(Country::GH),
            category: Some(Category::Marketing),
            weekdays: Some(Weekday::ALL.to_vec()),
            opens: Some("08:00".parse().unwrap()),
            closes: Some("19:00".parse().unwrap()),
            source: Some("the law".into()),
            is_active: Some(true),
            utc_offset: None,
        };
        QuietHours::outside([request.window(at("00:00:00")).unwrap()])
    }

    fn hold(message: &Message, now: DateTime<Utc>) -> Option<Hold> {
        Hold::of(message, (None, false), &quiet_hours(), now)
    }

    #[test]
    fn a_message_in_quiet_hours_waits_and_keeps_its_validity() {
        let early = message(at("05:00:00"), false);

        assert_eq!(hold(&early, at("05:00:01")), Some(Hold::Until(at("08:00:00"))));

        let put_off = early.clone().valid_from(at("08:00:00"));
        assert_eq!((put_off.valid_from, put_off.expires_at), (at("08:00:00"), at("09:00:00")));
        assert_eq!(hold(&put_off, at("08:00:00")), None);
        assert_eq!(put_off.clone().valid_from(at("08:00:00")), put_off, "it does not grow");
    }

    #[test]
    fn messages_of_a_campaign_keep_the_quiet_hours_of_promotion() {
        let night = message(at("05:00:00"), false);
        let receipt = Draft { category: Category::Transactional, ..(*night.draft).clone() };
        let receipt = Message { draft: receipt.into(), ..night };
        assert_eq!(hold(&receipt, at("05:00:01")), None);

        let source = Some(Source::Campaign(Id::new_in(at("04:00:00"), receipt.organization)));
        let of_campaign = Message { source, ..receipt };
        assert_eq!(hold(&of_campaign, at("05:00:01")), Some(Hold::Until(at("08:00:00"))));
    }

    #[test]
    fn quiet_hours_do_not_count_towards_the_validity() {
        let night = message(at("05:00:00"), false);
        for (now, expected) in [
            ("06:30:00", Some(Hold::Until(at("08:00:00")))),
            ("08:30:00", Some(Hold::Until(at("08:00:00")))),
            ("09:00:00", None),
        ] {
            assert_eq!(hold(&night, at(now)), expected, "{now}");
        }
        let day = message(at("17:00:00"), false);
        assert_eq!(hold(&day, at("20:00:00")), None, "it could go, and is too old");
    }

    #[test]
    fn rehearsals_and_the_service_s_own_mails_are_not_put_off() {
        let now = at("05:00:00");
        assert_eq!(hold(&message(now, true), now), None);
        let own = Message { organization: PLATFORM, ..message(now, false) };
        assert_eq!(hold(&own, now), None);
    }

    #[test]
    fn a_paused_or_cancelled_campaign_holds_messages_of_any_age() {
        let old = message(at("05:00:00"), false);
        let late = old.expires_at + TimeDelta::days(4);
        for (campaign, expected) in
            [(CampaignHold::Paused, Hold::Paused), (CampaignHold::Cancelled, Hold::Cancelled)]
        {
            let hold = Hold::of(&old, (Some(campaign), true), &quiet_hours(), late);
            assert_eq!(hold, Some(expected));
        }
    }

    #[test]
    fn messages_of_a_suspended_organization_wait_until_they_expire() {
        let early = message(at("05:00:00"), false);
        let hold = |message: &Message, now| Hold::of(message, (None, true), &quiet_hours(), now);

        let expected = Some(Hold::Suspended(at("06:00:00")));
        assert_eq!(hold(&early, at("05:00:01")), expected, "whatever the hour");
        assert_eq!(hold(&message(at("05:00:00"), true), at("05:00:01")), expected, "a rehearsal");
        assert_eq!(hold(&early, at("06:00:00")), None);
    }
}

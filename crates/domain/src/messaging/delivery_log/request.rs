//! Filters of the log, as they come in.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use super::LogFilter;
use crate::{
    messaging::{
        delivery::{FailureCode, Status},
        message::{CampaignId, Metadata},
    },
    shared::{address::Address, channel::Channel, country::Country, fault::Faults, text},
};

/// Time that a search by anything but recipient, campaign, status and channel looks at.
pub const SEARCHED: TimeDelta = TimeDelta::days(31);
/// Maximum length of the names of events and providers, in characters.
const MAX_NAME: usize = 100;

/// Filter for messages of the log, unchecked. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogRequest {
    /// Status of the messages.
    pub status: Option<Status>,
    /// Channel of the messages.
    pub channel: Option<Channel>,
    /// Recipient in any spelling that a send takes.
    pub recipient: Option<String>,
    /// Campaign that they belong to.
    pub campaign: Option<CampaignId>,
    /// Time from which on they were accepted.
    pub from: Option<DateTime<Utc>>,
    /// Time before which they were accepted.
    pub to: Option<DateTime<Utc>>,
    /// Slug of the event that they notify of.
    pub event: Option<String>,
    /// Provider that had them last.
    pub provider: Option<String>,
    /// Reason for which they failed, or `NO_REPORT`.
    pub error_code: Option<FailureCode>,
    /// True for messages of the sandbox, false for all others.
    pub is_sandbox: Option<bool>,
    /// Pairs that are among their metadata.
    pub metadata: BTreeMap<String, String>,
}

/// Time that a search looks at.
struct Period {
    from: Option<DateTime<Utc>>,
    to: Option<DateTime<Utc>>,
}

impl LogRequest {
    /// Checks the filter. A search by more than recipient, campaign, status and channel looks at
    /// [`SEARCHED`] from `from`, or else until `to` or `now`.
    pub fn filter(&self, now: DateTime<Utc>) -> Result<LogFilter, Faults> {
        let mut faults = Faults::default();
        let recipient = self.recipient.as_deref();
        let recipients = recipient.map(|text| recipients(text, self.channel, &mut faults));
        for (name, value) in [("event", &self.event), ("provider", &self.provider)] {
            let checked = value.as_deref().map(|value| text::line(value, MAX_NAME)).transpose();
            faults.take(name, checked);
        }
        let metadata = match Metadata::new(self.metadata.clone()) {
            Ok(metadata) => metadata,
            Err(found) => {
                for (key, faulty) in found.fields {
                    for fault in faulty {
                        faults.add(format!("metadata[{key}]"), fault);
                    }
                }
                for fault in found.form {
                    faults.add("metadata", fault);
                }
                Metadata::default()
            }
        };
        let Period { from, to } = self.period(now);
        faults.or(LogFilter {
            status: self.status,
            channel: self.channel,
            recipients,
            campaign: self.campaign,
            from,
            to,
            event: self.event.clone(),
            provider: self.provider.clone(),
            error_code: self.error_code,
            is_sandbox: self.is_sandbox,
            metadata,
        })
    }

    /// Checks the filter for failed messages that are to be sent again. They were accepted from
    /// `from`, which is required, in at most [`SEARCHED`], and before `now`.
    pub fn failures(&self, now: DateTime<Utc>) -> Result<LogFilter, Faults> {
        let mut faults = Faults::default();
        match (self.from, self.to) {
            (None, _) => faults.add("from", "is required"),
            (Some(from), _) if from >= now => faults.add("from", "must have passed"),
            (Some(from), Some(to)) if to <= from => faults.add("to", "must be after `from`"),
            (Some(from), Some(to)) if to - from > SEARCHED => {
                let days = SEARCHED.num_days();
                faults.add("to", format!("must be at most {days} days after `from`"));
            }
            (Some(_), _) => {}
        }
        let failed = Self { status: Some(Status::Failed), ..self.clone() };
        let filter = faults.check(failed.filter(now))?;
        let to = filter.to.map_or(now, |to| to.min(now));
        Ok(LogFilter { to: Some(to), ..filter })
    }

    fn period(&self, now: DateTime<Utc>) -> Period {
        let known = Self {
            status: self.status,
            channel: self.channel,
            recipient: self.recipient.clone(),
            campaign: self.campaign,
            ..Self::default()
        };
        if *self == known {
            return Period { from: None, to: None };
        }
        match (self.from, self.to) {
            (Some(from), to) => {
                let end = from + SEARCHED;
                Period { from: Some(from), to: Some(to.map_or(end, |to| to.min(end))) }
            }
            (None, to) => Period { from: Some(to.unwrap_or(now) - SEARCHED), to },
        }
    }
}

/// Returns the normalised forms of a recipient on a channel, or else on any.
fn recipients(text: &str, channel: Option<Channel>, faults: &mut Faults) -> Vec<String> {
    let channels = match channel {
        Some(channel) => vec![channel],
        None => vec![Channel::Sms, Channel::Email, Channel::Push],
    };
    let mut found: Vec<String> = Vec::new();
    for channel in channels {
        let Ok(address) = Address::parse(channel, Country::GH, text) else { continue };
        if found.iter().all(|known| known != address.as_str()) {
            found.push(address.as_str().to_owned());
        }
    }
    if found.is_empty() {
        faults.add("recipient", "is no address of the channel");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    fn days(count: i64) -> TimeDelta {
        TimeDelta::days(count)
    }

    fn period(request: &LogRequest) -> (Option<TimeDelta>, Option<TimeDelta>) {
        let filter = request.filter(now()).unwrap();
        (filter.from.map(|at| at - now()), filter.to.map(|at| at - now()))
    }

    #[test]
    fn a_recipient_a_campaign_a_status_and_a_channel_are_looked_for_in_the_whole_log() {
        let request = LogRequest {
            status: Some(Status::Failed),
            channel: Some(Channel::Sms),
            recipient: Some("0241234567".into()),
            campaign: Some(CampaignId::floor(now())),
            ..LogRequest::default()
        };

        assert_eq!(period(&request), (None, None));
        let request = LogRequest { is_sandbox: Some(false), ..request };
        assert_eq!(period(&request), (Some(days(-31)), None));
    }

    #[test]
    fn all_else_is_looked_for_in_31_days() {
        let at = |day: i64| Some(now() + days(day));
        let within = |from, to| period(&LogRequest { from, to, ..LogRequest::default() });

        assert_eq!(within(at(-90), None), (Some(days(-90)), Some(days(-59))));
        assert_eq!(within(at(-90), at(-80)), (Some(days(-90)), Some(days(-80))));
        assert_eq!(within(at(-90), at(-1)), (Some(days(-90)), Some(days(-59))));
        assert_eq!(within(None, at(-40)), (Some(days(-71)), Some(days(-40))));
    }

    #[test]
    fn failures_are_looked_for_from_a_time_on_in_31_days() {
        let at = |day: i64| Some(now() + days(day));
        let looked_at = |from, to| {
            let request = LogRequest { from, to, ..LogRequest::default() };
            let filter = request.failures(now()).unwrap();
            assert_eq!(filter.status, Some(Status::Failed));
            (filter.from, filter.to)
        };
        let faulty = |from, to| {
            let request = LogRequest { from, to, ..LogRequest::default() };
            let faults = request.failures(now()).unwrap_err();
            faults.fields.into_keys().collect::<Vec<_>>()
        };

        assert_eq!(looked_at(at(-7), None), (at(-7), at(0)));
        assert_eq!(looked_at(at(-7), at(1)), (at(-7), at(0)));
        assert_eq!(looked_at(at(-365), None), (at(-365), at(-334)));
        assert_eq!(faulty(None, None), ["from"]);
        assert_eq!(faulty(at(-365), at(0)), ["to"]);
        assert_eq!(faulty(at(-7), at(-7)), ["to"]);
        assert_eq!(faulty(at(0), at(1)), ["from"]);
    }

    #[test]
    fn a_recipient_is_found_in_any_spelling_that_a_send_takes() {
        let recipients = |text: &str, channel| {
            let request =
                LogRequest { recipient: Some(text.into()), channel, ..LogRequest::default() };
            request.filter(now()).map(|filter| filter.recipients.unwrap())
        };

        for text in ["0241234567", "+233 24 123 4567", "233241234567"] {
            let found = recipients(text, Some(Channel::WhatsApp));
            assert_eq!(found, Ok(vec!["+233241234567".to_owned()]), "{text}");
            let found = recipients(text, None).unwrap();
            assert!(found.contains(&"+233241234567".to_owned()), "{found:?}");
        }
        let mail = recipients("ama@example.com", None);
        assert_eq!(mail, Ok(vec!["ama@example.com".to_owned()]));
        let faults = recipients("ama@example.com", Some(Channel::Sms)).unwrap_err();
        assert_eq!(faults.fields.into_keys().collect::<Vec<_>>(), ["recipient"]);
    }

    #[test]
    fn every_unfit_text_is_named() {
        let request = LogRequest {
            event: Some("order\0".into()),
            provider: Some("p".repeat(MAX_NAME + 1)),
            metadata: [("order".to_owned(), "a\nb".to_owned())].into(),
            ..LogRequest::default()
        };

        let faults = request.filter(now()).unwrap_err();

        let fields: Vec<_> = faults.fields.into_keys().collect();
        assert_eq!(fields, ["event", "metadata[order]", "provider"]);
    }
}

//! Requests to send many failed messages again.

use chrono::{DateTime, TimeDelta, Utc};

use super::ResendFilter;
use crate::{
    messaging::{delivery::FailureCode, delivery_log, message::CampaignId},
    shared::{channel::Channel, fault::Faults, text},
};

/// Maximum time between the first and the last message.
pub const MAX_SPAN: TimeDelta = TimeDelta::days(31);

/// Filter for failed messages as it came in, unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResendRequest {
    /// Time from which on they were accepted. Required.
    pub from: Option<DateTime<Utc>>,
    /// Time before which they were accepted; now, or [`MAX_SPAN`] after `from`, if absent.
    pub to: Option<DateTime<Utc>>,
    /// Recipient in any spelling that a send takes.
    pub recipient: Option<String>,
    /// Channel.
    pub channel: Option<Channel>,
    /// Campaign that they belong to.
    pub campaign: Option<CampaignId>,
    /// Provider that had them last.
    pub provider: Option<String>,
    /// Reason for the failure.
    pub error_code: Option<FailureCode>,
    /// True for messages of the sandbox, false for all others; the caller's mode if absent.
    pub is_sandbox: Option<bool>,
}

impl ResendRequest {
    /// Returns the filter for the messages until `now`. A caller in the sandbox reaches only
    /// messages of the sandbox.
    pub fn filter(
        &self,
        is_caller_in_sandbox: bool,
        now: DateTime<Utc>,
    ) -> Result<ResendFilter, Faults> {
        let mut faults = Faults::default();
        let is_sandbox = self.is_sandbox.unwrap_or(is_caller_in_sandbox);
        if is_caller_in_sandbox && !is_sandbox {
            faults.add("isSandbox", "must be true with a key of the sandbox");
        }
        if let Some(provider) = &self.provider {
            faults.take("provider", text::without_nul(provider));
        }
        let recipients = self.recipient.as_deref();
        let recipients =
            recipients.map(|text| delivery_log::recipients(text, self.channel, &mut faults));
        let Some(from) = self.from else {
            faults.add("from", "is required");
            return Err(faults);
        };
        let to = match self.to {
            Some(to) if to - from > MAX_SPAN => {
                let days = MAX_SPAN.num_days();
                faults.add("to", format!("must be at most {days} days after `from`"));
                to
            }
            Some(to) => to,
            None => now.min(from + MAX_SPAN),
        };
        if to <= from {
            faults.add(if self.to.is_some() { "to" } else { "from" }, "leaves no time between");
        }
        faults.or(ResendFilter {
            from,
            to: to.min(now),
            recipients,
            channel: self.channel,
            campaign: self.campaign,
            provider: self.provider.clone(),
            error_code: self.error_code,
            is_sandbox,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }

    fn faults(request: &ResendRequest, is_caller_in_sandbox: bool) -> Vec<String> {
        let faults = request.filter(is_caller_in_sandbox, now()).unwrap_err();
        faults.fields.into_keys().collect()
    }

    #[test]
    fn a_filter_begins_at_a_time_and_spans_at_most_31_days() {
        let from = Some(now() - TimeDelta::days(7));
        let week = ResendRequest { from, ..ResendRequest::default() };
        let year = ResendRequest { from: Some(now() - TimeDelta::days(365)), ..week.clone() };

        assert_eq!(week.filter(false, now()).unwrap().to, now());
        assert_eq!(year.filter(false, now()).unwrap().to, now() - TimeDelta::days(334));
        assert_eq!(faults(&ResendRequest::default(), false), ["from"]);
        assert_eq!(faults(&ResendRequest { to: Some(now()), ..year }, false), ["to"]);
        assert_eq!(faults(&ResendRequest { to: week.from, ..week }, false), ["to"]);
        let future = ResendRequest { from: Some(now()), ..ResendRequest::default() };
        assert_eq!(faults(&future, false), ["from"]);
    }

    #[test]
    fn a_recipient_is_found_in_any_spelling() {
        let from = Some(now() - TimeDelta::days(1));
        let recipient = Some("024 123 4567".to_owned());
        let request = ResendRequest { from, recipient, ..ResendRequest::default() };

        let found = request.filter(false, now()).unwrap().recipients.unwrap();
        assert!(found.contains(&"+233241234567".to_owned()), "{found:?}");
        let mail = ResendRequest { channel: Some(Channel::Email), ..request };
        assert_eq!(faults(&mail, false), ["recipient"]);
    }

    #[test]
    fn a_key_of_the_sandbox_reaches_only_the_sandbox() {
        let from = Some(now() - TimeDelta::days(1));
        let request = ResendRequest { from, ..ResendRequest::default() };

        assert!(request.filter(true, now()).unwrap().is_sandbox);
        assert!(!request.filter(false, now()).unwrap().is_sandbox);
        let live = ResendRequest { is_sandbox: Some(false), ..request };
        assert_eq!(faults(&live, true), ["isSandbox"]);
    }
}

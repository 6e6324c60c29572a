//! Filters of the log, as addresses and forms have them.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use domain::identity::permission::Permission;
use domain::messaging::delivery::{FailureCode, Status};
use domain::messaging::delivery_log::LogRequest;
use domain::messaging::message::CampaignId;
use domain::outreach::event::EventFilter;
use domain::shared::channel::Channel;
use domain::shared::fault::Faults;
use domain::shared::page::Page;
use usecases::Error;

use crate::formats::Formats;
use crate::frame::{Choice, Labels, Visit};

/// Names of the filters, with their labels.
pub(super) const LABELS: Labels = &[
    ("recipient", "Recipient"),
    ("status", "Status"),
    ("channel", "Channel"),
    ("reason", "Reason"),
    ("campaign", "Campaign"),
    ("event", "Event"),
    ("from", "From"),
    ("to", "Until"),
];

/// Number of campaigns and of events that can be chosen from a list; others come by a link.
const LISTED: i64 = 25;
/// Years of which the log may have messages.
const YEARS: RangeInclusive<i32> = 1970..=9999;

/// Day or time that bounds a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Day(NaiveDate),
    Time(DateTime<Utc>),
}

/// Reads the filters. `value` returns the value of a name; `None` if it is blank.
pub(crate) fn read(
    value: impl Fn(&str) -> Option<String>,
    formats: &Formats,
) -> Result<LogRequest, Faults> {
    let mut faults = Faults::default();
    let from = bound("from", &value, formats, &mut faults).map(|from| from.beginning(formats));
    let to = bound("to", &value, formats, &mut faults).map(|to| to.end(formats));
    if from.zip(to).is_some_and(|(from, to)| to <= from) {
        faults.add("to", "must not be before the first day");
    }
    let request = LogRequest {
        status: parsed("status", &value, &mut faults),
        channel: parsed("channel", &value, &mut faults),
        recipient: value("recipient"),
        campaign: parsed("campaign", &value, &mut faults),
        from,
        to,
        event: value("event"),
        error_code: parsed("reason", &value, &mut faults),
        ..LogRequest::default()
    };
    faults.or(request)
}

fn parsed<T: FromStr<Err: Display>>(
    name: &str,
    value: impl Fn(&str) -> Option<String>,
    faults: &mut Faults,
) -> Option<T> {
    faults.take(name, value(name)?.parse())
}

fn bound(
    name: &str,
    value: impl Fn(&str) -> Option<String>,
    formats: &Formats,
    faults: &mut Faults,
) -> Option<Bound> {
    let text = value(name)?;
    let day = text.parse().ok().map(Bound::Day);
    let bound = day.or_else(|| formats.parse_time(&text).map(Bound::Time));
    let bound = bound.filter(|bound| YEARS.contains(&bound.year()));
    faults.take(name, bound.ok_or("must be a day"))
}

impl Bound {
    fn year(self) -> i32 {
        match self {
            Self::Day(day) => day.year(),
            Self::Time(time) => time.year(),
        }
    }

    /// Returns the first time within.
    fn beginning(self, formats: &Formats) -> DateTime<Utc> {
        match self {
            Self::Day(day) => formats.start_of(day),
            Self::Time(time) => time,
        }
    }

    /// Returns the first time after it. A day counts as a whole.
    fn end(self, formats: &Formats) -> DateTime<Utc> {
        match self {
            Self::Day(day) => formats.start_of(day.succ_opt().unwrap_or(day)),
            Self::Time(time) => time,
        }
    }
}

pub(super) fn statuses() -> Vec<Choice> {
    Choice::after("Any status", Choice::of_all(Status::ALL, Status::as_str))
}

pub(crate) fn channels() -> Vec<Choice> {
    Choice::after("Any channel", Choice::of_all(Channel::ALL, Channel::as_str))
}

/// Returns the reasons for failures to choose from, by their words.
pub(crate) fn reasons() -> Vec<Choice> {
    let mut reasons = Choice::of_all(FailureCode::ALL, FailureCode::as_str);
    reasons.sort_by(|one, other| one.label.cmp(&other.label));
    Choice::after("Any reason", reasons)
}

/// Returns the newest campaigns to choose from, with the one that is chosen.
pub(super) async fn campaigns(visit: &Visit, chosen: Option<&str>) -> Result<Vec<Choice>, Error> {
    let campaigns = &visit.api().campaigns;
    let newest = campaigns.page(&visit.caller, Page::new(None, Some(LISTED))?).await?.items;
    let newest = newest.into_iter().map(|it| (it.campaign.id.to_string(), it.campaign.name));
    let mut listed = listed("Any campaign", newest);
    let chosen = chosen.filter(|chosen| listed.iter().all(|choice| choice.value != *chosen));
    let chosen: Option<CampaignId> = chosen.and_then(|chosen| chosen.parse().ok());
    if let Some(id) = chosen {
        let label = match campaigns.get(&visit.caller, id).await {
            Ok(found) => found.campaign.name,
            Err(Error::NotFound(_)) => "Unknown campaign".to_owned(),
            Err(error) => return Err(error),
        };
        listed.push(Choice::new(id.to_string(), label));
    }
    Ok(listed)
}

/// Returns events to choose from, with the one that is chosen; none for those who may not see events.
pub(super) async fn events(visit: &Visit, chosen: Option<&str>) -> Result<Vec<Choice>, Error> {
    let mut events = Vec::new();
    if visit.may(Permission::ReadEvents) {
        let page = Page::new(None, Some(LISTED))?;
        let found =
            visit.api().events.page(&visit.caller, EventFilter::default(), page).await?.items;
        events.extend(found.into_iter().map(|it| (it.event.slug, it.event.name)));
    }
    let mut listed = listed("Any event", events);
    if let Some(chosen) = chosen
        && listed.iter().all(|choice| choice.value != chosen)
    {
        listed.push(Choice::new(chosen, chosen));
    }
    Ok(listed)
}

fn listed(any: &str, named: impl IntoIterator<Item = (String, String)>) -> Vec<Choice> {
    Choice::after(any, named.into_iter().map(|(value, label)| Choice::new(value, label)))
}

#[cfg(test)]
mod tests {
    use domain::shared::country::Country;

    use super::*;

    fn read_in(zone: &str, pairs: &[(&str, &str)]) -> Result<LogRequest, Faults> {
        let formats = Formats::new(zone, Country::GH, DateTime::UNIX_EPOCH);
        let value = |name: &str| {
            let pair = pairs.iter().find(|(known, _)| *known == name);
            pair.map(|(_, value)| (*value).to_owned())
        };
        read(value, &formats)
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn days_are_whole_and_those_of_the_time_zone() {
        let request = read_in("Africa/Lagos", &[("from", "2026-11-25"), ("to", "2026-11-26")]);

        let LogRequest { from, to, .. } = request.unwrap();
        assert_eq!(from, Some(at("2026-11-24T23:00:00Z")));
        assert_eq!(to, Some(at("2026-11-26T23:00:00Z")));
    }

    #[test]
    fn a_time_is_taken_as_it_is() {
        let request = read_in("Africa/Accra", &[("from", "2026-11-25T14:05")]);

        assert_eq!(request.unwrap().from, Some(at("2026-11-25T14:05:00Z")));
    }

    #[test]
    fn filters_are_read_by_their_names() {
        let request = read_in(
            "Africa/Accra",
            &[
                ("status", "FAILED"),
                ("channel", "SMS"),
                ("reason", "UNDELIVERED"),
                ("recipient", "024 123 4567"),
                ("event", "order"),
            ],
        );

        let request = request.unwrap();
        assert_eq!((request.status, request.channel), (Some(Status::Failed), Some(Channel::Sms)));
        assert_eq!(request.error_code, Some(FailureCode::Undelivered));
        assert_eq!(request.recipient.as_deref(), Some("024 123 4567"));
        assert_eq!(request.event.as_deref(), Some("order"));
    }

    #[test]
    fn all_filters_that_make_no_sense_are_named() {
        for (pairs, faulty) in [
            (&[("from", "yesterday"), ("to", "+99999-01-01")][..], &["from", "to"][..]),
            (&[("from", "2026-11-26"), ("to", "2026-11-25")][..], &["to"][..]),
            (&[("status", "lost"), ("campaign", "7")][..], &["campaign", "status"][..]),
        ] {
            let faults = read_in("Africa/Accra", pairs).unwrap_err();
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), faulty, "{pairs:?}");
        }
    }
}

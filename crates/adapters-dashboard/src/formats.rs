//! Formats of the pages: money, counts, sizes, durations, times and phone numbers as people write
//! them.

mod argument;
mod beginnings;
mod durations;
mod numbers;
mod phones;
mod times;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::shared::{country::Country, money::Money};

use self::argument::Argument;
pub(crate) use self::{beginnings::beginning, numbers::count, times::Moment};

/// Formats for one request: those of an organization, at the present time.
///
/// Templates call its methods, as in `{{ f.money(price) }}`, with a value or a reference to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Formats {
    zone: Tz,
    country: Country,
    now: DateTime<Utc>,
}

/// Formats that depend on the organization or on the present time.
impl Formats {
    /// Creates the formats for a time zone, as named in the IANA database, and for a country, whose
    /// phone numbers are written without calling code. A zone that is not known is UTC.
    pub(crate) fn new(zone: &str, country: Country, now: DateTime<Utc>) -> Self {
        Self { zone: zone.parse().unwrap_or(Tz::UTC), country, now }
    }

    pub(crate) const fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Returns the name of the time zone at present: `GMT`, or `UTC+3` if it has none.
    pub(crate) fn zone(&self) -> String {
        times::zone_name(&self.now.with_timezone(&self.zone))
    }

    /// Returns a time to the minute: `today at 14:05 GMT`, `yesterday at 14:05 GMT`, `tomorrow at
    /// 14:05 GMT`, or `26 November 2026 at 14:05 GMT`.
    pub(crate) fn time(&self, at: impl Argument<DateTime<Utc>>) -> Moment {
        times::time(at.value(), self.zone, self.now)
    }

    /// Returns a time to the second, for timelines: `26 November 2026 at 14:05:09 GMT`.
    pub(crate) fn exact_time(&self, at: impl Argument<DateTime<Utc>>) -> Moment {
        times::exact_time(at.value(), self.zone)
    }

    /// Returns the distance of a time from now: `2 minutes ago`, `in 3 days`, `just now`.
    pub(crate) fn distance(&self, at: impl Argument<DateTime<Utc>>) -> Moment {
        times::distance(at.value(), self.zone, self.now)
    }

    /// Returns the day of a time: `26 November 2026`.
    pub(crate) fn date(&self, at: impl Argument<DateTime<Utc>>) -> Moment {
        times::date(at.value(), self.zone)
    }

    /// Returns the time at which a day begins.
    pub(crate) fn start_of(&self, day: impl Argument<NaiveDate>) -> DateTime<Utc> {
        times::start_of(day.value(), self.zone)
    }

    /// Returns a time as the value of a field for date and time: `2026-11-26T14:05`.
    pub(crate) fn field_time(&self, at: impl Argument<DateTime<Utc>>) -> String {
        times::field_time(at.value(), self.zone)
    }

    /// Parses the value of a field for date and time; `None` if it is no time. A time that clocks
    /// show twice is the earlier one, and one that they leave out is an hour later.
    pub(crate) fn parse_time(&self, text: &str) -> Option<DateTime<Utc>> {
        times::parse_time(text, self.zone)
    }

    /// Returns a recipient as people write it: a phone number of the own country as `024 123 4567`,
    /// one of another country as `+234 803 123 4567`, and anything else unchanged.
    pub(crate) fn phone(&self, recipient: &str) -> String {
        phones::phone(recipient, self.country)
    }
}

/// Formats that are the same for everybody.
#[expect(clippy::unused_self, reason = "templates call them like the other formats")]
impl Formats {
    /// Returns an amount with thousands separators and two to four decimals: `GHS 1,234.50`,
    /// `GHS 0.035`. Smaller fractions are rounded.
    pub(crate) fn money(&self, amount: impl Argument<Money>) -> String {
        numbers::money(amount.value())
    }

    /// Returns a number with thousands separators: `12,345`.
    pub(crate) fn count(&self, number: impl Argument<u64>) -> String {
        numbers::count(number.value())
    }

    /// Returns a part of a whole, with one decimal: `97.2 %`; a dash if the whole is zero.
    pub(crate) fn percent(&self, part: impl Argument<u64>, whole: impl Argument<u64>) -> String {
        numbers::percent(part.value(), whole.value())
    }

    /// Returns a number of bytes as the size of a file: `640 bytes`, `1.5 kB`, `12.0 MB`.
    pub(crate) fn size(&self, bytes: impl Argument<u64>) -> String {
        numbers::size(bytes.value())
    }

    /// Returns a duration in its two largest units: `2 minutes`, `1 hour and 5 minutes`.
    pub(crate) fn duration(&self, duration: impl Argument<TimeDelta>) -> String {
        durations::in_words(duration.value())
    }

    /// Returns the day of a chart: `26 Nov`.
    pub(crate) fn day(&self, day: impl Argument<NaiveDate>) -> String {
        times::day(day.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    #[test]
    fn a_format_takes_a_value_or_a_reference_to_it() {
        let formats = Formats::new("Africa/Accra", Country::GH, NOW);
        let price = Money::from_cedis(12);

        assert_eq!(formats.money(price), "GHS 12.00");
        let by_reference = [&price].iter().map(|price| formats.money(price)).collect::<Vec<_>>();
        assert_eq!(by_reference, ["GHS 12.00"]);
        assert_eq!(formats.time(NOW).text, "today at 00:00 GMT");
    }

    #[test]
    fn times_are_in_utc_if_the_zone_is_not_known() {
        let formats = Formats::new("Atlantis", Country::GH, NOW);
        assert_eq!(formats.zone(), "UTC");
    }
}

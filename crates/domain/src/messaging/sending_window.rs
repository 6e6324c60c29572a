//! Sending windows: the hours in which messages of a category may go to a country. The hours
//! between them are quiet hours.
//!
//! ```
//! use chrono::{DateTime, TimeDelta};
//! use domain::messaging::sending_window::{Weekday, WeeklyHours};
//!
//! let hours = WeeklyHours {
//!     weekdays: Weekday::ALL.to_vec(),
//!     opens: "08:00".parse().unwrap(),
//!     closes: "20:00".parse().unwrap(),
//!     utc_offset: "+00:00".parse().unwrap(),
//! };
//! let midnight = DateTime::UNIX_EPOCH;
//! assert_eq!(hours.opening(midnight), Some(midnight + TimeDelta::hours(8)));
//! ```

mod hours;
mod quiet_hours;

use chrono::{DateTime, Utc};

pub use self::{
    hours::{InvalidTime, InvalidUtcOffset, TimeOfDay, UtcOffset, Weekday, WeeklyHours},
    quiet_hours::QuietHours,
};
use crate::shared::{
    category::Category,
    country::Country,
    fault::Faults,
    id::{Id, Unowned},
    text,
};

/// Hours in which messages of a category may go to a country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendingWindow {
    /// Identifier.
    pub id: Id<SendingWindow>,
    /// The recipients' country.
    pub country: Country,
    /// Category of the messages.
    pub category: Category,
    /// Hours in which they may go.
    pub hours: WeeklyHours,
    /// Rule that it follows, for people.
    pub source: String,
    /// True if the window applies. Without an active window, messages may always go.
    pub is_active: bool,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

impl Unowned for SendingWindow {}

/// Request to create a window or to change one, before any check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SendingWindowRequest {
    /// The recipients' country. Required.
    pub country: Option<Country>,
    /// Category of the messages. Required.
    pub category: Option<Category>,
    /// Days on which it opens. Required.
    pub weekdays: Option<Vec<Weekday>>,
    /// Time at which it opens. Required.
    pub opens: Option<TimeOfDay>,
    /// Time at which it closes, on the next day if that is not after `opens`. Required.
    pub closes: Option<TimeOfDay>,
    /// Offset of the country's clocks from UTC; zero if absent.
    pub utc_offset: Option<UtcOffset>,
    /// Rule that it follows. Required.
    pub source: Option<String>,
    /// True if the window applies; false if absent.
    pub is_active: Option<bool>,
}

/// Maximum length of a source, in characters.
const MAX_SOURCE: usize = 500;

impl SendingWindowRequest {
    /// Returns the requested window. Fails if a field is missing or wrong.
    pub fn window(self, now: DateTime<Utc>) -> Result<SendingWindow, Faults> {
        self.checked(Id::new(now), now)
    }

    /// Returns `window` with the requested changes. Absent fields stay as they are.
    pub fn apply(self, window: &SendingWindow) -> Result<SendingWindow, Faults> {
        let hours = &window.hours;
        let whole = Self {
            country: self.country.or(Some(window.country)),
            category: self.category.or(Some(window.category)),
            weekdays: self.weekdays.or_else(|| Some(hours.weekdays.clone())),
            opens: self.opens.or(Some(hours.opens)),
            closes: self.closes.or(Some(hours.closes)),
            utc_offset: self.utc_offset.or(Some(hours.utc_offset)),
            source: self.source.or_else(|| Some(window.source.clone())),
            is_active: self.is_active.or(Some(window.is_active)),
        };
        whole.checked(window.id, window.created_at)
    }

    fn checked(
        self,
        id: Id<SendingWindow>,
        created_at: DateTime<Utc>,
    ) -> Result<SendingWindow, Faults> {
        let mut faults = Faults::default();
        let country = required("countryCode", self.country, &mut faults);
        let category = required("category", self.category, &mut faults);
        if category.is_some_and(Category::is_urgent) {
            faults.add("category", "must not be OTP or ALERT: what is urgent does not wait");
        }
        let weekdays = required("weekdays", self.weekdays, &mut faults);
        let opens = required("opens", self.opens, &mut faults);
        let closes = required("closes", self.closes, &mut faults);
        let hours = weekdays.zip(opens.zip(closes)).and_then(|(weekdays, (opens, closes))| {
            let utc_offset = self.utc_offset.unwrap_or_default();
            let hours = WeeklyHours { weekdays, opens, closes, utc_offset };
            hours.checked().map_err(|found| faults.merge("", found)).ok()
        });
        let source = required("source", self.source, &mut faults);
        let source = source.and_then(|text| faults.take("source", text::line(&text, MAX_SOURCE)));
        let window = || {
            Some(SendingWindow {
                id,
                country: country?,
                category: category?,
                hours: hours?,
                source: source?,
                is_active: self.is_active.unwrap_or_default(),
                created_at,
            })
        };
        let window = window();
        faults.require(window)
    }
}

fn required<T>(path: &str, value: Option<T>, faults: &mut Faults) -> Option<T> {
    if value.is_none() {
        faults.add(path, "is required");
    }
    value
}

#[cfg(test)]
mod tests;

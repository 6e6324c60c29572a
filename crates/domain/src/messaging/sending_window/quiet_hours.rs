//! Hours outside all active windows of a country and category.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::{SendingWindow, WeeklyHours};
use crate::shared::{category::Category, country::Country};

/// Hours in which messages must not go, by country and category.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuietHours {
    windows: HashMap<(Country, Category), Vec<WeeklyHours>>,
}

impl QuietHours {
    /// Returns the quiet hours outside the given windows.
    pub fn outside(windows: impl IntoIterator<Item = SendingWindow>) -> Self {
        let mut quiet = Self::default();
        for window in windows.into_iter().filter(|window| window.is_active) {
            let hours = quiet.windows.entry((window.country, window.category)).or_default();
            hours.push(window.hours);
        }
        quiet
    }

    /// True if there are none at all.
    pub fn is_empty(&self) -> bool {
        self.windows.is_empty()
    }

    /// Returns the end of the quiet hours in which `at` lies; `None` if it lies in none.
    pub fn end(
        &self,
        country: Country,
        category: Category,
        at: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let windows = self.windows.get(&(country, category))?;
        let opening = windows.iter().filter_map(|hours| hours.opening(at)).min()?;
        (opening > at).then_some(opening)
    }
}

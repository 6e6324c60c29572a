//! Report of a comparison of the counters.

use std::fmt;

use domain::shared::money::Money;

use super::CounterRow;

/// Maximum number of differences kept; the others are only counted.
const KEPT: usize = 20;

/// Result of a comparison of the counters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountersChecked {
    /// Number of messages counted.
    pub messages: u64,
    /// Number of days with messages or counters.
    pub days: u64,
    /// Number of other days that have counters, and whose log was dropped.
    pub days_without_log: u64,
    /// First differences.
    pub differences: Vec<CounterDifference>,
    /// Number of differences in all.
    pub found: u64,
}

/// Counter that differs from the fresh count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterDifference {
    /// Name of the counter, such as `day 2026-11-22 of organization …, SMS FAILED`.
    pub counter: String,
    /// Fresh count.
    pub counted: CounterTotals,
    /// Stored count.
    pub kept: CounterTotals,
}

/// Values of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterTotals {
    /// Number of rows, as a rule of messages.
    pub rows: i64,
    /// Number of their segments.
    pub segments: i64,
    /// Their cost.
    pub cost: Money,
}

impl CountersChecked {
    /// True if every counter is right.
    pub const fn are_in_order(&self) -> bool {
        self.found == 0
    }

    pub(super) fn add(&mut self, differences: Vec<CounterDifference>, found: u64) {
        let room = KEPT - self.differences.len();
        self.differences.extend(differences.into_iter().take(room));
        self.found += found;
    }
}

impl fmt::Display for CountersChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.differences.first() else {
            let Self { messages, days, days_without_log, .. } = self;
            write!(
                f,
                "the counters are in order: {messages} messages of {days} days were counted"
            )?;
            if *days_without_log > 0 {
                write!(f, ", and {days_without_log} days have no log any more")?;
            }
            return Ok(());
        };
        write!(f, "the counters are not in order: {first}")?;
        match self.found - 1 {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl fmt::Display for CounterDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { counter, counted, kept } = self;
        write!(f, "{counter}: ")?;
        if counted.rows != kept.rows {
            write!(f, "counted {}, kept {}", counted.rows, kept.rows)
        } else if counted.segments == kept.segments {
            write!(f, "counted {}, kept {}", counted.cost, kept.cost)
        } else {
            write!(f, "counted {} segments, kept {}", counted.segments, kept.segments)
        }
    }
}

impl From<CounterRow> for CounterDifference {
    fn from(row: CounterRow) -> Self {
        let CounterRow { what, organization_id, starts_at, channel, status, is_sandbox, .. } = row;
        let since = starts_at.map(|since| match what.as_str() {
            "day" => since.format(" %Y-%m-%d").to_string(),
            _ => since.format(" %Y-%m-%dT%H:%MZ").to_string(),
        });
        let whose = match organization_id {
            Some(organization) => format!("organization {organization}"),
            None => "the platform".to_owned(),
        };
        let words = [channel, status].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let counter = [
            what,
            since.unwrap_or_default(),
            format!(" of {whose}"),
            if words.is_empty() { words } else { format!(", {words}") },
            if is_sandbox { " (sandbox)".to_owned() } else { String::new() },
        ]
        .concat();
        Self {
            counter,
            counted: CounterTotals {
                rows: row.counted,
                segments: row.counted_segments,
                cost: row.counted_cost,
            },
            kept: CounterTotals {
                rows: row.kept,
                segments: row.kept_segments,
                cost: row.kept_cost,
            },
        }
    }
}

//! Area in which a chart is drawn, with its axes and its table.

pub(super) const WIDTH: u64 = 3_000;
/// Height of the drawing, in its own units.
pub(super) const HEIGHT: u64 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Series {
    /// Name for the legend and the table.
    pub(crate) name: String,
    /// Class of its colour: `series-accent`, `series-good`, `series-waiting`, `series-bad` or
    /// `series-neutral`.
    pub(crate) class: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Day {
    pub(crate) label: String,
    /// One figure for each series, in their order.
    pub(crate) values: Vec<u64>,
    /// Address of the list behind the figures; `""` if there is none.
    pub(crate) href: String,
}

/// Everything of a chart but the bars or lines. Templates read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plot {
    pub(super) title: String,
    pub(super) series: Vec<Series>,
    pub(super) rows: Vec<Row>,
    pub(super) slots: Vec<Slot>,
    /// Texts of the vertical axis, from the top down.
    pub(super) ticks: Vec<String>,
    /// Texts of the horizontal axis, from left to right.
    pub(super) labels: Vec<String>,
    pub(super) top: u64,
    pub(super) is_empty: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) href: String,
    pub(super) texts: Vec<String>,
}

/// Part of the width that belongs to one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) x: u64,
    pub(super) width: u64,
    pub(super) title: String,
}

impl Plot {
    /// Returns the area for figures of which `highest` is drawn highest. `text` writes a figure.
    pub(super) fn new(
        title: String,
        series: Vec<Series>,
        days: &[Day],
        highest: u64,
        text: impl Fn(u64) -> String,
    ) -> Self {
        let row = |day: &Day| Row {
            label: day.label.clone(),
            href: day.href.clone(),
            texts: day.values.iter().map(|value| text(*value)).collect(),
        };
        let rows: Vec<Row> = days.iter().map(row).collect();
        let top = top(highest);
        Self {
            slots: slots(&series, &rows),
            labels: labels(&rows),
            ticks: [top, top / 2, 0].into_iter().map(text).collect(),
            is_empty: highest == 0,
            title,
            series,
            rows,
            top,
        }
    }

    /// Returns the drawing's description for people who do not see it.
    pub(super) fn description(&self) -> String {
        match (self.rows.first(), self.rows.last()) {
            (Some(first), Some(last)) => {
                format!("{}, {} to {}", self.title, first.label, last.label)
            }
            _ => self.title.clone(),
        }
    }

    /// Returns the height at which a value is drawn; 0 is the upper edge.
    pub(super) fn y(&self, value: u64) -> u64 {
        HEIGHT.saturating_sub(scaled(value, HEIGHT, self.top))
    }
}

/// Returns `value * size / whole`, rounded down.
pub(super) fn scaled(value: u64, size: u64, whole: u64) -> u64 {
    let scaled = u128::from(value) * u128::from(size) / u128::from(whole.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

pub(super) fn count<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

/// Returns a round even number that is at least as high as the highest figure.
fn top(highest: u64) -> u64 {
    let mut unit: u64 = 1;
    loop {
        let round = [2, 4, 6, 8].map(|multiple| unit.saturating_mul(multiple));
        if let Some(top) = round.into_iter().find(|top| *top >= highest) {
            return top;
        }
        unit = unit.saturating_mul(10);
    }
}

fn slots(series: &[Series], rows: &[Row]) -> Vec<Slot> {
    let days = count(rows);
    let slot = |(index, row): (u64, &Row)| {
        let x = scaled(index, WIDTH, days);
        let figures = series.iter().zip(&row.texts);
        let figures = figures.map(|(series, text)| format!("{} {text}", series.name));
        let title = format!("{}: {}", row.label, figures.collect::<Vec<_>>().join(", "));
        Slot { x, width: scaled(index + 1, WIDTH, days) - x, title }
    };
    (0..).zip(rows).map(slot).collect()
}

/// Returns the labels of the first, the middle and the last day.
fn labels(rows: &[Row]) -> Vec<String> {
    let middle = if rows.len() < 3 { None } else { rows.get(rows.len() / 2) };
    let last = if rows.len() < 2 { None } else { rows.last() };
    let shown = [rows.first(), middle, last];
    shown.into_iter().flatten().map(|row| row.label.clone()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn series() -> Vec<Series> {
        [("Delivered", "series-good"), ("Failed", "series-bad")]
            .map(|(name, class)| Series { name: name.to_owned(), class })
            .into()
    }

    pub(crate) fn day(label: &str, values: [u64; 2]) -> Day {
        Day { label: label.to_owned(), values: values.into(), href: format!("/app?day={label}") }
    }

    fn plot(days: &[Day], highest: u64) -> Plot {
        Plot::new("Messages".to_owned(), series(), days, highest, |value| value.to_string())
    }

    #[test]
    fn the_axis_ends_at_a_round_even_number() {
        for (highest, expected) in [
            (0, 2),
            (1, 2),
            (3, 4),
            (8, 8),
            (9, 20),
            (41, 60),
            (1_203, 2_000),
            (2_000, 2_000),
            (u64::MAX, u64::MAX),
        ] {
            assert_eq!(top(highest), expected, "{highest}");
        }
        assert_eq!(plot(&[day("1 Nov", [7, 0])], 7).ticks, ["8", "4", "0"]);
    }

    #[test]
    fn days_share_the_whole_width() {
        let days: Vec<Day> = (0..7).map(|index| day(&index.to_string(), [1, 0])).collect();
        let slots = plot(&days, 1).slots;
        for (before, after) in slots.iter().zip(slots.iter().skip(1)) {
            assert_eq!(before.x + before.width, after.x);
        }
        assert_eq!(slots.iter().map(|slot| slot.width).sum::<u64>(), WIDTH);
    }

    #[test]
    fn a_day_says_its_figures() {
        let plot = plot(&[day("1 Nov", [7, 2]), day("2 Nov", [0, 0])], 9);
        assert_eq!(plot.slots[0].title, "1 Nov: Delivered 7, Failed 2");
        assert_eq!(plot.rows[0].texts, ["7", "2"]);
        assert_eq!(plot.description(), "Messages, 1 Nov to 2 Nov");
    }

    #[test]
    fn the_axis_names_the_first_the_middle_and_the_last_day() {
        let days: Vec<Day> = (1..=5).map(|index| day(&index.to_string(), [1, 0])).collect();
        assert_eq!(plot(&days, 1).labels, ["1", "3", "5"]);
        assert_eq!(plot(&days[..2], 1).labels, ["1", "2"]);
        assert_eq!(plot(&days[..1], 1).labels, ["1"]);
        assert!(plot(&[], 0).labels.is_empty());
    }

    #[test]
    fn values_are_drawn_between_the_edges() {
        let plot = plot(&[day("1 Nov", [8, 0])], 8);
        assert_eq!([0, 4, 8, 9].map(|value| plot.y(value)), [HEIGHT, HEIGHT / 2, 0, 0]);
    }
}

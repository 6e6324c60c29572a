//! Bars of days, in which the figures of the series stand on each other.

use askama::{Template, filters::HtmlSafe};

use super::plot::{Day, Plot, Series, Slot, scaled};

/// Part of a slot that its bar fills, in hundredths.
const FILLED: u64 = 72;

/// Chart of bars. Its figures are parts of a whole, such as the messages of a day by status.
#[derive(Debug, Clone, Template)]
#[template(path = "charts/stacked_bars.html")]
pub(crate) struct StackedBars {
    plot: Plot,
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment {
    class: &'static str,
    x: u64,
    y: u64,
    width: u64,
    height: u64,
}

impl HtmlSafe for StackedBars {}

impl StackedBars {
    /// Returns the chart of some days, in the order of time. The first series is at the bottom. `text`
    /// writes a figure.
    pub(crate) fn new(
        title: impl Into<String>,
        series: Vec<Series>,
        days: &[Day],
        text: impl Fn(u64) -> String,
    ) -> Self {
        let sum =
            |day: &Day| day.values.iter().fold(0, |sum: u64, value| sum.saturating_add(*value));
        let highest = days.iter().map(sum).max().unwrap_or_default();
        let plot = Plot::new(title.into(), series, days, highest, text);
        let bars = plot.slots.iter().zip(days);
        let segments = bars.flat_map(|(slot, day)| bar(&plot, slot, day)).collect();
        Self { plot, segments }
    }
}

fn bar(plot: &Plot, slot: &Slot, day: &Day) -> Vec<Segment> {
    let width = scaled(slot.width, FILLED, 100);
    let x = slot.x + (slot.width - width) / 2;
    let mut sum: u64 = 0;
    let mut segments = Vec::with_capacity(day.values.len());
    for (series, value) in plot.series.iter().zip(&day.values) {
        let bottom = plot.y(sum);
        sum = sum.saturating_add(*value);
        let y = plot.y(sum);
        if bottom > y {
            segments.push(Segment { class: series.class, x, y, width, height: bottom - y });
        }
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::plot::{
        HEIGHT,
        tests::{day, series},
    };

    fn chart(days: &[Day]) -> StackedBars {
        StackedBars::new("Messages", series(), days, |value| value.to_string())
    }

    #[test]
    fn the_segments_of_a_bar_stand_on_each_other() {
        let chart = chart(&[day("1 Nov", [5, 3]), day("2 Nov", [0, 8])]);
        let [delivered, failed, other] = chart.segments.as_slice() else {
            panic!("three segments")
        };
        assert_eq!((delivered.y + delivered.height, delivered.height), (HEIGHT, HEIGHT * 5 / 8));
        assert_eq!((failed.y + failed.height, failed.y), (delivered.y, 0));
        assert_eq!((other.class, other.height), ("series-bad", HEIGHT));
        assert!(delivered.x == failed.x && failed.x + failed.width < other.x);
    }

    #[test]
    fn figures_that_are_too_high_for_a_sum_stay_within_the_edges() {
        let chart = chart(&[day("1 Nov", [u64::MAX, u64::MAX])]);
        assert!(chart.segments.iter().all(|it| it.y + it.height <= HEIGHT));
    }

    #[test]
    fn the_chart_has_a_table_of_its_figures_with_links() {
        let html = chart(&[day("1 Nov", [5, 3])]).render().unwrap();
        assert!(html.contains("<title>1 Nov: Delivered 5, Failed 3</title>"), "{html}");
        assert!(html.contains(r#"<a href="/app?day=1 Nov">1 Nov</a>"#), "{html}");
        assert!(html.contains(r#"class="segment series-bad""#), "{html}");
    }

    #[test]
    fn a_chart_without_figures_says_so() {
        for days in [vec![], vec![day("1 Nov", [0, 0])]] {
            let html = chart(&days).render().unwrap();
            assert!(html.contains("Nothing to show") && !html.contains("<svg"), "{html}");
        }
    }
}

//! Lines from day to day, one for each series.

use askama::{Template, filters::HtmlSafe};

use super::plot::{Day, Plot, Series, Slot, WIDTH};

/// Chart of lines. Its figures are compared with each other, such as the spending of two months.
#[derive(Debug, Clone, Template)]
#[template(path = "charts/line.html")]
pub(crate) struct Line {
    plot: Plot,
    traces: Vec<Trace>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Trace {
    class: &'static str,
    /// Its points, as the attribute of a `polyline`.
    points: String,
}

impl HtmlSafe for Line {}

impl Line {
    /// Returns the chart of some days, in the order of time. `text` writes a figure.
    pub(crate) fn new(
        title: impl Into<String>,
        series: Vec<Series>,
        days: &[Day],
        text: impl Fn(u64) -> String,
    ) -> Self {
        let highest = days.iter().flat_map(|day| &day.values).max().copied().unwrap_or_default();
        let plot = Plot::new(title.into(), series, days, highest, text);
        let trace = |(index, series): (usize, &Series)| Trace {
            class: series.class,
            points: points(&plot, days, index),
        };
        let traces = plot.series.iter().enumerate().map(trace).collect();
        Self { plot, traces }
    }
}

/// Returns the points of the series at an index: one in the middle of each day, and both edges for a
/// single day.
fn points(plot: &Plot, days: &[Day], index: usize) -> String {
    let height = |day: &Day| day.values.get(index).map(|value| plot.y(*value));
    if let [day] = days {
        return height(day).map(|y| format!("0,{y} {WIDTH},{y}")).unwrap_or_default();
    }
    let middle = |slot: &Slot| slot.x + slot.width / 2;
    let points = plot.slots.iter().zip(days);
    let points =
        points.filter_map(|(slot, day)| Some(format!("{},{}", middle(slot), height(day)?)));
    points.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::plot::tests::{day, series};

    fn chart(days: &[Day]) -> Line {
        Line::new("Spending", series(), days, |value| format!("GHS {value}"))
    }

    #[test]
    fn a_line_has_a_point_in_the_middle_of_each_day() {
        let chart = chart(&[day("1 Nov", [0, 4]), day("2 Nov", [8, 4]), day("3 Nov", [2, 4])]);
        assert_eq!(chart.traces[0].points, "500,1000 1500,0 2500,750");
        assert_eq!(chart.traces[1].points, "500,500 1500,500 2500,500");
    }

    #[test]
    fn a_single_day_is_a_level_line() {
        assert_eq!(chart(&[day("1 Nov", [4, 8])]).traces[0].points, "0,500 3000,500");
    }

    #[test]
    fn the_chart_writes_its_figures_as_text() {
        let html = chart(&[day("1 Nov", [4, 8])]).render().unwrap();
        assert!(html.contains("GHS 8") && html.contains("<polyline"), "{html}");
    }

    #[test]
    fn a_chart_without_figures_says_so() {
        let html = chart(&[]).render().unwrap();
        assert!(html.contains("Nothing to show") && !html.contains("<svg"), "{html}");
    }
}

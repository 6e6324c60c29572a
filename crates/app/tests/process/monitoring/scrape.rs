//! Metrics of a service as Prometheus reads them.

use std::collections::{BTreeMap, BTreeSet};

/// Parts of a histogram.
const PARTS: [&str; 3] = ["_bucket", "_sum", "_count"];

/// Kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Metrics at one moment.
pub(super) struct Scrape {
    kinds: BTreeMap<String, Kind>,
    /// Labels of the series by name.
    series: BTreeMap<String, Vec<BTreeMap<String, String>>>,
}

impl Scrape {
    /// Reads the metrics of the service at that address.
    pub(super) async fn of(url: &str) -> Self {
        let answer = testkit::client().get(format!("{url}/metrics")).send().await.unwrap();
        Self::parse(&answer.text().await.unwrap())
    }

    fn parse(text: &str) -> Self {
        let mut scrape = Self { kinds: BTreeMap::new(), series: BTreeMap::new() };
        for line in text.lines() {
            if let Some((name, kind)) =
                line.strip_prefix("# TYPE ").and_then(|line| line.split_once(' '))
            {
                let kind = match kind {
                    "counter" => Kind::Counter,
                    "gauge" => Kind::Gauge,
                    "histogram" => Kind::Histogram,
                    other => panic!("{name} is a {other}"),
                };
                scrape.kinds.insert(name.to_owned(), kind);
            } else if let Some((series, _)) =
                line.rsplit_once(' ').filter(|_| !line.starts_with('#'))
            {
                let (name, labels) = series.split_once('{').unwrap_or((series, ""));
                scrape.series.entry(name.to_owned()).or_default().push(parse_labels(labels));
            }
        }
        scrape
    }

    /// Returns the names of the metrics.
    pub(super) fn metrics(&self) -> impl Iterator<Item = &str> {
        self.kinds.keys().map(String::as_str)
    }

    /// Returns the kind of the metric of a series; `None` if there is no such series.
    pub(super) fn kind(&self, series: &str) -> Option<Kind> {
        self.series.get(series).and_then(|_| self.kinds.get(base(series)).copied())
    }

    /// True if any series has this label.
    pub(super) fn has_label(&self, label: &str) -> bool {
        self.series.values().flatten().any(|labels| labels.contains_key(label))
    }

    /// True if each of the values, which `|` separates, is one of this label. The dots of a pattern
    /// stand for any letter.
    pub(super) fn has_series(&self, name: &str, label: &str, values: &str) -> bool {
        let series = self.series.get(name).into_iter().flatten();
        let known: BTreeSet<_> = series.filter_map(|labels| labels.get(label)).collect();
        values.split('|').all(|value| known.iter().any(|known| is_like(known, value)))
    }
}

/// Returns the metric of a series.
pub(super) fn base(series: &str) -> &str {
    PARTS.iter().find_map(|part| series.strip_suffix(part)).unwrap_or(series)
}

fn parse_labels(labels: &str) -> BTreeMap<String, String> {
    let labels = labels.trim_end_matches('}').split("\",");
    let labels = labels.filter_map(|label| label.split_once("=\""));
    labels.map(|(name, value)| (name.to_owned(), value.trim_end_matches('"').to_owned())).collect()
}

fn is_like(value: &str, pattern: &str) -> bool {
    let mut letters = value.chars().zip(pattern.chars());
    value.len() == pattern.len() && letters.all(|(a, b)| a == b || b == '.')
}

#[test]
fn series_are_read_with_their_labels() {
    let text =
        "# TYPE a histogram\na_bucket{b=\"c\",le=\"1\"} 2\n# TYPE d counter\nd{e=\"503\"} 1\n";
    let scrape = Scrape::parse(text);
    assert_eq!(scrape.kind("a_bucket"), Some(Kind::Histogram));
    assert_eq!((scrape.kind("d"), scrape.kind("f")), (Some(Kind::Counter), None));
    assert!(scrape.has_series("d", "e", "5..") && !scrape.has_series("d", "e", "5..|404"));
    assert!(scrape.has_label("b") && !scrape.has_label("c"));
}

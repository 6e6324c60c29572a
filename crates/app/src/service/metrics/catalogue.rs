//! Catalogue of all metrics with their labels and their meaning. `docs/metrics.md` lists them for people.

mod entries;

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::Matcher;

pub use self::entries::METRIC_GROUPS;
use crate::plain_text::plain;

/// Beginning of the metrics that the system provides.
const OF_PROCESS: &str = "process_";

/// Metrics about one thing.
#[derive(Debug)]
pub struct MetricGroup {
    /// Heading.
    pub title: &'static str,
    /// Remark on all of them, in Markdown; empty if there is none.
    pub remark: &'static str,
    /// The metrics.
    pub metrics: &'static [Metric],
}

/// Metric for readers.
#[derive(Debug)]
pub struct Metric {
    /// Name.
    pub name: &'static str,
    /// Names of its labels.
    pub labels: &'static [&'static str],
    /// Meaning, in Markdown, whose links begin at `docs`.
    pub meaning: &'static str,
    /// True if it describes the database, and is the same on every instance.
    pub is_of_all_instances: bool,
    kind: Kind,
}

/// Kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Only grows while the process lives.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Is distributed over these buckets, which can be added up over instances.
    Histogram(&'static [f64]),
}

impl Metric {
    const fn new(
        kind: Kind,
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self { name, labels, meaning, is_of_all_instances: false, kind }
    }

    const fn counter(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self::new(Kind::Counter, name, labels, meaning)
    }

    const fn gauge(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        Self::new(Kind::Gauge, name, labels, meaning)
    }

    const fn histogram(
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
        buckets: &'static [f64],
    ) -> Self {
        Self::new(Kind::Histogram(buckets), name, labels, meaning)
    }

    const fn of_all_instances(self) -> Self {
        Self { is_of_all_instances: true, ..self }
    }

    /// Returns its description in the output, as a sentence.
    fn description(&self) -> String {
        let meaning = plain(self.meaning);
        let mut characters = meaning.chars();
        let first = characters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(characters).chain(['.']).collect()
    }
}

fn all() -> impl Iterator<Item = &'static Metric> {
    METRIC_GROUPS.iter().flat_map(|group| group.metrics)
}

/// Returns the buckets of each histogram.
pub(super) fn buckets() -> impl Iterator<Item = (Matcher, &'static [f64])> {
    all().filter_map(|metric| match metric.kind {
        Kind::Histogram(buckets) => Some((Matcher::Full(metric.name.to_owned()), buckets)),
        Kind::Counter | Kind::Gauge => None,
    })
}

/// Registers the description of each metric.
pub(super) fn describe() {
    for metric in all() {
        match metric.kind {
            Kind::Counter => describe_counter!(metric.name, metric.description()),
            Kind::Gauge => describe_gauge!(metric.name, metric.description()),
            Kind::Histogram(_) => describe_histogram!(metric.name, metric.description()),
        }
    }
}

/// Registers each metric that has no labels, so that it exists before the first event. Those of the
/// process are not everywhere.
pub(super) fn register() {
    let of_service = all().filter(|metric| !metric.name.starts_with(OF_PROCESS));
    for metric in of_service.filter(|metric| metric.labels.is_empty()) {
        match metric.kind {
            Kind::Counter => metrics::counter!(metric.name).increment(0),
            Kind::Gauge => metrics::gauge!(metric.name).increment(0.0),
            Kind::Histogram(_) => drop(metrics::histogram!(metric.name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeSet,
        fs,
        path::{Path, PathBuf},
    };

    use super::*;

    /// Returns the names of all metrics, each once.
    fn known() -> BTreeSet<&'static str> {
        let names: BTreeSet<_> = all().map(|metric| metric.name).collect();
        assert_eq!(names.len(), all().count(), "a metric is listed twice");
        names
    }

    #[test]
    fn describes_exactly_the_metrics_of_the_code() {
        let mut files = Vec::new();
        find_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
        let mut counted = BTreeSet::new();
        let is_catalogue = |file: &Path| file.to_string_lossy().contains("metrics/catalogue");
        for file in files.iter().filter(|file| !is_catalogue(file)) {
            let text = fs::read_to_string(file).unwrap();
            let literals = text.split('"').filter(|text| is_metric(text));
            counted.extend(literals.map(str::to_owned));
        }
        assert_eq!(counted, known().into_iter().map(str::to_owned).collect());
    }

    fn is_metric(text: &str) -> bool {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        is_plain && (text.starts_with("atumpan_") || text.starts_with("process_"))
    }

    /// Finds the source files of all crates that are part of the program.
    fn find_sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_ours = !["tests", "examples", "benches", "target", "bench"]
                .iter()
                .any(|name| path.ends_with(name));
            if path.is_dir() && is_ours {
                find_sources(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn names_follow_the_conventions_of_prometheus() {
        for metric in all().filter(|metric| metric.kind == Kind::Counter) {
            assert!(metric.name.ends_with("_total"), "{}", metric.name);
        }
        for name in known() {
            let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(is_plain && !name.contains("_ms") && !name.contains("_millis"), "{name}");
        }
    }

    #[test]
    fn the_output_describes_a_metric_in_plain_words() {
        let metric = Metric::counter("a_total", &[], "answers of `x` ([more](more.md))");
        assert_eq!(metric.description(), "Answers of x.");
    }
}

//! Catalogue of all metrics with their meaning. `docs/metrics.md` lists them for people.

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::Matcher;

/// Metrics that only grow while the process lives.
const COUNTERS: &[(&str, &str)] = &[
    ("atumpan_attempts_total", "Calls that handed a message to a provider, by how they ended."),
    (
        "atumpan_background_task_failures_total",
        "Turns of background tasks that ended with an error or a panic.",
    ),
    (
        "atumpan_callbacks_refused_total",
        "Callbacks without the right proof, or that make no sense, by provider and reason.",
    ),
    (
        "atumpan_http_connections_given_up_total",
        "Connections that were closed because their clients took too long, by reason.",
    ),
    (
        "atumpan_http_connections_refused_total",
        "Connections that found no place: too many in all, or from one address.",
    ),
    ("atumpan_http_requests_total", "Requests that were answered."),
    (
        "atumpan_intake_holds_total",
        "How often messages waited to be accepted because delivery was behind.",
    ),
    (
        "atumpan_messages_refused_for_fraud_total",
        "Messages that were refused for where they go, by code.",
    ),
    (
        "atumpan_messages_total",
        "Messages that came to a status: QUEUED once, when they were accepted.",
    ),
    (
        "atumpan_messages_unreadable_total",
        "Due messages whose rows cannot be read; each is tried again after an hour.",
    ),
    (
        "atumpan_reports_dropped_total",
        "Reports of simulated providers that found no room; the provider is asked later.",
    ),
    (
        "atumpan_reports_given_up_total",
        "Reports whose message moved on each time they were applied; the provider is asked later.",
    ),
    (
        "atumpan_requests_refused_total",
        "Requests that were refused by a limit: there were too many.",
    ),
    (
        "atumpan_signals_total",
        "Signals between instances: sent, heard, or dropped because too many waited.",
    ),
    (
        "atumpan_top_ups_total",
        "Top-ups by what became of them: started, credited, abandoned; exception for payments that \
         could not be credited.",
    ),
    ("atumpan_unmatched_reports_total", "Reports of messages that nobody here knows, or not yet."),
    (
        "atumpan_webhook_attempts_total",
        "Calls of webhook endpoints, by what came of the delivery: DELIVERED, RETRIED, FAILED.",
    ),
    ("process_cpu_seconds_total", "Processor time that the process used, in whole seconds."),
];

/// Metrics that go up and down.
const GAUGES: &[(&str, &str)] = &[
    (
        "atumpan_background_task_failing_since_timestamp_seconds",
        "Since when a background task fails, in seconds since 1970; 0 while it works.",
    ),
    (
        "atumpan_background_task_last_success_timestamp_seconds",
        "When a background task last succeeded, in seconds since 1970; 0 if it has not yet.",
    ),
    ("atumpan_build_info", "Always 1; the label says which version runs."),
    (
        "atumpan_database_connections_available",
        "The connections that PostgreSQL gives all instances.",
    ),
    ("atumpan_database_connections_awaited", "Callers that wait for a connection to PostgreSQL."),
    ("atumpan_database_connections_in_use", "Connections to PostgreSQL that are in use."),
    ("atumpan_database_connections_max", "The most connections that a pool may have."),
    (
        "atumpan_database_connections_needed",
        "The connections to PostgreSQL that all instances may hold.",
    ),
    ("atumpan_database_up", "1 while PostgreSQL answers this instance and takes its writes."),
    ("atumpan_journal_lines", "Lines of the journal that wait to be folded, of all instances."),
    (
        "atumpan_journal_oldest_seconds",
        "How long the oldest rollup of the journal has waited to be posted, of all instances.",
    ),
    (
        "atumpan_partitions_ahead",
        "Months to come for which the delivery log and the ledger have partitions.",
    ),
    ("atumpan_provider_breaker_open", "1 while a provider's breaker is open or being probed."),
    (
        "atumpan_provider_demotion",
        "By how many steps a provider is demoted because its reports stay out.",
    ),
    ("atumpan_queue_active_messages", "Messages in the hands of a worker, of all instances."),
    (
        "atumpan_queue_oldest_seconds",
        "How long the oldest message of a priority that could be delivered has waited.",
    ),
    (
        "atumpan_queue_waiting_messages",
        "Messages that wait for a worker or for their next try, of all instances.",
    ),
    (
        "atumpan_webhook_deliveries_in_flight",
        "Deliveries to webhook endpoints that this instance has read and not yet written down.",
    ),
    ("atumpan_webhook_endpoints_held", "Webhook endpoints that this instance calls at present."),
    ("process_max_fds", "The most files and connections that the process may have open."),
    ("process_open_fds", "Files and connections that the process has open."),
    ("process_resident_memory_bytes", "Memory of the process that is in use."),
    ("process_start_time_seconds", "When the process began, in seconds since 1970."),
    ("process_threads", "Threads of the process."),
];

/// Metrics that are distributed over buckets, which can be added up over instances.
const HISTOGRAMS: &[(&str, &str, &[f64])] = &[
    ("atumpan_http_request_duration_seconds", "How long requests took to be answered.", SECONDS),
    (
        "atumpan_intake_batch_duration_seconds",
        "How long it took to write accepted messages.",
        SECONDS,
    ),
    ("atumpan_intake_batch_submissions", "How many requests were accepted in one write.", ITEMS),
    ("atumpan_webhook_call_duration_seconds", "How long calls of webhook endpoints took.", SECONDS),
];

const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
const ITEMS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];

/// Returns the buckets of each histogram.
pub(super) fn buckets() -> impl Iterator<Item = (Matcher, &'static [f64])> {
    HISTOGRAMS.iter().map(|(name, _, buckets)| (Matcher::Full((*name).to_owned()), *buckets))
}

/// Registers the description of each metric.
pub(super) fn describe() {
    for (name, meaning) in COUNTERS {
        describe_counter!(*name, *meaning);
    }
    for (name, meaning) in GAUGES {
        describe_gauge!(*name, *meaning);
    }
    for (name, meaning, _) in HISTOGRAMS {
        describe_histogram!(*name, *meaning);
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

    const DOCUMENT: &str = include_str!("../../../../../docs/metrics.md");

    fn names() -> Vec<&'static str> {
        let simple = COUNTERS.iter().chain(GAUGES).map(|(name, _)| *name);
        simple.chain(HISTOGRAMS.iter().map(|(name, ..)| *name)).collect()
    }

    #[test]
    fn the_document_lists_exactly_the_metrics_that_there_are() {
        let mut documented: Vec<_> = DOCUMENT
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split(['`', '{']).next())
            .collect();
        let mut known = names();
        documented.sort_unstable();
        known.sort_unstable();
        assert_eq!(documented, known);
    }

    #[test]
    fn describes_exactly_the_metrics_of_the_code() {
        let mut files = Vec::new();
        find_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut files);
        let mut counted = BTreeSet::new();
        for file in files.iter().filter(|file| !file.ends_with("metrics/catalogue.rs")) {
            let text = fs::read_to_string(file).unwrap();
            let literals = text.split('"').filter(|text| is_metric(text));
            counted.extend(literals.map(str::to_owned));
        }
        assert_eq!(counted, names().into_iter().map(str::to_owned).collect());
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
        for (name, _) in COUNTERS {
            assert!(name.ends_with("_total"), "{name}");
        }
        for name in names() {
            let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(is_plain && !name.contains("_ms") && !name.contains("_millis"), "{name}");
        }
    }
}

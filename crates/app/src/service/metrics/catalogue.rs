//! Catalogue of all metrics with their labels and their meaning. `docs/metrics.md` lists them for people.

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::Matcher;

/// Name, labels and meaning of a metric.
type Metric = (&'static str, &'static [&'static str], &'static str);

/// Beginning of the metrics that the system provides.
const OF_PROCESS: &str = "process_";

/// Metrics that only grow while the process lives.
const COUNTERS: &[Metric] = &[
    (
        "atumpan_attempts_total",
        &["provider", "outcome"],
        "Calls that handed a message to a provider, by how they ended.",
    ),
    (
        "atumpan_background_task_failures_total",
        &["task"],
        "Turns of background tasks that ended with an error or a panic.",
    ),
    (
        "atumpan_callbacks_refused_total",
        &["provider", "reason"],
        "Callbacks without the right proof, or that make no sense, by provider and reason.",
    ),
    (
        "atumpan_http_connections_given_up_total",
        &["reason"],
        "Connections that were closed because their clients took too long, by reason.",
    ),
    (
        "atumpan_http_connections_refused_total",
        &[],
        "Connections that found no place: too many in all, or from one address.",
    ),
    ("atumpan_http_requests_total", &["method", "route", "status"], "Requests that were answered."),
    (
        "atumpan_intake_holds_total",
        &[],
        "How often messages waited to be accepted because delivery was behind.",
    ),
    (
        "atumpan_messages_refused_for_fraud_total",
        &["code"],
        "Messages that were refused for where they go, by code.",
    ),
    (
        "atumpan_messages_total",
        &["channel", "mode", "status"],
        "Messages that came to a status: QUEUED once, when they were accepted.",
    ),
    (
        "atumpan_messages_unreadable_total",
        &[],
        "Due messages whose rows cannot be read; each is tried again after an hour.",
    ),
    (
        "atumpan_reports_dropped_total",
        &[],
        "Reports of simulated providers that found no room; the provider is asked later.",
    ),
    (
        "atumpan_reports_given_up_total",
        &[],
        "Reports whose message moved on each time they were applied; the provider is asked later.",
    ),
    (
        "atumpan_requests_refused_total",
        &["limit"],
        "Requests that were refused by a limit: there were too many.",
    ),
    (
        "atumpan_signals_total",
        &["result"],
        "Signals between instances: sent, heard, or dropped because too many waited.",
    ),
    (
        "atumpan_top_up_checks_failed_total",
        &[],
        "Queries of the payment gateway about top-ups that failed.",
    ),
    (
        "atumpan_top_ups_total",
        &["outcome"],
        "Top-ups by what became of them: started, credited, abandoned; exception for payments that could not be credited.",
    ),
    (
        "atumpan_unmatched_reports_total",
        &["provider"],
        "Reports of messages that nobody here knows, or not yet.",
    ),
    (
        "atumpan_webhook_attempts_total",
        &["outcome"],
        "Calls of webhook endpoints, by what came of the delivery: DELIVERED, RETRIED, FAILED.",
    ),
    ("process_cpu_seconds_total", &[], "Processor time that the process used, in whole seconds."),
];

/// Metrics that go up and down.
const GAUGES: &[Metric] = &[
    (
        "atumpan_background_task_failing_since_timestamp_seconds",
        &["task"],
        "Since when a background task fails, in seconds since 1970; 0 while it works.",
    ),
    (
        "atumpan_background_task_last_success_timestamp_seconds",
        &["task"],
        "When a background task last succeeded, in seconds since 1970; 0 if it has not yet.",
    ),
    ("atumpan_build_info", &["version"], "Always 1; the label says which version runs."),
    (
        "atumpan_database_archiving_failing",
        &[],
        "1 while the last attempt of PostgreSQL to archive its log failed.",
    ),
    (
        "atumpan_database_connections_available",
        &[],
        "The connections that PostgreSQL gives all instances.",
    ),
    (
        "atumpan_database_connections_awaited",
        &["pool"],
        "Callers that wait for a connection to PostgreSQL.",
    ),
    (
        "atumpan_database_connections_in_use",
        &["pool"],
        "Connections to PostgreSQL that are in use.",
    ),
    ("atumpan_database_connections_max", &["pool"], "The most connections that a pool may have."),
    (
        "atumpan_database_connections_needed",
        &[],
        "The connections to PostgreSQL that all instances may hold.",
    ),
    ("atumpan_database_size_bytes", &[], "Size of the database."),
    ("atumpan_database_up", &[], "1 while PostgreSQL answers this instance and takes its writes."),
    (
        "atumpan_database_wal_kept_bytes",
        &[],
        "Log that PostgreSQL keeps for the replication slot that is furthest behind.",
    ),
    (
        "atumpan_journal_lines",
        &[],
        "Lines of the journal that wait to be folded, of all instances.",
    ),
    (
        "atumpan_journal_oldest_seconds",
        &[],
        "How long the oldest rollup of the journal has waited to be posted, of all instances.",
    ),
    (
        "atumpan_partitions_ahead",
        &[],
        "Months to come for which the delivery log and the ledger have partitions.",
    ),
    (
        "atumpan_payment_exceptions_open",
        &[],
        "Payments that could not be credited and that no administrator has resolved.",
    ),
    (
        "atumpan_provider_breaker_open",
        &["provider", "channel"],
        "1 while a provider's breaker is open or being probed.",
    ),
    (
        "atumpan_provider_demotion",
        &["provider", "channel"],
        "By how many steps a provider is demoted because its reports stay out.",
    ),
    ("atumpan_queue_active_messages", &[], "Messages in the hands of a worker, of all instances."),
    (
        "atumpan_queue_oldest_seconds",
        &["priority"],
        "How long the oldest message of a priority that could be delivered has waited.",
    ),
    (
        "atumpan_queue_waiting_messages",
        &["priority"],
        "Messages that wait for a worker or for their next try, of all instances.",
    ),
    ("atumpan_redis_up", &[], "1 while Redis counts for this instance, or none is configured."),
    (
        "atumpan_top_ups_overdue_seconds",
        &[],
        "Time by which the check of a top-up with the payment gateway is overdue.",
    ),
    (
        "atumpan_webhook_deliveries_in_flight",
        &[],
        "Deliveries to webhook endpoints that this instance has read and not yet written down.",
    ),
    (
        "atumpan_webhook_endpoints_held",
        &[],
        "Webhook endpoints that this instance calls at present.",
    ),
    ("process_max_fds", &[], "The most files and connections that the process may have open."),
    ("process_open_fds", &[], "Files and connections that the process has open."),
    ("process_resident_memory_bytes", &[], "Memory of the process that is in use."),
    ("process_start_time_seconds", &[], "When the process began, in seconds since 1970."),
    ("process_threads", &[], "Threads of the process."),
];

/// Metrics that are distributed over buckets, which can be added up over instances.
const HISTOGRAMS: &[(&str, &[&str], &str, &[f64])] = &[
    (
        "atumpan_http_request_duration_seconds",
        &["method", "route"],
        "How long requests took to be answered.",
        SECONDS,
    ),
    (
        "atumpan_intake_batch_duration_seconds",
        &[],
        "How long it took to write accepted messages.",
        SECONDS,
    ),
    (
        "atumpan_intake_batch_submissions",
        &[],
        "How many requests were accepted in one write.",
        ITEMS,
    ),
    (
        "atumpan_webhook_call_duration_seconds",
        &[],
        "How long calls of webhook endpoints took.",
        SECONDS,
    ),
    (
        "atumpan_webhook_delay_seconds",
        &[],
        "How long due deliveries to webhook endpoints that work waited for their calls.",
        DELAYS,
    ),
];

const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
const DELAYS: &[f64] = &[0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1_800.0, 7_200.0];
const ITEMS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];

/// Returns the buckets of each histogram.
pub(super) fn buckets() -> impl Iterator<Item = (Matcher, &'static [f64])> {
    HISTOGRAMS.iter().map(|(name, .., buckets)| (Matcher::Full((*name).to_owned()), *buckets))
}

/// Registers the description of each metric.
pub(super) fn describe() {
    for (name, _, meaning) in COUNTERS {
        describe_counter!(*name, *meaning);
    }
    for (name, _, meaning) in GAUGES {
        describe_gauge!(*name, *meaning);
    }
    for (name, _, meaning, _) in HISTOGRAMS {
        describe_histogram!(*name, *meaning);
    }
}

/// Registers each metric that has no labels, so that it exists before the first event. Those of the
/// process are not everywhere.
pub(super) fn register() {
    for (name, labels, _) in COUNTERS {
        if labels.is_empty() && !name.starts_with(OF_PROCESS) {
            metrics::counter!(*name).increment(0);
        }
    }
    for (name, labels, _) in GAUGES {
        if labels.is_empty() && !name.starts_with(OF_PROCESS) {
            metrics::gauge!(*name).increment(0.0);
        }
    }
    for (name, labels, ..) in HISTOGRAMS {
        if labels.is_empty() {
            drop(metrics::histogram!(*name));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
        path::{Path, PathBuf},
    };

    use super::*;

    const DOCUMENT: &str = include_str!("../../../../../docs/metrics.md");

    /// Returns the metrics with their labels.
    fn known() -> BTreeMap<&'static str, Vec<&'static str>> {
        let simple = COUNTERS.iter().chain(GAUGES).map(|(name, labels, _)| (*name, *labels));
        let all = simple.chain(HISTOGRAMS.iter().map(|(name, labels, ..)| (*name, *labels)));
        all.map(|(name, labels)| (name, labels.to_vec())).collect()
    }

    /// Returns the metrics in a row of a table of the document, with their labels.
    fn row(line: &'static str) -> Option<(&'static str, Vec<&'static str>)> {
        let (name, cells) = line.strip_prefix("| `")?.split_once("` |")?;
        let labels = cells.split('|').next()?.trim().split(", ");
        let labels = labels.map(|label| label.trim_matches('`')).filter(|it| !it.is_empty());
        Some((name, labels.collect()))
    }

    #[test]
    fn the_document_lists_exactly_the_metrics_that_there_are() {
        let rows: Vec<_> = DOCUMENT.lines().filter_map(row).collect();
        assert_eq!(rows.len(), known().len(), "a metric is listed twice, or not at all");
        assert_eq!(rows.into_iter().collect::<BTreeMap<_, _>>(), known());
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
        assert_eq!(counted, known().into_keys().map(str::to_owned).collect());
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
        for (name, ..) in COUNTERS {
            assert!(name.ends_with("_total"), "{name}");
        }
        for name in known().into_keys() {
            let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(is_plain && !name.contains("_ms") && !name.contains("_millis"), "{name}");
        }
    }
}

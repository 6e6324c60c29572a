//! Metrics of a running service.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use serde_json::json;
use testkit::{Service, Tenant};

use crate::program::{folder, serve};

/// Returns all metrics as they are served.
pub(crate) async fn read(program: &Service, tenant: &Tenant) -> String {
    let answer = tenant.http.get(format!("{}/metrics", program.url)).send().await.unwrap();
    answer.text().await.unwrap()
}

fn names<'t>(text: &'t str, comment: &str) -> BTreeSet<&'t str> {
    let begin = format!("# {comment} ");
    let rest = text.lines().filter_map(|line| line.strip_prefix(&begin));
    rest.filter_map(|rest| rest.split(' ').next()).collect()
}

/// Returns the value of the first line with this prefix.
pub(crate) fn value(text: &str, series: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(series))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Returns the labels of each metric in the documentation.
fn documented() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let document = include_str!("../../../../docs/metrics.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let labels = |cells: &'static str| {
        let cell = cells.split('|').next().unwrap_or_default().trim();
        cell.split(", ").map(|label| label.trim_matches('`')).filter(|it| !it.is_empty()).collect()
    };
    rows.map(|(name, cells)| (name, labels(cells))).collect()
}

/// Returns the name and the labels of a line, without the parts of a histogram.
fn series(line: &str) -> (&str, BTreeSet<&str>) {
    let (series, _) = line.rsplit_once(' ').unwrap();
    let (name, labels) = series.split_once('{').unwrap_or((series, ""));
    let name = ["_bucket", "_sum", "_count"]
        .into_iter()
        .find_map(|part| name.strip_suffix(part))
        .unwrap_or(name);
    let labels = labels.split("\",").filter_map(|label| Some(label.split_once("=\"")?.0));
    (name, labels.filter(|label| *label != "le").collect())
}

/// Labels whose values depend on settings and requests.
const OPEN: [&str; 5] = ["method", "provider", "route", "task", "version"];

/// Returns the values of a label that the documentation names in the row of a metric.
fn documented_values(metric: &str) -> BTreeSet<&'static str> {
    let document = include_str!("../../../../docs/metrics.md");
    let begin = format!("| `{metric}` | ");
    let row = document.lines().find_map(|line| line.strip_prefix(begin.as_str()));
    let meaning = row.and_then(|row| row.split_once(" | ")).map_or("", |(_, meaning)| meaning);
    let quoted = meaning.split('`').skip(1).step_by(2);
    quoted.filter(|text| !documented()[metric].contains(text)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_metric_exists_before_the_first_event_with_its_documented_labels() {
    let folder = folder();
    let program = serve(folder.path());
    let answer = testkit::client().get(format!("{}/metrics", program.url)).send().await.unwrap();
    let text = answer.text().await.unwrap();

    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, _) = series(line);
        let labels = line.split_once('{').map_or("", |(_, labels)| labels);
        let labels = labels.split("\",").filter_map(|label| label.split_once("=\""));
        let closed = labels.filter(|(label, _)| *label != "le" && !OPEN.contains(label));
        let closed = closed.filter_map(|(_, value)| value.split('"').next());
        values.entry(name).or_default().extend(closed);
        let is_event = name.starts_with("atumpan_") && name.ends_with("_total");
        if is_event && !name.starts_with("atumpan_http_requests") {
            assert!(line.ends_with(" 0"), "nothing has happened: {line}");
        }
    }

    let documented: BTreeSet<_> = documented().into_keys().collect();
    let is_here = |name: &str| cfg!(target_os = "linux") || !name.starts_with("process_");
    let expected = documented.into_iter().filter(|name| is_here(name));
    assert_eq!(values.keys().copied().collect::<BTreeSet<_>>(), expected.collect());
    for (name, values) in values {
        let documented = documented_values(name);
        if !documented.is_empty() {
            assert_eq!(values, documented, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_metric_is_explained_and_can_be_added_up_over_instances() {
    let folder = folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let (status, answer) = tenant.post(&program, "/messages/send", message).await;
    assert_eq!(status, 201, "{answer}");

    let login = json!({"email": "nobody@example.com", "password": "wrong password"});
    for turn in 0..12 {
        let url = format!("{}/auth/login", program.url);
        let answer = tenant.http.post(url).json(&login).send().await.unwrap();
        assert_eq!(answer.status(), if turn < 10 { 401 } else { 429 });
    }

    let began = Instant::now();
    let text = loop {
        let text = read(&program, &tenant).await;
        // Figures that are updated every five seconds, and the later report of the simulated
        // provider.
        let delivered =
            "atumpan_messages_total{channel=\"SMS\",mode=\"LIVE\",status=\"DELIVERED\"} 1";
        if value(&text, "atumpan_queue_waiting_messages{priority=\"OTP\"}").is_some()
            && text.contains(delivered)
        {
            break text;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{text}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    };

    assert_eq!(names(&text, "HELP"), names(&text, "TYPE"));
    let documented = documented();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, labels) = series(line);
        assert_eq!(documented.get(name), Some(&labels), "{line}");
    }
    assert!(!text.contains(" summary\n"), "quantiles cannot be added up: {text}");
    for series in [
        "atumpan_build_info{version=",
        "atumpan_http_request_duration_seconds_bucket{method=\"POST\",route=\"/messages/send\",le=\"",
        "atumpan_intake_batch_duration_seconds_bucket{le=\"",
        "atumpan_attempts_total{provider=\"simulated-sms\",outcome=\"ACCEPTED\"} 1",
        "atumpan_messages_total{channel=\"SMS\",mode=\"LIVE\",status=\"QUEUED\"} 1",
        "atumpan_messages_total{channel=\"SMS\",mode=\"LIVE\",status=\"FAILED\"} 0",
        "atumpan_messages_total{channel=\"SMS\",mode=\"SANDBOX\",status=\"QUEUED\"} 0",
        "atumpan_requests_refused_total{limit=\"LOGINS\"} 2",
        "atumpan_database_up 1",
        "atumpan_database_connections_max{pool=\"requests\"} 6",
        "atumpan_partitions_ahead 3",
        "atumpan_background_task_failures_total{task=\"maintenance\"} 0",
        "atumpan_background_task_failing_since_timestamp_seconds{task=\"imports\"} 0",
        "atumpan_provider_breaker_open{provider=\"simulated-sms\",channel=\"SMS\"} 0",
    ] {
        assert!(text.lines().any(|line| line.starts_with(series)), "{series}: {text}");
    }
    let series = "atumpan_background_task_last_success_timestamp_seconds{task=\"imports\"}";
    assert!(value(&text, series) > Some(1.0), "{series}: {text}");
    #[cfg(target_os = "linux")]
    for series in
        ["process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"]
    {
        assert!(value(&text, series) > Some(1.0), "{series}: {text}");
    }
}

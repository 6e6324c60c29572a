//! Rules and the board for Prometheus: each query is asked of the metrics of a running service.

mod prometheus;
mod queries;
mod scrape;

use std::collections::BTreeSet;

use serde_json::json;
use testkit::until_some;

use self::{
    prometheus::Prometheus,
    queries::{Selector, board, rules, selectors},
    scrape::{Kind, Scrape},
};
use crate::program::{folder, serve};

/// Labels that Prometheus adds, and the one of buckets.
const ADDED: [&str; 3] = ["instance", "job", "le"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_and_board_ask_for_series_that_exist_from_the_start() {
    let folder = folder();
    let program = serve(folder.path());
    let scrape = Scrape::of(&program.url).await;
    let queries: Vec<_> = rules().into_iter().chain(board()).collect();

    let mut broken = Vec::new();
    for query in &queries {
        let selectors = selectors(query);
        if selectors.is_empty() && !query.contains("up{") {
            broken.push(format!("no metric is asked for: {query}"));
        }
        broken.extend(selectors.iter().filter_map(|selector| fault(&scrape, selector)));
        for label in queries::grouping(query) {
            if !ADDED.contains(&label) && !scrape.has_label(label) {
                broken.push(format!("no series has the label {label}: {query}"));
            }
        }
    }

    assert!(queries.len() > 100, "only {} queries were found", queries.len());
    assert_eq!(broken, Vec::<String>::new());
}

/// Returns the reason why a selector finds nothing, or means nothing.
fn fault(scrape: &Scrape, selector: &Selector<'_>) -> Option<String> {
    let Some(kind) = scrape.kind(selector.name) else {
        return Some(format!("{}: there is no such metric", selector.name));
    };
    for (label, value) in &selector.matchers {
        if !ADDED.contains(label) && !scrape.has_series(selector.name, label, value) {
            return Some(format!("{}: no series with {label}={value}", selector.name));
        }
    }
    let is_as_it_grows = ["rate(", "increase("].iter().any(|it| selector.before.ends_with(it));
    match kind {
        Kind::Counter | Kind::Histogram if !is_as_it_grows => {
            Some(format!("{}: only the growth of a counter means something", selector.name))
        }
        Kind::Gauge if is_as_it_grows => {
            Some(format!("{}: a gauge does not only grow", selector.name))
        }
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_board_shows_every_metric() {
    let shown: BTreeSet<String> = board()
        .iter()
        .flat_map(|query| selectors(query).into_iter().map(|it| scrape::base(it.name).to_owned()))
        .collect();
    let folder = folder();
    let program = serve(folder.path());

    let scrape = Scrape::of(&program.url).await;

    let missing: Vec<_> = scrape.metrics().filter(|name| !shown.contains(*name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prometheus_answers_each_query_of_the_board_and_no_alert_fires_on_a_new_service() {
    let Some(command) = testkit::requires("prometheus") else { return };
    let folder = folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    let prometheus = Prometheus::start(command, program.url.trim_start_matches("http://"));
    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let (status, answer) = tenant.post(&program, "/messages/send", message).await;
    assert_eq!(status, 201, "{answer}");

    for query in board() {
        until_some(&query, async || prometheus.answer(&query).await).await;
    }
    let states = until_some("the rules are evaluated", async || prometheus.rules().await).await;

    assert_eq!(states.len(), rules().len());
    let firing: Vec<_> = states.iter().filter(|(_, state)| *state == "firing").collect();
    assert_eq!(firing, Vec::<&(String, String)>::new());
}

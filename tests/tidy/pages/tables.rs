//! Tables of metrics, events of webhooks, rights and checks.

use app::{
    doctor,
    service::{METRIC_GROUPS, Metric},
};
use domain::{
    identity::{organization::Role, permission::Permission},
    shared::webhook_event::WebhookEvent,
};
use serde_json::Value;

use super::markdown::{code, section, table};

pub(super) fn metrics() -> String {
    let cells = |metric: &Metric| {
        let labels: Vec<_> = metric.labels.iter().map(|label| code(label)).collect();
        let scope = if metric.is_of_all_instances { "*all*: " } else { "" };
        vec![code(metric.name), labels.join(", "), format!("{scope}{}", metric.meaning)]
    };
    let groups = METRIC_GROUPS.iter().map(|group| {
        let rows = table(&["metric", "labels", "meaning"], group.metrics.iter().map(cells));
        section(2, group.title, group.remark, &rows)
    });
    groups.collect::<Vec<_>>().join("\n\n")
}

/// Returns the events with the first paragraph that the document of the API has about each.
pub(super) fn webhook_events(api: &Value) -> String {
    let rows = WebhookEvent::ALL.map(|event| {
        let call = &api["webhooks"][event.as_str()]["post"];
        let description = call["description"].as_str().unwrap_or_default();
        let about = description.split("\n\n").next().unwrap_or_default();
        vec![code(event.as_str()), about.to_owned()]
    });
    table(&["event", "meaning"], rows)
}

pub(super) fn rights() -> String {
    let mut head = vec!["may".to_owned(), "permission".to_owned()];
    head.extend(Role::ALL.map(|role| code(role.as_str())));
    let rows = Permission::ALL.map(|permission| {
        let mark = |role: Role| if role.may(permission) { "✓" } else { "" };
        let mut cells = vec![permission.actions().to_owned(), code(permission.as_str())];
        cells.extend(Role::ALL.map(|role| mark(role).to_owned()));
        cells
    });
    table(&head, rows)
}

pub(super) fn doctor_codes() -> String {
    let rows = doctor::checks().iter().map(|check| {
        let link = format!("[{0}](#{0})", check.code);
        vec![link, check.rule.to_owned(), check.remedy.to_owned()]
    });
    table(&["code", "rule", "if it is broken"], rows)
}

#[test]
fn every_event_has_a_sentence() {
    let events = webhook_events(adapters_http::openapi());
    assert_eq!(events.lines().count(), WebhookEvent::ALL.len() + 2);
    let broken: Vec<_> = events.lines().skip(2).filter(|row| !row.ends_with(". |")).collect();
    assert_eq!(broken, [""; 0]);
}

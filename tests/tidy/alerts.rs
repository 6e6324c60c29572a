//! Alerts of Prometheus: each is complete, has a section in the manual, and is fired by a test.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::tree::{assert_none, root};

const FOLDER: &str = "docs/deploy/prometheus";
const RULES: [&str; 2] = ["atumpan.rules.yml", "host.rules.yml"];
const TESTS: &str = "atumpan.rules.test.yml";
const MANUAL: &str = "docs/operations/alerts.md";
/// Parts of each section of the manual.
const PARTS: [&str; 4] = ["Symptom", "Customers", "Look at", "Do"];

/// Alert with its other fields by name.
struct Alert {
    name: String,
    fields: BTreeMap<String, String>,
}

#[test]
fn every_alert_says_how_urgent_it_is_and_where_its_section_is() {
    let mut broken = Vec::new();
    for Alert { name, fields } in alerts() {
        let field = |field: &str| fields.get(field).map_or("", String::as_str);
        if !["critical", "warning"].contains(&field("severity")) {
            broken.push(format!("{name}: the severity is {:?}", field("severity")));
        }
        for wanted in ["expr", "summary", "description"] {
            if field(wanted).is_empty() {
                broken.push(format!("{name}: no {wanted}"));
            }
        }
        let section = format!("{MANUAL}#{}", name.to_lowercase());
        if field("runbook_url") != section {
            broken.push(format!("{name}: the runbook_url is not {section}"));
        }
    }
    assert_none(&broken, "an alert has a severity, a summary, a description and a section");
}

#[test]
fn the_manual_has_a_section_for_exactly_the_alerts() {
    let manual = read(MANUAL);
    let sections: Vec<_> = manual.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let alerts = alerts();
    let known: Vec<_> = alerts.iter().map(|alert| alert.name.as_str()).collect();
    assert_eq!(sorted(&sections), sorted(&known));
}

#[test]
fn every_section_of_the_manual_says_what_to_do_and_how_urgent_it_is() {
    let (manual, alerts) = (read(MANUAL), alerts());
    let mut broken = Vec::new();
    for section in manual.split("\n### ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap_or((section, ""));
        let text = text.split("\n## ").next().unwrap_or_default();
        for part in PARTS.iter().filter(|part| !text.contains(&format!("- **{part}:** "))) {
            broken.push(format!("{name}: no {part:?}"));
        }
        let alert = alerts.iter().find(|alert| alert.name == name);
        let severity = alert.and_then(|alert| alert.fields.get("severity"));
        if severity.is_some_and(|severity| !text.to_lowercase().contains(&format!("*{severity}.*")))
        {
            broken.push(format!("{name}: the severity is not that of the rule"));
        }
    }
    assert_none(&broken, "a section has all parts, and the severity of its alert");
}

#[test]
fn every_alert_is_fired_by_a_test_and_silent_otherwise() {
    let tests = read(&format!("{FOLDER}/{TESTS}"));
    let healthy = tests.split("\n  - name: ").nth(1).unwrap_or_default();
    let mut broken = Vec::new();
    for Alert { name, .. } in alerts() {
        let silent = format!("alertname: {name}, eval_time: ");
        if !healthy.contains(&silent) {
            broken.push(format!("{name}: not asked of the service that is well"));
        }
        let own = tests.split("\n  - name: ").find(|test| test.starts_with(&format!("{name}\n")));
        if !own.is_some_and(|test| test.contains("- exp_labels:")) {
            broken.push(format!("{name}: no test of its own fires it"));
        }
    }
    assert_none(&broken, "a world of its own fires an alert, and a healthy one does not");
}

#[test]
fn the_alerts_pass_their_tests() {
    let rules: Vec<_> = ["check", "rules"].into_iter().chain(RULES).collect();
    let calls: [&[&str]; 3] =
        [&rules, &["test", "rules", TESTS], &["check", "config", "prometheus.yml"]];
    for arguments in calls {
        let Some(mut promtool) = testkit::requires("promtool") else { return };
        let ran = promtool.args(arguments).current_dir(root().join(FOLDER)).output();
        let ran = ran.unwrap_or_else(|error| panic!("promtool: {error}"));
        let output = [ran.stdout, ran.stderr].concat();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output));
    }
}

#[test]
fn an_alert_is_read_with_its_fields() {
    let text = "groups:\n  - name: a\n    rules:\n      - alert: B\n        expr: |\n          x\n            > 1\n        \
                labels:\n          severity: warning\n        annotations:\n          summary: \"C: d\"\n";
    let alerts = alerts_in(text);
    assert_eq!(alerts.len(), 1);
    let field = |name: &str| alerts[0].fields.get(name).map(String::as_str);
    assert_eq!(alerts[0].name, "B");
    assert_eq!((field("expr"), field("severity")), (Some("|"), Some("warning")));
    assert_eq!(field("summary"), Some("C: d"));
}

fn alerts() -> Vec<Alert> {
    let texts = RULES.map(|file| read(&format!("{FOLDER}/{file}")));
    texts.iter().flat_map(|text| alerts_in(text)).collect()
}

/// Returns the alerts of a file that is indented as ours are: a field is a line, but for expressions.
fn alerts_in(text: &str) -> Vec<Alert> {
    let mut alerts: Vec<Alert> = Vec::new();
    for line in text.lines() {
        let Some((field, value)) = line.trim_start().split_once(": ") else { continue };
        if field == "- alert" {
            alerts.push(Alert { name: value.to_owned(), fields: BTreeMap::new() });
        } else if let Some(alert) = alerts.last_mut() {
            alert.fields.insert(field.to_owned(), value.trim_matches('"').to_owned());
        }
    }
    alerts
}

fn sorted<'n>(names: &[&'n str]) -> Vec<&'n str> {
    let distinct: BTreeSet<_> = names.iter().copied().collect();
    assert_eq!(distinct.len(), names.len(), "a name is there twice");
    distinct.into_iter().collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

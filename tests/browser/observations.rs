//! Reports of the browser itself: messages of its console, and requests of pages.

use serde_json::Value;

use crate::browser::Browser;

/// Reports since the last time that they were read.
#[derive(Debug, Default)]
pub(crate) struct Observations {
    /// Messages of the console, with their levels, without those on answers of the service.
    pub(crate) messages: Vec<String>,
    /// Messages of the console on answers that are no success.
    pub(crate) failed_loads: Vec<String>,
    /// Addresses of requests to other origins.
    pub(crate) requests_elsewhere: Vec<String>,
    /// Status of the last page; `None` if no page was loaded.
    pub(crate) page_status: Option<u64>,
}

impl Browser {
    /// Returns the reports of the browser since the last call.
    pub(crate) async fn observe(&self) -> Observations {
        let mut observed = Observations::default();
        for entry in self.session.new_log_entries("browser").await.unwrap() {
            // Advice that a console shows only when it is asked for, such as on names beside passwords.
            if entry.level == "DEBUG" {
                continue;
            }
            let message = format!("{}: {}", entry.level, entry.message);
            if entry.source == "network" {
                observed.failed_loads.push(message);
            } else {
                observed.messages.push(message);
            }
        }
        for entry in self.session.new_log_entries("performance").await.unwrap() {
            let event: Value = serde_json::from_str(&entry.message).unwrap();
            observed.add_event(&event["message"], &self.origin);
        }
        observed
    }
}

impl Observations {
    fn add_event(&mut self, event: &Value, origin: &str) {
        let parameters = &event["params"];
        let url = match event["method"].as_str() {
            Some("Network.requestWillBeSent") => &parameters["request"]["url"],
            Some("Network.webSocketCreated") => &parameters["url"],
            Some("Network.responseReceived") if parameters["type"] == "Document" => {
                self.page_status = parameters["response"]["status"].as_u64();
                return;
            }
            _ => return,
        };
        let url = url.as_str().unwrap_or_default();
        if !is_at(url, origin) {
            self.requests_elsewhere.push(url.to_owned());
        }
    }

    /// Returns all that a page which was opened as intended must not cause.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = self.faults_of_a_journey();
        faults.extend(self.failed_loads.iter().map(|it| format!("console: {it}")));
        if self.page_status.is_some_and(|status| status != 200) {
            faults.push(format!("the page was answered with {:?}", self.page_status));
        }
        faults
    }

    /// Returns the same without answers that are no success: a form that is refused is answered so.
    pub(crate) fn faults_of_a_journey(&self) -> Vec<String> {
        let messages = self.messages.iter().map(|it| format!("console: {it}"));
        let requests = self.requests_elsewhere.iter().map(|it| format!("request to {it}"));
        messages.chain(requests).collect()
    }
}

/// True if the address is one of the origin, or holds its content: the browser draws the button of a
/// date so.
fn is_at(url: &str, origin: &str) -> bool {
    url.starts_with("data:")
        || url
            .strip_prefix(origin)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

#[test]
fn an_origin_ends_before_the_path() {
    let origin = "http://127.0.0.1:80";
    assert!(is_at("http://127.0.0.1:80/app", origin));
    assert!(!is_at("http://127.0.0.1:8080/app", origin));
    assert!(!is_at("http://127.0.0.1:80@evil.example/", origin));
}

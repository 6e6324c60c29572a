//! Requests to the driver.

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::{Answer, Client, client};

/// Longest time of an answer. A slow machine takes half a minute to start a browser.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Access to one session of the driver.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    http: Client,
    url: String,
}

impl Connection {
    /// Has the driver at that URL start a browser with these capabilities.
    pub(super) async fn open(driver: &str, capabilities: &Value) -> Result<Self, String> {
        let http = client();
        let wanted = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let opened = value_of(http.post(format!("{driver}/session")).json(&wanted)).await?;
        let id = opened["sessionId"].as_str().ok_or("the driver names no session")?;
        Ok(Self { http, url: format!("{driver}/session/{id}") })
    }

    /// Asks for a value.
    pub(super) async fn get(&self, path: &str) -> Result<Value, String> {
        value_of(self.http.get(format!("{}{path}", self.url))).await
    }

    /// Asks for a text; empty if there is none.
    pub(super) async fn text(&self, path: &str) -> Result<String, String> {
        let value = self.get(path).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Gives a command, and returns its result.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        value_of(self.http.post(format!("{}{path}", self.url)).json(body)).await
    }
}

/// Returns the value in the answer to a request. The error is the message of the driver.
async fn value_of(request: RequestBuilder) -> Result<Value, String> {
    let answer = Answer::to(request.timeout(TIMEOUT)).await;
    let mut answer = answer.map_err(|error| error.to_string())?;
    let value = answer.body.get_mut("value").map(Value::take).unwrap_or_default();
    if answer.status == 200 {
        return Ok(value);
    }
    Err(value["message"].as_str().unwrap_or(&answer.text).to_owned())
}

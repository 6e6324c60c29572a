//! Answers of the API.

use reqwest::{RequestBuilder, header::HeaderMap};
use serde_json::Value;

/// Complete answer of the API.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// HTTP headers.
    pub headers: HeaderMap,
    /// Body as JSON; null if it is not JSON.
    pub body: Value,
    /// Body as text.
    pub text: String,
}

impl Answer {
    /// Sends a request, and reads the whole answer.
    pub async fn to(request: RequestBuilder) -> reqwest::Result<Self> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await?;
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Ok(Self { status, headers, body, text })
    }

    /// Asserts a success with that status and returns its `data`.
    #[track_caller]
    pub fn data(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body["success"], true, "{}", self.text);
        &self.body["data"]
    }

    /// Asserts a failure with that status and code, in the envelope of all failures, and returns
    /// its `details`.
    #[track_caller]
    pub fn fails(&self, status: u16, code: &str) -> &Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.body["success"], false, "{}", self.text);
        let error = &self.body["error"];
        assert_eq!(error["code"], code, "{}", self.text);
        assert!(error["message"].is_string(), "{}", self.text);
        assert!(error["details"].is_object(), "{}", self.text);
        assert!(self.headers.contains_key("x-request-id"), "{}", self.text);
        &error["details"]
    }

    /// Returns the value of a header; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

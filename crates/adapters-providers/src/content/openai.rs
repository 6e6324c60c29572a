//! Language model with the interface of `OpenAI`'s chat completions, which many vendors and most
//! programs for local models also have.

use std::{
    sync::{PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use domain::content::writing::{Violation, WritingRequest, WrittenText};
use ports::content::writing::{ContentWriter, WriterError};
use reqwest::{
    StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderValue},
};
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::prompt;
use crate::{
    http_client::{HttpClient, cause, read},
    secret::Secret,
};

/// Maximum number of bytes read of a response: some models include their reasoning.
const MAX_ANSWER: usize = 512 * 1024;
/// End of the reasoning of a model, if it precedes the answer.
const END_OF_THOUGHT: &str = "</think>";
/// Finish reason of a complete answer.
const COMPLETE: &str = "stop";

/// Settings of a language model.
#[derive(Debug, Clone)]
pub struct ChatModelSettings {
    /// Base URL of the interface, such as `https://api.openai.com/v1`.
    pub url: String,
    /// Name of the model.
    pub model: String,
    /// API key; `None` if the server requires none.
    pub key: Option<Secret>,
    /// Time-out of a call.
    pub timeout: Duration,
}

/// Reason why the settings of a language model are invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ChatModelError {
    /// Invalid URL.
    #[error("must be an address of http or https, without user, query and fragment")]
    Url,
    /// Key that no header can hold.
    #[error("must be printable ASCII")]
    Key,
}

impl ChatModelSettings {
    /// Fails if no model can be called with these settings.
    pub fn check(&self) -> Result<(), ChatModelError> {
        address(&self.url)?;
        self.key.as_ref().map_or(Ok(()), |key| bearer(key).map(drop))
    }
}

/// Client of a language model.
pub struct ChatModel {
    http: HttpClient,
    url: Url,
    model: String,
    authorization: RwLock<Option<HeaderValue>>,
    timeout: Duration,
}

impl ChatModel {
    /// Creates a client with these settings, without a call to the model.
    pub fn new(settings: ChatModelSettings, http: HttpClient) -> Result<Self, ChatModelError> {
        let authorization = RwLock::new(settings.key.as_ref().map(bearer).transpose()?);
        let url = address(&settings.url)?;
        let ChatModelSettings { model, timeout, .. } = settings;
        Ok(Self { http, url, model, authorization, timeout })
    }

    /// Replaces the key for all calls that begin from now on.
    pub fn replace_key(&self, key: Option<&Secret>) -> Result<(), ChatModelError> {
        let authorization = key.map(bearer).transpose()?;
        *self.authorization.write().unwrap_or_else(PoisonError::into_inner) = authorization;
        Ok(())
    }

    fn authorization(&self) -> Option<HeaderValue> {
        self.authorization.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Builds the body of a call.
    fn body(&self, wanted: &WritingRequest, violations: &[Violation]) -> Value {
        let mut messages = vec![
            json!({ "role": "system", "content": prompt::rules(wanted) }),
            json!({ "role": "user", "content": prompt::request(wanted) }),
        ];
        if let Some(complaint) = prompt::complaint(violations) {
            messages.push(json!({ "role": "user", "content": complaint }));
        }
        // Temperature and token limits are left out: some models refuse them.
        json!({ "model": self.model, "messages": messages, "stream": false })
    }

    async fn call(&self, body: &Value) -> Result<Vec<u8>, WriterError> {
        let mut request = self.http.post(self.url.clone()).header(ACCEPT, "application/json");
        if let Some(authorization) = self.authorization() {
            request = request.header(AUTHORIZATION, authorization);
        }
        let sent = request.json(body).timeout(self.timeout).send().await;
        let response = sent.map_err(|error| {
            tracing::warn!(cause = cause(&error), "failed to reach the language model");
            WriterError::Unavailable { retry_after: None }
        })?;
        let status = response.status();
        if !status.is_success() {
            let retry_after = self.http.retry_after(response.headers());
            return Err(refusal(status, retry_after));
        }
        match read(response, MAX_ANSWER).await {
            Some(body) => Ok(body),
            None => {
                tracing::warn!(
                    "failed to read an answer of the language model: it broke off or is too long"
                );
                Err(WriterError::Unreadable)
            }
        }
    }
}

#[async_trait]
impl ContentWriter for ChatModel {
    async fn write(
        &self,
        wanted: &WritingRequest,
        violations: &[Violation],
    ) -> Result<WrittenText, WriterError> {
        let answer = self.call(&self.body(wanted, violations)).await?;
        let mut text =
            text(&answer).and_then(|text| written_text(&text)).ok_or(WriterError::Unreadable)?;
        text.subject = text.subject.filter(|_| wanted.wants_subject());
        Ok(text)
    }
}

/// Converts a status other than a success to an error. The body is not logged: it may repeat the
/// request.
fn refusal(status: StatusCode, retry_after: Option<chrono::TimeDelta>) -> WriterError {
    if matches!(status.as_u16(), 408 | 429 | 500..=599) {
        tracing::warn!(status = status.as_u16(), "the language model takes no calls for now");
    } else {
        // The key, the model name or the address is wrong, which waiting does not change.
        tracing::error!(status = status.as_u16(), "the language model refuses our calls");
    }
    WriterError::Unavailable { retry_after }
}

fn bearer(key: &Secret) -> Result<HeaderValue, ChatModelError> {
    let value = HeaderValue::from_str(&format!("Bearer {}", key.expose()));
    let mut value = value.map_err(|_| ChatModelError::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

fn address(base: &str) -> Result<Url, ChatModelError> {
    let mut url = Url::parse(base).map_err(|_| ChatModelError::Url)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !is_plain {
        return Err(ChatModelError::Url);
    }
    url.path_segments_mut()
        .map_err(|()| ChatModelError::Url)?
        .pop_if_empty()
        .extend(["chat", "completions"]);
    Ok(url)
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
    refusal: Option<String>,
}

/// Returns the text of a complete answer.
fn text(body: &[u8]) -> Option<String> {
    let completion: Completion = serde_json::from_slice(body).ok()?;
    let choice = completion.choices.into_iter().next()?;
    let is_complete = choice.finish_reason.is_none_or(|reason| reason == COMPLETE);
    choice.message.content.filter(|_| is_complete && choice.message.refusal.is_none())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    message: String,
    #[serde(default)]
    subject: Option<String>,
}

/// Parses a text in the format that the prompt requests. Models often put a fence around JSON.
fn written_text(text: &str) -> Option<WrittenText> {
    let text = text.rsplit_once(END_OF_THOUGHT).map_or(text, |(_, answer)| answer).trim();
    let text = match text.strip_prefix("```json").or_else(|| text.strip_prefix("```")) {
        Some(fenced) => fenced.strip_suffix("```")?,
        None => text,
    };
    let given: Given = serde_json::from_str(text.trim()).ok()?;
    let message = domain::shared::text::with_plain_line_breaks(given.message);
    Some(WrittenText { subject: given.subject, message })
}

#[cfg(test)]
mod tests;

//! OAuth access tokens (RFC 6749) for vendors that require one with each call.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::messaging::{
    delivery::{Failure, FailureCode},
    outcome::Outcome,
};
use ports::shared::clock::Clock;
use reqwest::{Url, header::HeaderValue};
use serde::{Deserialize, Serialize};
use tokio::{sync::Mutex, time};

use crate::{answer::Answer, http_client::HttpClient};

/// Time before its expiry from which a token is no longer used: a call takes a minute at most.
const MARGIN: TimeDelta = TimeDelta::seconds(90);

/// Grant that access tokens are requested with.
pub(crate) trait TokenGrant: Send + Sync {
    /// Returns the address of the token endpoint.
    fn url(&self) -> &Url;

    /// Returns the assertion (RFC 7523) that requests a token; `None` if it cannot be signed.
    fn assertion(&self, now: DateTime<Utc>) -> Option<String>;

    /// True if a response to a call refuses its token.
    fn is_token_refused(&self, answer: &Answer) -> bool;
}

/// Cache of one access token, which fetches another shortly before the expiry.
pub(crate) struct AccessTokens {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    grant: Box<dyn TokenGrant>,
    timeout: Duration,
    /// Locked while a token is fetched, so that all callers wait for the same token.
    current: Mutex<Option<Token>>,
}

struct Token {
    bearer: HeaderValue,
    good_until: DateTime<Utc>,
}

#[derive(Serialize)]
struct Form<'a> {
    grant_type: &'static str,
    assertion: &'a str,
}

#[derive(Deserialize)]
struct Grant {
    access_token: String,
    expires_in: u32,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl AccessTokens {
    pub(crate) fn new(
        http: HttpClient,
        clock: Arc<dyn Clock>,
        grant: Box<dyn TokenGrant>,
        timeout: Duration,
    ) -> Self {
        Self { http, clock, grant, timeout, current: Mutex::new(None) }
    }

    /// Returns the value of the `Authorization` header. The error is the outcome of a call that
    /// sent nothing.
    pub(crate) async fn bearer(&self) -> Result<HeaderValue, Outcome> {
        self.in_time(async {
            let mut current = self.current.lock().await;
            let now = self.clock.now();
            match &*current {
                Some(token) if token.good_until > now => Ok(token.bearer.clone()),
                _ => self.fetch(&mut current, now).await,
            }
        })
        .await
    }

    /// Returns the same header value with a newly fetched token.
    pub(crate) async fn renew(&self) -> Result<HeaderValue, Outcome> {
        self.in_time(async {
            let mut current = self.current.lock().await;
            self.fetch(&mut current, self.clock.now()).await
        })
        .await
    }

    /// True if a response to a call refuses its token.
    pub(crate) fn is_refused(&self, answer: &Answer) -> bool {
        self.grant.is_token_refused(answer)
    }

    /// Discards the token of a header that the vendor no longer accepts; the next call fetches
    /// another.
    pub(crate) async fn forget(&self, bearer: &HeaderValue) {
        let mut current = self.current.lock().await;
        if current.as_ref().is_some_and(|token| token.bearer == bearer) {
            *current = None;
        }
    }

    /// Runs a fetch within the time-out, which includes the wait for a fetch by another call.
    async fn in_time(
        &self,
        bearer: impl Future<Output = Result<HeaderValue, Outcome>>,
    ) -> Result<HeaderValue, Outcome> {
        match time::timeout(self.timeout, bearer).await {
            Ok(result) => result,
            Err(_) => Err(unavailable("the provider did not give a token in time")),
        }
    }

    async fn fetch(
        &self,
        current: &mut Option<Token>,
        now: DateTime<Utc>,
    ) -> Result<HeaderValue, Outcome> {
        *current = None;
        let Some(assertion) = self.grant.assertion(now) else {
            return Err(unavailable("the request for a token could not be signed"));
        };
        let request = self.http.post(self.grant.url().clone()).form(&Form {
            grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
            assertion: &assertion,
        });
        let answer = self.http.call(request, self.timeout).await.map_err(nothing_sent)?;
        let token = token(&answer, now).ok_or_else(|| refusal(&answer))?;
        Ok(current.insert(token).bearer.clone())
    }
}

/// Returns the token in a response.
fn token(answer: &Answer, now: DateTime<Utc>) -> Option<Token> {
    if !answer.status.is_success() {
        return None;
    }
    let grant: Grant = answer.json()?;
    let bearer = HeaderValue::from_str(&format!("Bearer {}", grant.access_token));
    let mut bearer = bearer.ok().filter(|_| !grant.access_token.is_empty())?;
    bearer.set_sensitive(true);
    let good_until = now + TimeDelta::seconds(grant.expires_in.into()) - MARGIN;
    Some(Token { bearer, good_until })
}

/// Returns the outcome of a call whose token request was refused (RFC 6749, section 5.2).
fn refusal(answer: &Answer) -> Outcome {
    let status = answer.status.as_str();
    let (code, message) = match answer.status.as_u16() {
        400 | 401 | 403 => {
            (FailureCode::ProviderAuth, "the provider does not accept the service account")
        }
        429 => (FailureCode::ProviderThrottled, "the provider gives no more tokens for now"),
        _ => (FailureCode::ProviderUnavailable, "the provider did not give a token"),
    };
    let error = answer.json::<Refusal>().map(|refusal| refusal.error).filter(|it| is_plain(it));
    let failure =
        Failure::new(code, message).with_vendor_code(error.unwrap_or_else(|| status.to_owned()));
    Outcome::NotAccepted { failure, retry_after: answer.retry_after }
}

/// True if a text has the form of an error name.
fn is_plain(error: &str) -> bool {
    (1..=40).contains(&error.len())
        && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Converts an outcome to that of a call which cannot have sent a message.
fn nothing_sent(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Unknown(failure) => unavailable(&failure.message),
        outcome => outcome,
    }
}

fn unavailable(message: &str) -> Outcome {
    let failure = Failure::new(FailureCode::ProviderUnavailable, message);
    Outcome::NotAccepted { failure, retry_after: None }
}

#[cfg(test)]
mod tests;

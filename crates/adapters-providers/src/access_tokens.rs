//! Access tokens (RFC 6749), for vendors that want one with each call.

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

/// How long before its end a token is no longer used: a call takes a minute at most.
const MARGIN: TimeDelta = TimeDelta::seconds(90);

/// What tokens are fetched with.
pub(crate) trait TokenGrant: Send + Sync {
    /// Where tokens are fetched.
    fn url(&self) -> &Url;

    /// The assertion (RFC 7523) that asks for a token. `None` if it cannot be signed.
    fn assertion(&self, now: DateTime<Utc>) -> Option<String>;

    /// Whether an answer to a call refuses its token.
    fn is_token_refused(&self, answer: &Answer) -> bool;
}

/// Keeps a token, and fetches another when it nears its end.
pub(crate) struct AccessTokens {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    grant: Box<dyn TokenGrant>,
    timeout: Duration,
    /// Locked while a token is fetched, so that all who need one wait for the same.
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

    /// The value of `Authorization`. The error says that nothing was sent.
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

    /// The same, with a token that was just fetched.
    pub(crate) async fn renew(&self) -> Result<HeaderValue, Outcome> {
        self.in_time(async {
            let mut current = self.current.lock().await;
            self.fetch(&mut current, self.clock.now()).await
        })
        .await
    }

    /// Whether an answer to a call refuses its token.
    pub(crate) fn is_refused(&self, answer: &Answer) -> bool {
        self.grant.is_token_refused(answer)
    }

    /// Has the next call fetch another token, because the vendor no longer takes this one.
    pub(crate) async fn forget(&self, bearer: &HeaderValue) {
        let mut current = self.current.lock().await;
        if current.as_ref().is_some_and(|token| token.bearer == bearer) {
            *current = None;
        }
    }

    /// Ends after the time-out, which includes waiting for a token that another call fetches.
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

/// The token in an answer.
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

/// The outcome of a call whose token was refused (RFC 6749, section 5.2).
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

/// Whether a text is of the form of an error's name.
fn is_plain(error: &str) -> bool {
    (1..=40).contains(&error.len())
        && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The same outcome, for a call after which no message can be on its way.
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

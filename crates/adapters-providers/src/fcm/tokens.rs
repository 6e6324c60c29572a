//! The tokens with which Google lets a service account send.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    delivery::{Failure, FailureCode},
    provider::Outcome,
};
use ports::clock::Clock;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};
use tokio::{sync::Mutex, time};

use super::account::Account;
use crate::{answer::Answer, client::HttpClient};

/// How long before its end a token is no longer used: a call takes a minute at most.
const MARGIN: TimeDelta = TimeDelta::seconds(90);

/// Has a token ready, and fetches another when it nears its end.
pub(super) struct Tokens {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    account: Account,
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

impl Tokens {
    pub(super) fn new(
        http: HttpClient,
        clock: Arc<dyn Clock>,
        account: Account,
        timeout: Duration,
    ) -> Self {
        Self { http, clock, account, timeout, current: Mutex::new(None) }
    }

    /// The value of `Authorization`. Without it nothing was sent, which is the error.
    pub(super) async fn bearer(&self) -> Result<HeaderValue, Outcome> {
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

    /// The same, of a token that was just fetched.
    pub(super) async fn renew(&self) -> Result<HeaderValue, Outcome> {
        self.in_time(async {
            let mut current = self.current.lock().await;
            self.fetch(&mut current, self.clock.now()).await
        })
        .await
    }

    /// Has the next call fetch a token anew, for Google no longer takes this one.
    pub(super) async fn forget(&self, bearer: &HeaderValue) {
        let mut current = self.current.lock().await;
        if current.as_ref().is_some_and(|token| token.bearer == bearer) {
            *current = None;
        }
    }

    /// Waiting for another's fetch counts as well.
    async fn in_time(
        &self,
        bearer: impl Future<Output = Result<HeaderValue, Outcome>>,
    ) -> Result<HeaderValue, Outcome> {
        let late = |_| Err(unavailable("the provider did not give a token in time"));
        time::timeout(self.timeout, bearer).await.unwrap_or_else(late)
    }

    async fn fetch(
        &self,
        current: &mut Option<Token>,
        now: DateTime<Utc>,
    ) -> Result<HeaderValue, Outcome> {
        *current = None;
        let assertion = self.account.assertion(now);
        let assertion =
            assertion.ok_or_else(|| unavailable("the request for a token could not be signed"))?;
        let request = self.http.post(self.account.token_url.clone()).form(&Form {
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

/// What it means that an answer has no token (RFC 6749, section 5.2).
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

/// The same, of a call after which no message can be on its way.
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

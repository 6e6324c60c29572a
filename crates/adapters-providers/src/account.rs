//! Our account at a vendor over HTTP: where it is, how it shows that we are us, and how it is
//! called.

use std::{convert::identity, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    callback::{Callback, CallbackRefused},
    message::Message,
    provider::{Check, LookUp, Outcome},
};
use ports::clock::Clock;
use reqwest::{
    RequestBuilder, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderName, HeaderValue},
};

use crate::{
    answer::Answer,
    client::HttpClient,
    declaration::{Declaration, DeclarationError, Deps},
    health,
    secret::Secret,
    signature,
};

/// How requests show that they are ours.
pub(crate) enum Authorization {
    /// By a header, which does not show itself.
    Header(HeaderName, HeaderValue),
    /// By a user and a password (RFC 7617).
    Basic(String, Secret),
    /// By a parameter in the query.
    Query(&'static str, Secret),
    /// Each in its own way, or not at all.
    Own,
}

impl Authorization {
    /// A credential as a bearer token (RFC 6750).
    pub(crate) fn bearer(declaration: &Declaration, key: &str) -> Result<Self, DeclarationError> {
        Self::scheme(declaration, key, "Bearer ")
    }

    /// A credential in a header of the vendor's own.
    pub(crate) fn header(
        declaration: &Declaration,
        key: &str,
        name: &'static str,
    ) -> Result<Self, DeclarationError> {
        Ok(Self::Header(HeaderName::from_static(name), header(declaration, key, "")?))
    }

    /// A credential in the usual header, after a `scheme` of the vendor's own.
    pub(crate) fn scheme(
        declaration: &Declaration,
        key: &str,
        scheme: &str,
    ) -> Result<Self, DeclarationError> {
        Ok(Self::Header(AUTHORIZATION, header(declaration, key, scheme)?))
    }

    fn of(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::Header(name, value) => request.header(name, value.clone()),
            Self::Basic(user, password) => request.basic_auth(user, Some(password.expose())),
            Self::Query(name, secret) => request.query(&[(name, secret.expose())]),
            Self::Own => request,
        }
    }
}

/// A header with a credential in it, after `scheme`.
fn header(
    declaration: &Declaration,
    key: &str,
    scheme: &str,
) -> Result<HeaderValue, DeclarationError> {
    let text = format!("{scheme}{}", declaration.credential(key)?.expose());
    let problem = "must be printable ASCII";
    let unprintable = |_| declaration.invalid(&format!("credentials.{key}"), problem);
    let mut value = HeaderValue::from_str(&text).map_err(unprintable)?;
    value.set_sensitive(true);
    Ok(value)
}

/// What a declaration says of a vendor over HTTP.
pub(crate) struct Access {
    provider: String,
    base: Url,
    authorization: Authorization,
    sender: Option<String>,
    /// What callbacks show, if the vendor does not sign.
    token: Option<String>,
    timeout: Duration,
}

impl Access {
    /// Reads a declaration of a vendor that is usually reached at `usual`.
    pub(crate) fn read(
        declaration: &Declaration,
        usual: &str,
        authorization: Authorization,
    ) -> Result<Self, DeclarationError> {
        Ok(Self {
            provider: declaration.name.clone(),
            base: declaration.url(usual, "")?,
            authorization,
            sender: declaration.sender.clone(),
            token: declaration.token()?,
            timeout: declaration.timeout(),
        })
    }
}

/// An account at a vendor.
pub(crate) struct Account {
    http: HttpClient,
    clock: Arc<dyn Clock>,
    callback_url: String,
    access: Access,
}

impl Account {
    pub(crate) fn new(access: Access, deps: &Deps) -> Self {
        Self {
            http: deps.http.clone(),
            clock: Arc::clone(&deps.clock),
            callback_url: deps.callback_url(&access.provider, access.token.as_deref()),
            access,
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A request that only asks, for what is below the vendor's address. No part of the path leaves
    /// its place, whatever is in it.
    pub(crate) fn get(&self, path: &[&str]) -> RequestBuilder {
        self.ours(self.http.get(self.address(path)))
    }

    /// A request that hands over.
    pub(crate) fn post(&self, path: &[&str]) -> RequestBuilder {
        self.ours(self.http.post(self.address(path)))
    }

    fn ours(&self, request: RequestBuilder) -> RequestBuilder {
        self.access.authorization.of(request).header(ACCEPT, "application/json")
    }

    fn address(&self, path: &[&str]) -> Url {
        let mut url = self.access.base.clone();
        // Fails only for addresses without a path, which no declaration may have.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(path);
        }
        url
    }

    /// Makes a request. Without a readable answer, what that means is the error.
    pub(crate) async fn call(&self, request: RequestBuilder) -> Result<Answer, Outcome> {
        self.http.call(request, self.access.timeout).await
    }

    /// Makes a request that hands a message over. `outcome` understands the answer.
    pub(crate) async fn hand_over(
        &self,
        request: RequestBuilder,
        outcome: impl FnOnce(&Answer) -> Outcome + Send,
    ) -> Outcome {
        self.call(request).await.map_or_else(identity, |answer| outcome(&answer))
    }

    /// Makes a request that asks for a message. `found` understands the answer.
    pub(crate) async fn ask(
        &self,
        request: RequestBuilder,
        found: impl FnOnce(&Answer) -> LookUp + Send,
    ) -> LookUp {
        self.call(request).await.map_or(LookUp::Unavailable, |answer| found(&answer))
    }

    /// Makes a request that asks for the account. `shown` understands a success.
    pub(crate) async fn look(
        &self,
        request: RequestBuilder,
        shown: impl FnOnce(&Answer) -> Check + Send,
    ) -> Check {
        let answer = self.call(request).await.map_err(health::unseen).and_then(Answer::shown);
        answer.map_or_else(identity, |answer| shown(&answer))
    }

    /// The sender that a message asks for, or else the declared one.
    pub(crate) fn sender<'a>(&'a self, message: &'a Message) -> Option<&'a str> {
        message.draft.sender.as_deref().or(self.access.sender.as_deref())
    }

    /// The vendor's identifier of a message, of the last time it took the message.
    pub(crate) fn reference<'a>(&self, message: &'a Message) -> Option<&'a str> {
        let is_ours = |provider: &str| provider == self.access.provider;
        let mut attempts = message.attempts.iter().rev().filter(|it| is_ours(&it.provider));
        attempts.find_map(|attempt| attempt.reference.as_deref())
    }

    /// Where the vendor is told to call, with the token if it does not sign.
    pub(crate) fn callback_url(&self) -> &str {
        &self.callback_url
    }

    /// Refuses a callback without our token.
    pub(crate) fn verify(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        let token = self.access.token.as_deref().ok_or(CallbackRefused::Unauthorized)?;
        signature::verify_token(callback, token)
    }
}

#[cfg(test)]
mod tests {
    use domain::channel::Channel;

    use super::*;
    use crate::{
        fixture::{self, callback},
        kind::Kind,
    };

    fn declaration() -> Declaration {
        let mut declaration = fixture::declaration(Kind::Arkesel, Channel::Sms);
        declaration.credentials.insert("api_key".into(), Secret::new("key"));
        declaration.sender = Some("SHOP".into());
        declaration
    }

    fn account(authorization: Authorization) -> Account {
        let access = Access::read(&declaration(), "https://vendor.example/v1/", authorization);
        Account::new(access.unwrap(), &fixture::deps())
    }

    #[test]
    fn no_part_of_a_path_leaves_its_place() {
        let request = account(Authorization::Own).get(&["messages", "a/../b?c"]).build().unwrap();

        let expected = "https://vendor.example/v1/messages/a%2F..%2Fb%3Fc";
        assert_eq!(request.url().as_str(), expected);
        assert_eq!(account(Authorization::Own).address(&[]).path(), "/v1");
    }

    #[test]
    fn requests_show_who_we_are_and_hide_it_in_debug() {
        let key = || Secret::new("s3cr3t");
        let mut value = HeaderValue::from_static("App s3cr3t");
        value.set_sensitive(true);
        for (authorization, shown) in [
            (Authorization::Header(AUTHORIZATION, value), "App s3cr3t"),
            (Authorization::Basic("ama".into(), key()), "Basic YW1hOnMzY3IzdA=="),
        ] {
            let request = account(authorization).get(&["x"]).build().unwrap();
            let header = &request.headers()[AUTHORIZATION];
            assert_eq!(header, shown);
            assert!(header.is_sensitive(), "{shown}");
        }
        let request = account(Authorization::Query("key", key())).get(&["x"]).build().unwrap();
        assert_eq!(request.url().query(), Some("key=s3cr3t"));
    }

    #[test]
    fn a_credential_that_fits_in_no_header_stops_the_start_and_is_not_told() {
        let mut declaration = declaration();
        declaration.credentials.insert("api_key".into(), Secret::new("hunter\n2"));

        let refused = Authorization::bearer(&declaration, "api_key").err().unwrap().to_string();

        assert!(refused.contains("credentials.api_key must be printable ASCII"), "{refused}");
        assert!(!refused.contains("hunter"), "{refused}");
    }

    #[test]
    fn the_sender_that_a_message_asks_for_comes_first() {
        let mut message = fixture::message();
        assert_eq!(account(Authorization::Own).sender(&message), Some("SHOP"));
        Arc::make_mut(&mut message.draft).sender = Some("OTHER".into());
        assert_eq!(account(Authorization::Own).sender(&message), Some("OTHER"));
    }

    #[test]
    fn only_the_token_of_the_address_opens() {
        let account = account(Authorization::Own);
        let (_, token) = account.callback_url().split_once("?token=").unwrap();

        assert_eq!(account.verify(&callback(&[("token", token)], "")), Ok(()));
        for query in [&[("token", "x")][..], &[]] {
            let refused = account.verify(&callback(query, ""));
            assert_eq!(refused, Err(CallbackRefused::Unauthorized), "{query:?}");
        }
    }
}

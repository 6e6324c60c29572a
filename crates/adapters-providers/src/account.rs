//! Account of the operator at a vendor over HTTP: the vendor's address, and calls to it.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::messaging::{
    callback::{Callback, CallbackRefused},
    message::Message,
    outcome::Outcome,
};
use ports::{audience::unsubscribes::UnsubscribeLinks, shared::clock::Clock};
use reqwest::{
    RequestBuilder, Url,
    header::{ACCEPT, AUTHORIZATION},
};
use tokio::time::Instant;

use crate::{
    access_tokens::{AccessTokens, TokenGrant},
    answer::Answer,
    authorization::Authorization,
    declaration::{self, Declaration, DeclarationError},
    deps::Deps,
    http_client::HttpClient,
    kind::Callbacks,
    signature,
};

/// Declared settings of a vendor over HTTP.
pub(crate) struct Access {
    provider: String,
    base_url: Url,
    authorization: Authorization,
    token_grant: Option<Box<dyn TokenGrant>>,
    sender: Option<String>,
    /// True if callbacks carry a token; false if the vendor signs them, or makes none.
    carries_token: bool,
    timeout: Duration,
}

impl Access {
    /// Reads a declaration of a vendor whose usual address is `usual_url`.
    pub(crate) fn read(
        declaration: &Declaration,
        usual_url: &str,
        authorization: Authorization,
    ) -> Result<Self, DeclarationError> {
        Ok(Self {
            provider: declaration.name.clone(),
            base_url: declaration.url(usual_url)?,
            authorization,
            token_grant: None,
            sender: declaration.sender.clone(),
            carries_token: declaration.kind.0.callbacks == Callbacks::Token,
            timeout: declaration.longest_call(),
        })
    }

    /// Adds an access token to each call.
    pub(crate) fn with_tokens(self, grant: impl TokenGrant + 'static) -> Self {
        Self { token_grant: Some(Box::new(grant)), ..self }
    }
}

/// Account at a vendor.
pub(crate) struct Account {
    provider: String,
    base_url: Url,
    authorization: Authorization,
    tokens: Option<AccessTokens>,
    sender: Option<String>,
    callback_token: Option<String>,
    callback_url: String,
    timeout: Duration,
    http: HttpClient,
    clock: Arc<dyn Clock>,
    links: Arc<dyn UnsubscribeLinks>,
}

impl Account {
    pub(crate) fn new(access: Access, deps: &Deps) -> Self {
        let Access { provider, carries_token, timeout, .. } = access;
        let callback_token =
            carries_token.then(|| signature::callback_token(&deps.callback_key, &provider));
        let (http, clock) = (deps.http.clone(), Arc::clone(&deps.clock));
        let tokens = access
            .token_grant
            .map(|grant| AccessTokens::new(http.clone(), Arc::clone(&clock), grant, timeout));
        let token = callback_token.as_deref();
        Self {
            callback_url: declaration::callback_url(&deps.public_url, &provider, token),
            provider,
            base_url: access.base_url,
            authorization: access.authorization,
            tokens,
            sender: access.sender,
            callback_token,
            timeout,
            http,
            clock,
            links: Arc::clone(&deps.links),
        }
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Builds a request that only reads, for a path below the vendor's address. Path segments are
    /// escaped, so that none can change the path.
    pub(crate) fn get(&self, path: &[&str]) -> RequestBuilder {
        self.authorized(self.http.get(self.address(path)))
    }

    /// Builds a request that submits data.
    pub(crate) fn post(&self, path: &[&str]) -> RequestBuilder {
        self.authorized(self.http.post(self.address(path)))
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        self.authorization.apply(request).header(ACCEPT, "application/json")
    }

    fn address(&self, path: &[&str]) -> Url {
        let mut url = self.base_url.clone();
        // Fails only for addresses without a path, which no declaration may have.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(path);
        }
        url
    }

    /// Executes a request. The error is the outcome if there is no readable response.
    pub(crate) async fn call(&self, request: RequestBuilder) -> Result<Answer, Outcome> {
        let Some(tokens) = &self.tokens else {
            return self.http.call(request, self.timeout).await;
        };
        let began = Instant::now();
        let bearer = tokens.bearer().await?;
        let left = self.timeout.saturating_sub(began.elapsed());
        let request = request.header(AUTHORIZATION, bearer.clone());
        let answer = self.http.call(request, left).await?;
        if tokens.is_refused(&answer) {
            tokens.forget(&bearer).await;
        }
        Ok(answer)
    }

    /// Executes a request with a newly fetched access token, if the vendor requires one.
    pub(crate) async fn call_with_new_token(
        &self,
        request: RequestBuilder,
    ) -> Result<Answer, Outcome> {
        if let Some(tokens) = &self.tokens {
            tokens.renew().await?;
        }
        self.call(request).await
    }

    /// Returns the sender that a message requests, or else the declared one.
    pub(crate) fn sender<'a>(&'a self, message: &'a Message) -> Option<&'a str> {
        message.draft.sender.as_deref().or(self.sender.as_deref())
    }

    /// Returns the vendor's identifier of a message from the last attempt that it accepted.
    pub(crate) fn reference<'a>(&self, message: &'a Message) -> Option<&'a str> {
        let attempts = message.attempts.iter().rev();
        let mut ours = attempts.filter(|attempt| attempt.provider == self.provider);
        ours.find_map(|attempt| attempt.reference())
    }

    /// Returns the callback address for the vendor, with the token if the vendor does not sign.
    pub(crate) fn callback_url(&self) -> &str {
        &self.callback_url
    }

    /// Returns the source of unsubscribe links.
    pub(crate) fn links(&self) -> &dyn UnsubscribeLinks {
        &*self.links
    }

    /// Refuses a callback without the token of the account.
    pub(crate) fn verify_token(&self, callback: &Callback) -> Result<(), CallbackRefused> {
        let token = self.callback_token.as_deref().ok_or(CallbackRefused::Unauthorized)?;
        signature::verify_token(callback, token)
    }
}

#[cfg(test)]
mod tests {
    use domain::shared::channel::Channel;
    use reqwest::header::HeaderValue;

    use super::*;
    use crate::{
        fixture::{self, callback},
        secret::Secret,
    };

    fn declaration() -> Declaration {
        let mut declaration = fixture::declaration("arkesel", Channel::Sms);
        declaration.credentials.insert("api_key".into(), Secret::new("key"));
        declaration.sender = Some("SHOP".into());
        declaration
    }

    fn account(authorization: Authorization) -> Account {
        let access = Access::read(&declaration(), "https://vendor.example/v1/", authorization);
        Account::new(access.unwrap(), &fixture::deps())
    }

    #[test]
    fn path_segments_cannot_change_the_path() {
        let request =
            account(Authorization::InRequest).get(&["messages", "a/../b?c"]).build().unwrap();

        let expected = "https://vendor.example/v1/messages/a%2F..%2Fb%3Fc";
        assert_eq!(request.url().as_str(), expected);
        assert_eq!(account(Authorization::InRequest).address(&[]).path(), "/v1");
    }

    #[test]
    fn requests_carry_credentials_but_hide_them_in_debug() {
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
    fn a_credential_unfit_for_a_header_is_refused_but_not_shown() {
        let mut declaration = declaration();
        declaration.credentials.insert("api_key".into(), Secret::new("hunter\n2"));

        let refused = Authorization::bearer(&declaration, "api_key").err().unwrap().to_string();

        assert!(refused.contains("credentials.api_key must be printable ASCII"), "{refused}");
        assert!(!refused.contains("hunter"), "{refused}");
    }

    #[test]
    fn a_requested_sender_takes_precedence() {
        let mut message = fixture::message();
        assert_eq!(account(Authorization::InRequest).sender(&message), Some("SHOP"));
        Arc::make_mut(&mut message.draft).sender = Some("OTHER".into());
        assert_eq!(account(Authorization::InRequest).sender(&message), Some("OTHER"));
    }

    #[test]
    fn only_the_token_of_the_address_is_accepted() {
        let account = account(Authorization::InRequest);
        let (_, token) = account.callback_url().split_once("?token=").unwrap();

        assert_eq!(account.verify_token(&callback(&[("token", token)], "")), Ok(()));
        for query in [&[("token", "x")][..], &[]] {
            let refused = account.verify_token(&callback(query, ""));
            assert_eq!(refused, Err(CallbackRefused::Unauthorized), "{query:?}");
        }
    }
}

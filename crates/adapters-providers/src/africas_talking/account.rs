//! The account at Africa's Talking, which SMS and calls have in common.

use std::{sync::Arc, time::Duration};

use domain::{
    callback::{Callback, CallbackMethod, CallbackRefused},
    message::Message,
    provider::{Check, Outcome},
};
use ports::clock::Clock;
use reqwest::{
    RequestBuilder,
    header::{ACCEPT, HeaderValue},
};

use crate::{
    client::{Answer, HttpClient},
    declaration::{Declaration, DeclarationError, Deps},
    form::Form,
    signature,
};

/// The credentials of both.
pub(super) const CREDENTIALS: &[&str] = &["username", "api_key"];

pub(super) struct Account {
    pub(super) http: HttpClient,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) username: String,
    sender: Option<String>,
    api_key: HeaderValue,
    timeout: Duration,
    /// What a callback shows, for the vendor does not sign.
    token: String,
}

/// The key as it is shown to the vendor.
pub(super) fn key(declaration: &Declaration) -> Result<HeaderValue, DeclarationError> {
    let key = HeaderValue::from_str(declaration.credential("api_key")?.expose());
    let unprintable = |_| declaration.invalid("credentials.api_key", "must be printable ASCII");
    let mut key = key.map_err(unprintable)?;
    key.set_sensitive(true);
    Ok(key)
}

impl Account {
    pub(super) fn of(declaration: &Declaration, deps: &Deps) -> Result<Self, DeclarationError> {
        let api_key = declaration.credential("api_key")?.expose();
        Ok(Self {
            http: deps.http.clone(),
            clock: Arc::clone(&deps.clock),
            username: declaration.credential("username")?.expose().to_owned(),
            sender: declaration.sender.clone(),
            api_key: key(declaration)?,
            timeout: declaration.timeout(),
            token: signature::token(api_key, &declaration.name),
        })
    }

    /// The sender that a message has.
    pub(super) fn sender<'a>(&'a self, message: &'a Message) -> Option<&'a str> {
        message.draft.sender.as_deref().or(self.sender.as_deref())
    }

    /// Makes a request as this account.
    pub(super) async fn call(&self, request: RequestBuilder) -> Result<Answer, Outcome> {
        self.http.call(self.authorized(request), self.timeout).await
    }

    /// Makes a request that asks for the account.
    pub(super) async fn look(&self, request: RequestBuilder) -> Result<Answer, Check> {
        self.http.look(self.authorized(request), self.timeout).await
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        request.header("apikey", self.api_key.clone()).header(ACCEPT, "application/json")
    }

    /// The form of a callback that shows the right token.
    pub(super) fn verified(&self, callback: &Callback) -> Result<Form, CallbackRefused> {
        if callback.method != CallbackMethod::Post {
            return Err(CallbackRefused::Unsupported);
        }
        signature::verify_token(callback, &self.token)?;
        Ok(Form::of(callback))
    }
}

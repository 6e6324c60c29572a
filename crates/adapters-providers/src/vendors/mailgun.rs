//! Mailgun: email over HTTP.
//!
//! Documentation:
//! <https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages> and, for
//! webhooks, <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks>.
//! Reports arrive by webhook, and the events of a message can be looked up by its `Message-ID`. The
//! address of accounts in the EU is `https://api.eu.mailgun.net`. Reading the domain and looking up
//! events require a key of the account; a domain's sending key can only send.
//!
//! Many recipients of one text form one batch, in which each sees their own address only:
//! <https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/batch-sending>. Its
//! emails share a `Message-ID` that Mailgun creates. The identifier that this service has for each
//! message is a variable of its recipient, so that events contain it.
//!
//! If the account's key for webhooks is declared, only its signature authenticates a webhook. In
//! older accounts that key is the API key. Otherwise the address that is entered at Mailgun must
//! contain the token.

mod codes;
mod events;
mod form;
mod signed;

use chrono::{DateTime, Utc};
use domain::{
    messaging::{
        callback::{Callback, CallbackRefused, Received},
        outcome::{LookUp, Outcome},
    },
    providers::provider::Check,
    shared::channel::Channel,
};
use lettre::message::Mailbox;
use serde::Deserialize;

use crate::{
    callbacks::must_be_posted,
    health,
    http_vendor::{
        Access, Account, Answer, Authorization, BaseUrl, Batch, Callbacks, Declaration,
        DeclarationError, HttpVendor, Lookup, Request, Vendor,
    },
    mail,
};
use signed::Signatures;

const USUAL_URL: &str = "https://api.mailgun.net";
/// Credential that webhooks are signed with, if not with the API key.
const SIGNING_KEY: &str = "webhook_signing_key";
/// User name for every key.
const USER: &str = "api";
pub(super) const VENDOR: Vendor = Vendor {
    name: "mailgun",
    channels: &[Channel::Email],
    base_url: BaseUrl::Usual(USUAL_URL),
    required_credentials: &["domain", "api_key"],
    optional_credentials: &[SIGNING_KEY],
    callbacks: Callbacks::Token,
    // The vendor accepts 1000, but after a refusal all messages are sent one by one, which must not
    // take too long.
    group_limit: 100,
    ..Vendor::DEFAULTS
};

pub(super) struct Mailgun {
    domain: String,
    sender: Mailbox,
    signatures: Signatures,
    /// True if a signature is the only accepted proof.
    is_signed: bool,
}

impl HttpVendor for Mailgun {
    fn read(declaration: &Declaration) -> Result<(Self, Access), DeclarationError> {
        let api_key = declaration.credential("api_key")?;
        let authorization = Authorization::Basic(USER.to_owned(), api_key.clone());
        let access = Access::read(declaration, USUAL_URL, authorization)?;
        let domain = declaration.credential("domain")?.expose();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if !domain.bytes().all(is_part) || domain.starts_with('.') {
            return Err(declaration.invalid_credential("domain", "must be the name of a domain"));
        }
        let signing_key = declaration.credentials.get(SIGNING_KEY);
        let vendor = Self {
            domain: domain.to_owned(),
            sender: mail::sender(declaration)?,
            signatures: Signatures::by(signing_key.unwrap_or(api_key).clone()),
            is_signed: signing_key.is_some(),
        };
        Ok((vendor, access))
    }

    fn send_request(&self, account: &Account, batch: Batch<'_>) -> Result<Request, Outcome> {
        let form = form::form(batch, &self.sender, account.links())?;
        Ok(account.post(&["v3", &self.domain, "messages"]).form(&form))
    }

    fn send_result(&self, answer: &Answer, batch: Batch<'_>) -> Result<Vec<Outcome>, Outcome> {
        match codes::outcome(answer, batch.now) {
            accepted @ Outcome::Accepted { .. } => Ok(vec![accepted; batch.len()]),
            refused => Err(refused),
        }
    }

    fn lookup_request(&self, account: &Account, lookup: Lookup<'_>) -> Option<Request> {
        let own_id = mail::message_id(lookup.message, &self.sender);
        let id = lookup.reference.unwrap_or(&own_id);
        // The emails of a batch share their `Message-ID`.
        let recipient = mail::recipient(lookup.message)?;
        let query = [("message-id", id), ("recipient", recipient.as_ref())];
        Some(account.get(&["v3", &self.domain, "events"]).query(&query))
    }

    fn lookup_result(&self, answer: &Answer, lookup: Lookup<'_>) -> LookUp {
        match answer.json_of_success() {
            Some(list) => events::lookup_result(&list, lookup.now),
            None => LookUp::Unavailable,
        }
    }

    fn check_request(&self, account: &Account) -> Request {
        account.get(&["v3", "domains", &self.domain])
    }

    fn check_result(&self, answer: &Answer) -> Check {
        let body = answer.json::<DomainResponse>();
        match body.as_ref().map(|body| body.domain.state.as_str()) {
            Some("active") => health::up("the domain is active"),
            Some("unverified") => health::degraded("the domain is not verified"),
            Some("disabled") => health::down("the domain is disabled"),
            _ => health::degraded("the provider's answer contains no state"),
        }
    }

    fn verify(&self, account: &Account, callback: &Callback) -> Result<(), CallbackRefused> {
        must_be_posted(callback)?;
        if self.signatures.is_signed(&callback.body, account.now()) {
            Ok(())
        } else if self.is_signed {
            Err(CallbackRefused::Unauthorized)
        } else {
            account.verify_token(callback)
        }
    }

    fn read_callback(
        &self,
        callback: &Callback,
        now: DateTime<Utc>,
    ) -> Result<Received, CallbackRefused> {
        events::read_callback(&callback.body, now)
    }
}

#[derive(Deserialize)]
struct DomainResponse {
    domain: Domain,
}

#[derive(Deserialize)]
struct Domain {
    state: String,
}

#[cfg(test)]
mod tests;

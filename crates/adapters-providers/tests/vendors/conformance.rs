//! Requirements on every adapter over HTTP, whatever its vendor.
//!
//! Each vendor has a file that describes its protocol: its [`Fixture`]. The rules are in
//! `rules.rs`, one test each, over all fixtures.

mod africas_talking;
mod africas_talking_voice;
mod arkesel;
mod expo;
pub(crate) mod fcm;
mod http;
mod hubtel;
mod infobip;
mod mailgun;
mod mnotify;
mod resend;
mod robustness;
mod rules;
mod sendgrid;
mod termii;
mod twilio;
mod whatsapp_cloud;

pub(crate) use robustness::misadventures;

use std::sync::Arc;

use adapters_providers::{Declaration, Secret};
use domain::{
    messaging::{delivery::FailureCode, message::Message, outcome::FollowUp},
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

pub(crate) use crate::vendor_server::Canned;
use crate::{
    support::{declaration, made, message},
    vendor_server::{Then, VendorServer, answer},
};

/// All vendors over HTTP, sorted by name.
const FIXTURES: &[fn() -> Fixture] = &[
    africas_talking::fixture,
    africas_talking_voice::fixture,
    arkesel::fixture,
    expo::fixture,
    fcm::fixture,
    http::fixture,
    hubtel::fixture,
    infobip::fixture,
    mailgun::fixture,
    mnotify::fixture,
    resend::fixture,
    sendgrid::fixture,
    termii::fixture,
    twilio::sms,
    twilio::voice,
    twilio::whatsapp,
    whatsapp_cloud::fixture,
];

/// Text of the message that the suite sends. In an email, the subject is "Akwaaba ₵".
pub(crate) const TEXT: &str = "Your code is 1234";

/// Class of refusals: the vendor's response, the kind of the outcome, our code and the vendor's.
pub(crate) type Refusal = (Canned, char, FailureCode, &'static str);

/// Protocol of a vendor, for the suite that every adapter runs. Fields that a vendor does not need
/// come from [`PLAIN`](Self::PLAIN).
///
/// In credentials, options, requests and answers `{url}` stands for the address of the vendor's
/// server, `{id}` for the message's `internal()` identifier, and `{uuid}` for the same without its
/// prefix.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) kind: &'static str,
    pub(crate) channel: Channel,
    /// Recipient as the domain normalises it.
    pub(crate) recipient: &'static str,
    pub(crate) credentials: &'static [(&'static str, &'static str)],
    pub(crate) sender: Option<&'static str>,
    pub(crate) options: &'static [(&'static str, &'static str)],
    /// Responses to the calls before the send call, by a part of their path.
    pub(crate) answers_before: &'static [(&'static str, Canned)],
    /// Parts that the send request must contain, byte for byte: the request line, headers with
    /// names in lower case, parts of the body.
    pub(crate) request: &'static [&'static str],
    /// Vendor's response that accepts.
    pub(crate) accepted: Canned,
    /// Reference in that response.
    pub(crate) reference: Option<&'static str>,
    /// Further information that may come after that response.
    pub(crate) follow_up: FollowUp,
    pub(crate) refusals: &'static [Refusal],
    /// True if a success without the promised body leaves the outcome unknown.
    pub(crate) is_strict: bool,
    /// Vendor's response to a check that says the account works.
    pub(crate) healthy: Canned,
    /// Pieces of credentials that must never appear in a log line.
    pub(crate) secrets: &'static [&'static str],
}

impl Fixture {
    /// Values that most vendors share.
    pub(crate) const PLAIN: Self = Self {
        kind: "africas-talking",
        channel: Channel::Sms,
        recipient: "+233244123456",
        credentials: &[],
        sender: None,
        options: &[],
        answers_before: &[],
        request: &[],
        accepted: of("200 OK", ""),
        reference: None,
        follow_up: FollowUp::Report,
        refusals: &[],
        is_strict: true,
        healthy: of("200 OK", ""),
        secrets: &[],
    };

    /// Returns the declaration of the provider at `url`.
    fn declared(&self, url: &str) -> Declaration {
        let filled = |pairs: &[(&str, &str)]| {
            let pair = |(key, text): &(&str, &str)| ((*key).to_owned(), text.replace("{url}", url));
            pairs.iter().map(pair).collect::<Vec<_>>()
        };
        let secret = |(key, text): (String, String)| (key, Secret::new(text));
        Declaration {
            sender: self.sender.map(Into::into),
            credentials: filled(self.credentials).into_iter().map(secret).collect(),
            options: filled(self.options).into_iter().collect(),
            ..declaration(self.kind, self.channel, url)
        }
    }

    /// Returns the provider at `url`.
    fn provider(&self, url: &str) -> Arc<dyn MessagingProvider> {
        made(&self.declared(url))
    }

    fn message(&self) -> Message {
        message(self.channel, self.recipient, TEXT)
    }

    /// Starts a server that gives the responses before the send call, and then does `then`.
    async fn server(&self, then: Then) -> VendorServer {
        VendorServer::start_after(self.answers_before, then).await
    }
}

impl Canned {
    fn then(self, message: &Message) -> Then {
        answer(self.status, self.headers, &filled(self.body, message))
    }
}

/// Returns a response without headers.
const fn of(status: &'static str, body: &'static str) -> Canned {
    Canned { status, headers: "", body }
}

fn filled(text: &str, message: &Message) -> String {
    text.replace("{id}", &message.id.internal()).replace("{uuid}", &message.id.to_string())
}

/// Checks `rule` for every vendor, all concurrently.
pub(crate) async fn each<R>(rule: impl Fn(Arc<Fixture>) -> R)
where
    R: Future<Output = ()> + Send + 'static,
{
    let checks: Vec<_> =
        FIXTURES.iter().map(|fixture| tokio::spawn(rule(Arc::new(fixture())))).collect();
    for check in checks {
        check.await.unwrap();
    }
}

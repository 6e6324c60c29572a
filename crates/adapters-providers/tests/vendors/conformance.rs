//! What every adapter over HTTP must do, whatever its vendor.
//!
//! Each vendor has a file that says how it speaks: its [`Fixture`]. The rules are in `rules.rs`, one
//! test each, over all fixtures.

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
    messaging::{delivery::FailureCode, message::Message},
    shared::channel::Channel,
};
use ports::providers::provider::MessagingProvider;

pub(crate) use crate::vendor_server::Canned;
use crate::{
    support::{declaration, made, message},
    vendor_server::{Then, VendorServer, answer},
};

/// Every vendor over HTTP, in the order of their names.
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

/// The text of the message that the suite sends. As mail, its subject is "Akwaaba ₵".
pub(crate) const TEXT: &str = "Your code is 1234";

/// How a vendor speaks, for the suite that every adapter runs. What a vendor does not need comes
/// from [`PLAIN`](Self::PLAIN).
///
/// In credentials, options, requests and answers `{url}` stands for the address of the vendor's
/// server, and `{id}` for the message's `internal()` identifier.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) kind: &'static str,
    pub(crate) channel: Channel,
    /// As the domain normalises it.
    pub(crate) recipient: &'static str,
    pub(crate) credentials: &'static [(&'static str, &'static str)],
    pub(crate) sender: Option<&'static str>,
    pub(crate) options: &'static [(&'static str, &'static str)],
    /// Answers to the calls that come before the one that sends, by what their path contains.
    pub(crate) answers_before: &'static [(&'static str, Canned)],
    /// What must be found in the request that sends, byte for byte: the line of method and path,
    /// headers with names in lower case, parts of the body.
    pub(crate) request: &'static [&'static str],
    /// The vendor's answer that accepts.
    pub(crate) accepted: Canned,
    /// The reference that it gives.
    pub(crate) reference: Option<&'static str>,
    /// Each class of refusal: the vendor's answer, and what it means.
    pub(crate) refusals: &'static [(Canned, char, FailureCode)],
    /// The statuses without a body that this vendor means otherwise than the client does.
    pub(crate) otherwise: &'static [(u16, char, FailureCode)],
    /// Whether a success without what the vendor promises leaves the message's fate open.
    pub(crate) is_strict: bool,
    /// The vendor's answer to a look at the account that says all is well.
    pub(crate) healthy: Canned,
    /// Pieces of credentials that must never be seen in a log line.
    pub(crate) secrets: &'static [&'static str],
}

impl Fixture {
    /// What most vendors have in common.
    pub(crate) const PLAIN: Self = Self {
        kind: "africas-talking",
        channel: Channel::Sms,
        recipient: "+233244123456",
        credentials: &[],
        sender: None,
        options: &[],
        answers_before: &[],
        request: &[],
        accepted: Canned { status: "200 OK", headers: "", body: "" },
        reference: None,
        refusals: &[],
        otherwise: &[],
        is_strict: true,
        healthy: Canned { status: "200 OK", headers: "", body: "" },
        secrets: &[],
    };

    /// The declaration of the provider at `url`.
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

    /// The provider at `url`.
    fn provider(&self, url: &str) -> Arc<dyn MessagingProvider> {
        made(&self.declared(url))
    }

    fn message(&self) -> Message {
        message(self.channel, self.recipient, TEXT)
    }

    /// A server that answers what comes first, and then does as it is told.
    async fn server(&self, then: Then) -> VendorServer {
        VendorServer::start_after(self.answers_before, then).await
    }

    /// What a status without a body means, which is `usual` to most vendors.
    fn meaning(&self, status: u16, usual: (char, FailureCode)) -> (char, Option<FailureCode>) {
        let mut special = self.otherwise.iter().filter(|(known, ..)| *known == status);
        let (outcome, code) = special.next().map_or(usual, |(_, outcome, code)| (*outcome, *code));
        (outcome, Some(code))
    }
}

impl Canned {
    fn then(self, message: &Message) -> Then {
        answer(self.status, self.headers, &filled(self.body, message))
    }
}

fn filled(text: &str, message: &Message) -> String {
    text.replace("{id}", &message.id.internal())
}

/// Holds `rule` against every vendor, all at the same time.
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

//! Fixtures shared by unit tests.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::{contact::Contact, unsubscribe::Subscription},
    identity::organization::Organization,
    messaging::{
        callback::{Callback, CallbackAnswer, CallbackMethod, MessageRef, Received, VendorReport},
        delivery::{DeliveryEvent, FailureCode},
        message::{Draft, Message, Metadata, Terms},
        outcome::Outcome,
        priority::Origin,
        report::Report,
    },
    providers::provider::{Route, WithoutReport},
    shared::{
        address::Address, category::Category, channel::Channel, country::Country, id::Id,
        money::Money,
    },
};
use ports::{
    audience::unsubscribes::UnsubscribeLinks,
    providers::provider::{MessagingProvider, ReportSink},
    shared::{clock::Clock, store::StoreError},
};
use tokio::runtime::Runtime;

use crate::{
    batch::Batch, build, declaration::Declaration, deps::Deps, http_client::HttpClient,
    http_vendor::Lookup, secret::Secret, signature,
};

struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        now()
    }
}

/// Runtime for tests without one of their own.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

struct Deaf;

#[async_trait]
impl ReportSink for Deaf {
    async fn report(&self, _: Report) {}
}

/// Source of links that contain the address of the recipient.
pub(crate) struct Links;

#[async_trait]
impl UnsubscribeLinks for Links {
    fn link(&self, subscription: &Subscription) -> String {
        format!("https://notify.example.com/unsubscribe/{}", subscription.address.as_str())
    }

    fn sample(&self, _: Id<Organization>, _: Channel) -> Option<String> {
        unreachable!("nothing is shown")
    }

    async fn links_of(&self, _: Channel, _: &[Contact]) -> Result<Vec<Option<String>>, StoreError> {
        unreachable!("providers know no contacts")
    }
}

/// Key of callbacks of [`deps`].
const CALLBACK_KEY: &[u8] = b"a key of callbacks";

/// Returns the token that a provider's vendor shows if it does not sign.
pub(crate) fn token(provider: &str) -> String {
    signature::callback_token(CALLBACK_KEY, provider)
}

/// Returns the time of the clock of [`deps`].
pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

pub(crate) fn deps() -> Deps {
    let clock = Arc::new(Still);
    Deps {
        http: HttpClient::new(clock.clone()).unwrap(),
        reports: Arc::new(Deaf),
        clock,
        public_url: "https://notify.example.com".to_owned(),
        callback_key: CALLBACK_KEY.to_vec(),
        links: Arc::new(Links),
        most_in_flight: usize::MAX,
        runtime: RUNTIME.handle().clone(),
    }
}

/// Returns a declaration named `one`, without sender and credentials.
pub(crate) fn declaration(kind: &str, channel: Channel) -> Declaration {
    Declaration {
        name: "one".into(),
        kind: kind.parse().unwrap(),
        channel,
        sender: None,
        base_url: None,
        credentials: BTreeMap::new(),
        routes: vec![Route { country: None, priority: 100 }],
        timeout: None,
        reconcile_after: None,
        without_report: WithoutReport::default(),
        max_concurrency: None,
        max_per_second: None,
        options: BTreeMap::new(),
    }
}

/// Returns a declaration named `one` with credentials.
pub(crate) fn declared(kind: &str, channel: Channel, credentials: &[(&str, &str)]) -> Declaration {
    let secret = |(key, text): &(&str, &str)| ((*key).to_owned(), Secret::new(*text));
    let credentials = credentials.iter().map(secret).collect();
    Declaration { credentials, ..declaration(kind, channel) }
}

/// Builds the provider of a declaration.
pub(crate) fn provider(declaration: &Declaration) -> Arc<dyn MessagingProvider> {
    build(declaration, &deps()).unwrap().1
}

/// Returns a batch of messages.
pub(crate) fn batch<'a>(messages: &'a [&'a Message]) -> Batch<'a> {
    Batch::new(messages, now()).unwrap()
}

/// Returns a lookup of a message with the vendor's identifier `reference`.
pub(crate) fn lookup<'a>(message: &'a Message, reference: Option<&'a str>) -> Lookup<'a> {
    Lookup { message, reference, now: now() }
}

pub(crate) fn message() -> Message {
    let draft = Draft {
        channel: Channel::Email,
        recipient: Address::stored("ama@example.com".into()),
        country: Country::GH,
        category: Category::Otp,
        sender: None,
        subject: Some("Your code".into()),
        body: "It is 1234.".into(),
        format: domain::shared::text_format::TextFormat::Text,
        is_open: false,
        masked: None,
        segments: 1,
        template: None,
        vendor_template: None,
        validity: domain::messaging::retry::validity(Category::Otp),
        retry_rules: None,
        metadata: Metadata::default(),
    };
    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    Message::queue(Id::new(now()), draft, Origin::Single, terms, now())
}

/// Sets the body of an email, and detects its format.
pub(crate) fn write(message: &mut Message, body: &str) {
    let draft = Arc::make_mut(&mut message.draft);
    draft.body = body.into();
    draft.format = domain::shared::text_format::TextFormat::of(draft.channel, None, body);
}

/// Returns a message to a number.
pub(crate) fn sms(to: &str) -> Message {
    let mut message = message();
    Arc::make_mut(&mut message.draft).channel = Channel::Sms;
    Arc::make_mut(&mut message.draft).recipient = Address::stored(to.into());
    message
}

/// Returns a callback with a query and a body.
pub(crate) fn callback(query: &[(&str, &str)], body: &str) -> Callback {
    let pair = |(key, text): &(&str, &str)| ((*key).to_owned(), (*text).to_owned());
    Callback {
        method: CallbackMethod::Post,
        url: "https://notify.example.com/callbacks/providers/x".into(),
        query: query.iter().map(pair).collect(),
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    }
}

/// Returns the only report of a callback.
pub(crate) fn the_report(received: Received) -> (MessageRef, DeliveryEvent) {
    assert_eq!((received.inbound.len(), received.answer), (0, CallbackAnswer::Acknowledged));
    let [VendorReport { about, event }] = <[_; 1]>::try_from(received.reports).unwrap();
    (about, event)
}

/// Returns `R`ejected, `N`ot accepted or `U`nknown, and the code of the failure. Panics if accepted.
pub(crate) fn kind(outcome: &Outcome) -> (char, FailureCode) {
    match outcome {
        Outcome::Rejected(failure) => ('R', failure.code),
        Outcome::NotAccepted { failure, .. } => ('N', failure.code),
        Outcome::Unknown(failure) => ('U', failure.code),
        Outcome::Accepted { .. } => panic!("accepted"),
    }
}

/// Returns `C`onfirmed, `A`ccepted or `R`ejected, and the code of the failure.
pub(crate) fn event_kind(event: &DeliveryEvent) -> (char, Option<FailureCode>) {
    match event {
        DeliveryEvent::Confirmed { .. } => ('C', None),
        DeliveryEvent::Accepted { .. } => ('A', None),
        DeliveryEvent::Rejected { failure, .. } => ('R', Some(failure.code)),
        other => panic!("{other:?}"),
    }
}

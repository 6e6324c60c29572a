//! Fixtures shared by the tests.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
    time::Duration,
};

use adapters_providers::{Declaration, Deps, HttpClient, Secret, build};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    audience::{contact::Contact, unsubscribe::Subscription},
    identity::organization::Organization,
    messaging::{
        delivery::FailureCode,
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
use tokio::runtime::{Handle, Runtime};

/// Clock with a constant time.
struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).unwrap()
    }
}

/// Sink for reports that are never made.
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

/// Runtime for tests without one of their own.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

thread_local! {
    /// One for each test thread, because its creation takes long.
    static HTTP: HttpClient = HttpClient::new(Arc::new(Still)).unwrap();
}

/// Returns the client that the adapters of a test share.
pub(crate) fn http() -> HttpClient {
    HTTP.with(Clone::clone)
}

pub(crate) fn made(declaration: &Declaration) -> Arc<dyn MessagingProvider> {
    let clock = Arc::new(Still);
    let http = http();
    let public_url = "https://notify.example.com".to_owned();
    let (reports, most_in_flight) = (Arc::new(Deaf), usize::MAX);
    let runtime = Handle::try_current().unwrap_or_else(|_| RUNTIME.handle().clone());
    let deps = Deps {
        http,
        reports,
        clock,
        public_url,
        callback_key: b"a key of callbacks".to_vec(),
        links: Arc::new(Links),
        most_in_flight,
        runtime,
    };
    build(declaration, &deps).unwrap().1
}

pub(crate) fn declaration(kind: &str, channel: Channel, base_url: &str) -> Declaration {
    Declaration {
        name: "under-test".into(),
        kind: kind.parse().unwrap(),
        channel,
        sender: None,
        base_url: Some(base_url.into()),
        credentials: BTreeMap::new(),
        routes: vec![Route { country: None, priority: 100 }],
        timeout: Some(Duration::from_secs(10)),
        reconcile_after: None,
        without_report: WithoutReport::default(),
        max_concurrency: None,
        max_per_second: None,
        options: BTreeMap::new(),
    }
}

pub(crate) fn credentials<const N: usize>(
    credentials: [(&str, &str); N],
) -> BTreeMap<String, Secret> {
    credentials.map(|(key, text)| (key.into(), Secret::new(text))).into()
}

pub(crate) fn message(channel: Channel, to: &str, body: &str) -> Message {
    let draft = Draft {
        channel,
        recipient: Address::stored(to.into()),
        country: Country::GH,
        category: Category::Transactional,
        sender: None,
        subject: (channel == Channel::Email).then(|| "Akwaaba ₵".into()),
        body: body.into(),
        format: domain::shared::text_format::TextFormat::of(channel, None, body),
        is_open: false,
        masked: None,
        segments: 1,
        template: None,
        vendor_template: None,
        validity: domain::messaging::retry::validity(Category::Transactional),
        retry_rules: None,
        metadata: Metadata::default(),
    };
    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    let now = Still.now();
    Message::queue(Id::new(now), draft, Origin::Single, terms, now)
}

/// Returns `R`ejected, `N`ot accepted, `U`nknown or `A`ccepted, and the code of the failure.
pub(crate) fn kind(outcome: &Outcome) -> (char, Option<FailureCode>) {
    match outcome {
        Outcome::Accepted { .. } => ('A', None),
        Outcome::Rejected(failure) => ('R', Some(failure.code)),
        Outcome::NotAccepted { failure, .. } => ('N', Some(failure.code)),
        Outcome::Unknown(failure) => ('U', Some(failure.code)),
    }
}

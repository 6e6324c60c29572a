//! What unit tests share.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    category::Category,
    channel::Channel,
    country::Country,
    id::Id,
    lane::Origin,
    message::{Draft, Message, Terms},
    money::Money,
    provider::{Report, Route},
};
use ports::{clock::Clock, providers::ReportSink};

use crate::{
    client::HttpClient,
    declaration::{Declaration, Deps},
    kind::Kind,
};

struct Still;

impl Clock for Still {
    fn now(&self) -> DateTime<Utc> {
        now()
    }
}

struct Deaf;

#[async_trait]
impl ReportSink for Deaf {
    async fn report(&self, _: Report) {}
}

/// What the clock of [`deps`] says.
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
    }
}

/// A provider named `one`, without sender and credentials.
pub(crate) fn declaration(kind: Kind, channel: Channel) -> Declaration {
    Declaration {
        name: "one".into(),
        kind,
        channel,
        sender: None,
        base_url: None,
        credentials: BTreeMap::new(),
        routes: vec![Route { country: None, priority: 100 }],
        timeout: None,
        reconcile_after: None,
        max_concurrency: None,
        max_per_second: None,
        options: BTreeMap::new(),
    }
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
        segments: 1,
        template: None,
    };
    let terms =
        Terms { cost: Money::ZERO, refusal: None, is_sandbox: false, is_confidential: false };
    Message::queue(Id::new(now()), draft, Origin::Single, terms, now())
}

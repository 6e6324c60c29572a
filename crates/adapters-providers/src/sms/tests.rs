//! Lenience, and where it ends. The helpers serve the vendors' own tests.

use std::sync::Mutex;

use domain::callback::{CallbackAnswer, CallbackMethod};
use serde_json::json;

use super::*;
use crate::fixture::{self, now};

/// A message to that number.
pub(crate) fn sms(to: &str) -> Message {
    let mut message = fixture::message();
    message.draft.channel = Channel::Sms;
    message.draft.recipient = Address::stored(to.into());
    message
}

/// A call with that query and body.
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

/// The only report of a callback.
pub(crate) fn the_report(received: Received) -> (About, DeliveryEvent) {
    assert_eq!((received.inbound.len(), received.answer), (0, CallbackAnswer::Acknowledged));
    let [VendorReport { about, event }] = <[_; 1]>::try_from(received.reports).unwrap();
    (about, event)
}

/// `R`ejected, `N`ot accepted or `U`nknown, why, and the vendor's code. Panics if accepted.
pub(crate) fn kind(outcome: Outcome) -> (char, FailureCode, Option<String>) {
    match outcome {
        Outcome::Rejected(failure) => ('R', failure.code, failure.vendor_code),
        Outcome::NotAccepted { failure, .. } => ('N', failure.code, failure.vendor_code),
        Outcome::Unknown(failure) => ('U', failure.code, failure.vendor_code),
        Outcome::Accepted { .. } => panic!("accepted"),
    }
}

/// `C`onfirmed, `A`ccepted or `R`ejected, and why.
pub(crate) fn event_kind(event: &DeliveryEvent) -> (char, Option<FailureCode>) {
    match event {
        DeliveryEvent::Confirmed { .. } => ('C', None),
        DeliveryEvent::Accepted { .. } => ('A', None),
        DeliveryEvent::Rejected { failure, .. } => ('R', Some(failure.code)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_form_of_a_time_is_read() {
    for text in [
        "2023-11-14T22:13:20Z",
        "2023-11-14T22:13:20.000+0000",
        "2023-11-14T23:13:20.000+01:00",
        "2023-11-14T22:13:20.000000Z",
        "2023-11-14T22:13:20",
        " 2023-11-14 22:13:20 ",
    ] {
        assert_eq!(time(text), Some(now()), "{text}");
    }
    assert_eq!(time("yesterday"), None);
}

#[test]
fn amounts_and_words_are_read_whatever_their_type() {
    for (value, expected) in [
        (json!(12), Some(12.0)),
        (json!(12.5), Some(12.5)),
        (json!("GHS 1,402.50"), Some(1402.5)),
        (json!("none"), None),
        (json!(null), None),
    ] {
        assert_eq!(amount(&value), expected, "{value}");
    }
    assert_eq!(word(&json!(2000)), Some("2000".into()));
    assert_eq!(word(&json!(" 2000 ")), Some("2000".into()));
    // The digits of such a number are lost.
    assert_eq!(word(&json!(3e24)), None);
    assert_eq!(word(&json!("")), None);
}

#[test]
fn a_balance_near_zero_is_a_warning() {
    for (amount, status) in [
        (Some(100.0), CheckStatus::Up),
        (Some(10.0), CheckStatus::Up),
        (Some(9.99), CheckStatus::Degraded),
        (Some(-1.0), CheckStatus::Degraded),
        (None, CheckStatus::Degraded),
    ] {
        assert_eq!(balance(amount, "credits", 10.0).status, status, "{amount:?}");
    }
}

#[test]
fn a_recipient_is_known_in_every_way_to_write_the_number() {
    let message = sms("+233241234567");
    for number in ["233241234567", "+233 24 123 4567", "0241234567", "00233241234567"] {
        assert!(is_recipient(&message, number), "{number}");
    }
    for number in ["", "0", "067", "0241234568", "241234567", "1233241234567"] {
        assert!(!is_recipient(&message, number), "{number}");
    }
}

#[test]
fn fields_come_from_the_query_a_form_or_an_object() {
    for (query, body) in [
        (&[("MessageId", "7"), ("Status", "Sent")][..], ""),
        (&[("messageId", "7")], "status=Sent&x=%2B1"),
        (&[], r#"{"MessageId":7,"Status":"Sent","Other":{"a":[1]}}"#),
    ] {
        let fields = Fields::of(&callback(query, body)).unwrap();
        assert_eq!(fields.get(&["id", "messageid"]), Some("7"), "{body}");
        assert_eq!(fields.get(&["status"]), Some("Sent"), "{body}");
        assert_eq!(fields.get(&["other", "none"]), None, "{body}");
    }
    for body in ["{", "[1]", r#"{"a":"#] {
        assert!(Fields::of(&callback(&[], body)).is_none(), "{body}");
    }
    let binary = Callback { body: vec![0xff, 0xfe], ..callback(&[], "") };
    assert!(Fields::of(&binary).is_none());
}

#[test]
fn texts_come_from_numbers_only() {
    for from in ["+233241234567", "233241234567", "0241234567"] {
        let text = inbound(from, "STOP", now()).unwrap();
        assert_eq!(text.from.as_str(), "+233241234567", "{from}");
    }
    for from in ["", "SHOP", "1404", "+"] {
        assert_eq!(inbound(from, "STOP", now()), None, "{from}");
    }
}

#[test]
fn a_segment_cannot_leave_its_place() {
    let url = Url::parse("https://vendor.example/v1/messages").unwrap();

    assert_eq!(
        below(&url, "a/../b?c").as_str(),
        "https://vendor.example/v1/messages/a%2F..%2Fb%3Fc"
    );
}

/// A vendor that refuses groups.
struct Single(Mutex<Vec<usize>>, Verdict);

#[async_trait]
impl Bulk for Single {
    async fn hand_over(&self, messages: &[Message]) -> Result<Vec<Outcome>, Outcome> {
        self.0.lock().unwrap().push(messages.len());
        if messages.len() > 1 { Err(self.1.outcome("400", None)) } else { Ok(vec![accepted(None)]) }
    }
}

#[tokio::test]
async fn a_group_that_is_refused_for_good_is_tried_one_by_one() {
    let messages = [sms("+233241234567"), sms("+233241234568")];
    let vendor = Single(Mutex::default(), Verdict::Rejected(FailureCode::InvalidRecipient));

    assert_eq!(vendor.send_many(&messages).await, vec![accepted(None); 2]);
    assert_eq!(*vendor.0.lock().unwrap(), [2, 1, 1]);
    assert!(vendor.send_many(&[]).await.is_empty());
}

#[tokio::test]
async fn a_group_that_may_be_on_its_way_is_not_sent_again() {
    let messages = [sms("+233241234567"), sms("+233241234568")];
    let vendor = Single(Mutex::default(), Verdict::Unknown);

    let outcomes = vendor.send_many(&messages).await;

    assert_eq!(outcomes, vec![Verdict::Unknown.outcome("400", None); 2]);
    assert_eq!(*vendor.0.lock().unwrap(), [2]);
}

//! Tests of Infobip's responses and callbacks.

use domain::messaging::{delivery::DeliveryEvent, message::Message};

use super::*;
use crate::{
    fixture::{self, batch, callback, event_kind, kind, lookup, now, sms as message},
    secret::Secret,
    signature::callback_token as token,
};

fn status(group: &str, id: i64) -> String {
    let names =
        REJECTED.0.iter().find(|(known, ..)| *known == id).map_or("NAME", |(_, name, _)| name);
    format!(r#"{{"groupId":1,"groupName":"{group}","id":{id},"name":"{names}","description":"x"}}"#)
}

fn said(messages: &[(&Message, String)]) -> String {
    let entry = |(message, status): &(&Message, String)| {
        let (id, to) = (message.id.internal(), digits(message));
        format!(
            r#"{{"messageId":"{id}","status":{status},"destination":"{to}",
                "details":{{"messageCount":1}}}}"#
        )
    };
    let entries: Vec<_> = messages.iter().map(entry).collect();
    format!(r#"{{"bulkId":"b","messages":[{}]}}"#, entries.join(","))
}

fn of(status: String) -> Outcome {
    let message = message("+233241234567");
    let body = said(&[(&message, status)]);
    Infobip.send_result(&Answer::of(200, &body), batch(&[&message])).unwrap().remove(0)
}

#[test]
fn our_identifiers_distinguish_messages() {
    let messages = ["+233241234567", "+233241234567", "+233201234567"].map(message);
    let [first, second, third] = &messages;
    let body = said(&[
        (third, status("REJECTED", 12)),
        (second, status("PENDING", 26)),
        (first, status("REJECTED", 52)),
    ]);

    let outcomes =
        Infobip.send_result(&Answer::of(200, &body), batch(&messages.each_ref())).unwrap();

    assert_eq!(kind(outcomes[0].clone()).1, Code::InvalidRecipient);
    assert_eq!(outcomes[1], accepted(Some(second.id.internal())));
    assert_eq!(kind(outcomes[2].clone()).1, Code::ProviderBalance);
}

#[test]
fn an_unmentioned_message_may_have_been_accepted() {
    let messages = ["+233241234567", "+233201234567"].map(message);
    let id = messages[1].id.internal();
    let body = said(&[(&messages[1], status("PENDING", 26))]);

    let outcomes =
        Infobip.send_result(&Answer::of(200, &body), batch(&messages.each_ref())).unwrap();

    assert_eq!(outcomes, [not_mentioned(), accepted(Some(id))]);
}

#[test]
fn every_status_of_a_refusal_is_understood() {
    for (id, kind_of, code) in [
        (6, 'N', Code::RecipientUnreachable),
        (8, 'R', Code::InvalidRecipient),
        (10, 'R', Code::RecipientOptedOut),
        (11, 'N', Code::SenderNotAllowed),
        (12, 'N', Code::ProviderBalance),
        (13, 'N', Code::SenderNotAllowed),
        (14, 'R', Code::RecipientOptedOut),
        (17, 'N', Code::ProviderBalance),
        (18, 'N', Code::ProviderRejected),
        (19, 'N', Code::RecipientUnreachable),
        (20, 'N', Code::RecipientUnreachable),
        (21, 'N', Code::ProviderUnavailable),
        (23, 'U', Code::UnknownOutcome),
        (24, 'N', Code::ProviderRejected),
        (25, 'N', Code::ProviderRejected),
        (51, 'R', Code::InvalidRecipient),
        (52, 'R', Code::InvalidRecipient),
        (999, 'N', Code::ProviderRejected),
    ] {
        let (found, reason, vendor_code) = kind(of(status("REJECTED", id)));
        assert_eq!((found, reason), (kind_of, code), "{id}");
        assert!(vendor_code.is_some_and(|code| !code.is_empty()), "{id}");
    }
    for (group, id, kind_of, code) in [
        ("UNDELIVERABLE", 100, 'N', Code::ProviderRejected),
        ("UNDELIVERABLE", 9, 'N', Code::ProviderRejected),
        ("EXPIRED", 15, 'N', Code::ProviderRejected),
        ("LEVITATING", 1, 'U', Code::UnknownOutcome),
    ] {
        let (found, reason, _) = kind(of(status(group, id)));
        assert_eq!((found, reason), (kind_of, code), "{group} {id}");
    }
}

#[test]
fn a_refusal_of_the_call_is_judged_by_its_status() {
    let messages = [message("+233241234567")];
    for (status, body, kind_of, code) in [
        (200, "{}", 'U', Code::UnknownOutcome),
        (400, r#"{"errorCode":"E400"}"#, 'R', Code::ProviderRejected),
        (401, "", 'N', Code::ProviderAuth),
        (404, "", 'N', Code::ProviderUnavailable),
        (500, r#"{"messages":[]}"#, 'U', Code::UnknownOutcome),
    ] {
        let (found, reason, _) = kind(
            Infobip
                .send_result(&Answer::of(status, body), batch(&messages.each_ref()))
                .unwrap_err(),
        );
        assert_eq!((found, reason), (kind_of, code), "{status} {body}");
    }
}

fn report(id: &str, status: &str, error: &str) -> String {
    format!(
        r#"{{"bulkId":"b","messageId":"{id}","to":"233241234567",
            "sentAt":"2023-11-14T22:00:00.000+0000","doneAt":"2023-11-14T22:13:20.000+0000",
            "smsCount":1,"status":{status},"error":{{"groupId":0,"groupName":"Ok","id":0,
            "name":"{error}","description":"x","permanent":false}}}}"#
    )
}

fn reported(entries: &[String]) -> Vec<VendorReport> {
    let body = format!(r#"{{"results":[{}]}}"#, entries.join(","));
    Infobip.read_callback(&callback(&[], &body), DateTime::UNIX_EPOCH).unwrap().reports
}

#[test]
fn reports_name_messages_by_our_identifiers() {
    let message = fixture::message();
    let delivered = status("DELIVERED", 5);

    let reports = reported(&[
        report(&message.id.internal(), &delivered, "NO_ERROR"),
        report("theirs", &delivered, "NO_ERROR"),
    ]);

    let event = DeliveryEvent::Confirmed { at: now() };
    let about = [MessageRef::Ours(message.id), MessageRef::Vendors("theirs".into())];
    let expected = about.map(|about| VendorReport { about, event: event.clone() });
    assert_eq!(reports, expected);
}

#[test]
fn every_group_of_a_report_is_understood() {
    for (group, id, error, expected) in [
        ("PENDING", 7, "NO_ERROR", ('A', None)),
        ("DELIVERED", 2, "NO_ERROR", ('A', None)),
        ("DELIVERED", 5, "NO_ERROR", ('C', None)),
        ("EXPIRED", 15, "EC_ABSENT_SUBSCRIBER", ('R', Some(Code::Undelivered))),
        ("EXPIRED", 29, "NO_ERROR", ('A', None)),
        ("UNDELIVERABLE", 9, "EC_MESSAGE_WAITING_LIST_FULL", ('R', Some(Code::Undelivered))),
        ("UNDELIVERABLE", 4, "EC_UNKNOWN_SUBSCRIBER", ('R', Some(Code::InvalidRecipient))),
        ("REJECTED", 10, "NO_ERROR", ('R', Some(Code::RecipientOptedOut))),
        ("REJECTED", 12, "NO_ERROR", ('R', Some(Code::ProviderBalance))),
        ("REJECTED", 999, "NO_ERROR", ('R', Some(Code::Undelivered))),
    ] {
        let reports = reported(&[report("theirs", &status(group, id), error)]);
        assert_eq!(event_kind(&reports[0].event), expected, "{group} {id} {error}");
    }
    assert!(reported(&[report("theirs", &status("LEVITATING", 1), "NO_ERROR")]).is_empty());
}

#[test]
fn the_vendors_code_of_a_failure_is_the_networks_if_there_is_one() {
    for (error, expected) in
        [("EC_ABSENT_SUBSCRIBER", "EC_ABSENT_SUBSCRIBER"), ("NO_ERROR", "NAME")]
    {
        let mut reports = reported(&[report("theirs", &status("UNDELIVERABLE", 9), error)]);
        let DeliveryEvent::Rejected { failure, at } = reports.remove(0).event else { panic!() };
        assert_eq!((failure.vendor_code.as_deref(), at), (Some(expected), now()));
    }
}

#[test]
fn an_inbound_text_is_accepted() {
    let body = r#"{"results":[{"messageId":"817","from":"233241234567","to":"1404",
        "text":"STOP please","cleanText":"please","keyword":"STOP",
        "receivedAt":"2023-11-14T22:13:20.000+0000","smsCount":1}],"messageCount":1}"#;

    let received = Infobip.read_callback(&callback(&[], body), DateTime::UNIX_EPOCH).unwrap();

    assert_eq!(received.inbound, [inbound_sms("233241234567", "STOP please", now()).unwrap()]);
    assert!(received.reports.is_empty());
}

#[test]
fn nonsense_is_refused() {
    for body in ["", "{", "{}", "a=b", r#"{"results":7}"#] {
        let refused = Infobip.read_callback(&callback(&[], body), now());
        assert_eq!(refused, Err(CallbackRefused::Malformed), "{body}");
    }
    assert!(reported(&["7".into(), r#"{"status":{}}"#.into()]).is_empty());
}

#[test]
fn the_logs_show_the_status_of_a_message() {
    let of = |status: u16, results: &str, is_taken: bool| {
        let body = format!(r#"{{"results":[{results}]}}"#);
        let message = fixture::message();
        let reference = is_taken.then_some("x");
        Infobip.lookup_result(&Answer::of(status, &body), lookup(&message, reference))
    };
    let delivered = report("x", &status("DELIVERED", 5), "NO_ERROR");
    let confirmed = LookUp::Found(DeliveryEvent::Confirmed { at: now() });

    assert_eq!(of(200, &delivered, false), confirmed);
    assert_eq!(of(200, &report("x", &status("PENDING", 7), "NO_ERROR"), false), LookUp::Waiting);
    // A message that was never accepted is missing for good; another is not listed yet.
    assert_eq!(of(200, "", false), LookUp::NotFound);
    assert_eq!(of(200, "", true), LookUp::Waiting);
    assert_eq!(of(500, &delivered, false), LookUp::Unavailable);
    assert_eq!(of(200, "7", false), LookUp::Unavailable);
}

#[test]
fn every_account_has_an_address_of_its_own() {
    let mut declaration = fixture::declaration("infobip", Channel::Sms);
    declaration.credentials.insert("api_key".into(), Secret::new("key"));
    assert!(declaration.check().unwrap_err().to_string().contains("base_url is missing"));

    declaration.base_url = Some("https://x1.api.infobip.com".into());
    assert!(declaration.check().is_ok());

    let provider = fixture::provider(&declaration);
    let of = |token: &str| {
        provider.receive(&callback(&[("token", token)], r#"{"results":[]}"#)).map(drop)
    };
    assert_eq!(of(&token("key", "one")), Ok(()));
    assert_eq!(of(&token("key", "another")), Err(CallbackRefused::Unauthorized));
}

//! Tests of Infobip's responses and callbacks.

use domain::messaging::delivery::DeliveryEvent;

use super::*;
use crate::{
    fixture::{self, batch, callback, event_kind, lookup, now, sms as message},
    secret::Secret,
};

fn status(group: &str, id: i64) -> String {
    let names =
        REJECTED.0.iter().find(|(known, ..)| *known == id).map_or("NAME", |(_, name, _)| name);
    format!(r#"{{"groupId":1,"groupName":"{group}","id":{id},"name":"{names}","description":"x"}}"#)
}

#[test]
fn an_unmentioned_message_may_have_been_accepted() {
    let messages = ["+233241234567", "+233201234567"].map(message);
    let id = messages[1].id.internal();
    let pending = status("PENDING", 26);
    let body = format!(r#"{{"messages":[{{"messageId":"{id}","status":{pending}}}]}}"#);

    let outcomes =
        Infobip.send_result(&Answer::of(200, &body), batch(&messages.each_ref())).unwrap();

    assert_eq!(outcomes, [not_mentioned(), accepted(Some(id))]);
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
}

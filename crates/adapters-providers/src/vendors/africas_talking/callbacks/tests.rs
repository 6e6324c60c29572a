//! Tests of callbacks on SMS.

use domain::{
    messaging::callback::{Inbound, VendorReport},
    shared::{address::Address, channel::Channel},
};

use super::*;
use crate::fixture::{callback, now};

fn read(body: &str) -> Result<Received, CallbackRefused> {
    super::read(&Fields::of_form(&callback(&[], body)), now())
}

#[test]
fn every_status_of_a_report_is_understood() {
    let at = now();
    for (status, expected) in [
        ("Sent", Some(DeliveryEvent::Accepted { at })),
        ("Submitted", Some(DeliveryEvent::Accepted { at })),
        ("Buffered", Some(DeliveryEvent::Accepted { at })),
        ("Success", Some(DeliveryEvent::Confirmed { at })),
        ("Borked", None),
    ] {
        let body = format!("id=ATXid_1&status={status}&phoneNumber=%2B233244123456&retryCount=0");
        let about = MessageRef::Vendors("ATXid_1".into());
        let reports: Vec<_> = expected
            .into_iter()
            .map(|event| VendorReport { about: about.clone(), event })
            .collect();
        assert_eq!(read(&body).unwrap().reports, reports, "{status}");
    }
}

#[test]
fn a_message_that_was_not_delivered_has_a_reason() {
    for (fields, code, vendor_code) in [
        ("status=Failed&failureReason=UserInBlackList", Code::RecipientOptedOut, "UserInBlackList"),
        (
            "status=Rejected&failureReason=UserDoesNotExist",
            Code::InvalidRecipient,
            "UserDoesNotExist",
        ),
        ("status=Failed&failureReason=DeliveryFailure", Code::Undelivered, "DeliveryFailure"),
        (
            "status=Rejected&failureReason=DoNotDisturbRejection",
            Code::SenderNotAllowed,
            "DoNotDisturbRejection",
        ),
        ("status=Failed&failureReason=", Code::Undelivered, "Failed"),
        ("status=Expired", Code::Undelivered, "Expired"),
        ("status=AbsentSubscriber", Code::Undelivered, "AbsentSubscriber"),
    ] {
        let received = read(&format!("id=ATXid_1&{fields}")).unwrap();

        let [VendorReport { event: DeliveryEvent::Rejected { at, failure }, .. }] =
            received.reports.as_slice()
        else {
            panic!("{received:?}")
        };
        assert_eq!((*at, failure.code), (now(), code), "{fields}");
        assert_eq!(failure.vendor_code.as_deref(), Some(vendor_code));
    }
}

#[test]
fn an_inbound_message_has_its_own_time() {
    let at = DateTime::from_timestamp(1_493_791_485, 0).unwrap();
    for (date, at) in [
        ("2017-05-03T06%3A04%3A45Z", at),
        ("2017-05-03+06%3A04%3A45", at),
        ("yesterday", now()),
        ("", now()),
    ] {
        let body =
            format!("linkId=1&text=Stop+it&to=21512&id=ec9adc86&date={date}&from=%2B254791541111");

        let inbound = Inbound {
            channel: Channel::Sms,
            from: Address::stored("+254791541111".into()),
            text: "Stop it".into(),
            at,
        };
        let received = read(&body).unwrap();
        assert_eq!((received.reports, received.inbound), (Vec::new(), vec![inbound]), "{date}");
    }
}

#[test]
fn a_name_cannot_be_answered() {
    assert_eq!(read("from=MTN&text=hi&to=21512&id=1"), Ok(Received::default()));
}

#[test]
fn an_opt_out_is_read_as_stop() {
    let received = read("senderId=SHOP&phoneNumber=%2B233244123456").unwrap();

    let texts: Vec<_> = received.inbound.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["STOP"]);
}

#[test]
fn other_callbacks_are_malformed() {
    for body in ["", "{}", "id=1", "status=Success", "\0", "from=%2B254791541111"] {
        assert_eq!(read(body), Err(CallbackRefused::Malformed), "{body:?}");
    }
}

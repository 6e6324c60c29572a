//! Tests of mNotify's responses.

use domain::{messaging::delivery::DeliveryEvent, providers::provider::CheckStatus};

use super::*;
use crate::fixture::{batch, event_kind, kind, lookup, now, sms as message};

fn taken(sent: u64, rejected: u64, numbers: &str) -> String {
    format!(
        r#"{{"status":"success","code":"2000","message":"messages sent successfully","summary":{{
            "_id":"A59CCB70","type":"API QUICK SMS","total_sent":{sent},"contacts":2,
            "total_rejected":{rejected},"numbers_sent":[{numbers}],"credit_used":2,
            "credit_left":1483}}}}"#
    )
}

#[test]
fn numbers_of_ghana_are_written_as_they_are_dialled_there() {
    assert_eq!(number(&message("+233241234567")), "0241234567");
    assert_eq!(number(&message("+2348031234567")), "2348031234567");
}

#[test]
fn an_omitted_recipient_has_an_invalid_number() {
    let messages = [message("+233241234567"), message("+233201234567")];
    let of = |sent, rejected, numbers| {
        let body = taken(sent, rejected, numbers);
        let outcomes =
            Mnotify.send_result(&Answer::of(200, &body), batch(&messages.each_ref())).unwrap();
        outcomes.into_iter().map(|it| match it {
            Outcome::Accepted { .. } => 'A',
            other => kind(&other).0,
        })
    };

    assert_eq!(of(1, 1, r#""0201234567""#).collect::<String>(), "RA");
    assert_eq!(of(1, 1, r#""233241234567""#).collect::<String>(), "AR");
    assert_eq!(of(0, 2, "").collect::<String>(), "RR");
    // The refused recipient is unknown.
    assert_eq!(of(1, 1, "").collect::<String>(), "UU");
    assert_eq!(of(0, 0, "").collect::<String>(), "UU");
}

#[test]
fn a_campaign_shows_the_status_of_each_recipient() {
    let body = r#"{"status":"success","report":[
        {"_id":60711577,"recipient":"233241234567","message":"x","sender":"SHOP",
         "status":"DELIVERED","date_sent":"2023-11-14 22:00:00","campaign_id":"A5","retries":0},
        {"_id":60711578,"recipient":"233201234567","status":"UNDELIVERED"},
        {"_id":60711579,"recipient":"233501234567","status":"SUBMITTED"}]}"#;
    let of = |number| Mnotify.lookup_result(&Answer::of(200, body), lookup(&message(number), None));

    assert_eq!(of("+233241234567"), LookUp::Found(DeliveryEvent::Confirmed { at: now() }));
    let LookUp::Found(event) = of("+233201234567") else { panic!() };
    assert_eq!(event_kind(&event), ('R', Some(Code::Undelivered)));
    assert_eq!(of("+233501234567"), LookUp::Waiting);
    assert_eq!(of("+233551234567"), LookUp::Waiting);
    for (status, body) in [(200, "{}"), (200, r#"{"status":"error"}"#), (500, body)] {
        let found = Mnotify
            .lookup_result(&Answer::of(status, body), lookup(&message("+233241234567"), None));
        assert_eq!(found, LookUp::Unavailable, "{status} {body}");
    }
}

#[test]
fn the_balance_includes_the_bonus() {
    for (body, status) in [
        (r#"{"status":"success","balance":2,"bonus":50}"#, CheckStatus::Up),
        (r#"{"status":"success","balance":2}"#, CheckStatus::Degraded),
        (r#"{"status":"success"}"#, CheckStatus::Degraded),
        (r#"{"status":"error","code":"1004"}"#, CheckStatus::Down),
        ("", CheckStatus::Down),
    ] {
        assert_eq!(Mnotify.check_result(&Answer::of(200, body)).status, status, "{body}");
    }
}

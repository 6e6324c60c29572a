//! Reports in every order, on any instance, before the reply and long after it.

use std::time::Duration;

use acceptance::{Tenant, until};
use futures_util::future::{join, join_all};
use serde_json::{Value, json};

use crate::providers::{
    failover::attempts,
    vendor::{Installation, Mood, SECRET, Vendor, code, provider, sms},
};

const REFUNDS: &str =
    "SELECT coalesce(sum(messages), 0)::bigint FROM ledger WHERE kind = 'MESSAGE_REFUND'";
/// Positions of three items, in every order.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Consistent reports of a vendor, with the final status and balance.
const STORIES: [([&str; 3], &str, f64); 2] = [
    (["queued", "sent", "delivered"], "DELIVERED", 9.965),
    (["queued", "sent", "failed"], "FAILED", 10.0),
];

async fn twilio(service: &Installation, provider: &str, id: &Value, status: &str) {
    let path = format!("{provider}?message={}", id.as_str().unwrap());
    let form = [("MessageSid", "SM1"), ("MessageStatus", status)];
    let answer = service.call_back_as_twilio(&path, SECRET, &form).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn message(tenant: &Tenant<'_>, id: &Value) -> Value {
    let answer = tenant.owner().get(&format!("/messages/{}", id.as_str().unwrap())).await;
    answer.data(200).clone()
}

async fn sent(tenant: &Tenant<'_>) -> Value {
    let answer = tenant.owner().post("/messages/send", sms()).await;
    assert_eq!(answer.data(201)["status"], "SENT");
    answer.data(201)["id"].clone()
}

#[tokio::test]
async fn consistent_reports_give_one_result_in_any_order() {
    let vendor = Vendor::start().await;
    let service = Installation::start(&[provider("only", "twilio", &vendor.url(), 1)]).await;
    let other = service.another(&[]).await;
    for (story, end, balance) in STORIES {
        for order in ORDERS {
            let tenant = service.world.tenant().await;
            let id = sent(&tenant).await;
            for (number, place) in order.into_iter().enumerate() {
                for turn in 0..2 {
                    let instance = if (number + turn) % 2 == 0 { &service } else { &other };
                    twilio(instance, "only", &id, story[place]).await;
                }
            }
            let ended = message(&tenant, &id).await;
            assert_eq!(ended["status"], end, "{story:?} {order:?}");

            // All reports are repeated on both instances at the same time.
            let again = |instance| story.iter().map(move |status| (instance, *status));
            let again = again(&service).chain(again(&other));
            join_all(again.map(|(instance, status)| twilio(instance, "only", &id, status))).await;
            assert_eq!(message(&tenant, &id).await, ended, "{story:?} {order:?}");
            assert!((tenant.balance().await - balance).abs() < 1e-9, "{story:?} {order:?}");
            tenant.assert_ledger_adds_up().await;
        }
    }
    assert_eq!(service.world.value(REFUNDS).await, 6);
    assert_eq!(service.world.value("SELECT count(*) FROM unmatched_reports").await, 0);
}

#[tokio::test]
async fn concurrent_contradicting_reports_leave_one_outcome() {
    let vendor = Vendor::start().await;
    let service = Installation::start(&[provider("only", "twilio", &vendor.url(), 1)]).await;
    let other = service.another(&[]).await;
    let tenant = service.world.tenant().await;
    for _ in 0..10 {
        let before = tenant.balance().await;
        let id = sent(&tenant).await;
        let reporting = ["sent", "delivered", "failed"].iter().flat_map(|status| {
            [&service, &other].map(|instance| twilio(instance, "only", &id, status))
        });
        join_all(reporting).await;

        let ended = message(&tenant, &id).await;
        let paid = before - tenant.balance().await;
        let price = match ended["status"].as_str().unwrap() {
            "DELIVERED" => 0.035,
            "FAILED" => 0.0,
            status => panic!("{status}"),
        };
        assert!((paid - price).abs() < 1e-9, "{paid} for {ended}");
        tenant.assert_ledger_adds_up().await;
    }
}

#[tokio::test]
async fn a_report_before_the_reply_settles_the_message() {
    for (status, end, balance) in [("delivered", "DELIVERED", 9.965), ("failed", "FAILED", 10.0)] {
        let (first, second) = (Vendor::start().await, Vendor::start().await);
        first.now(Mood::TakesAfter(Duration::from_millis(700)));
        let service = Installation::start(&[
            provider("first", "twilio", &first.url(), 1).with("timeout_ms = 5000"),
            provider("second", "africas-talking", &second.url(), 2),
        ])
        .await;
        let tenant = service.world.tenant().await;
        let request = json!({
            "channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true,
        });
        let answer = tenant.owner().post("/messages/send", request).await;
        let id = answer.data(202)["id"].clone();
        until("the vendor is called", async || first.calls() > 0).await;

        twilio(&service, "first", &id, status).await;
        let early = message(&tenant, &id).await;
        until("the reply is kept for the record", async || {
            message(&tenant, &id).await["attempts"][0]["outcome"] == "ACCEPTED"
        })
        .await;
        twilio(&service, "first", &id, "sent").await;

        let last = message(&tenant, &id).await;
        assert_eq!((&early["status"], &last["status"]), (&json!(end), &json!(end)));
        assert_eq!(attempts(&last), [("first", "ACCEPTED")]);
        assert_eq!((first.calls(), second.calls()), (1, 0));
        assert_eq!(service.world.value("SELECT count(*) FROM delivery_jobs").await, 0);
        assert!((tenant.balance().await - balance).abs() < 1e-9);
        tenant.assert_ledger_adds_up().await;
    }
}

#[tokio::test]
async fn a_report_before_its_reference_is_known_is_matched_soon() {
    let vendor = Vendor::start().await;
    vendor.now(Mood::TakesAfter(Duration::from_millis(700)));
    let url = vendor.url();
    let only = provider("only", "africas-talking", &url, 1).with("timeout_ms = 5000");
    let service = Installation::start(&[only]).await;
    let tenant = service.world.tenant().await;

    let sending = tenant.owner();
    let sending = sending.post("/messages/send", sms());
    let reporting = async {
        until("the vendor is called", async || vendor.calls() > 0).await;
        service.report("only", "ATXid_1", "Failed").await.data(200);
    };
    let (answer, ()) = join(sending, reporting).await;

    let failed = tenant.owner().message_that_is("FAILED", &answer.data(201)["id"]).await;
    assert_eq!(failed["errorCode"], "UNDELIVERED");
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    assert_eq!(service.world.value(REFUNDS).await, 1);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_late_failure_report_refunds_an_uncertain_message() {
    let (first, second) = (Vendor::start().await, Vendor::start().await);
    first.now(Mood::Silent);
    let service = Installation::start(&[
        provider("first", "twilio", &first.url(), 1),
        provider("second", "africas-talking", &second.url(), 2),
    ])
    .await;
    let tenant = service.world.tenant().await;
    let answer = tenant.owner().post("/messages/send", sms()).await;
    let id = answer.data(201)["id"].clone();
    assert_eq!(answer.data(201)["status"], "PENDING");
    assert!((tenant.balance().await - 9.965).abs() < 1e-9);

    twilio(&service, "first", &id, "undelivered").await;

    let failed = message(&tenant, &id).await;
    assert_eq!(
        (&failed["status"], &failed["errorCode"]),
        (&json!("FAILED"), &json!("UNDELIVERED"))
    );
    assert_eq!((first.calls(), second.calls()), (1, 0));
    assert_eq!(service.world.value("SELECT count(*) FROM delivery_jobs").await, 0);
    assert!((tenant.balance().await - 10.0).abs() < 1e-9);
    assert_eq!(service.world.value(REFUNDS).await, 1);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_code_sent_to_two_providers_is_charged_once() {
    // The first provider timed out, so the second has the message: only its failure ends it.
    for (reports, end, balance) in [
        ([("first", "delivered"), ("second", "delivered")], "DELIVERED", 9.965),
        ([("second", "delivered"), ("first", "delivered")], "DELIVERED", 9.965),
        ([("first", "delivered"), ("second", "failed")], "DELIVERED", 9.965),
        ([("second", "delivered"), ("first", "failed")], "DELIVERED", 9.965),
        ([("first", "failed"), ("second", "delivered")], "DELIVERED", 9.965),
        ([("second", "failed"), ("first", "delivered")], "FAILED", 10.0),
        ([("first", "failed"), ("second", "failed")], "FAILED", 10.0),
        ([("second", "failed"), ("first", "failed")], "FAILED", 10.0),
    ] {
        let (first, second) = (Vendor::start().await, Vendor::start().await);
        first.now(Mood::Silent);
        let service = Installation::start(&[
            provider("first", "twilio", &first.url(), 1),
            provider("second", "twilio", &second.url(), 2),
        ])
        .await;
        let tenant = service.world.tenant().await;
        let answer = tenant.owner().post("/messages/send", code()).await;
        let id = answer.data(201)["id"].clone();
        assert_eq!((first.calls(), second.calls()), (1, 1));

        for (from, status) in reports {
            twilio(&service, from, &id, status).await;
            twilio(&service, from, &id, status).await;
        }

        let ended = message(&tenant, &id).await;
        assert_eq!(ended["status"], end, "{reports:?}");
        let closed = if reports[0] == ("first", "failed") { "REJECTED" } else { "UNKNOWN" };
        assert_eq!(attempts(&ended), [("first", closed), ("second", "ACCEPTED")], "{reports:?}");
        assert!((tenant.balance().await - balance).abs() < 1e-9, "{reports:?}");
        tenant.assert_ledger_adds_up().await;
    }
}

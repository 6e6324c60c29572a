//! Fixture of mNotify.

use domain::messaging::delivery::FailureCode as Code;

use super::{Canned, Fixture};

const REFUSALS: &[(Canned, char, Code)] = &[
    (
        ok(r#"{"status":"success","code":"2000","summary":{"total_sent":0,
                    "total_rejected":1}}"#),
        'R',
        Code::InvalidRecipient,
    ),
    (ok(r#"{"status":"error","code":"1012"}"#), 'N', Code::SenderNotAllowed),
    (ok(r#"{"status":"error","message":"Insufficient balance"}"#), 'N', Code::ProviderBalance),
    (ok(r#"{"status":"error","code":1004}"#), 'N', Code::ProviderAuth),
];

pub(crate) fn fixture() -> Fixture {
    Fixture {
        kind: "mnotify",
        credentials: &[("api_key", "mnkey-s3cr3t")],
        sender: Some("SHOP"),
        request: &[
            "POST /api/sms/quick?key=mnkey-s3cr3t HTTP/1.1\r\n",
            "content-type: application/json\r\n",
            r#"{"recipient":["0244123456"],"sender":"SHOP","message":"Your code is 1234","#,
            r#""is_schedule":false,"schedule_date":""}"#,
        ],
        accepted: ok(r#"{"status":"success","code":"2000","message":"messages sent successfully",
                "summary":{"_id":"A59CCB70-662D","type":"API QUICK SMS","total_sent":1,
                "contacts":1,"total_rejected":0,"numbers_sent":[],"credit_used":1,
                "credit_left":1483}}"#),
        reference: Some("A59CCB70-662D"),
        refusals: REFUSALS,
        healthy: ok(r#"{"status":"success","balance":1483,"bonus":0}"#),
        secrets: &["mnkey-s3cr3t"],
        ..Fixture::PLAIN
    }
}

const fn ok(body: &'static str) -> Canned {
    Canned { status: "200 OK", headers: "", body }
}

//! Checks of texts, and the summary of an organization's compliance.

use acceptance::World;
use reqwest::Method;
use serde_json::{Value, json};

const CHECK: &str = "/compliance/check-message";

#[tokio::test]
async fn a_text_is_checked_as_promotion_by_default() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    let answer = tenant.owner().post(CHECK, json!({"message": "Sale at Makola today"})).await;
    let checked = answer.data(200);
    assert_eq!((&checked["riskScore"], &checked["requiresApproval"]), (&json!(35), &json!(true)));
    assert_eq!(
        checked["issues"][0],
        json!({
            "code": "NO_WAY_OUT", "severity": "high", "match": null, "position": null, "weight": 30,
            "message": checked["issues"][0]["message"], "remedy": checked["issues"][0]["remedy"],
        })
    );
    assert_eq!(
        (&checked["issues"][1]["code"], &checked["issues"][1]["match"]),
        (&json!("HASTE"), &json!("today"))
    );
    assert_eq!((&checked["segments"], &checked["encoding"]), (&json!(1), &json!("GSM-7")));
    assert_eq!(checked["estimatedCost"], Value::Null);

    let order = json!({"message": "Your order is ready", "category": "TRANSACTIONAL"});
    let answer = tenant.owner().post(CHECK, order).await;
    assert_eq!(
        (&answer.data(200)["riskScore"], &answer.data(200)["issues"]),
        (&json!(0), &json!([]))
    );
}

#[tokio::test]
async fn cost_warnings_add_nothing_to_the_score() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let text = format!("Kente is ₵5 {}", "a".repeat(100));
    let check = |text: &str| json!({"message": text, "category": "HEALTHCARE", "channel": "SMS", "countryCode": "GH"});

    let dear = tenant.owner().post(CHECK, check(&text)).await.data(200).clone();
    let cheap =
        tenant.owner().post(CHECK, check(&text.replace('₵', "GHS "))).await.data(200).clone();

    let issues = dear["issues"].as_array().unwrap();
    let reported: Vec<_> =
        issues.iter().map(|it| (&it["code"], &it["severity"], &it["match"])).collect();
    let info = json!("info");
    assert_eq!(
        reported,
        [
            (&json!("CATEGORY_NEEDS_APPROVAL"), &info, &Value::Null),
            (&json!("UCS2_CHARACTER"), &info, &json!("₵")),
        ]
    );
    assert_eq!(issues[1]["position"], 9);
    assert_eq!((&dear["riskScore"], &dear["requiresApproval"]), (&json!(0), &json!(false)));
    assert_eq!((&dear["encoding"], &cheap["encoding"]), (&json!("UCS-2"), &json!("GSM-7")));
    assert_eq!((&dear["segments"], &cheap["segments"]), (&json!(2), &json!(1)));
    let cost = |checked: &Value| checked["estimatedCost"].as_f64().unwrap();
    assert!(cost(&cheap) > 0.0 && (cost(&dear) - 2.0 * cost(&cheap)).abs() < 1e-9);
}

#[tokio::test]
async fn a_scam_finding_quotes_the_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let message = "Kindly send your M0M0 P!N to 0241234567";
    let body = json!({"message": message, "category": "OTP"});

    let checked = tenant.owner().post(CHECK, body).await.data(200).clone();

    assert!(checked["riskScore"].as_u64().unwrap() >= 60);
    let issue = &checked["issues"][0];
    assert_eq!((&issue["code"], &issue["position"]), (&json!("SECRET_REQUESTED"), &json!(7)));
    assert_eq!(issue["match"], "send your M0M0 P!N");
}

#[tokio::test]
async fn a_check_needs_a_text_and_rejects_unknown_fields() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for body in [
        json!({}),
        json!({"message": " "}),
        json!({"message": 5}),
        json!({"message": "a", "category": "SPAM"}),
        json!({"message": "a", "countryCode": "Ghana"}),
        json!({"message": "a".repeat(1_601), "channel": "SMS"}),
        json!({"message": "a", "text": "b"}),
    ] {
        tenant.owner().post(CHECK, body).await.fails(400, "VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn the_summary_counts_the_suppressions_of_the_organization() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    for phone in ["0241234567", "0241234568"] {
        own.owner().post("/compliance/suppression", json!({"phone": phone})).await.data(201);
    }

    let summary = |count: u64| json!({"suppressionCount": count, "pendingApprovals": 0});
    assert_eq!(own.owner().get("/compliance/summary").await.data(200), &summary(2));
    assert_eq!(other.owner().get("/compliance/summary").await.data(200), &summary(0));
}

#[tokio::test]
async fn a_way_out_is_one_that_the_recipient_can_take() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let check = async |message: &str, sender: Option<&str>| {
        let body = json!({"message": message, "channel": "SMS", "senderId": sender});
        let checked = tenant.owner().post(CHECK, body).await.data(200).clone();
        let issues = checked["issues"].as_array().unwrap();
        let codes: Vec<_> = issues.iter().map(|issue| issue["code"].clone()).collect();
        (checked["riskScore"].clone(), codes)
    };
    let reply = "Sale at Makola this Saturday. Reply STOP to opt out";
    let code = "Sale at Makola this Saturday. *713*2#";
    assert_eq!(check(reply, None).await, (json!(0), vec![]));
    assert_eq!(check(reply, Some("1945")).await, (json!(0), vec![]));
    let impossible = vec![json!("REPLY_IMPOSSIBLE")];
    assert_eq!(check(reply, Some("Kente")).await, (json!(0), impossible));
    assert_eq!(check(code, None).await, (json!(30), vec![json!("NO_WAY_OUT")]));
    let set = async |opt_out: Value| {
        let settings = json!({"settings": {"optOut": opt_out}});
        tenant.owner().call(Method::PATCH, "/organizations/current", Some(settings)).await
    };

    let wrong = set(json!({"number": "12", "ussd": "713"})).await;
    let details = wrong.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["settings.optOut.number", "settings.optOut.ussd"]);
    let opt_out = set(json!({"number": "0302123456", "ussd": "*713*2#"})).await;
    let opt_out = &opt_out.data(200)["settings"]["optOut"];
    assert_eq!(opt_out, &json!({"number": "+233302123456", "ussd": "*713*2#"}));
    assert_eq!(check(code, Some("Kente")).await, (json!(0), vec![]));
    let template = json!({"name": "Sale", "channel": "SMS", "category": "MARKETING", "body": code});
    let template = tenant.owner().post("/templates", template).await;
    assert_eq!(template.data(201)["status"], "APPROVED");

    set(Value::Null).await.data(200);
    assert_eq!(check(code, None).await.0, json!(30));
}

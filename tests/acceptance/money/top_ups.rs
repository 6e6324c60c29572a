//! Top-ups of wallets: the simulated gateway, its webhook, and permissions.

use acceptance::World;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    money::gateway::{
        SIGNATURE, WEBHOOK, assert_amount, call_webhook, call_webhook_signed, exceptions, paid,
        press, sha256, sha512, start, top_up, verify, with_gateway,
    },
    shared::settings::PRODUCTION,
};

#[tokio::test]
async fn a_top_up_paid_on_the_page_is_credited() {
    let world = with_gateway().await;
    let tenant = world.tenant().await;

    let body = json!({"amount": 50.25, "paymentMethod": "card"});
    let begun = tenant.owner().post("/billing/top-up", body).await.data(200).clone();

    let reference = begun["reference"].as_str().unwrap();
    assert!(reference.ends_with(&tenant.id[tenant.id.len() - 3..]), "{reference}");
    let page = format!("{}/checkout/{reference}", world.url);
    let expected = json!({
        "reference": reference, "status": "PENDING", "checkoutUrl": page, "amount": 50.25,
        "currency": "GHS",
    });
    assert_eq!(begun, expected);
    let shown = world.send(world.http.get(&page)).await;
    assert_eq!(shown.status, 200);
    assert!(shown.header("content-security-policy").contains("default-src 'none'"));
    for text in ["GHS 50.25", "Kente", "Card", reference, "Decline"] {
        assert!(shown.text.contains(text), "{text}: {}", shown.text);
    }
    let open = verify(&tenant.owner(), &begun["reference"]).await;
    open.fails(400, "PAYMENT_FAILED");
    assert!(open.text.contains("abandoned"), "{}", open.text);

    let done = press(&world, &begun, "pay").await;
    assert!(done.text.contains("Payment made"), "{}", done.text);
    assert_amount(tenant.balance().await, 60.25);
    let verified = verify(&tenant.owner(), &begun["reference"]).await;
    let expected = json!({
        "reference": reference, "status": "ALREADY_PROCESSED", "amount": 50.25, "balance": 60.25,
    });
    assert_eq!(verified.data(200), &expected);

    for button in ["pay", "decline"] {
        assert!(press(&world, &begun, button).await.text.contains("Payment made"));
    }
    assert_amount(tenant.balance().await, 60.25);
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_declined_payment_can_be_repeated() {
    let world = with_gateway().await;
    let tenant = world.tenant().await;
    let begun = top_up(&tenant.owner(), 5.0).await;

    assert!(press(&world, &begun, "decline").await.text.contains("Payment declined"));
    let failed = verify(&tenant.owner(), &begun["reference"]).await;
    failed.fails(400, "PAYMENT_FAILED");
    assert!(failed.text.contains("failed"), "{}", failed.text);
    assert_amount(tenant.balance().await, 10.0);
    press(&world, &begun, "pay").await;
    assert_amount(tenant.balance().await, 15.0);

    for path in ["/checkout/x", "/checkout/topup-1/pay", "/checkout/x/decline"] {
        let method = if path.ends_with('x') { Method::GET } else { Method::POST };
        world.call(method, path, None).await.fails(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn only_a_signature_over_the_exact_bytes_credits() {
    let world = start().await;
    let tenant = world.tenant().await;
    let begun = top_up(&tenant.owner(), 5.0).await;
    // Spaces, an escape and a number that would be serialized differently.
    let reference = begun["reference"].as_str().unwrap();
    let body = format!(
        "{{ \"event\" : \"charge\\u002esuccess\", \"data\": {{\"status\": \"success\", \
         \"reference\": \"{reference}\", \"amount\": 500.0, \"currency\": \"GHS\"}} }}\n"
    );
    let body = body.into_bytes();
    let right = sha512(&body);
    let written_anew: Value = serde_json::from_slice(&body).unwrap();
    let written_anew = written_anew.to_string().into_bytes();

    for wrong in [
        right.to_uppercase(),
        right[..127].to_owned(),
        right[..64].to_owned(),
        format!("{right}00"),
        sha512(&written_anew),
        sha256(&written_anew),
        "0".repeat(128),
        String::new(),
    ] {
        for header in [SIGNATURE, "x-paystack-signature"] {
            call_webhook(&world, body.clone(), header, &wrong)
                .await
                .fails(401, "INVALID_SIGNATURE");
        }
    }
    call_webhook(&world, written_anew, SIGNATURE, &right).await.fails(401, "INVALID_SIGNATURE");
    call_webhook(&world, body.clone(), "x-other", &right).await.fails(401, "INVALID_SIGNATURE");
    let request = world.http.post(format!("{}{WEBHOOK}", world.url)).body(body.clone());
    let request = request.header(SIGNATURE, "wrong").header("x-paystack-signature", &right);
    world.send(request).await.fails(401, "INVALID_SIGNATURE");
    assert_eq!(world.value("SELECT count(*) FROM gateway_events").await, 0);
    assert_amount(tenant.balance().await, 10.0);

    for (header, signature) in
        [("x-paystack-signature", &right), (SIGNATURE, &right), (SIGNATURE, &sha256(&body))]
    {
        let answer = call_webhook(&world, body.clone(), header, signature).await;
        assert_eq!(answer.data(200), &json!({ "received": true }));
    }
    assert_amount(tenant.balance().await, 15.0);
}

#[tokio::test]
async fn every_signed_event_is_kept_and_only_a_success_credits() {
    let world = start().await;
    let tenant = world.tenant().await;
    let begun = top_up(&tenant.owner(), 5.0).await;
    let success = paid(&begun["reference"], 500);
    let mut other = success.clone();
    other["event"] = json!("refund.processed");
    let mut open = success.clone();
    open["data"]["status"] = json!("ongoing");
    let mut declined = success.clone();
    declined["event"] = json!("charge.failed");
    let empty = json!({"event": "charge.success"});
    for event in [other, open, declined, empty, json!({}), json!([]), json!("charge.success")] {
        call_webhook_signed(&world, &event).await.data(200);
    }
    let body = b"not JSON".to_vec();
    let signature = sha512(&body);
    call_webhook(&world, body, SIGNATURE, &signature).await.data(200);

    assert_amount(tenant.balance().await, 10.0);
    let kept =
        |outcome: &str| format!("SELECT count(*) FROM gateway_events WHERE outcome = '{outcome}'");
    assert_eq!(world.value(&kept("IGNORED")).await, 2);
    assert_eq!(world.value(&kept("EXCEPTION")).await, 1, "money that was taken back is looked at");
    assert_eq!(world.value(&kept("UNREADABLE")).await, 5);
    call_webhook_signed(&world, &success).await.data(200);
    assert_eq!(world.value(&kept("CREDITED")).await, 1);
    assert_amount(tenant.balance().await, 15.0);
    let large = vec![b' '; (1 << 20) + 1];
    let signature = sha512(&large);
    call_webhook(&world, large, SIGNATURE, &signature).await.fails(413, "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn a_mismatched_payment_is_listed_until_it_is_resolved() {
    let world = start().await;
    let (tenant, admin) = (world.tenant().await, world.administrator().await);
    let begun = top_up(&tenant.owner(), 5.0).await;
    let reference = &begun["reference"];
    let mut foreign = paid(reference, 500);
    foreign["data"]["currency"] = json!("NGN");
    let mut unknown = paid(&json!("elsewhere"), 700);
    unknown["data"]["metadata"] = json!(json!({"organizationId": tenant.id}).to_string());
    let mut live = paid(reference, 500);
    live["data"]["domain"] = json!("live");
    for event in [&paid(reference, 499), &foreign, &unknown, &live, &unknown] {
        call_webhook_signed(&world, event).await.data(200);
    }
    assert_amount(tenant.balance().await, 10.0);
    for reason in ["AMOUNT_TOO_SMALL", "OTHER_CURRENCY", "UNKNOWN_REFERENCE", "OTHER_MODE"] {
        assert_eq!(exceptions(&tenant, reason).await, 1, "{reason}");
    }

    let list = "/admin/payment-exceptions";
    let all = admin.get(list).await;
    assert_eq!(all.body["pagination"]["total"], 4);
    let shown = all.data(200).as_array().unwrap();
    let shown = shown.iter().find(|it| it["reason"] == "UNKNOWN_REFERENCE").unwrap();
    let expected = json!({
        "id": shown["id"], "reference": "elsewhere", "reason": "UNKNOWN_REFERENCE", "amount": 7.0,
        "currency": "GHS", "expectedAmount": null, "organizationId": tenant.id,
        "noticedAt": shown["noticedAt"], "resolvedAt": null, "resolvedBy": null, "comment": null,
    });
    assert_eq!(shown, &expected);
    let resolve = format!("{list}/{}/resolve", shown["id"].as_str().unwrap());
    admin.post(&resolve, json!({})).await.fails(400, "VALIDATION_ERROR");
    let done = admin.post(&resolve, json!({"comment": "Paid back."})).await;
    assert_eq!(done.data(200)["comment"], "Paid back.");
    assert!(done.data(200)["resolvedBy"].is_string());
    admin.post(&resolve, json!({"comment": "Again."})).await.fails(409, "ALREADY_DECIDED");
    admin.post(&format!("{list}/x/resolve"), json!({"comment": "x"})).await.fails(404, "NOT_FOUND");
    for (filter, total) in [("?resolved=true", 1), ("?resolved=false", 3)] {
        let found = admin.get(&format!("{list}{filter}")).await;
        assert_eq!(found.body["pagination"]["total"], total, "{filter}");
    }
    admin.get(&format!("{list}?resolved=maybe")).await.fails(400, "VALIDATION_ERROR");
    tenant.owner().get(list).await.fails(403, "FORBIDDEN");
    assert_eq!(tenant.count("audit_log").await, 1);
    // Earlier mismatches do not prevent the right payment.
    call_webhook_signed(&world, &paid(reference, 512)).await.data(200);
    assert_amount(tenant.balance().await, 15.0);
}

#[tokio::test]
async fn rejects_an_invalid_top_up_and_an_invalid_reference() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (body, field) in [
        (json!({}), "amount"),
        (json!({"amount": "10"}), "amount"),
        (json!({"amount": 0.99}), "amount"),
        (json!({"amount": -5}), "amount"),
        (json!({"amount": 1.005}), "amount"),
        (json!({"amount": 1_000_000.01}), "amount"),
        (json!({"amount": 5, "paymentMethod": "cash"}), "paymentMethod"),
        (json!({"amount": 5, "currency": "GHS"}), "currency"),
    ] {
        let answer = tenant.owner().post("/billing/top-up", body.clone()).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"][field].is_array(), "{body}: {details}");
    }
    assert_eq!(tenant.count("top_ups").await, 0);
    for body in [json!({}), json!({"reference": ""}), json!({"reference": null})] {
        let answer = tenant.owner().post("/billing/verify-payment", body).await;
        answer.fails(400, "REFERENCE_REQUIRED");
    }
    let answer = tenant.owner().post("/billing/verify-payment", json!({"reference": 7})).await;
    answer.fails(400, "VALIDATION_ERROR");
    let other = world.tenant().await;
    let begun = top_up(&other.owner(), 5.0).await;
    let strangers = verify(&tenant.owner(), &begun["reference"]).await;
    let unknown = verify(&tenant.owner(), &json!("nonsense")).await;
    strangers.fails(400, "PAYMENT_FAILED");
    assert_eq!(strangers.body["error"], unknown.body["error"]);
}

#[tokio::test]
async fn an_administrator_credits_a_paid_invoice_once() {
    let world = World::shared().await;
    let (tenant, admin) = (world.tenant().await, world.administrator().await);
    let invoice = json!({"amount": 50, "paymentMethod": "invoice"});
    let issued = tenant.owner().post("/billing/top-up", invoice).await.data(200).clone();
    assert_eq!((&issued["status"], &issued["checkoutUrl"]), (&json!("PENDING"), &Value::Null));
    assert_amount(tenant.balance().await, 10.0);

    let admin = admin.with("X-Organization-Id", &tenant.id);
    let by_hand = json!({"amount": 50, "reference": issued["reference"]});
    let answer = tenant.owner().post("/billing/top-up", by_hand.clone()).await;
    answer.fails(403, "FORBIDDEN");
    for _ in 0..2 {
        let credited = admin.post("/billing/top-up", by_hand.clone()).await.data(200).clone();
        let expected = json!({
            "reference": issued["reference"], "status": "CREDITED", "checkoutUrl": null,
            "amount": 50.0, "currency": "GHS",
        });
        assert_eq!(credited, expected);
        assert_amount(tenant.balance().await, 60.0);
        assert_eq!(tenant.count("audit_log").await, 1);
    }
    admin.post("/billing/top-up", json!({"amount": 5})).await.fails(403, "NOT_A_MEMBER");
    admin.post("/billing/top-up", json!({"reference": "x"})).await.fails(400, "VALIDATION_ERROR");
    let nowhere = admin.with("X-Organization-Id", "01a1fe23-0000-7000-8000-00000000000f");
    nowhere.post("/billing/top-up", by_hand).await.fails(404, "NOT_FOUND");
    tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn production_without_a_gateway_has_no_checkout() {
    let world = World::shared_with(PRODUCTION).await;
    let tenant = world.tenant().await;
    let refused = tenant.owner().post("/billing/top-up", json!({"amount": 5})).await;
    refused.fails(503, "GATEWAY_NOT_CONFIGURED");
    assert!(refused.text.contains("no payment gateway is set up"), "{}", refused.text);
    let invoice = json!({"amount": 5, "paymentMethod": "invoice"});
    tenant.owner().post("/billing/top-up", invoice).await.data(200);
    world.get("/checkout/topup-1").await.fails(404, "NOT_FOUND");
    call_webhook_signed(&world, &paid(&json!("x"), 500)).await.fails(401, "INVALID_SIGNATURE");
}

#[tokio::test]
async fn top_ups_are_listed_by_status() {
    let world = with_gateway().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let open = top_up(&tenant.owner(), 5.0).await;
    let done = top_up(&tenant.owner(), 7.5).await;
    press(&world, &done, "pay").await;
    top_up(&other.owner(), 9.0).await;
    let list = async |query: &str| tenant.owner().get(&format!("/billing/top-ups{query}")).await;

    let all = list("").await;
    let [second, first] = all.data(200).as_array().unwrap().as_slice() else {
        panic!("{}", all.text)
    };
    assert_eq!(
        second,
        &json!({
            "id": second["id"], "reference": done["reference"], "status": "CREDITED",
            "paymentMethod": "mobile_money", "amount": 7.5, "currency": "GHS",
            "createdAt": second["createdAt"], "creditedAt": second["creditedAt"],
        })
    );
    assert!(second["creditedAt"].is_string());
    assert_eq!((&first["status"], &first["creditedAt"]), (&json!("PENDING"), &Value::Null));
    assert_eq!(first["reference"], open["reference"]);
    assert_eq!(all.body["pagination"]["total"], 2);
    for (query, expected) in [
        ("?status=CREDITED", vec![second]),
        ("?status=PENDING", vec![first]),
        ("?status=FAILED", vec![]),
        ("?limit=1&page=2", vec![first]),
    ] {
        assert_eq!(list(query).await.data(200), &json!(expected), "{query}");
    }
    let wrong = list("?status=PAID").await;
    assert!(wrong.fails(400, "VALIDATION_ERROR")["fieldErrors"]["status"].is_array());
}

//! Log of sent messages: pages, filters and exports.

use acceptance::{Tenant, World, unique_email, until};
use serde_json::{Value, json};

/// Sends 23 texts, of which 3 fail, and 2 pushes; waits until all have a final status.
async fn send_some(tenant: &Tenant<'_>) {
    let key = tenant.api_key(json!({"name": "test"})).await;
    let message =
        |channel: &str, to: &str| json!({"channel": channel, "to": to, "body": "Akwaaba"});
    let mut messages: Vec<_> = (0..20).map(|_| message("SMS", "0241234567")).collect();
    messages.extend((0..3).map(|_| message("SMS", "0240000000")));
    messages.extend((0..2).map(|_| message("PUSH", "device-1")));
    key.post("/messages/bulk", json!({"messages": messages, "async": true})).await.data(202);

    let have_ended = async || {
        let delivered = total(tenant, "?status=DELIVERED").await;
        delivered + total(tenant, "?status=FAILED").await == 25
    };
    until("all 25 have come to their end", have_ended).await;
}

async fn total(tenant: &Tenant<'_>, query: &str) -> u64 {
    let answer = tenant.owner().get(&format!("/delivery-logs{query}")).await;
    answer.data(200);
    answer.body["pagination"]["total"].as_u64().unwrap()
}

fn ids(items: &Value) -> Vec<String> {
    let items = items.as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_log_is_paginated_newest_first() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    send_some(&tenant).await;
    let get = async |query: &str| tenant.owner().get(&format!("/delivery-logs{query}")).await;

    let first = get("").await;
    let second = get("?page=2").await;

    let pagination = |page: u64| json!({"page": page, "limit": 20, "total": 25, "totalPages": 2});
    assert_eq!(second.body["pagination"], pagination(2));
    let mut seen = ids(first.data(200));
    assert_eq!(seen.len(), 20);
    let mut beginning = pagination(1);
    beginning["nextCursor"] = json!(seen[19]);
    assert_eq!(first.body["pagination"], beginning);
    seen.extend(ids(second.data(200)));
    let mut newest_first = seen.clone();
    newest_first.sort_by(|a, b| b.cmp(a));
    newest_first.dedup();
    assert_eq!(seen, newest_first);
    assert_eq!(seen.len(), 25);

    let all = get("?limit=100").await;
    assert_eq!(ids(all.data(200)), seen);
    let single = get("?limit=1&page=25").await;
    assert_eq!(ids(single.data(200)), seen[24..]);
    let beyond = get("?page=4294967295&limit=100").await;
    assert_eq!(beyond.data(200), &json!([]));
    assert_eq!(beyond.body["pagination"]["total"], 25);
}

#[tokio::test]
async fn the_log_is_filtered_by_status_and_channel() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    send_some(&tenant).await;
    for (query, count) in [
        ("?channel=SMS", 23),
        ("?channel=PUSH", 2),
        ("?channel=VOICE", 0),
        ("?status=FAILED", 3),
        ("?status=DELIVERED", 22),
        ("?status=DELIVERED&channel=PUSH", 2),
        ("?status=QUEUED", 0),
        ("?status=&channel=", 25),
    ] {
        assert_eq!(total(&tenant, query).await, count, "{query}");
    }
    let failed = tenant.owner().get("/delivery-logs?status=FAILED&limit=2&page=2").await;
    let failed = failed.data(200).as_array().unwrap();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0]["status"], "FAILED");
    assert_eq!(failed[0]["recipient"], "+233240000000");
}

#[tokio::test]
async fn rejects_an_invalid_page_and_an_invalid_filter() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (query, faulty) in [
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=4294967296", "page"),
        ("page=99999999999999999999", "page"),
        ("page=1.5", "page"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("status=sent", "status"),
        ("channel=FAX", "channel"),
        ("channel=SMS%00", "channel"),
    ] {
        let answer = tenant.owner().get(&format!("/delivery-logs?{query}")).await;
        let fields = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(fields[faulty].is_array(), "{query}: {fields}");
    }
    let answer = tenant.owner().get("/delivery-logs?page=x&limit=0&status=x&channel=x").await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    assert_eq!(details["fieldErrors"].as_object().unwrap().len(), 4);
    let export = tenant.owner().get("/delivery-logs/export?status=x&channel=x").await;
    let details = export.fails(400, "VALIDATION_ERROR");
    assert_eq!(details["fieldErrors"].as_object().unwrap().len(), 2);
}

#[tokio::test]
async fn an_export_has_a_header_and_escapes_formulas() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let key = tenant.api_key(json!({"name": "test"})).await;
    let body = "=HYPERLINK(\"http://evil.example\", \"Win\")";
    let message =
        json!({"channel": "EMAIL", "to": "a@b.example", "subject": "@SUM(A1)", "body": body});
    key.post("/messages/send", message).await.data(201);

    let export = tenant.owner().get("/delivery-logs/export").await;

    assert_eq!(export.status, 200);
    assert!(export.header("content-type").starts_with("text/csv"));
    assert!(export.header("content-disposition").starts_with("attachment"));
    let mut lines = export.text.split("\r\n");
    let header = lines.next().unwrap();
    assert!(header.starts_with("id,internalMessageId,status,channel,recipient,cost,"), "{header}");
    let row = lines.next().unwrap();
    let cells = ",a@b.example,0,TRANSACTIONAL,1,'@SUM(A1),\"'=HYPERLINK(\"\"http://evil";
    assert!(row.contains(cells), "{row}");
    assert_eq!(lines.collect::<Vec<_>>(), [""]);
    let empty = tenant.owner().get("/delivery-logs/export?channel=SMS").await;
    assert_eq!(empty.text, format!("{header}\r\n"));
}

#[tokio::test]
async fn an_export_has_at_most_the_newest_ten_thousand_rows() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let id = &tenant.id;
    world
        .sql(&format!(
            "INSERT INTO delivery_logs (id, organization_id, channel, status, recipient, \
             country_code, category, priority, body, segments, cost_micros, is_sandbox, \
             is_confidential, provider, created_at, sent_at) \
             SELECT uuid_floor(at), '{id}', 'SMS', 'SENT', '+233241234567', 'GH', \
             'TRANSACTIONAL', 2, 'message ' || number, 1, 35000, false, false, 'mail', at, at \
             FROM (SELECT number, now() - make_interval(secs => number) AS at \
             FROM generate_series(1, 10050) AS number) AS rows"
        ))
        .await;

    let export = tenant.owner().get("/delivery-logs/export?status=SENT&channel=SMS").await;

    assert_eq!(export.status, 200);
    let rows: Vec<&str> = export.text.trim_end().split("\r\n").skip(1).collect();
    assert_eq!(rows.len(), 10_000);
    for (index, row) in rows.iter().enumerate() {
        assert!(row.contains(&format!(",message {},", index + 1)), "{row}");
        assert!(row.contains(",+233241234567,0.035,"), "{row}");
    }
}

#[tokio::test]
async fn another_tenant_sees_nothing_of_the_log() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    send_some(&tenant).await;
    let log = tenant.owner().get("/delivery-logs?limit=1").await;
    let message = &log.data(200)[0];
    let email = unique_email("viewer");
    let viewer = world.user(&email).await;
    let body = json!({"email": email});
    other.owner().post("/organizations/invite", body).await.data(201);
    let viewer = other.member(viewer["token"].as_str().unwrap());

    assert_eq!(total(&other, "").await, 0);
    let export = other.owner().get("/delivery-logs/export").await;
    assert_eq!(export.text.lines().count(), 1);
    for caller in [other.owner(), viewer, other.live_key().await] {
        for (field, unknown) in [
            ("id", "01a1fe23-0000-7000-8000-00000000000f"),
            ("internalMessageId", "msg_01a1fe23000070008000000000000000"),
        ] {
            let path = format!("/messages/{}", message[field].as_str().unwrap());
            let foreign = caller.get(&path).await;
            let missing = caller.get(&format!("/messages/{unknown}")).await;
            foreign.fails(404, "NOT_FOUND");
            assert_eq!((foreign.status, foreign.text), (missing.status, missing.text));
            tenant.owner().get(&path).await.data(200);
        }
    }
}

//! Requests that make something once for each idempotency key.

use acceptance::{Answer, Caller, World, unique_email, unique_id};
use serde_json::{Value, json};

const REPLAYED: &str = "idempotent-replayed";
const FILE: &str = "phone\n0241234567\n";

fn keyed(caller: &Caller, key: &str) -> Caller {
    caller.with("Idempotency-Key", key)
}

/// Requests that make something in an organization, each with a table in which it makes one row.
fn requests() -> Vec<(&'static str, Value, &'static str)> {
    let template = json!({"name": "Receipt", "channel": "SMS", "body": "Thank you, {{name}}."});
    let sender_name = format!("K{}", &unique_id()[..8]);
    let endpoint = json!({"url": "https://hooks.kente.invalid/atumpan"});
    vec![
        ("/contacts", json!({"phone": "0241234567"}), "contacts"),
        ("/segments", json!({"name": "All", "rules": {}}), "segments"),
        ("/templates", template, "templates"),
        ("/campaigns", json!({"name": "Sale", "channel": "SMS"}), "campaigns"),
        ("/compliance/suppression", json!({"phone": "0241234568"}), "suppressions"),
        ("/webhook-endpoints", endpoint, "webhook_endpoints"),
        ("/api-keys", json!({"name": "first"}), "api_keys"),
        ("/sender-names", json!({"name": sender_name, "channel": "SMS"}), "sender_names"),
    ]
}

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer_and_makes_nothing() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (path, body, table) in requests() {
        let caller = keyed(&tenant.owner(), path);
        let before = tenant.count(table).await;

        let first = caller.post(path, body.clone()).await;
        let again = caller.post(path, body.clone()).await;
        let other = caller.post(path, json!({"name": "another"})).await;

        first.data(201);
        assert_eq!(first.headers.get(REPLAYED), None, "{path}");
        assert_eq!((again.status, &again.text), (201, &first.text), "{path}");
        assert_eq!(again.header(REPLAYED), "true", "{path}");
        assert_eq!(again.header("content-type"), first.header("content-type"), "{path}");
        other.fails(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(tenant.count(table).await, before + 1, "{path}");
    }
}

#[tokio::test]
async fn a_key_belongs_to_one_organization_or_user_and_to_one_caller() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let email = unique_email("manager");
    let manager = world.user(&email).await;
    let invited = json!({"email": email, "role": "CAMPAIGN_MANAGER"});
    tenant.owner().post("/organizations/invite", invited).await.data(201);
    let manager = tenant.member(manager["token"].as_str().unwrap());
    let body = json!({"name": "All", "rules": {}});

    let first = keyed(&tenant.owner(), "k").post("/segments", body.clone()).await.data(201).clone();
    let elsewhere = keyed(&other.owner(), "k").post("/segments", body.clone()).await;

    assert_ne!(elsewhere.data(201)["id"], first["id"]);
    // What the owner was answered is not for everybody.
    let refused = keyed(&manager, "k").post("/segments", body).await;
    refused.fails(422, "IDEMPOTENCY_KEY_REUSED");

    let name = json!({"name": format!("Kente {}", unique_id())});
    let founder = keyed(&tenant.owner(), "k");
    let organization = founder.post("/organizations", name.clone()).await;
    let again = founder.post("/organizations", name).await;
    assert_eq!(again.data(201), organization.data(201));
    assert_eq!(again.header(REPLAYED), "true");
}

#[tokio::test]
async fn two_requests_at_once_make_one_thing() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = json!({"name": "All", "rules": {}});
    for round in 0..10 {
        let caller = keyed(&tenant.owner(), &format!("key {round}"));

        let (one, two) = tokio::join!(
            caller.post("/segments", body.clone()),
            caller.post("/segments", body.clone())
        );

        let answers = [&one, &two];
        let made = answers.iter().filter(|it| it.status == 201 && !is_replay(it));
        assert_eq!(made.count(), 1, "{} {}", one.text, two.text);
        for answer in answers.iter().filter(|it| it.status != 201) {
            answer.fails(409, "IDEMPOTENCY_IN_PROGRESS");
            assert_eq!(answer.header("retry-after"), "1");
        }
        assert_eq!(tenant.count("segments").await, round + 1);
    }
}

fn is_replay(answer: &Answer) -> bool {
    answer.headers.contains_key(REPLAYED)
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_free() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let caller = keyed(&tenant.owner(), "k");

    caller.post("/segments", json!({"name": 7})).await.fails(400, "VALIDATION_ERROR");
    assert_eq!(tenant.count("request_keys").await, 0);

    caller.post("/segments", json!({"name": "All", "rules": {}})).await.data(201);
    assert_eq!(tenant.count("request_keys").await, 1);
    for key in [String::new(), "k".repeat(256)] {
        let refused = keyed(&tenant.owner(), &key).post("/segments", json!({"rules": {}})).await;
        let details = refused.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"]["idempotencyKey"].is_array(), "{details}");
    }
}

#[tokio::test]
async fn a_stranger_learns_nothing_of_a_key() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = json!({"name": "All", "rules": {}});
    keyed(&tenant.owner(), "k").post("/segments", body.clone()).await.data(201);

    let stranger = keyed(&world.guest(), "k").with("X-Organization-Id", &tenant.id);
    stranger.post("/segments", body.clone()).await.fails(401, "UNAUTHORIZED");
    let outsider = world.tenant().await;
    let outsider = keyed(&outsider.owner(), "k").with("X-Organization-Id", &tenant.id);
    outsider.post("/segments", body).await.fails(403, "NOT_A_MEMBER");
}

#[tokio::test]
async fn a_kept_answer_is_sealed() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let answer = keyed(&tenant.owner(), "k").post("/api-keys", json!({"name": "first"})).await;
    let key = answer.data(201)["key"].as_str().unwrap().to_owned();

    let count = |condition: &str| {
        let id = &tenant.id;
        format!("SELECT count(*) FROM request_keys WHERE organization_id = '{id}' AND {condition}")
    };
    let holds_key = format!("position('{key}'::bytea IN body) > 0");
    assert_eq!(world.value(&count("length(body) > 0")).await, 1);
    assert_eq!(world.value(&count(&holds_key)).await, 0);
}

/// Returns an uploaded form with another boundary between its parts.
fn form(boundary: &str, file: &str) -> (String, Vec<u8>) {
    let form = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"rows.csv\"\r\n\
         Content-Type: text/csv\r\n\r\n{file}\r\n--{boundary}--\r\n"
    );
    (format!("multipart/form-data; boundary={boundary}"), form.into_bytes())
}

#[tokio::test]
async fn a_file_is_imported_once_for_each_key() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let caller = keyed(&tenant.owner(), "k");
    let import = async |boundary: &str, file: &str| {
        let (kind, body) = form(boundary, file);
        caller.post_form("/contacts/import", &kind, body).await
    };

    let first = import("one", FILE).await;
    let again = import("another-boundary", FILE).await;
    let other = import("one", &FILE.replace("567", "568")).await;

    assert!(first.body["success"] == true && !is_replay(&first), "{}", first.text);
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    assert!(is_replay(&again));
    other.fails(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(tenant.count("imports").await, 1);
}

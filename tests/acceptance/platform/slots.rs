//! Slots of organizations: identifiers of their items end in the last three hexadecimal digits of the
//! organization's identifier.

use std::collections::BTreeSet;

use acceptance::{Answer, Tenant, World, until};
use adapters_postgres::PgStore;
use app::clock::SystemClock;
use chrono::TimeDelta;
use domain::{
    audience::suppression::{OptOut, SuppressionSource},
    identity::traffic::{Evidence, OperatorRange, STOP, TrafficAlert},
    money::invoice::InvoiceDraft,
    shared::{address::Address, channel::Channel, id::Id, money::Money},
};
use ports::{
    audience::unsubscribes::UnsubscribeRepository, money::invoices::InvoiceRepository,
    platform::traffic::TrafficWatchStore, shared::clock::Clock,
};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    identity::roles::{RETRY, Rule, ask, rules},
    shared::settings::with_nobody,
};

/// Identifiers in answers that belong to no organization, by the end of their path.
const UNOWNED: [&str; 8] = [
    "/userId",
    "/invitedBy",
    "/createdBy",
    "/liftedBy",
    "/rules/*/id",
    "/plans/*/id",
    "/actor/id",
    "/requestId",
];
/// Operation whose items have the identifiers of requests, which clients may choose.
const OF_REQUESTS: &str = "GET /requests";
/// Tables of organizations with identifiers that stay empty here.
const UNWRITTEN: [&str; 1] = ["contact_erasures"];

/// Operations that depend on the work of the service in the background.
const RACES: [&str; 2] = ["POST /contacts/imports/{id}/undo", "POST /messages/{id}/cancel"];
/// Operations that fail: by the status of the campaign, without a language model, without an item, or by
/// a wrong password.
const REFUSED: [(&str, u16, &str); 13] = [
    ("POST /billing/verify-payment", 400, "PAYMENT_FAILED"),
    ("POST /campaigns/{id}/pause", 409, "INVALID_CAMPAIGN_STATUS"),
    ("POST /campaigns/{id}/resume", 409, "INVALID_CAMPAIGN_STATUS"),
    ("PATCH /campaigns/{id}", 409, "INVALID_CAMPAIGN_STATUS"),
    ("DELETE /campaigns/{id}", 409, "INVALID_CAMPAIGN_STATUS"),
    ("POST /messages/{id}/resend", 409, "MESSAGE_NOT_FAILED"),
    ("PATCH /messages/{id}", 409, "MESSAGE_NOT_SCHEDULED"),
    ("POST /content/translate", 503, "CONTENT_WRITER_NOT_CONFIGURED"),
    ("POST /organizations/leave", 409, "LAST_OWNER"),
    ("POST /organizations/current/close", 400, "VALIDATION_ERROR"),
    // Users have identifiers of no organization, which the walk does not know.
    ("PATCH /organizations/members/{userId}", 404, "NOT_FOUND"),
    ("DELETE /organizations/members/{userId}", 404, "NOT_FOUND"),
    // Nothing has been delivered by then.
    (RETRY, 404, "NOT_FOUND"),
];

/// Tables of organizations and their columns with identifiers.
const COLUMNS: &str = "
SELECT relname::text, attname::text FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE obj_description(pg_class.oid, 'pg_class') = 'tenant'
    AND NOT relispartition AND atttypid = 'uuid'::regtype AND (attname = 'id' OR attname LIKE '%\\_id')
    AND attname NOT IN ('organization_id', 'user_id')
ORDER BY 1, 2";

/// Path in an answer, and the identifier or key there.
type Shown = (String, String);

#[tokio::test]
async fn identifiers_in_answers_end_in_the_organizations_slot() {
    let world = with_nobody().await;
    let tenant = world.tenant().await;
    make_ready(&tenant).await;
    let mut rules = rules();
    rules.sort_by_key(|(name, ..)| turn(&parts(name).0));

    let store = PgStore::connect(&world.database, 1).unwrap();
    let mut made = made_by_the_service(&store, &tenant).await;
    let (mut checked, mut broken) = (BTreeSet::new(), Vec::new());
    for (name, answer) in walk(&tenant, &rules, &mut made).await {
        for (path, text) in shown(&answer) {
            let is_of_a_request = name == OF_REQUESTS && path.ends_with("/id");
            if is_of_a_request || UNOWNED.iter().any(|unowned| path.ends_with(unowned)) {
                continue;
            }
            if !text.ends_with(slot(&tenant)) {
                broken.push(format!("{name} {path}: {text}"));
            }
            checked.insert(name.clone());
        }
    }
    assert!(broken.is_empty(), "these do not end in {}: {broken:#?}", slot(&tenant));
    for name in ["POST /api-keys", "POST /messages/bulk", "GET /delivery-logs/export"] {
        assert!(checked.contains(name), "{name} shows an identifier: {checked:?}");
    }
}

#[tokio::test]
async fn identifiers_in_tables_end_in_the_organizations_slot() {
    let world = World::start().await;
    world.user("nobody@example.com").await;
    let tenant = world.tenant().await;
    make_ready(&tenant).await;
    let creations: Vec<_> =
        rules().into_iter().filter(|(name, ..)| name.starts_with("POST ")).collect();
    let store = PgStore::connect(&world.database, 1).unwrap();
    walk(&tenant, &creations, &mut made_by_the_service(&store, &tenant).await).await;
    let top_up = tenant.owner().post("/billing/top-up", json!({"amount": 5})).await;
    crate::money::gateway::press(&world, top_up.data(200), "pay").await;
    let admin = world.administrator().await;
    let approval = admin.get("/admin/approvals").await.data(200)[0]["id"].clone();
    let approve = format!("/admin/approvals/{}/approve", approval.as_str().unwrap());
    admin.post(&approve, json!({})).await.data(200);
    let correction = json!({"amount": 1, "reason": "Goodwill"});
    admin.post(&format!("/admin/tenants/{}/credit", tenant.id), correction).await.data(201);
    // The message stays sent, so its job stays too.
    let key = tenant.api_key(json!({"name": "sandbox"})).await;
    let awaited = json!({"channel": "SMS", "to": "0241230001", "body": "Akwaaba"});
    key.post("/messages/send", awaited).await.data(201);
    let scheduled_at = SystemClock.now() + TimeDelta::hours(1);
    let scheduled = json!({
        "channel": "SMS", "to": "0200000001", "body": "Akwaaba", "async": true,
        "scheduledAt": scheduled_at.to_rfc3339(),
    });
    tenant.owner().post("/messages/send", scheduled).await.data(202);
    until("what was paid for messages is posted", async || {
        store.post_journal().await.unwrap();
        tenant.count("ledger_hours").await > 0
    })
    .await;

    world.sql("UPDATE webhook_endpoints SET begins_at = created_at").await;
    world
        .sql(&format!(
            "INSERT INTO log_exports (organization_id, id, created_by, status, created_at) \
             SELECT '{0}', uuid_v7_in(now(), '{0}'), gen_random_uuid(), 'PREPARING', now()",
            tenant.id
        ))
        .await;
    let opt_out = OptOut {
        organization: tenant.id.parse().unwrap(),
        channel: Channel::Sms,
        address: Address::stored("+233241234567".into()),
        source: SuppressionSource::Stop,
        at: SystemClock.now(),
    };
    assert!(store.opt_out(&opt_out).await.unwrap());

    let (client, connection) =
        tokio_postgres::connect(&world.database, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let mut unwritten = Vec::new();
    for row in client.query(COLUMNS, &[]).await.unwrap() {
        let (table, column): (String, String) = (row.get(0), row.get(1));
        let query = format!(
            "SELECT count(*), count(*) FILTER \
                (WHERE right({column}::text, 3) <> right(organization_id::text, 3)) \
             FROM {table} WHERE {column} IS NOT NULL"
        );
        let counts = client.query_one(&query, &[]).await.unwrap();
        assert_eq!(counts.get::<_, i64>(1), 0, "{table}.{column} ends in another slot");
        if column == "id" && counts.get::<_, i64>(0) == 0 {
            unwritten.push(table);
        }
    }
    assert_eq!(unwritten, UNWRITTEN, "every other table holds something that can be looked at");
}

/// Creates items that no request creates, and returns their paths and identifiers.
pub(crate) async fn made_by_the_service(
    store: &PgStore,
    tenant: &Tenant<'_>,
) -> Vec<(String, String)> {
    vec![open_invoice(store, tenant).await, raised_alert(store, tenant).await]
}

/// Raises an alert that stops codes, and returns its path and identifier.
async fn raised_alert(store: &PgStore, tenant: &Tenant<'_>) -> (String, String) {
    let (organization, found_at) = (tenant.id.parse().unwrap(), SystemClock.now());
    let alert = TrafficAlert {
        id: Id::new_in(found_at, organization),
        organization,
        range: OperatorRange::stored(23_324),
        found_at,
        evidence: Evidence::default(),
        stopped_until: Some(found_at + STOP),
        lifted_at: None,
        lifted_by: None,
    };
    store.raise(&alert).await.unwrap();
    ("/organizations/traffic-alerts".to_owned(), alert.id.to_string())
}

/// Issues an invoice, and returns its path and identifier.
async fn open_invoice(store: &PgStore, tenant: &Tenant<'_>) -> (String, String) {
    let (organization, issued_at) = (tenant.id.parse().unwrap(), SystemClock.now());
    let id = Id::new_in(issued_at, organization);
    let draft = InvoiceDraft { id, organization, amount: Money::from_cedis(5), issued_at };
    let invoice = store.issue(&draft, None).await.unwrap();
    ("/billing/invoices".to_owned(), invoice.id.to_string())
}

/// Creates the event of two channels that one of the rules triggers.
pub(crate) async fn make_ready(tenant: &Tenant<'_>) {
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let event = json!({
        "name": "Parcel", "slug": "ready", "templateId": template,
        "channelPriority": ["SMS", "VOICE"],
    });
    tenant.owner().post("/events", event).await.data(201);
}

fn slot<'t>(tenant: &'t Tenant<'_>) -> &'t str {
    &tenant.id[tenant.id.len() - 3..]
}

fn parts(name: &str) -> (Method, &str) {
    let (method, path) = name.split_once(' ').unwrap();
    (method.parse().unwrap(), path)
}

/// Returns the position of a method: items are created first and deleted last.
fn turn(method: &Method) -> u8 {
    match method.as_str() {
        "POST" => 0,
        "DELETE" => 2,
        _ => 1,
    }
}

/// Calls all operations as the owner and returns the answers. `made` has the paths and identifiers of
/// created items.
pub(crate) async fn walk(
    tenant: &Tenant<'_>,
    rules: &[Rule],
    made: &mut Vec<(String, String)>,
) -> Vec<(String, Answer)> {
    let mut answers = Vec::new();
    for (name, _, body, _) in rules {
        let (method, template) = parts(name);
        let path = match template.split_once("{id}") {
            Some((home, rest)) => {
                let known =
                    made.iter().find(|(address, _)| format!("{address}/").starts_with(home));
                let (_, id) = known.unwrap_or_else(|| panic!("nothing was made for {name}"));
                format!("{home}{id}{rest}")
            }
            None => template.to_owned(),
        };
        let answer = ask(&tenant.owner(), method.clone(), &path, body).await;
        if let Some((_, status, code)) = REFUSED.iter().find(|(refused, ..)| refused == name) {
            answer.fails(*status, code);
            continue;
        }
        // A worker may be quicker.
        if RACES.contains(name) && answer.status == 409 {
            continue;
        }
        assert!((200..300).contains(&answer.status), "{name} shows nothing: {}", answer.text);
        if let Some(id) = answer.body["data"]["id"].as_str().filter(|_| method == Method::POST) {
            // An import is created by `…/import` and found in `…/imports`; a job on contacts is found in
            // `…/jobs`.
            let address = template.replace("/import", "/imports");
            let address = address.replace("/contacts/delete", "/contacts/jobs");
            made.push((address, id.to_owned()));
        }
        answers.push(((*name).to_owned(), answer));
    }
    answers
}

/// Returns all identifiers and keys in an answer.
fn shown(answer: &Answer) -> Vec<Shown> {
    let mut found = Vec::new();
    match &answer.body {
        Value::Null => search("", &json!(answer.text), &mut found),
        body => search("", body, &mut found),
    }
    found
}

fn search(path: &str, value: &Value, found: &mut Vec<Shown>) {
    match value {
        Value::Array(items) => {
            for item in items {
                search(&format!("{path}/*"), item, found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                search(&format!("{path}/{name}"), field, found);
            }
        }
        Value::String(text) => {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
            let words = words.filter(|word| is_identifier(word));
            found.extend(words.map(|word| (path.to_owned(), word.to_owned())));
        }
        _ => {}
    }
}

/// True if the word is an identifier in either form, or a key: a name and many hexadecimal digits.
fn is_identifier(word: &str) -> bool {
    let digits = word.rsplit_once('_').map_or("", |(_, digits)| digits);
    let is_named = digits.len() >= 32 && digits.chars().all(|c| c.is_ascii_hexdigit());
    is_named || Uuid::try_parse(word).is_ok()
}

#[test]
fn finds_identifiers_and_keys_anywhere_in_an_answer() {
    let (id, digits) = ("019a5b8e-6c2f-7d10-a4c3-e5f708192a3b", "ab".repeat(32));
    let body = json!({
        "id": id, "list": [{"key": format!("ak_test_{digits}0af"), "prefix": "ak_test_abab"}],
        "url": format!("https://example.com/u/msg_{}?x=1", id.replace('-', "")), "other": "2026",
    });
    let mut found = Vec::new();
    search("", &body, &mut found);

    let paths: Vec<_> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/id", "/list/*/key", "/url"]);
}

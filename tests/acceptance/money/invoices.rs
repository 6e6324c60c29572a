//! Invoices, as organizations see them.

use acceptance::{Tenant, World};
use adapters_postgres::PgStore;
use app::clock::SystemClock;
use chrono::{DateTime, Utc};
use domain::{
    money::invoice::{Invoice, InvoiceDraft, due_months},
    shared::{id::Id, money::Money},
};
use ports::{
    money::invoices::{InvoiceRepository, StatementRepository},
    shared::clock::Clock,
};
use serde_json::{Value, json};

const LIST: &str = "/billing/invoices";

/// Issues an invoice of fifty cedis, as a top-up by invoice does.
async fn issue(world: &World, tenant: &Tenant<'_>) -> Invoice {
    let (organization, issued_at) = (tenant.id.parse().unwrap(), SystemClock.now());
    let id = Id::new_in(issued_at, organization);
    let draft = InvoiceDraft { id, organization, amount: Money::from_cedis(50), issued_at };
    let store = PgStore::connect(&world.database, 1).unwrap();
    store.issue(&draft, None).await.unwrap()
}

#[tokio::test]
async fn invoices_are_visible_only_to_their_organization() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    for _ in 0..3 {
        issue(&world, &tenant).await;
    }

    let page = tenant.owner().get("/billing/invoices?page=1&limit=2").await;
    let numbers: Vec<_> =
        page.data(200).as_array().unwrap().iter().map(|it| &it["number"]).collect();
    assert_eq!(numbers, ["INV-000003", "INV-000002"]);
    let pagination = &page.body["pagination"];
    assert_eq!(pagination, &json!({"page": 1, "limit": 2, "total": 3, "totalPages": 2}));
    let newest = page.data(200)[0].clone();
    assert_eq!((&newest["kind"], &newest["status"]), (&json!("TOP_UP"), &json!("OPEN")));
    assert_eq!((&newest["amount"], &newest["currency"]), (&json!(50.0), &json!("GHS")));
    let at = |name: &str| newest[name].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert_eq!((at("dueAt") - at("issuedAt")).num_days(), 14);
    assert_eq!(newest["paidAt"], Value::Null);

    let path = format!("{LIST}/{}", newest["id"].as_str().unwrap());
    let mut shown = tenant.owner().get(&path).await.data(200).clone();
    assert_eq!(shown.as_object_mut().unwrap().remove("statement"), Some(Value::Null));
    assert_eq!(shown, newest);
    other.owner().get(&path).await.fails(404, "NOT_FOUND");
    assert_eq!(other.owner().get(LIST).await.data(200), &json!([]));
}

#[tokio::test]
async fn an_invoice_is_a_page_if_the_client_prefers_html() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let path = format!("{LIST}/{}", issue(&world, &tenant).await.id);

    let page = tenant.owner().with("Accept", "text/html,*/*;q=0.8").get(&path).await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.header("vary").contains("Accept"), "{}", page.header("vary"));
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for part in ["Invoice INV-000001", "@page { size: A4", "GHS 50.00", "Kente"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }

    for accept in ["*/*", "application/json", "application/json, text/html;q=0.9"] {
        let answer = tenant.owner().with("Accept", accept).get(&path).await;
        assert_eq!(answer.data(200)["number"], "INV-000001", "{accept}");
        assert!(answer.header("vary").contains("Accept"));
    }
}

#[tokio::test]
async fn an_open_invoice_can_be_voided_once() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let path = format!("{LIST}/{}/void", issue(&world, &tenant).await.id);

    other.owner().post(&path, json!({})).await.fails(404, "NOT_FOUND");
    assert_eq!(tenant.owner().post(&path, json!({})).await.data(200)["status"], "VOID");

    let details = tenant.owner().post(&path, json!({})).await;
    assert_eq!(details.fails(409, "INVOICE_NOT_OPEN")["status"], "VOID");
}

#[tokio::test]
async fn a_statement_sums_the_costs_of_a_month_by_channel() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    let key = tenant.live_key().await;
    for channel in ["SMS", "SMS", "VOICE"] {
        let message = json!({"channel": channel, "to": "0241234567", "body": "Akwaaba"});
        key.post("/messages/send", message).await.data(201);
    }
    let spent = 10.0 - tenant.balance().await;
    let store = PgStore::connect(&world.database, 1).unwrap();
    // As if the month were over, and the last hour closed.
    let month = domain::money::invoice::Month::of(SystemClock.now().date_naive());
    let later = month.end() + domain::money::invoice::SETTLING;
    let close = "\
        SET LOCAL atumpan.posting = 'on'; \
        INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, created_at) \
        SELECT id, organization_id, kind, amount_micros, messages, updated_at FROM ledger_hours; \
        DELETE FROM ledger_hours; \
        UPDATE statement_runs SET due_at = NULL";
    store.plan(&due_months(None, later)).await.unwrap();
    acceptance::until("the month is stated", async || {
        store.post_journal().await.unwrap();
        world.sql(close).await;
        store.write_some(later, 100).await.unwrap();
        tenant.count("invoices").await == 1
    })
    .await;

    let listed = tenant.owner().get(LIST).await.data(200)[0].clone();
    assert_eq!((&listed["kind"], &listed["status"]), (&json!("STATEMENT"), &json!("PAID")));
    assert!((listed["amount"].as_f64().unwrap() - spent).abs() < 1e-9);
    let path = format!("{LIST}/{}", listed["id"].as_str().unwrap());
    let statement = tenant.owner().get(&path).await.data(200)["statement"].clone();
    let lines: Vec<_> = statement["lines"].as_array().unwrap().iter().collect();
    let of = |line: &Value| (line["channel"].clone(), line["messages"].clone());
    assert_eq!(
        lines.iter().map(|line| of(line)).collect::<Vec<_>>(),
        [(json!("SMS"), json!(2)), (json!("VOICE"), json!(1))]
    );
    assert_eq!(
        (&statement["trialCredits"], &statement["turnOfMonth"]),
        (&json!(10.0), &json!(0.0))
    );
    let closing = statement["closingBalance"].as_f64().unwrap();
    assert!((closing - tenant.balance().await).abs() < 1e-9);
    let page = tenant.owner().with("Accept", "text/html").get(&path).await;
    assert!(page.text.contains("Closing balance"), "{}", page.text);
}

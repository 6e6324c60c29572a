//! Monthly statements under a clock that moves.

use std::sync::{Arc, Mutex};

use adapters_postgres::PgStore;
use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    money::invoice::{Invoice, InvoiceKind, InvoiceStatus, Statement},
    shared::{id::Id, money::Money, page::Page},
};
use futures_util::future::join;
use ports::{
    money::invoices::{InvoiceRepository, StatementRepository},
    shared::clock::Clock,
};
use usecases::money::invoices::Statements;

use crate::World;

/// A clock that a test sets.
struct Hand(Mutex<DateTime<Utc>>);

impl Clock for Hand {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

/// A fresh database with its own clock.
struct Books {
    world: World,
    hand: Arc<Hand>,
}

impl Books {
    async fn open(now: &str) -> Self {
        let hand = Arc::new(Hand(Mutex::new(now.parse().unwrap())));
        Self { world: World::alone().await, hand }
    }

    fn turn_to(&self, now: &str) {
        *self.hand.0.lock().unwrap() = now.parse().unwrap();
    }

    /// The statements of another instance.
    fn instance(&self) -> Statements {
        let store = PgStore::connect(&self.world.url, 1).unwrap();
        Statements::new(Arc::new(store), Arc::clone(&self.hand) as _)
    }

    /// A tenant that was credited ten cedis in 2024.
    async fn tenant(&self) -> Id<Organization> {
        let organization = self.world.organization().await.id;
        self.world.open_wallet(organization, Money::ZERO).await;
        self.enter(organization, "2024-12-24T10:00Z", "TRIAL_CREDIT", 10_000_000).await;
        organization
    }

    async fn enter(&self, organization: Id<Organization>, at: &str, kind: &str, micros: i64) {
        let entry = format!(
            "INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, \
                created_at) \
             VALUES (uuid_v7_in('{at}', '{organization}'), '{organization}', '{kind}', {micros}, 1, \
                '{at}')"
        );
        self.world.sql(&entry).await;
    }

    async fn invoices(&self, organization: Id<Organization>) -> Vec<Invoice> {
        let page = Page::new(None, Some(100)).unwrap();
        let mut found = self.world.store.page(organization, page).await.unwrap().items;
        found.reverse();
        found
    }

    async fn number(&self, query: &str) -> i64 {
        self.world.client().await.query_one(query, &[]).await.unwrap().get(0)
    }
}

fn summary(invoice: &Invoice) -> (String, i64, Money, Money, Money) {
    let statement: &Statement = invoice.statement.as_ref().unwrap();
    let month = statement.month.to_string();
    (month, invoice.number.0, statement.opening, statement.closing(), invoice.amount)
}

fn cedis(amount: i64) -> Money {
    Money::from_cedis(amount)
}

#[tokio::test]
async fn each_month_is_stated_once_and_opens_with_the_last_balance() {
    let books = Books::open("2025-02-01T01:59:59Z").await;
    let (own, idle) = (books.tenant().await, books.tenant().await);
    books.enter(own, "2025-01-05T10:00Z", "MESSAGE_DEBIT", -2_000_000).await;
    books.enter(own, "2025-01-31T23:59:59.999Z", "MESSAGE_DEBIT", -1_000_000).await;
    books.enter(own, "2025-01-31T23:00Z", "MESSAGE_REFUND", 1_000_000).await;
    books.enter(own, "2025-02-01T00:00Z", "MESSAGE_DEBIT", -4_000_000).await;
    let credit = format!(
        "INSERT INTO wallet_credits (organization_id, id, kind, reference, amount_micros, created_at) \
         VALUES ('{own}', uuid_v7_in('2025-01-07', '{own}'), 'TOP_UP', 'r', 5000000, '2025-01-07'); \
         INSERT INTO delivery_log_counters (organization_id, span, starts_at, channel, status, \
            is_sandbox, messages, segments, cost_micros) \
         VALUES ('{own}', 'DAY', '2025-01-05', 'SMS', 'DELIVERED', false, 2, 3, 2000000), \
            ('{own}', 'DAY', '2025-01-31', 'SMS', 'FAILED', false, 1, 1, 900000), \
            ('{own}', 'DAY', '2025-01-31', 'SMS', 'SENT', true, 9, 9, 0), \
            ('{own}', 'DAY', '2025-02-01', 'EMAIL', 'SENT', false, 4, 4, 4000000)"
    );
    books.world.sql(&credit).await;

    // Too early for January; December is the last complete month.
    books.instance().write_due().await.unwrap();
    assert_eq!(
        summary(&books.invoices(own).await[0]),
        ("2024-12".into(), 1, cedis(0), cedis(10), cedis(0))
    );
    books.turn_to("2025-02-01T02:00:00Z");
    assert_eq!(books.instance().write_due().await.unwrap(), 1);
    assert_eq!(books.instance().write_due().await.unwrap(), 0);
    // February is late, and March has no movements.
    books.turn_to("2025-04-02T00:00:00Z");
    assert_eq!(books.instance().write_due().await.unwrap(), 1);

    let invoices = books.invoices(own).await;
    assert_eq!(summary(&invoices[1]), ("2025-01".into(), 2, cedis(10), cedis(13), cedis(2)));
    assert_eq!(summary(&invoices[2]), ("2025-02".into(), 3, cedis(13), cedis(9), cedis(4)));
    assert_eq!(invoices.len(), 3);
    assert_eq!(books.invoices(idle).await.len(), 1);
    let january = &invoices[1];
    assert_eq!((january.kind(), january.status), (InvoiceKind::Statement, InvoiceStatus::Paid));
    assert_eq!(january.due_at, None);
    let statement = january.statement.as_ref().unwrap();
    let line = statement.lines[0];
    assert_eq!((line.messages, line.segments, line.cost), (3, 4, Money::from_micros(2_900_000)));
    assert_eq!((statement.lines.len(), statement.movements.top_ups), (1, cedis(5)));
    assert_eq!(statement.turn_of_month(), Money::from_micros(100_000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_state_each_organization_once_even_after_a_crash() {
    let books = Books::open("2025-02-01T03:00:00Z").await;
    let sql = "\
        INSERT INTO wallets (organization_id, balance_micros, updated_at) \
        SELECT uuid_v7(clock_timestamp()), 0, now() FROM generate_series(1, 330); \
        INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, messages, created_at) \
        SELECT uuid_v7_in('2025-01-09', organization_id), organization_id, 'MESSAGE_DEBIT', -1, 1, \
            '2025-01-09' \
        FROM wallets";
    books.world.sql(sql).await;
    let platform = books.number(
        "SELECT count(*) FROM wallets WHERE organization_id = '00000000-0000-7000-8000-000000000000'",
    );
    assert_eq!(platform.await, 1, "the platform's own organization has an entry, too");
    // One instance wrote a part and died.
    let store = &books.world.store;
    store.plan(&domain::money::invoice::due_months(None, books.hand.now())).await.unwrap();
    let part = store.write_some(books.hand.now(), 100).await.unwrap().unwrap();
    assert_eq!(part.statements, 100);

    for _ in 0..2 {
        let (one, other) = (books.instance(), books.instance());
        let (one, other) = join(one.write_due(), other.write_due()).await;
        one.unwrap();
        other.unwrap();
    }

    assert_eq!(books.number("SELECT count(*) FROM invoices").await, 330);
    assert_eq!(books.number("SELECT count(DISTINCT organization_id) FROM invoices").await, 330);
    assert_eq!(books.number("SELECT max(number) FROM invoices").await, 1);
    let finished = "SELECT count(*) FROM statement_runs WHERE finished_at IS NOT NULL";
    assert_eq!(books.number(finished).await, 1);
}

#[tokio::test]
async fn an_unposted_month_delays_only_its_own_statement() {
    let books = Books::open("2025-02-01T03:00:00Z").await;
    let (late, other) = (books.tenant().await, books.tenant().await);
    for organization in [late, other] {
        books.enter(organization, "2025-01-05T10:00Z", "MESSAGE_DEBIT", -1_000_000).await;
    }
    let open = format!(
        "INSERT INTO ledger_hours (organization_id, hour, kind, id, amount_micros, messages, \
            updated_at) \
         VALUES ('{late}', '2025-01-31 23:00Z', 'MESSAGE_DEBIT', gen_random_uuid(), -2000000, 1, now())"
    );
    books.world.sql(&open).await;

    assert_eq!(books.instance().write_due().await.unwrap(), 1);
    assert!(books.invoices(late).await.is_empty());
    assert_eq!(books.invoices(other).await.len(), 1);
    let close = "SET LOCAL atumpan.posting = 'on'; DELETE FROM ledger_hours";
    books.world.sql(close).await;
    books.enter(late, "2025-01-31T23:00Z", "MESSAGE_DEBIT", -2_000_000).await;
    assert_eq!(books.instance().write_due().await.unwrap(), 0, "not again at once");
    books.turn_to("2025-02-01T03:10:00Z");
    assert_eq!(books.instance().write_due().await.unwrap(), 1);

    assert_eq!(
        summary(&books.invoices(late).await[0]),
        ("2025-01".into(), 1, cedis(10), cedis(7), cedis(3))
    );
    assert_eq!(books.invoices(other).await.len(), 1);
}

//! Three instances on one PostgreSQL and one Redis, each of which is killed under load, and Redis too.

mod load;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use app::embedded::EmbeddedPostgres;
use serde_json::Value;
use tempfile::TempDir;
use testkit::{Receiver, Redis, Service, Tenant, until};
use tokio::time::sleep;

use self::load::Load;
use crate::{
    campaigns,
    database::{self, Session},
    metrics::{read, value},
    program::{command, run, serve_with},
    published_events,
    vendor::{Mood, Vendor, command_declaring},
};

const INSTANCES: usize = 3;
/// Number of workers: the provider has a place for each message that is in flight at a kill.
const WORKERS: usize = 256;
const CLIENTS: usize = 6;
/// Number of contacts of each campaign that begins just before a kill.
const CONTACTS: usize = 100;
const CREDIT_CEDIS: i64 = 1_000;
/// Time that the provider takes for a message.
const CALL: Duration = Duration::from_millis(40);
const PAUSE: Duration = Duration::from_secs(2);
/// Expression for the identifiers of messages as providers see them.
const INTERNAL_ID: &str = "'msg_' || replace(id::text, '-', '')";

struct Trio {
    instances: Vec<Instance>,
    session: Session,
    redis: Redis,
    vendor: Vendor,
    database: EmbeddedPostgres,
    folder: TempDir,
    /// Messages that each killed process had leased.
    leased: Vec<HashSet<String>>,
}

/// Process, and the first of its leases.
struct Instance {
    program: Service,
    first_lease: String,
}

impl Trio {
    async fn start(redis: Redis) -> Self {
        let (folder, database) = database::shared().await;
        let session = Session::open(database.url());
        let vendor = Vendor::start().await;
        vendor.now(Mood::TakesAfter(CALL));
        let mut migrate = command(folder.path());
        let output = run(migrate.env("DATABASE_URL", database.url()).arg("migrate"));
        assert!(output.status.success(), "{output:?}");
        let (instances, leased) = (Vec::new(), Vec::new());
        let mut trio = Self { instances, session, redis, vendor, database, folder, leased };
        for _ in 0..INSTANCES {
            let instance = trio.start_instance();
            trio.instances.push(instance);
        }
        trio
    }

    fn start_instance(&mut self) -> Instance {
        let known = self.session.run("SELECT first_lease FROM instances");
        let declaration = self.vendor.declaration("SMS", "reports = false\nreconcile_after_s = 3");
        let mut command = command_declaring(self.folder.path(), &[declaration]);
        command
            .env("DATABASE_URL", self.database.url())
            .env("REDIS_URL", self.redis.url())
            .env("ATUMPAN_WORKERS", WORKERS.to_string())
            .env("ATUMPAN_TRIAL_CREDIT_GHS", CREDIT_CEDIS.to_string())
            .env("ATUMPAN_RATE_LIMITS", "on");
        for limit in ["LIVE", "REQUESTS", "GUESTS"] {
            command.env(format!("ATUMPAN_LIMIT_{limit}"), "100000/100000");
        }
        let program = serve_with(&mut command);
        let now = self.session.run("SELECT first_lease FROM instances");
        let first_lease = now.into_iter().find(|lease| !known.contains(lease)).unwrap();
        Instance { program, first_lease }
    }

    /// Kills an instance that has just begun a campaign, and starts another in its place.
    async fn kill(&mut self, number: usize, tenant: &Tenant, load: &Load) {
        campaigns::send(&self.instances[number].program, tenant, None).await;
        let Instance { program, first_lease } = self.instances.remove(number);
        program.crash();
        let query = format!(
            "SELECT {INTERNAL_ID} FROM delivery_jobs JOIN instances ON first_lease = '{first_lease}' \
             WHERE lease BETWEEN first_lease AND last_lease"
        );
        self.leased.push(self.session.run(&query).into_iter().collect());
        let instance = self.start_instance();
        load.urls.lock().unwrap()[number].clone_from(&instance.program.url);
        self.instances.insert(number, instance);
    }

    fn first(&self) -> &Service {
        &self.instances[0].program
    }

    /// Asserts that all instances report that they go on without Redis, and accept requests.
    async fn assert_they_go_on_alone(&self, tenant: &Tenant) {
        for Instance { program, .. } in &self.instances {
            let health = tenant.get(program, "/health").await;
            let redis = &health["dependencies"]["redis"];
            assert_eq!(redis["status"], "error", "{health}");
            let message = redis["message"].as_str().unwrap();
            assert!(message.contains("each instance counts requests"), "{message}");
            assert_eq!(program.status("/health/ready").await, 200);
        }
    }

    /// Waits until all instances are healthy and receive each other's signals.
    async fn until_they_are_one_again(&self, tenant: &Tenant) {
        for Instance { program, .. } in &self.instances {
            until("Redis answers", async || {
                let health = tenant.get(program, "/health").await;
                health["dependencies"]["redis"]["message"] == "Redis answers"
            })
            .await;
        }
        let heard = async |program: &Service| {
            let text = read(program, tenant).await;
            value(&text, "atumpan_signals_total{result=\"heard\"}").unwrap_or_default()
        };
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            let [from, to] = [from, to].map(|number| &self.instances[number].program);
            let before = heard(to).await;
            let body = serde_json::json!({"name": "Accra", "scopes": ["messages:read"]});
            let (status, answer) = tenant.post(from, "/api-keys", body).await;
            assert_eq!(status, 201, "{answer}");
            let answer: Value = serde_json::from_str(&answer).unwrap();
            let key = format!("{}/api-keys/{}", from.url, answer["data"]["id"].as_str().unwrap());
            let revoke = tenant.http.delete(key).bearer_auth(&tenant.token);
            let revoked = revoke.header("X-Organization-Id", &tenant.organization).send().await;
            assert!(revoked.unwrap().status().is_success());
            until("a revocation is heard", async || heard(to).await > before).await;
        }
    }

    /// Asserts that each accepted message exists once and has been sent.
    fn assert_nothing_is_lost(&mut self, tenant: &Tenant, load: &Load) {
        let organization = &tenant.organization;
        let logs = format!("FROM delivery_logs WHERE organization_id = '{organization}'");
        let sent = self.session.run(&format!("SELECT id {logs} AND campaign_id IS NULL"));
        assert_eq!(sent.into_iter().collect::<HashSet<_>>(), load.accepted());
        let contacts = self.session.run(&format!(
            "SELECT count(*), count(DISTINCT (campaign_id, recipient)) {logs} \
             AND campaign_id IS NOT NULL"
        ));
        let once = INSTANCES * CONTACTS;
        assert_eq!(contacts, [format!("{once}|{once}")]);
        let statuses = self.session.run(&format!("SELECT DISTINCT status {logs}"));
        assert_eq!(statuses, ["SENT"]);
    }

    /// Asserts that the provider has each message, and twice only those in flight in a killed
    /// process.
    fn assert_only_what_was_in_flight_is_doubled(&mut self, tenant: &Tenant) {
        let taken = self.vendor.times_taken();
        let organization = &tenant.organization;
        let logs = self.session.run(&format!(
            "SELECT {INTERNAL_ID} FROM delivery_logs WHERE organization_id = '{organization}'"
        ));
        assert_eq!(logs.iter().collect::<HashSet<_>>(), taken.keys().collect());
        let doubled: HashMap<_, _> = taken.into_iter().filter(|(_, times)| *times > 1).collect();
        for (id, times) in &doubled {
            let kills = self.leased.iter().filter(|leased| leased.contains(id)).count();
            assert!(*times as usize <= 1 + kills, "{id} came {times} times, with {kills} kills");
        }
        for leased in &self.leased {
            let doubled = leased.iter().filter(|id| doubled.contains_key(*id)).count();
            assert!(doubled <= WORKERS + CLIENTS, "{doubled} were in flight at one kill");
        }
    }

    /// Asserts that each message is paid once.
    fn assert_books_are_exact(&mut self, tenant: &Tenant) {
        self.session.assert_books_are_exact();
        let missing = campaigns::unexplained(&mut self.session, &tenant.organization, CREDIT_CEDIS);
        assert_eq!(missing, 0);
        for part in ["ledger", "counters"] {
            let mut verify = command(self.folder.path());
            let output =
                run(verify.env("DATABASE_URL", self.database.url()).args([part, "verify"]));
            assert!(output.status.success(), "{output:?}");
        }
    }

    /// Asserts that the receiver got all events, under one identifier and with the same bytes each
    /// time.
    fn assert_all_events_arrived(&mut self, receiver: &Receiver) {
        let mut arrived: HashMap<String, String> = HashMap::new();
        for call in receiver.received() {
            let first = arrived.entry(call.id().to_owned()).or_insert_with(|| call.body.clone());
            assert_eq!(*first, call.body);
        }
        let happened = self.session.run("SELECT id FROM outbound_events");
        assert_eq!(arrived.into_keys().collect::<HashSet<_>>(), happened.into_iter().collect());
    }
}

fn contacts(organization: &str) -> String {
    format!(
        "INSERT INTO contacts (id, organization_id, first_name, phone, country_code, created_at) \
         SELECT uuid_v7_in(now() - interval '1 minute', '{organization}'), '{organization}', 'Ama', \
            '+23324' || lpad(number::text, 7, '0'), 'GH', now() - interval '1 minute' \
         FROM generate_series(1, {CONTACTS}) AS number"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_instances_lose_nothing_whichever_of_them_is_killed_with_and_without_redis() {
    let Some(redis) = Redis::start() else { return };
    let mut trio = Trio::start(redis).await;
    let receiver = published_events::receiver().await;
    let tenant = trio.first().tenant().await;
    trio.session.run(&contacts(&tenant.organization));
    trio.session.run(&published_events::endpoint(&tenant, &receiver));
    trio.until_they_are_one_again(&tenant).await;
    let urls = trio.instances.iter().map(|instance| instance.program.url.clone()).collect();
    let load = Load::new(&tenant, urls);
    let clients: Vec<_> = (0..CLIENTS).map(|_| tokio::spawn(Arc::clone(&load).run())).collect();

    sleep(PAUSE).await;
    trio.kill(0, &tenant, &load).await;
    sleep(PAUSE).await;
    trio.redis.freeze();
    sleep(PAUSE).await;
    trio.kill(1, &tenant, &load).await;
    trio.assert_they_go_on_alone(&tenant).await;
    trio.redis.thaw();
    sleep(PAUSE).await;
    trio.redis.kill();
    sleep(PAUSE).await;
    trio.kill(2, &tenant, &load).await;
    trio.assert_they_go_on_alone(&tenant).await;
    trio.redis.come_back();
    trio.until_they_are_one_again(&tenant).await;
    load.end();
    for client in clients {
        client.await.unwrap();
    }

    let organization = tenant.organization.clone();
    let waiting = format!(
        "SELECT count(*) FROM delivery_logs \
         WHERE organization_id = '{organization}' AND status IN ('QUEUED', 'PENDING')"
    );
    // The lease of a campaign is longer than those of messages.
    campaigns::until_completed(&mut trio.session, i64::try_from(INSTANCES).unwrap()).await;
    until("all is sent", async || trio.session.number(&waiting) == 0).await;
    until("all is told", async || {
        let pending = "SELECT count(*) FROM webhook_deliveries WHERE status <> 'DELIVERED'";
        trio.session.number(pending) == 0
    })
    .await;
    trio.assert_nothing_is_lost(&tenant, &load);
    trio.assert_only_what_was_in_flight_is_doubled(&tenant);
    trio.assert_books_are_exact(&tenant);
    trio.assert_all_events_arrived(&receiver);
}

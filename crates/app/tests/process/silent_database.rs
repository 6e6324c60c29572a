//! Database that accepts connections and answers nothing.

use std::time::{Duration, Instant};

use testkit::{Service, Tenant, until};
use tokio::task::JoinSet;

use crate::{
    database::Session,
    program::{command, folder, serve_with},
};

const CLIENTS: usize = 8;
const CREDIT: f64 = 1000.0;
const PRICE: f64 = 0.035;
/// Longest time of a request, on a busy machine.
const ANSWER: Duration = Duration::from_secs(15);
const NOTICE: Duration = Duration::from_secs(20);

/// Clients that send texts one after the other, each until it is accepted, until they are ended.
/// They count the accepted texts.
struct Clients {
    tasks: JoinSet<u64>,
    ending: tokio::sync::watch::Sender<bool>,
}

impl Clients {
    fn start(program: &Service, tenant: &Tenant) -> Self {
        let (ending, watching) = tokio::sync::watch::channel(false);
        let mut tasks = JoinSet::new();
        for client in 0..CLIENTS {
            let (tenant, url) = (tenant.clone(), program.url.clone());
            let watching = watching.clone();
            tasks.spawn(async move {
                let mut accepted = 0;
                while !*watching.borrow() {
                    tenant.send_until_accepted(&url, &format!("{client}-{accepted}")).await;
                    accepted += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                accepted
            });
        }
        Self { tasks, ending }
    }

    async fn end(self) -> u64 {
        self.ending.send_replace(true);
        self.tasks.join_all().await.into_iter().sum()
    }
}

/// Asserts that the service reports in time that the database does not answer.
async fn assert_it_is_reported(program: &Service, tenant: &Tenant) {
    let began = Instant::now();
    let answer = tenant.send(&program.url, "unanswered").await;
    assert!(matches!(answer, Some((503, _))), "{answer:?}");
    assert!(began.elapsed() < ANSWER, "an answer took {:?}", began.elapsed());
    until("health reports it", async || program.status("/health").await == 503).await;
    assert!(began.elapsed() < NOTICE, "it was reported after {:?}", began.elapsed());
}

/// Asserts that each text was accepted, paid for and delivered once.
async fn assert_nothing_is_lost(
    program: &Service,
    tenant: &Tenant,
    accepted: u64,
    session: &mut Session,
) {
    tenant.until(program, "DELIVERED", accepted).await;
    for status in ["QUEUED", "PENDING", "SENT", "FAILED"] {
        assert_eq!(tenant.count(program, status).await, 0, "{status}");
    }
    assert_eq!(tenant.count(program, "DELIVERED").await, accepted);
    #[expect(clippy::cast_precision_loss, reason = "thousands are exact")]
    let spent = accepted as f64 * PRICE;
    assert!((tenant.balance(program).await - (CREDIT - spent)).abs() < 1e-6);
    session.assert_books_are_exact();
    until("health is well", async || program.status("/health").await == 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_that_wait_for_a_lost_standby_are_reported_and_end() {
    let folder = folder();
    let mut command = command(folder.path());
    let program = serve_with(command.env("ATUMPAN_TRIAL_CREDIT_GHS", "1000"));
    let tenant = program.tenant().await;
    let clients = Clients::start(&program, &tenant);
    tenant.until(&program, "DELIVERED", 50).await;
    let mut session = Session::with_program_in(folder.path());
    let mut confirmed_by = |names: &str| {
        session.run(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"));
        session.run("SELECT pg_reload_conf()");
    };

    confirmed_by("nobody");
    assert_it_is_reported(&program, &tenant).await;
    confirmed_by("");
    tenant.send_until_accepted(&program.url, "unanswered").await;

    let accepted = clients.end().await + 1;
    assert_nothing_is_lost(&program, &tenant, accepted, &mut session).await;
}

//! Crash between the two steps that create an organization.

use serde_json::{Value, json};
use testkit::{Service, Tenant, client, registration, until};

use crate::{
    database::Session,
    program::{command, folder, serve_with},
};

const EMAIL: &str = "ama@example.com";
const PASSWORD: &str = "correct horse";
const CREDIT: f64 = 10.0;
/// Counts sessions that wait in the second step, which opens a wallet.
const HELD: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' \
                    AND application_name = 'atumpan' AND query LIKE '%INSERT INTO wallets%'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_process_provisions_an_organization_after_a_crash() {
    let folder = folder();
    let program = serve_with(&mut command(folder.path()));
    let mut holder = Session::with_program_in(folder.path());
    let mut session = Session::with_program_in(folder.path());
    holder.run("BEGIN; LOCK TABLE wallets IN SHARE MODE");
    let registering = tokio::spawn(register(program.url.clone()));
    until("the first step is done", async || session.number(HELD) == 1).await;
    // The server ends with the program, and would finish the statement once the lock is free.
    program.pause();
    let stop = HELD.replace("count(*)", "count(pg_terminate_backend(pid))");
    assert_eq!(session.number(&stop), 1);
    holder.run("ROLLBACK");
    assert_eq!(session.number("SELECT count(*) FROM organizations WHERE NOT is_provisioned"), 1);
    assert_eq!(session.number("SELECT count(*) FROM wallets"), 1, "the platform's own");
    // Organizations younger than some seconds are left to the request that creates them.
    session.run("UPDATE organizations SET created_at = created_at - interval '1 minute'");
    program.crash();
    assert!(!registering.await.unwrap(), "the registration was answered");
    drop((holder, session));

    let program = serve_with(&mut command(folder.path()));
    let owner = sign_in(&program).await;

    until("the wallet is open", async || {
        let answer = owner.get(&program, "/billing/wallet").await;
        assert!(answer["success"] == true || answer["error"]["code"] == "SERVICE_UNAVAILABLE");
        answer["success"] == true
    })
    .await;
    assert!((owner.balance(&program).await - CREDIT).abs() < 1e-6);
    let current = owner.get(&program, "/organizations/current").await;
    assert_eq!(current["data"]["members"][0]["email"], EMAIL);
    Session::with_program_in(folder.path()).assert_books_are_exact();
}

/// Registers; returns true if the request was answered.
async fn register(url: String) -> bool {
    let body = registration(EMAIL, Some("Kente Ltd"));
    client().post(format!("{url}/auth/register")).json(&body).send().await.is_ok()
}

async fn sign_in(program: &Service) -> Tenant {
    let (http, body) = (client(), json!({"email": EMAIL, "password": PASSWORD}));
    let request = http.post(format!("{}/auth/login", program.url)).json(&body);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    Tenant {
        token: text(&answer["data"]["token"]),
        organization: text(&answer["data"]["organizations"][0]["id"]),
        http,
    }
}

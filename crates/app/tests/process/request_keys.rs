//! A crash between the work on a request with an idempotency key and its answer.

use reqwest::Method;
use serde_json::json;
use testkit::{Caller, Service, Tenant, until};

use crate::{
    database::Session,
    program::{folder, serve},
};

/// Lets answers wait before they are kept.
const WAIT: &str = "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ \
                        BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$; \
                    CREATE TRIGGER wait BEFORE UPDATE ON request_keys \
                        FOR EACH ROW EXECUTE FUNCTION wait()";
const MADE: &str = "SELECT count(*) FROM templates WHERE name = 'Parcel'";
const PATH: &str = "/templates";

fn caller(tenant: &Tenant, program: &Service) -> Caller {
    tenant.at(&program.url).with("Idempotency-Key", "parcel-1")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_whose_answer_a_crash_cut_off_makes_nothing_when_it_is_repeated() {
    let folder = folder();
    let program = serve(folder.path());
    let tenant = program.tenant().await;
    let mut session = Session::with_program_in(folder.path());
    session.run(WAIT);
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});

    let (first, body) = (caller(&tenant, &program), template.clone());
    let request =
        tokio::spawn(async move { first.try_call(Method::POST, PATH, Some(&body)).await });
    until("the template is made", async || session.number(MADE) == 1).await;
    program.crash();
    request.abort();
    let program = serve(folder.path());
    let mut session = Session::with_program_in(folder.path());
    session.run("DROP FUNCTION wait CASCADE");

    let repeated = caller(&tenant, &program).post(PATH, template).await;

    repeated.fails(409, "IDEMPOTENCY_IN_PROGRESS");
    assert!(!repeated.header("retry-after").is_empty());
    assert_eq!(session.number(MADE), 1);
    let other = json!({"name": "Invoice", "channel": "SMS", "body": "Akwaaba"});
    let other = caller(&tenant, &program).post(PATH, other).await;
    other.fails(422, "IDEMPOTENCY_KEY_REUSED");
}

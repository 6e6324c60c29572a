//! Wallet that another session has locked.

use std::time::{Duration, Instant};

use testkit::until;

use crate::{
    database::Session,
    program::{folder, serve_with},
    vendor::{Mood, Vendor, command_declaring},
};

const LOCKED: Duration = Duration::from_secs(7);
const CREDIT: f64 = 10.0;
const PRICE: f64 = 0.035;
const KEPT_WAITING: u64 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wallet_that_is_locked_delays_the_messages_of_its_organization_alone() {
    let folder = folder();
    let vendor = Vendor::start().await;
    let declarations = [vendor.declaration("SMS", "")];
    let program = serve_with(&mut command_declaring(folder.path(), &declarations));
    let tenant = program.tenant_of("ama@example.com").await;
    let other = program.tenant_of("kofi@example.com").await;
    // Its refund is due while the wallet is locked.
    vendor.now(Mood::RejectsAfter(Duration::from_secs(2)));
    tenant.send_until_accepted(&program.url, "rejected").await;
    until("the vendor has been called", async || vendor.calls() == 1).await;
    vendor.now(Mood::TakesAfter(Duration::ZERO));
    let mut session = Session::with_program_in(folder.path());
    let organization = &tenant.organization;
    session.run(&format!(
        "BEGIN; SELECT FROM wallets WHERE organization_id = '{organization}' FOR UPDATE"
    ));
    let locked = Instant::now();
    let waiting: Vec<_> = (0..KEPT_WAITING)
        .map(|number| {
            let (tenant, url) = (tenant.clone(), program.url.clone());
            tokio::spawn(async move {
                tenant.send_until_accepted(&url, &format!("waiting-{number}")).await;
                Instant::now()
            })
        })
        .collect();

    let (mut sent, mut slowest) = (0_u64, Duration::ZERO);
    while locked.elapsed() < LOCKED {
        let asked = Instant::now();
        let answer = other.send(&program.url, &format!("other-{sent}")).await;
        assert!(matches!(answer, Some((202, _))), "{answer:?}");
        slowest = slowest.max(asked.elapsed());
        sent += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(slowest < Duration::from_secs(4), "others waited for {slowest:?}");
    other.until(&program, "SENT", sent).await;
    tenant.until(&program, "FAILED", 1).await;
    let released = Instant::now();
    session.run("COMMIT");

    for request in waiting {
        assert!(request.await.unwrap() >= released, "the wallet was locked until then");
    }
    tenant.until(&program, "SENT", KEPT_WAITING).await;
    assert_eq!(vendor.taken_once() as u64, sent + KEPT_WAITING);
    #[expect(clippy::cast_precision_loss, reason = "hundreds are exact")]
    let left = |messages: u64| CREDIT - messages as f64 * PRICE;
    assert!((tenant.balance(&program).await - left(KEPT_WAITING)).abs() < 1e-6);
    assert!((other.balance(&program).await - left(sent)).abs() < 1e-6);
    session.assert_books_are_exact();
}

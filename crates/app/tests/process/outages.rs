//! Vendors that cannot be reached, are out of order, or have had too many messages.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::until;

use crate::{
    database::Session,
    metrics::{read, value},
    program::{folder, serve_with},
    vendor::{Mood, Vendor, command_declaring},
};

const OUTAGE: Duration = Duration::from_secs(10);
const CHANNELS: [&str; 3] = ["SMS", "EMAIL", "VOICE"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_an_outage_are_all_sent_when_it_is_over() {
    let folder = folder();
    let (mut away, broken, busy) =
        (Vendor::start().await, Vendor::start().await, Vendor::start().await);
    let declarations = [
        away.declaration("SMS", ""),
        broken.declaration("EMAIL", ""),
        busy.declaration("VOICE", "max_per_second = 20\nmax_concurrency = 2"),
    ];
    let mut command = command_declaring(folder.path(), &declarations);
    command.env("ATUMPAN_TRIAL_CREDIT_GHS", "1000");
    let program = serve_with(command.env("ATUMPAN_EMAIL_VERIFICATION", "off"));
    let tenant = program.tenant().await;
    away.go_away();
    broken.now(Mood::IsOutOfOrder);
    busy.now(Mood::Throttles);

    let began = Instant::now();
    let mut rounds = 0_u64;
    while began.elapsed() < OUTAGE {
        for channel in CHANNELS {
            let to = if channel == "EMAIL" { "ama@example.com" } else { "0241234567" };
            let category = if rounds.is_multiple_of(4) { "OTP" } else { "TRANSACTIONAL" };
            let message = json!({
                "channel": channel, "to": to, "body": "Akwaaba", "category": category, "async": true,
            });
            let answer = tenant.send_message(&program.url, &message).await;
            assert!(matches!(answer, Some((202, _))), "{answer:?}");
        }
        rounds += 1;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let all = rounds * CHANNELS.len() as u64;
    assert_eq!(tenant.count(&program, "SENT").await + tenant.count(&program, "FAILED").await, 0);
    // Messages that no provider can take now are no fault of the service.
    assert_eq!(
        (program.status("/health").await, program.status("/health/ready").await),
        (200, 200)
    );
    let breakers = async || {
        let text = read(&program, &tenant).await;
        let breaker = |channel| format!("atumpan_provider_breaker_open{{provider=\"{channel}\"");
        CHANNELS.map(|channel| value(&text, &breaker(channel)))
    };
    until("breakers are open", async || breakers().await[..2] == [Some(1.0); 2]).await;

    away.come_back().await;
    for vendor in [&broken, &busy] {
        vendor.now(Mood::TakesAfter(Duration::ZERO));
    }

    tenant.until(&program, "SENT", all).await;
    let taken = [&away, &broken, &busy].map(|vendor| vendor.taken_once() as u64);
    assert_eq!(taken, [rounds; 3]);
    until("breakers are closed", async || breakers().await == [Some(0.0); 3]).await;
    assert_eq!(program.status("/health").await, 200);
    Session::with_program_in(folder.path()).assert_books_are_exact();
}

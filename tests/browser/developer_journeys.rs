//! Ways of developers: a first message with a key, and a webhook that misses an event and gets it later.

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use acceptance::{Receiver, Reply, until};
use serde_json::Value;
use testkit::requires;
use tokio::{task::spawn_blocking, time::sleep};

use crate::{
    browser::{Browser, Scripts},
    elements::{code_below, row},
    stage::Stage,
    steps::{PASSWORD, add_webhook, make_key, sign_in},
};

#[tokio::test]
async fn the_lines_below_a_new_key_send_a_message_until_the_key_is_revoked() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    if requires("curl").is_none() {
        return;
    }
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    sign_in(&browser, &tenant.email, PASSWORD).await;

    make_key(&browser, "Web shop").await;
    let lines = browser.find(&code_below("Send a first message")).await.text().await.unwrap();
    assert_eq!(lines.lines().count(), 6, "{lines}");
    let (sent, status) = run(&lines).await;
    assert_eq!(status, "201", "{sent}");
    browser.follow("message log").await;
    let sent = browser.find(&row("024 123 4567")).await.text().await.unwrap();
    assert!(sent.contains("Akwaaba!") && sent.contains("Test"), "{sent}");

    browser.open("/app/api-keys").await;
    browser.follow("Revoke Web shop").await;
    browser.press("Revoke the key").await;
    browser.shows("The key is revoked.").await;
    let (refused, status) = run(&lines).await;
    assert_eq!(status, "401", "{refused}");
    assert_eq!(refused["error"]["code"], "UNAUTHORIZED");

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs lines that end with a call of curl in a shell, and returns the body and the status of the answer.
async fn run(lines: &str) -> (Value, String) {
    let lines = format!("{lines} --silent --noproxy '*' --write-out '\\n%{{http_code}}'");
    let shell = move || Command::new("sh").arg("-c").arg(lines).output();
    let output = spawn_blocking(shell).await.unwrap().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    let (body, status) = answer.rsplit_once('\n').unwrap();
    (serde_json::from_str(body).unwrap(), status.to_owned())
}

#[tokio::test]
async fn an_event_that_a_webhook_missed_is_sent_again() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    let is_mended = Arc::new(AtomicBool::new(false));
    let works = Arc::clone(&is_mended);
    let status = move || if works.load(Ordering::Relaxed) { 204 } else { 503 };
    let receiver = Receiver::start(move |_, _| Reply::status(status())).await;
    sign_in(&browser, &tenant.email, PASSWORD).await;

    add_webhook(&browser, &format!("{}/atumpan", receiver.url)).await;
    browser.follow("Go on, and test the webhook").await;
    browser.press("Call it now").await;
    browser.shows("It does not work: your server answered 503, not 200.").await;
    let is_called = || receiver.received().len() > 1;
    // Until the service knows the webhook, what happens is told to nobody.
    until("the webhook is called", async || {
        tenant.owner().upload("/contacts/import", "phone\n0241234567\n").await.data(201);
        sleep(Duration::from_secs(2)).await;
        is_called()
    })
    .await;
    browser.shows_when_reloaded("503, after ").await;
    browser.follow("Import done").await;
    browser.shows("Your server answered with an error.").await;

    is_mended.store(true, Ordering::Relaxed);
    send_again(&browser).await;
    browser.shows_when_reloaded("Your webhook took the event.").await;
    let address = browser.path().await;
    let event = address.rsplit('/').next().unwrap();
    let calls = || receiver.received().iter().filter(|call| call.id() == event).count();
    let before = calls();
    // One that was received is not sent again by itself.
    send_again(&browser).await;
    until("the event is sent once more", async || calls() > before).await;
    browser.follow("The webhook").await;
    browser.shows_when_reloaded("Your server is called.").await;

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Sends the delivery of the page again.
async fn send_again(browser: &Browser) {
    browser.press("Send it again").await;
    browser.shows("It is sent again.").await;
}

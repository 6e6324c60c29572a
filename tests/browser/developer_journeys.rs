//! Ways of developers: a first message with a key, and a webhook that misses an event and gets it later.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use acceptance::{Answer, Receiver, Reply, World, until};

use crate::{
    browser::{Browser, Scripts},
    elements::{code_below, row},
    stage::Stage,
    steps::{PASSWORD, add_webhook, make_key, sign_in},
};

#[tokio::test]
async fn the_lines_below_a_new_key_send_a_message_until_the_key_is_revoked() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    sign_in(&browser, &tenant.email, PASSWORD).await;

    make_key(&browser, "Web shop").await;
    let lines = browser.find(&code_below("Send a first message")).await.text().await.unwrap();
    assert_eq!(lines.lines().count(), 6, "{lines}");
    run(&stage.world, &lines).await.data(201);
    browser.follow("message log").await;
    let sent = browser.find(&row("024 123 4567")).await.text().await.unwrap();
    assert!(sent.contains("Akwaaba!") && sent.contains("Test"), "{sent}");

    browser.open("/app/api-keys").await;
    browser.follow("Revoke Web shop").await;
    browser.press("Revoke the key").await;
    browser.shows("The key is revoked.").await;
    run(&stage.world, &lines).await.fails(401, "UNAUTHORIZED");

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Sends the request that a command of curl describes. The words in single quotes are two headers and the
/// body.
async fn run(world: &World, command: &str) -> Answer {
    let address = command.split_whitespace().nth(1).unwrap();
    let quoted: Vec<_> = command.split('\'').skip(1).step_by(2).collect();
    let [headers @ .., body] = quoted.as_slice() else { panic!("{command}") };
    assert_eq!(headers.len(), 2, "{command}");
    let request = headers.iter().fold(world.http.post(address), |request, header| {
        let (name, value) = header.split_once(": ").unwrap();
        request.header(name, value)
    });
    world.send(request.body((*body).to_owned())).await
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
    tenant.owner().upload("/contacts/import", "phone\n0241234567\n").await.data(201);
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

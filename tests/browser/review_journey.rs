//! Way of texts through the approval, as the reviewer and their author see it.

use serde_json::json;

use crate::{
    browser::{Browser, Scripts},
    elements::row,
    stage::Stage,
    steps::{PASSWORD, sign_in},
};

const FAIR: &str = "Premium due";
const UNFAIR: &str = "Premium won";

#[tokio::test]
async fn an_author_sees_that_a_text_is_approved_and_why_another_is_rejected() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    for (name, body) in [
        (FAIR, "Your premium is due on Friday."),
        (UNFAIR, "You won GHS 5,000! Send your MoMo PIN to claim it."),
    ] {
        let template =
            json!({"name": name, "channel": "SMS", "category": "INSURANCE", "body": body});
        tenant.owner().post("/templates", template).await.data(201);
    }

    sign_in(&browser, &stage.administrator().await, PASSWORD).await;
    browser.reaches("What waits").await;
    browser.follow("2 Approvals").await;
    approve(&browser, FAIR).await;
    reject(&browser, UNFAIR, "Never ask for a PIN.").await;
    browser.press("Sign out").await;
    browser.reaches("Sign in").await;

    sign_in(&browser, &tenant.email, PASSWORD).await;
    browser.open("/app/templates").await;
    let approved = browser.find(&row(FAIR)).await.text().await.unwrap();
    assert!(approved.contains("Approved"), "{approved}");
    browser.follow(UNFAIR).await;
    browser.shows("It cannot be sent until you change it and it is approved.").await;
    browser.shows("Never ask for a PIN.").await;
    browser.fill("Text", "You won! Come to our shop at Osu.").await;
    browser.press("Save").await;
    browser.shows("Somebody has to read it before it can be sent.").await;

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Approves the listed text, and reaches the list.
async fn approve(browser: &Browser, name: &str) {
    browser.follow(name).await;
    browser.press("Approve").await;
    browser.shows("is approved. Its author is told by mail.").await;
}

/// Rejects the listed text with a comment, and reaches the list.
async fn reject(browser: &Browser, name: &str, comment: &str) {
    browser.follow(name).await;
    browser.fill("Your words to the author", comment).await;
    browser.press("Reject").await;
    browser.shows("is rejected. Its author is told by mail.").await;
}

//! Way of a payer to the checkout and back.

use reqwest::Method;

use crate::{
    browser::{Browser, Scripts},
    elements::row,
    stage::Stage,
    steps::{PASSWORD, sign_in},
};

#[tokio::test]
async fn a_payer_comes_back_from_the_checkout_and_sees_the_money() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    sign_in(&browser, &tenant.email, PASSWORD).await;

    begin_top_up(&browser, "50.25", "Mobile money").await;
    browser.reaches("Top-up of GHS 50.25").await;
    browser.shows("We have not got the money yet.").await;
    browser.follow("Pay GHS 50.25").await;
    browser.reaches("Payment of GHS 50.25").await;
    browser.press("Pay GHS 50.25").await;
    browser.reaches("Payment made").await;
    browser.follow("Back to your wallet").await;
    browser.shows("The money is in your wallet.").await;
    browser.shows("Your balance is GHS 60.25 now.").await;

    browser.follow("GHS 60.25").await;
    browser.reaches("Money").await;
    let movement = browser.find(&row("The top-up")).await.text().await.unwrap();
    assert!(movement.contains("GHS 50.25"), "{movement}");
    browser.follow("The top-up").await;
    browser.reaches("Top-up of GHS 50.25").await;

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn the_page_of_a_payment_changes_by_itself_once_it_is_made() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    sign_in(&browser, &tenant.email, PASSWORD).await;
    begin_top_up(&browser, "5", "Card").await;
    browser.reaches("Top-up of GHS 5.00").await;
    browser.press("I have paid: check now").await;
    browser.shows("The payment company has no payment for it so far.").await;

    let address = browser.path().await;
    let reference = address.rsplit('/').next().unwrap();
    let paid = stage.world.call(Method::POST, &format!("/checkout/{reference}/pay"), None).await;
    assert_eq!(paid.status, 200, "{}", paid.text);

    browser.shows("Your balance is GHS 15.00 now.").await;
    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Begins a top-up, and reaches its page.
async fn begin_top_up(browser: &Browser, amount: &str, method: &str) {
    browser.open("/app/billing").await;
    browser.follow("Top up").await;
    browser.fill("Amount", amount).await;
    browser.choose(method).await;
    browser.press("Go on").await;
}

//! Way of a user from the sign-in to a message that arrives, with the keyboard alone.

use testkit::{
    until,
    webdriver::{ENTER, TAB},
};

use crate::{
    browser::{Browser, Scripts},
    elements::{button, button_beginning, field, link, link_beginning},
    stage::Stage,
    steps::PASSWORD,
};

#[tokio::test]
async fn a_user_signs_in_and_sends_with_the_keyboard_alone() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;

    browser.open("/app/sign-in").await;
    corrects_a_refused_form(&browser).await;
    browser.type_keys(&tenant.email).await;
    browser.type_into(&field("Password"), PASSWORD).await;
    browser.type_keys(ENTER).await;
    browser.shows("Sign out").await;

    skips_the_navigation(&browser).await;
    browser.reload().await;
    browser.leave_by_enter(&link("Send")).await;
    browser.leave_by_enter(&link("One person")).await;
    browser.type_into(&field("To"), "0241234567").await;
    browser.type_into(&field("Text"), "Akwaaba").await;
    browser.leave_by_enter(&button_beginning("Send 1 text message for GHS ")).await;
    browser.reaches("Message to").await;
    browser.shows_in_time("Delivered").await;

    browser.leave_by_enter(&button("Sign out")).await;
    browser.reaches("Sign in").await;
}

/// Sends an empty form. The summary of its faults has the focus, and leads to the first field.
async fn corrects_a_refused_form(browser: &Browser) {
    browser.leave_by_enter(&button("Sign in")).await;
    browser.reaches("There is a problem").await;
    let title = browser.session.title().await.unwrap();
    assert!(title.starts_with("Error: "), "{title}");
    until("the summary has the focus", async || {
        let text = browser.focused().await.text().await.unwrap_or_default();
        text.starts_with("There is a problem")
    })
    .await;
    browser.enter(&link_beginning("Email is required")).await;
    let email = browser.find(&field("Email")).await;
    until("the link leads to the field", async || browser.focused().await == email).await;
}

/// The first stop of each page leads past the navigation.
async fn skips_the_navigation(browser: &Browser) {
    browser.reload().await;
    browser.type_keys(TAB).await;
    let skip = browser.focused().await;
    assert_eq!(skip.text().await.unwrap(), "Skip to the content");
    browser.type_keys(ENTER).await;
    until("the content has the focus", async || {
        let focused = browser.focused().await;
        focused.tag_name().await.is_ok_and(|name| name == "main")
    })
    .await;
}

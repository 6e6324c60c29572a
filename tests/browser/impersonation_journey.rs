//! Way of an administrator who acts as an organization, and its traces for both sides.

use crate::{
    browser::{Browser, Scripts},
    elements::{button, link, row},
    stage::Stage,
    steps::{PASSWORD, begin_impersonation, sign_in},
};

const CONTACTS: &str = "SELECT count(*) FROM contacts";
/// Act in the log of the platform, and in that of the organization.
const ACT: &str = "Did something as the organization while acting as it";
const OWN_ACT: &str = "POST /app/contacts/new";

#[tokio::test]
async fn an_act_as_an_organization_is_in_the_audit_log_under_both_names() {
    let Some(browser) = Browser::start(Scripts::Allowed).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let tenant = stage.world.tenant().await;
    let own = tenant.owner().get("/organizations/current").await.data(200).clone();
    let organization = own["name"].as_str().unwrap();
    let administrator = stage.administrator().await;

    sign_in(&browser, &administrator, PASSWORD).await;
    begin_impersonation(&browser, &tenant.id).await;
    assert!(browser.has(&link("Contacts")).await, "an administrator may prepare");
    assert!(!browser.has(&link("Send")).await, "and may not send");
    add_contact(&browser).await;
    browser.shows("with the eyes of its owner, until").await;
    assert_eq!(stage.world.value(CONTACTS).await, 1);

    browser.press("Leave").await;
    browser.shows("You act for yourself again.").await;
    browser.reaches(organization).await;
    assert!(!browser.has(&button("Leave")).await, "the banner is gone");
    browser.follow("Audit log").await;
    let line = browser.find(&row(ACT)).await.text().await.unwrap();
    assert!(line.contains(organization) && line.contains(&administrator), "{line}");
    browser.press("Sign out").await;
    browser.reaches("Sign in").await;

    sign_in(&browser, &tenant.email, PASSWORD).await;
    browser.open("/app/team").await;
    browser.follow("Who did what").await;
    let line = browser.find(&row(OWN_ACT)).await.text().await.unwrap();
    assert!(line.contains("An administrator of the platform, as the owner"), "{line}");

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

async fn add_contact(browser: &Browser) {
    browser.open("/app/contacts").await;
    browser.follow("Add a contact").await;
    browser.fill("First name", "Yaa").await;
    browser.fill("Phone", "024 765 4321").await;
    browser.press("Save").await;
    browser.shows("The contact is added.").await;
}

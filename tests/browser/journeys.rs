//! Way of a new user from the registration to the reason why somebody was not reached, with scripts and
//! without.

use std::path::Path;

use acceptance::unique_email;

use crate::{
    browser::{Browser, Scripts},
    stage::Stage,
    steps::{
        failed_row, find_failure, import, make_segment, register, resend, send_to_one,
        send_to_segment,
    },
};

/// File with a number that is none in its third row.
const DIRTY: &str =
    "Phone,First name,Tags\r\n0241234567,Ama,vip\r\n12,Kofi,vip\r\n0240000000,Esi,vip\r\n";
const MENDED: &str = "Phone,First name,Tags\r\n0201234567,Kofi,vip\r\n";
/// Messages that were sent again.
const RESENT: &str = "SELECT count(*) FROM delivery_logs WHERE resent_from IS NOT NULL";

#[tokio::test]
async fn a_new_user_sends_and_learns_who_got_it_and_why_somebody_did_not() {
    a_new_user_reaches_people(Scripts::Allowed).await;
}

#[tokio::test]
async fn a_new_user_does_the_same_without_scripts() {
    a_new_user_reaches_people(Scripts::Forbidden).await;
}

async fn a_new_user_reaches_people(scripts: Scripts) {
    let Some(browser) = Browser::start(scripts).await else { return };
    let stage = Stage::start().await;
    let browser = browser.at(&stage.world.url);
    let folder = tempfile::tempdir().unwrap();

    register(&browser, &stage, &unique_email("ama")).await;
    imports_and_mends(&browser, &stage, folder.path()).await;

    send_to_one(&browser, "024 123 4567", "Akwaaba").await;
    browser.shows_in_time("Delivered").await;

    make_segment(&browser, "Regulars", "vip").await;
    send_to_segment(&browser, "Sale", "Regulars", 3).await;
    find_failure(&browser).await;
    browser.shows("charged").await;
    resends(&browser, &stage).await;

    let faults = browser.observe().await.faults_of_a_journey();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Imports a file with a row that is refused, and uploads the mended row on the same page.
async fn imports_and_mends(browser: &Browser, stage: &Stage, folder: &Path) {
    browser.open("/app/contacts/import").await;
    import(browser, folder, "dirty.csv", DIRTY).await;
    let row = failed_row(browser, "3").await;
    assert!(row.contains("phone number"), "{row}");
    assert_eq!(stage.world.value("SELECT count(*) FROM contacts").await, 2);

    import(browser, folder, "mended.csv", MENDED).await;
    browser.shows_in_time("All rows were read").await;
    assert_eq!(stage.world.value("SELECT count(*) FROM contacts").await, 3);
}

/// Sends the message on the page again, once.
async fn resends(browser: &Browser, stage: &Stage) {
    let failed = browser.path().await;
    resend(browser).await;
    assert_ne!(browser.path().await, failed, "the page of the new message is shown");
    assert_eq!(stage.world.value(RESENT).await, 1);
}

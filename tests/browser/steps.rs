//! Steps of people through the dashboard, in the words of its pages.

use std::{fs, path::Path};

use crate::{
    browser::Browser,
    elements::{link_beginning, row},
    stage::Stage,
};

/// Password of every user.
pub(crate) const PASSWORD: &str = "correct horse";
/// Page that verifies an address.
const VERIFICATION: &str = "/app/verify";

/// Signs in.
pub(crate) async fn sign_in(browser: &Browser, email: &str, password: &str) {
    browser.open("/app/sign-in").await;
    browser.fill("Email", email).await;
    browser.fill("Password", password).await;
    browser.press("Sign in").await;
    browser.shows("Sign out").await;
}

/// Registers a user with an organization, and verifies the address by the mailed link.
pub(crate) async fn register(browser: &Browser, stage: &Stage, email: &str) {
    browser.open("/app/register").await;
    browser.fill("First name", "Ama").await;
    browser.fill("Last name", "Mensah").await;
    browser.fill("Email", email).await;
    browser.fill("Password", PASSWORD).await;
    browser.fill("Organization", "Kente Ltd").await;
    browser.press("Create").await;
    let link = stage.mailed_link(email, VERIFICATION).await;
    browser.open(&link).await;
    browser.press("Verify").await;
    browser.shows("verified").await;
}

/// Uploads a file with contacts, looks at the preview, and imports it.
pub(crate) async fn import(browser: &Browser, folder: &Path, name: &str, rows: &str) {
    let file = folder.join(name);
    fs::write(&file, rows).unwrap();
    browser.attach("File", &file).await;
    browser.press("Upload").await;
    browser.press("Import").await;
}

/// Waits for the table of failed rows, and returns the text of the row with that number of the spreadsheet.
pub(crate) async fn failed_row(browser: &Browser, number: &str) -> String {
    browser.shows_in_time("Rows with faults").await;
    browser.find(&row(number)).await.text().await.unwrap()
}

/// Sends a text to one person, and reaches the page of the message.
pub(crate) async fn send_to_one(browser: &Browser, to: &str, text: &str) {
    browser.open("/app/send").await;
    browser.follow("One person").await;
    browser.fill("To", to).await;
    browser.fill("Text", text).await;
    if !browser.runs_scripts() {
        browser.press("Preview").await;
    }
    browser.press("Send 1 text message for GHS ").await;
    browser.reaches("Message to").await;
}

/// Makes a segment of the contacts with a tag.
pub(crate) async fn make_segment(browser: &Browser, name: &str, tag: &str) {
    browser.open("/app/segments").await;
    browser.follow("Make a segment").await;
    browser.fill("Name", name).await;
    browser.select("Field", "Tag").await;
    browser.fill("Value", tag).await;
    browser.press("Save").await;
    browser.reaches(name).await;
}

/// Makes a campaign in its four steps (audience, text, check, time), and sends it to that number of people.
pub(crate) async fn send_to_segment(browser: &Browser, name: &str, segment: &str, people: u32) {
    browser.open("/app/campaigns").await;
    browser.follow("Make a campaign").await;
    browser.fill("Name", name).await;
    browser.select("Audience", &format!("{segment} ({people})")).await;
    browser.press("Continue").await;
    browser.fill("Text", "Hello {{firstName}}, sale on Saturday. Reply STOP to opt out").await;
    browser.press("Continue").await;
    browser.follow("Continue to the time").await;
    let send = format!("Send {people} messages for GHS ");
    browser.press(&send).await;
    browser.reaches(name).await;
}

/// Goes from the result of a campaign to the message that did not arrive.
pub(crate) async fn find_failure(browser: &Browser) {
    browser.shows_in_time("Who did not get it").await;
    browser.leave_by(&link_beginning("1 Failed")).await;
    browser.follow("024 000 0000").await;
    browser.reaches("Message to").await;
    browser.shows("Not delivered").await;
}

/// Sends the message of the page again, after the question that names the price, and reaches the page of the
/// new message.
pub(crate) async fn resend(browser: &Browser) {
    browser.follow("Send it again").await;
    browser.shows("GHS ").await;
    browser.press("Send it again").await;
    browser.reaches("Message to").await;
}

/// Uploads a file with contacts, and returns the identifier under which it waits to be confirmed.
pub(crate) async fn hold_file(browser: &Browser) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("held.csv");
    fs::write(&file, "Phone,Vorname,Town\n0241112222,Ama,Ho\n12,Kofi,Wa\n").unwrap();
    browser.open("/app/contacts/import").await;
    browser.attach("File", &file).await;
    browser.press("Upload").await;
    browser.shows("Import the contacts").await;
    browser.path().await.rsplit('/').next().unwrap().to_owned()
}

/// Sends all that failed again, and returns the identifier of that work.
pub(crate) async fn resend_failed(browser: &Browser) -> String {
    browser.open("/app/resend").await;
    browser.press("Send ").await;
    browser.reaches("Messages sent again").await;
    browser.path().await.rsplit('/').next().unwrap().to_owned()
}

/// Has the messages of the log written into a file, and returns the identifier of that export.
pub(crate) async fn export(browser: &Browser) -> String {
    browser.open("/app/messages").await;
    browser.press("Export these messages").await;
    browser.reaches("Export of messages").await;
    browser.path().await.rsplit('/').next().unwrap().to_owned()
}

/// Makes a key of the sandbox, and reaches the page that shows it once.
pub(crate) async fn make_key(browser: &Browser, name: &str) {
    browser.open("/app/api-keys").await;
    browser.follow("Make a key").await;
    browser.fill("Name", name).await;
    browser.press("Make the key").await;
    browser.reaches("Your new key").await;
}

/// Adds a webhook for all events, and reaches the page that shows its secret once.
pub(crate) async fn add_webhook(browser: &Browser, url: &str) {
    browser.open("/app/webhooks").await;
    browser.follow("Add a webhook").await;
    browser.fill("Address", url).await;
    browser.press("Save").await;
    browser.reaches("The webhook is ready").await;
}

/// Begins to act as an organization, and reaches its overview.
pub(crate) async fn begin_impersonation(browser: &Browser, organization: &str) {
    browser.open(&format!("/app/admin/tenants/{organization}")).await;
    browser.follow("See with its eyes").await;
    browser.fill("Reason", "ticket 4711").await;
    browser.press("Begin").await;
    browser.shows("with the eyes of its owner, until").await;
}

//! Way of a member from the invitation to the end of the membership, as the owner and the member see it.

use acceptance::unique_email;
use futures_util::future::join;

use crate::{
    browser::{Browser, Scripts},
    elements::{link, row},
    stage::Stage,
    steps::{PASSWORD, sign_in},
};

const NAME: &str = "Esi Owusu";
/// Page behind the link of an invitation.
const INVITATION: &str = "/app/join";

#[tokio::test]
async fn a_member_is_invited_gets_another_role_and_is_removed() {
    let starts = join(Browser::start(Scripts::Allowed), Browser::start(Scripts::Allowed));
    let (Some(owner), Some(member)) = starts.await else { return };
    let stage = Stage::start().await;
    let (owner, member) = (owner.at(&stage.world.url), member.at(&stage.world.url));
    let tenant = stage.world.tenant().await;
    tenant.verify_email().await;
    sign_in(&owner, &tenant.email, PASSWORD).await;

    let email = unique_email("esi");
    invite(&owner, &email, "Viewer").await;
    accept(&member, &stage.mailed_link(&email, INVITATION).await).await;
    assert!(!member.has(&link("Send")).await, "a viewer sends nothing");

    change_role(&owner, "Marketing").await;
    let changed = owner.find(&row(NAME)).await.text().await.unwrap();
    assert!(changed.contains("Marketing"), "{changed}");
    member.reload().await;
    member.follow("Send").await;
    member.reaches("Send").await;

    remove(&owner).await;
    assert!(!owner.has(&row(NAME)).await, "the former member is not listed");
    member.open("/app").await;
    member.reaches("Create an organization").await;
    owner.follow("Who did what").await;
    for act in ["Invited somebody", "Accepted an invitation", "Changed a role", "Removed a member"]
    {
        owner.find(&row(act)).await;
    }

    for browser in [&owner, &member] {
        let faults = browser.observe().await.faults_of_a_journey();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// Mails an invitation.
async fn invite(browser: &Browser, email: &str, role: &str) {
    browser.open("/app/team").await;
    browser.follow("Invite somebody").await;
    browser.fill("Email", email).await;
    browser.choose(role).await;
    browser.press("Mail the invitation").await;
    browser.shows(&format!("A link is on its way to {email}.")).await;
}

/// Creates an account by the link of an invitation, and reaches the overview of the organization.
async fn accept(browser: &Browser, link: &str) {
    let (first_name, last_name) = NAME.split_once(' ').unwrap();
    browser.open(link).await;
    browser.fill("First name", first_name).await;
    browser.fill("Last name", last_name).await;
    browser.fill("Password", PASSWORD).await;
    browser.press("Join the organization").await;
    browser.shows("You belong to ").await;
    browser.reaches("Overview").await;
}

async fn change_role(browser: &Browser, role: &str) {
    browser.open("/app/team").await;
    browser.follow(NAME).await;
    browser.choose(role).await;
    browser.press("Save the role").await;
    browser.shows("The role is changed.").await;
}

async fn remove(browser: &Browser) {
    browser.open("/app/team").await;
    browser.follow(NAME).await;
    browser.press("Remove the member").await;
    browser.shows("The member is removed.").await;
}

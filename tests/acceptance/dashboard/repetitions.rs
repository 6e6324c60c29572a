//! Forms that are sent twice.

use acceptance::{Answer, World, unique_email};
use serde_json::json;

use crate::{dashboard::visitor::Visitor, identity::second_factor::App};

/// Returns the recovery codes in a page.
fn recovery_codes(page: &Answer) -> Vec<&str> {
    let codes = page.text.split("<li><code>").skip(1);
    codes.filter_map(|rest| rest.split('<').next()).collect()
}

#[tokio::test]
async fn a_form_that_is_sent_twice_at_the_same_time_acts_once_and_leads_to_the_same_page() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let fields = [("once", "5e881f"), ("firstName", "Ama"), ("phone", "0241234567")];
    let send = || visitor.submit("/app/contacts/new", &fields);

    let (one, other, third) = tokio::join!(send(), send(), send());

    for answer in [&one, &other, &third] {
        assert_eq!(answer.status, 303, "{}", answer.text);
        assert_eq!(answer.header("location"), one.header("location"));
    }
    let contacts = tenant.owner().get("/contacts").await;
    assert_eq!(contacts.data(200).as_array().map(Vec::len), Some(1), "{}", contacts.text);
}

#[tokio::test]
async fn a_key_that_is_revoked_twice_is_revoked() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    let fields = [("name", "Shop"), ("mode", "sandbox"), ("scopes", "messages:send")];
    visitor.submit("/app/api-keys/new", &fields).await;
    let list = visitor.get("/app/api-keys").await;
    let (_, rest) = list.text.split_once("href=\"/app/api-keys/").unwrap();
    let (_, rest) = rest.split_once("/app/api-keys/").unwrap();
    let revoke = format!("/app/api-keys/{}", rest.split('"').next().unwrap());

    for _ in 0..2 {
        let answer = visitor.submit(&revoke, &[("once", "5e8820")]).await;
        let next = answer.header("location");
        assert_eq!((answer.status, next), (303, "/app/api-keys"), "{revoke}: {}", answer.text);
    }
}

#[tokio::test]
async fn recovery_codes_are_shown_again_if_the_form_that_made_them_is_sent_again() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let user = world.user(&unique_email("kofi")).await;
    let visitor = Visitor::member(&tenant, user["token"].as_str().unwrap());
    let password = [("password", "correct horse")];
    let page = visitor.submit("/app/account/second-factor", &password).await;
    let (_, rest) = page.text.split_once("<code>").unwrap_or_else(|| panic!("{}", page.text));
    let code = App::new(rest.split('<').next().unwrap()).code(0);
    let fields = [("once", "5e8821"), ("code", code.as_str())];
    let confirm = || visitor.submit("/app/account/second-factor/confirm", &fields);

    let (first, second) = (confirm().await, confirm().await);

    assert_eq!(recovery_codes(&first).len(), 10, "{}", first.text);
    assert_eq!(recovery_codes(&second), recovery_codes(&first), "{}", second.text);
}

#[tokio::test]
async fn a_member_who_leaves_twice_leaves_one_organization() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let body = json!({"email": own.email, "role": "VIEWER"});
    other.owner().post("/organizations/invite", body).await.data(201);
    let visitor = Visitor::of(&own).with_cookie("atumpan-organization", &other.id);
    let team = visitor.get("/app/team").await;
    let (_, rest) = team.text.split_once("href=\"/app/team/members/").unwrap();
    let leave = format!("/app/team/members/{}/remove", rest.split('"').next().unwrap());

    let (first, second) = (visitor.submit(&leave, &[]).await, visitor.submit(&leave, &[]).await);

    assert_eq!((first.status, first.header("location")), (303, "/app"), "{}", first.text);
    assert_eq!(second.status, 403, "{}", second.text);
    let page = visitor.get("/app/team").await;
    assert!(page.text.contains(&own.email), "{}", page.text);
}

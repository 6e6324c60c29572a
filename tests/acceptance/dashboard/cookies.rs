//! The cookie of a session opens pages and nothing else.

use acceptance::{Answer, Tenant, World};
use reqwest::{Client, Method, redirect::Policy};

use crate::dashboard::visitor::{TOKEN, Visitor};

/// Asserts that the visitor is to sign in first.
#[track_caller]
fn assert_signed_out(answer: &Answer) {
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert!(answer.header("location").starts_with("/app/sign-in"), "{:?}", answer.headers);
}

#[tokio::test]
async fn the_api_does_not_read_the_cookie_and_pages_read_nothing_else() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);
    assert_eq!(visitor.get("/app").await.status, 200);
    visitor.get("/auth/me").await.fails(401, "UNAUTHORIZED");

    let bearer = format!("Bearer {}", tenant.token);
    let http = Client::builder().redirect(Policy::none()).no_proxy().build().unwrap();
    let page = http.get(format!("{}/app", world.url)).header("Authorization", bearer);
    let answer = Answer::to(page).await.unwrap();

    assert_signed_out(&answer);
}

#[tokio::test]
async fn signing_out_ends_the_session_for_the_api_as_well() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::of(&tenant);

    let answer = visitor.submit("/app/sign-out", &[]).await;

    assert_signed_out(&answer);
    let forgets = answer.header("set-cookie");
    assert!(forgets.contains("Max-Age=0") && forgets.contains("HttpOnly"), "{forgets}");
    assert_signed_out(&visitor.get("/app").await);
    tenant.owner().get("/auth/me").await.fails(401, "UNAUTHORIZED");
}

#[tokio::test]
async fn a_form_that_is_sent_after_the_end_of_a_session_stays_in_the_browser() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let visitor = Visitor::member(&tenant, "ended");

    let answer = visitor.submit("/app/contacts/new", &[("firstName", "Ama")]).await;

    assert_eq!(answer.status, 403, "{}", answer.text);
    assert!(answer.text.contains("You are signed out"), "{}", answer.text);
    assert_signed_out(&visitor.get("/app/contacts/new").await);
}

#[tokio::test]
async fn the_name_of_another_organization_in_a_cookie_opens_nothing() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let name = async |tenant: &Tenant<'_>| {
        let answer = tenant.owner().get("/organizations/current").await;
        answer.data(200)["name"].as_str().unwrap().to_owned()
    };

    let visitor = Visitor::of(&own).with_cookie("atumpan-organization", &other.id);
    let page = visitor.get("/app").await;

    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains(&name(&own).await), "{}", page.text);
    assert!(!page.text.contains(&name(&other).await), "{}", page.text);
}

#[tokio::test]
async fn a_form_of_an_organization_that_the_user_has_left_acts_in_no_other() {
    let world = World::shared().await;
    let (own, left) = (world.tenant().await, world.tenant().await);
    let visitor = Visitor::of(&own).with_cookie("atumpan-organization", &left.id);
    let fields = [("firstName", "Ama"), ("phone", "0241234567")];

    let answer = visitor.submit("/app/contacts/new", &fields).await;

    assert_eq!(answer.status, 403, "{}", answer.text);
    let contacts = own.owner().get("/contacts").await;
    assert_eq!(contacts.data(200).as_array().map(Vec::len), Some(0), "{}", contacts.text);
    let page = visitor.get("/app").await;
    let named = format!("atumpan-organization={};", own.id);
    assert!(page.header("set-cookie").starts_with(&named), "{:?}", page.headers);
}

#[tokio::test]
async fn a_form_that_was_opened_in_another_organization_is_looked_at_again() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let visitor = |id: &str| Visitor::of(&own).with_cookie("atumpan-organization", id);
    let token = visitor(&other.id).form_token().await;
    let fields = [(TOKEN, token.as_str()), ("firstName", "Ama"), ("phone", "0241234567")];

    let form = visitor(&own.id).request(Method::POST, "/app/contacts/new").form(&fields);
    let answer = Answer::to(form.header("Sec-Fetch-Site", "same-origin")).await.unwrap();

    assert_eq!(answer.status, 409, "{}", answer.text);
    assert!(answer.text.contains("Look at this again"), "{}", answer.text);
}

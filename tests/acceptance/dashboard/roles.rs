//! Roles: a page on which something can be done is for those who may do it.

use acceptance::{World, unique_email};
use serde_json::json;

use crate::dashboard::visitor::Visitor;

/// Pages with the form of an act.
const FORMS: [&str; 11] = [
    "/app/send",
    "/app/resend",
    "/app/messages/exports",
    "/app/contacts/new",
    "/app/contacts/import",
    "/app/segments/new",
    "/app/suppressions/new",
    "/app/suppressions/import",
    "/app/templates/new",
    "/app/campaigns/new",
    "/app/events/new",
];

/// Pages with an act on one item.
const ACTS: [&str; 10] = [
    "/app/messages/{id}/resend",
    "/app/contacts/{id}/edit",
    "/app/contacts/{id}/delete",
    "/app/segments/{id}/edit",
    "/app/suppressions/{id}/delete",
    "/app/templates/{id}/delete",
    "/app/campaigns/{id}/audience",
    "/app/events/{id}/edit",
    "/app/events/{id}/delete",
    "/app/events/{id}/try",
];
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

#[tokio::test]
async fn a_page_of_an_act_is_for_those_who_may_do_it() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let email = unique_email("viewer");
    let user = world.user(&email).await;
    let invitation = json!({"email": email, "role": "VIEWER"});
    tenant.owner().post("/organizations/invite", invitation).await.data(201);
    let viewer = Visitor::member(&tenant, user["token"].as_str().unwrap());
    let viewer = viewer.with_cookie("atumpan-organization", &tenant.id);
    let owner = Visitor::of(&tenant);

    assert_eq!(viewer.get("/app").await.status, 200);
    for path in FORMS {
        assert_eq!(viewer.get(path).await.status, 403, "{path}");
        assert_eq!(owner.get(path).await.status, 200, "{path}");
    }
    for path in ACTS.map(|path| path.replace("{id}", UNKNOWN)) {
        assert_eq!(viewer.get(&path).await.status, 403, "{path}");
        assert_eq!(owner.get(&path).await.status, 404, "{path}");
    }
    let preview = viewer.submit("/app/send/preview", &[("text", "Hello")]).await;
    assert_eq!(preview.status, 403, "{}", preview.text);
}

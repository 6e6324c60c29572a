//! Pages of platform administrators.

use acceptance::{Tenant, World, unique_email};
use serde_json::{Value, json};

use crate::dashboard::visitor::Visitor;

const TENANTS: &str = "/app/admin/tenants";
const APPROVALS: &str = "/app/admin/approvals";
const SCAM: &str = "You won GHS 5,000! Send your MoMo PIN to claim it.";

/// Returns a visitor with that session.
fn visitor(world: &World, token: &str) -> Visitor {
    let (id, email) = (String::new(), String::new());
    Visitor::of(&Tenant { world, id, email, token: token.to_owned() })
}

/// Registers a platform administrator without an organization.
async fn administrator(world: &World) -> Visitor {
    let email = unique_email("administrator");
    let user = world.user(&email).await;
    world.promote(&email).await;
    visitor(world, user["token"].as_str().unwrap())
}

/// Returns the newest line of an organization's audit log with that action.
async fn logged(tenant: &Tenant<'_>, action: &str) -> Value {
    let answer = tenant.owner().get("/organizations/audit").await;
    let lines = answer.data(200).as_array().unwrap();
    lines.iter().find(|line| line["action"] == action).cloned().unwrap_or_default()
}

#[tokio::test]
async fn an_administrator_without_an_organization_is_led_to_the_platform() {
    let world = World::shared().await;
    let (admin, tenant) = (administrator(&world).await, world.tenant().await);

    let first = admin.get("/app").await;

    assert_eq!((first.status, first.header("location")), (303, "/app/admin"));
    for (path, words) in [
        ("/app/admin", "What waits"),
        ("/app/admin", "Background work"),
        (TENANTS, "Organizations"),
    ] {
        let page = admin.get(path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        assert!(page.text.contains(words), "{path}: {}", page.text);
        assert_eq!(Visitor::of(&tenant).get(path).await.status, 403, "{path} for a member");
    }
}

#[tokio::test]
async fn an_impersonation_has_a_reason_and_a_banner_and_ends_with_one_act() {
    let world = World::shared().await;
    let (admin, tenant) = (administrator(&world).await, world.tenant().await);
    let path = format!("{TENANTS}/{}/impersonate", tenant.id);
    let without_reason = admin.submit(&path, &[("reason", " ")]).await;
    assert_eq!(without_reason.status, 400, "{}", without_reason.text);
    assert!(without_reason.text.contains("Write why you look"), "{}", without_reason.text);

    let begun = admin.submit(&path, &[("reason", "ticket 4711")]).await;

    assert_eq!((begun.status, begun.header("location")), (303, "/app"), "{}", begun.text);
    assert_eq!(logged(&tenant, "impersonation.began").await["details"]["reason"], "ticket 4711");
    let cookie = begun.header("set-cookie").strip_prefix("atumpan=").unwrap();
    let acting = visitor(&world, cookie.split(';').next().unwrap());
    let page = acting.get("/app").await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("with the eyes of its owner, until"), "{}", page.text);
    let links = page.text.split("href=\"/app").skip(1).filter_map(|rest| rest.split('"').next());
    for link in links.map(|rest| format!("/app{rest}")) {
        assert_ne!(acting.get(&link).await.status, 403, "a link to {link}");
    }
    for path in ["/app/admin", "/app/account", "/app/organizations", "/app/organizations/new"] {
        assert_eq!(acting.get(path).await.status, 403, "{path}: it is the administrator's own");
    }

    let left = acting.submit("/app/leave-impersonation", &[]).await;

    let own_page = format!("{TENANTS}/{}", tenant.id);
    assert_eq!((left.status, left.header("location")), (303, own_page.as_str()), "{}", left.text);
    assert_eq!(acting.get("/app").await.status, 303, "the session is over");
    assert_ne!(logged(&tenant, "impersonation.ended").await, Value::Null);
}

#[tokio::test]
async fn an_organization_is_suspended_with_a_reason_and_restored() {
    let world = World::shared().await;
    let (admin, tenant) = (administrator(&world).await, world.tenant().await);
    let page = format!("{TENANTS}/{}", tenant.id);
    assert_eq!(admin.submit(&format!("{page}/suspend"), &[]).await.status, 400);

    let done = admin.submit(&format!("{page}/suspend"), &[("reason", "It asks for PINs.")]).await;

    assert_eq!(done.status, 303, "{}", done.text);
    let shown = admin.get(&page).await;
    assert!(shown.text.contains("It asks for PINs."), "{}", shown.text);
    assert!(Visitor::of(&tenant).get("/app").await.text.contains("is suspended"));
    assert_eq!(admin.submit(&format!("{page}/restore"), &[]).await.status, 303);
    assert!(!admin.get(&page).await.text.contains("It asks for PINs."));
}

#[tokio::test]
async fn a_correction_of_a_wallet_that_is_sent_twice_is_made_once() {
    let world = World::shared().await;
    let (admin, tenant) = (administrator(&world).await, world.tenant().await);
    let (path, before) = (format!("{TENANTS}/{}/wallet", tenant.id), tenant.balance().await);
    let fields = [
        ("direction", "credit"),
        ("amount", "12.50"),
        ("reason", "Goodwill"),
        ("once", "0123456789abcdef0123456789abcdef"),
    ];
    for _ in 0..2 {
        let done = admin.submit(&path, &fields).await;
        assert_eq!(done.status, 303, "{}", done.text);
    }
    assert!((tenant.balance().await - before - 12.5).abs() < 1e-6);

    let refused = admin.submit(&path, &[("amount", "1"), ("reason", "Nothing chosen")]).await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("Kind of correction must be chosen"), "{}", refused.text);
}

#[tokio::test]
async fn limits_are_set_and_given_back_by_leaving_them_empty() {
    let world = World::shared().await;
    let (admin, tenant) = (administrator(&world).await, world.tenant().await);
    let page = format!("{TENANTS}/{}", tenant.id);
    let path = format!("{page}/limits");
    let incomplete = admin.submit(&path, &[("limits.live.perSecond", "50")]).await;
    assert_eq!(incomplete.status, 400);
    assert!(incomplete.text.contains("Live messages at once is required"), "{}", incomplete.text);

    let fields = [("limits.live.perSecond", "50"), ("limits.live.burst", "500")];
    assert_eq!(admin.submit(&path, &fields).await.status, 303);
    assert!(admin.get(&page).await.text.contains("50 a second, 500 at once"));
    assert_eq!(admin.submit(&path, &[]).await.status, 303);
    assert!(!admin.get(&page).await.text.contains("50 a second"));
}

#[tokio::test]
async fn a_rejection_reaches_the_author_with_the_words_that_it_needs() {
    let world = World::shared().await;
    let (admin, tenant) = (administrator(&world).await, world.tenant().await);
    let template = json!({
        "name": "Premium due", "channel": "SMS", "category": "INSURANCE", "body": SCAM,
    });
    let template = tenant.owner().post("/templates", template).await.data(201).clone();
    let waiting = world.administrator().await.get("/admin/approvals").await;
    let waiting = waiting.data(200).as_array().unwrap().clone();
    let approval = waiting.iter().find(|it| it["resourceId"] == template["id"]).unwrap();
    let path = format!("{APPROVALS}/{}", approval["id"].as_str().unwrap());
    let list = admin.get(APPROVALS).await;
    assert!(list.text.contains(&format!("\"{path}\"")), "{}", list.text);
    let page = admin.get(&path).await;
    for words in ["<mark>", &tenant.email, "value=\"approve\""] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    let silent = admin.submit(&path, &[("verdict", "reject")]).await;
    assert_eq!(silent.status, 400);
    assert!(silent.text.contains("Write what the author should change"), "{}", silent.text);

    let fields = [("verdict", "reject"), ("comment", "Never ask for a PIN.")];
    let decided = admin.submit(&path, &fields).await;

    assert_eq!((decided.status, decided.header("location")), (303, APPROVALS), "{}", decided.text);
    let path = format!("/templates/{}", template["id"].as_str().unwrap());
    let shown = tenant.owner().get(&path).await;
    assert_eq!(shown.data(200)["comment"], "Never ask for a PIN.");
    assert!(!admin.get(&path).await.text.contains("value=\"approve\""), "it is decided");
}

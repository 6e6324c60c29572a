//! Prices, plans, sending windows and payment exceptions, as platform administrators keep them.

use acceptance::{Answer, Tenant, World};

use crate::dashboard::visitor::Visitor;

const PRICES: &str = "/app/admin/pricing";
const PLANS: &str = "/app/admin/pricing/plans";
const WINDOWS: &str = "/app/admin/sending-windows";
const EXCEPTIONS: &str = "/app/admin/payment-exceptions";
const ID_LENGTH: usize = 36;

/// Returns an administrator, who owns the organization besides.
async fn administrator(tenant: &Tenant<'_>) -> Visitor {
    tenant.world.promote(&tenant.email).await;
    Visitor::of(tenant)
}

/// Returns the first address in a page that is one of an item below `home`.
fn item(page: &Answer, home: &str) -> String {
    let is_item = |href: &&str| {
        let id = href.strip_prefix(home).and_then(|rest| rest.strip_prefix('/'));
        id.is_some_and(|id| id.len() == ID_LENGTH)
    };
    let mut hrefs = page.text.split("href=\"").filter_map(|rest| rest.split('"').next());
    hrefs.find(is_item).unwrap_or_else(|| panic!("{}", page.text)).to_owned()
}

/// Asserts that the form was taken.
#[track_caller]
fn assert_done(answer: &Answer, address: &str) {
    assert_eq!((answer.status, answer.header("location")), (303, address), "{}", answer.text);
}

/// Asserts that the form comes back with those words.
#[track_caller]
fn assert_refused(answer: &Answer, words: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains(words), "{}", answer.text);
}

#[tokio::test]
async fn a_price_is_agreed_once_then_changed_and_ended() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let admin = administrator(&tenant).await;
    let new = format!("{PRICES}/new");
    let agreed = [
        ("channel", "SMS"),
        ("countryCode", "ng"),
        ("organizationId", tenant.id.as_str()),
        ("unitPrice", "0.05"),
    ];
    assert_done(&admin.submit(&new, &agreed).await, PRICES);
    assert_refused(&admin.submit(&new, &agreed).await, "There is an active price");
    let own = format!("{PRICES}?organizationId={}", tenant.id);
    let list = admin.get(&own).await;
    assert!(list.text.contains("GHS 0.05") && list.text.contains("Kente"), "{}", list.text);

    let rule = item(&list, PRICES);
    let wrong = admin.submit(&rule, &[("isActive", "yes"), ("unitPrice", "a lot")]).await;
    assert_refused(&wrong, "Price is not an amount");
    let dearer = admin.submit(&rule, &[("isActive", "yes"), ("unitPrice", "0.06")]).await;
    assert_done(&dearer, PRICES);
    let list = admin.get(&own).await;
    assert!(list.text.contains("GHS 0.06") && !list.text.contains("GHS 0.05"), "{}", list.text);

    assert_done(&admin.submit(&item(&list, PRICES), &[]).await, PRICES);
    let list = admin.get(&own).await;
    assert!(!list.text.contains("GHS 0.06"), "{}", list.text);
    let ended = admin.get(&format!("{own}&active=no")).await;
    assert!(ended.text.contains("GHS 0.06") && ended.text.contains("GHS 0.05"), "{}", ended.text);

    let log = admin.get(&format!("/app/admin/audit?organization={}", tenant.id)).await;
    assert!(log.text.contains("Unit price") && log.text.contains("GHS 0.06"), "{}", log.text);
    let wrong = admin.get("/app/admin/audit?actor=nobody&from=yesterday").await;
    assert_refused(&wrong, "User is not an identifier");
}

#[tokio::test]
async fn a_plan_is_added_changed_and_ended() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    let admin = administrator(&tenant).await;
    let plan = |fee| {
        [("name", "Market"), ("monthlyFee", fee), ("includedMessages", "900"), ("features", "A\nB")]
    };
    let new = format!("{PLANS}/new");
    assert_refused(&admin.submit(&new, &plan("much")).await, "Monthly fee is not an amount");
    assert_done(&admin.submit(&new, &plan("20")).await, PLANS);

    let href = item(&admin.get(PLANS).await, PLANS);
    let page = admin.get(&href).await;
    assert!(page.text.contains("Market") && page.text.contains("A\nB"), "{}", page.text);
    let ended = admin.submit(&href, &plan("20")).await;

    assert_done(&ended, PLANS);
    assert!(!admin.get(PLANS).await.text.contains("Market"));
    assert!(admin.get(&format!("{PLANS}?active=no")).await.text.contains("Market"));
}

#[tokio::test]
async fn a_sending_window_is_added_changed_and_deleted() {
    let world = World::start().await;
    let tenant = world.tenant().await;
    let admin = administrator(&tenant).await;
    let window = |closes| {
        [
            ("countryCode", "NG"),
            ("category", "HEALTHCARE"),
            ("weekdays", "MONDAY"),
            ("weekdays", "TUESDAY"),
            ("opens", "08:00"),
            ("closes", closes),
            ("utcOffset", "+01:00"),
            ("source", "terms of the operator"),
            ("isActive", "yes"),
        ]
    };
    let new = format!("{WINDOWS}/new");
    assert_refused(&admin.submit(&new, &window("")).await, "Closes must be a time");
    assert_done(&admin.submit(&new, &window("20:00")).await, WINDOWS);

    let href = item(&admin.get(WINDOWS).await, WINDOWS);
    assert_done(&admin.submit(&href, &window("19:00")).await, WINDOWS);
    let list = admin.get(WINDOWS).await;
    for words in ["“Health” to NG", "Monday, Tuesday", "08:00 to 19:00 (UTC+01:00)"] {
        assert!(list.text.contains(words), "{words}: {}", list.text);
    }

    let question = admin.get(&format!("{href}/delete")).await;
    assert!(question.text.contains("Delete the sending window?"), "{}", question.text);
    assert_done(&admin.submit(&format!("{href}/delete"), &[]).await, WINDOWS);
    assert!(!admin.get(WINDOWS).await.text.contains("“Health” to NG"));
}

#[tokio::test]
async fn a_payment_exception_is_credited_once_and_resolved() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let admin = administrator(&tenant).await;
    let reference = format!("lost-{}", tenant.id);
    world
        .sql(&format!(
            "INSERT INTO payment_exceptions (id, reference, reason, amount_micros, currency, \
                organization_id, noticed_at) \
             VALUES ('{0}', '{reference}', 'AMOUNT_TOO_SMALL', 45500000, 'GHS', '{0}', now())",
            tenant.id
        ))
        .await;
    let href = format!("{EXCEPTIONS}/{}", tenant.id);
    let before = tenant.balance().await;

    for _ in 0..2 {
        let credited = admin.submit(&format!("{href}/credit"), &[("amount", "45.5")]).await;
        assert_done(&credited, &href);
    }

    assert!((tenant.balance().await - before - 45.5).abs() < 1e-9);
    let resolve = format!("{href}/resolve");
    assert_refused(&admin.submit(&resolve, &[]).await, "What was done is required");
    assert_done(&admin.submit(&resolve, &[("comment", "credited")]).await, EXCEPTIONS);
    let page = admin.get(&href).await;
    assert!(page.text.contains("credited") && !page.text.contains("<textarea"), "{}", page.text);
    let late = admin.submit(&format!("{href}/credit"), &[("amount", "45.5")]).await;
    assert_eq!(late.status, 404, "{}", late.text);
}

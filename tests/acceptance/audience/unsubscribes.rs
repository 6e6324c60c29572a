//! Unsubscribe links in messages.

use acceptance::{Answer, Receiver, Tenant, World, until};
use adapters_postgres::PgStore;
use domain::audience::unsubscribe::UnsubscribeCode;
use ports::audience::unsubscribes::UnsubscribeRepository;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    messaging::opt_outs::{mailing, send, sent, status, suppressed},
    providers::vendor::Installation,
};

/// Public URL of the service in its links.
const PUBLIC_URL: &str = "https://atumpan.example";
const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// Sends advertising by mail, and returns the path of the link in its headers.
async fn advertised(vendor: &Receiver, tenant: &Tenant<'_>, to: &str) -> String {
    let message = send(tenant, to, "MARKETING").await;
    assert_eq!(message["status"], "SENT", "{message}");
    let link = one_click(vendor);
    assert!(link.ends_with(&tenant.id[tenant.id.len() - 3..]), "{link} ends in the slot");
    link
}

/// Returns the path of the link in the headers of the last mail.
fn one_click(vendor: &Receiver) -> String {
    let letter = vendor.received().last().unwrap().json();
    let headers = &letter["personalizations"][0]["headers"];
    assert_eq!(headers["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
    let link = headers["List-Unsubscribe"].as_str().unwrap();
    let link = link.strip_prefix('<').unwrap().strip_suffix('>').unwrap();
    link.strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

/// Requests a page as a browser does.
async fn browse(world: &World, method: Method, path: &str) -> Answer {
    let request = world.http.request(method, format!("{}{path}", world.url));
    world.send(request.header("Accept", BROWSER)).await
}

/// Returns the number of opt-out events to publish.
async fn count_opt_outs(service: &Installation) -> i64 {
    let count = "SELECT count(*) FROM outbound_events WHERE event = 'contact.opted_out'";
    service.world.value(count).await
}

#[tokio::test]
async fn the_unsubscribe_page_asks_and_changes_nothing() {
    let (vendor, service) = mailing().await;
    let tenant = service.world.tenant().await;
    let rename =
        format!("UPDATE organizations SET name = '<Kente> & Co' WHERE id = '{}'", tenant.id);
    service.world.sql(&rename).await;
    let link = advertised(&vendor, &tenant, "ama@example.com").await;

    for accept in [BROWSER, "*/*"] {
        let request =
            service.world.http.get(format!("{}{link}?utm_source=mail", service.world.url));
        let page = service.world.send(request.header("Accept", accept)).await;

        assert_eq!(page.status, 200, "{}", page.text);
        assert!(page.header("content-type").starts_with("text/html"));
        let policy = page.header("content-security-policy");
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("script-src"),
            "{policy}"
        );
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert!(page.header("x-robots-tag").contains("noindex"));
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(page.text.contains("&lt;Kente&gt; &amp; Co"), "{}", page.text);
        assert!(page.text.contains("by mail to a***@example.com"), "{}", page.text);
        assert!(page.text.contains("<form method=\"post\"><button>"), "{}", page.text);
        assert!(!page.text.contains("ama@"), "{}", page.text);
    }
    assert_eq!(service.world.value("SELECT count(*) FROM suppressions").await, 0);
    assert_eq!(status(&tenant, "ama@example.com", "MARKETING").await, sent());
}

#[tokio::test]
async fn repeated_clicks_unsubscribe_once_from_the_channel() {
    let (vendor, service) = mailing().await;
    let world = &service.world;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    world.sql(&acceptance::silent_endpoint(&tenant.id)).await;
    let contact = json!({"email": "ama@example.com", "phone": "0241234567"});
    let contact = tenant.owner().post("/contacts", contact).await.data(201)["id"].clone();
    let link = advertised(&vendor, &tenant, "ama@example.com").await;
    let address = format!("{}{link}", world.url);

    let one_click = world.http.post(&address).form(&[("List-Unsubscribe", "One-Click")]);
    let answer = world.send(one_click).await;
    let expected = json!({"unsubscribed": true, "channel": "EMAIL", "category": "MARKETING"});
    assert_eq!(answer.data(200), &expected);
    let parts = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n\
                 One-Click\r\n--x--\r\n";
    let one_click = world.http.post(&address).body(parts);
    let one_click = one_click.header("Content-Type", "multipart/form-data; boundary=x");
    assert_eq!(world.send(one_click).await.data(200), &expected);
    let page = browse(world, Method::POST, &link).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("You are unsubscribed"), "{}", page.text);

    assert_eq!(status(&tenant, "ama@example.com", "MARKETING").await, suppressed());
    assert_eq!(status(&tenant, "ama@example.com", "TRANSACTIONAL").await, sent());
    assert_eq!(status(&other, "ama@example.com", "MARKETING").await, sent());
    let text = json!({
        "channel": "SMS", "to": "0241234567", "body": "Sale", "category": "MARKETING",
    });
    let text = tenant.owner().post("/messages/send", text).await.data(201).clone();
    assert_eq!(text["errorCode"], Value::Null, "{text}");
    let list = tenant.owner().get("/compliance/suppression").await.data(200).clone();
    let entry = json!({
        "id": list[0]["id"], "phone": null, "email": "ama@example.com", "channel": "EMAIL",
        "category": "MARKETING", "reason": "the recipient unsubscribed", "source": "UNSUBSCRIBE",
        "createdAt": list[0]["createdAt"],
    });
    assert_eq!(list, json!([entry]));
    assert_eq!(count_opt_outs(&service).await, 1);
    let about = format!(
        "SELECT count(*) FROM outbound_events WHERE organization_id = '{}' \
            AND data::jsonb = '{{\"contactId\": {contact}, \"channel\": \"EMAIL\", \
                \"source\": \"UNSUBSCRIBE\", \"email\": \"ama@example.com\"}}'",
        tenant.id
    );
    assert_eq!(world.value(&about).await, 1);
}

/// Sends a campaign to all contacts, and returns its only message once its outcome is known.
async fn campaign(tenant: &Tenant<'_>, template: &Value) -> Value {
    let campaign = json!({"name": "Sale", "channel": "EMAIL", "templateId": template});
    let campaign = tenant.owner().post("/campaigns", campaign).await.data(201)["id"].clone();
    let id = campaign.as_str().unwrap();
    tenant.owner().post(&format!("/campaigns/{id}/send"), json!({})).await.data(200);
    let decided = format!(
        "SELECT count(*) FROM delivery_logs \
         WHERE campaign_id = '{id}' AND status IN ('SENT', 'FAILED')"
    );
    until("its message is decided", async || tenant.world.value(&decided).await == 1).await;
    tenant.owner().get("/delivery-logs").await.data(200)[0].clone()
}

#[tokio::test]
async fn a_campaign_link_ends_campaigns_of_every_category() {
    let (vendor, service) = mailing().await;
    let tenant = service.world.tenant().await;
    tenant.owner().post("/contacts", json!({"email": "ama@example.com"})).await.data(201);
    let template = json!({
        "name": "News", "channel": "EMAIL", "body": "Sale! To hear no more: {{unsubscribe}}",
    });
    let template = tenant.owner().post("/templates", template).await.data(201).clone();
    assert_eq!(template["category"], "TRANSACTIONAL");

    let first = campaign(&tenant, &template["id"]).await;
    assert_eq!((&first["status"], &first["errorCode"]), (&json!("SENT"), &Value::Null), "{first}");
    let link = one_click(&vendor);
    assert!(
        first["body"].as_str().unwrap().contains(&link),
        "{first} has another link than {link}"
    );
    service.world.call(Method::POST, &link, None).await.data(200);

    let second = campaign(&tenant, &template["id"]).await;
    assert_eq!(second["errorCode"], "RECIPIENT_SUPPRESSED", "{second}");
    assert_eq!(status(&tenant, "ama@example.com", "TRANSACTIONAL").await, sent());
}

#[tokio::test]
async fn a_manual_entry_publishes_no_opt_out_event() {
    let (vendor, service) = mailing().await;
    let tenant = service.world.tenant().await;
    service.world.sql(&acceptance::silent_endpoint(&tenant.id)).await;
    let entry = json!({"email": "ama@example.com", "category": "MARKETING", "channel": "EMAIL"});
    tenant.owner().post("/compliance/suppression", entry).await.data(201);
    assert_eq!(count_opt_outs(&service).await, 0);

    let link = advertised(&vendor, &tenant, "kofi@example.com").await;
    assert_eq!(browse(&service.world, Method::POST, &link).await.status, 200);
    assert_eq!(count_opt_outs(&service).await, 1);
}

#[tokio::test]
async fn a_contacts_short_link_ends_advertising_by_sms() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let contact = tenant.owner().post("/contacts", json!({"phone": "0241234567"})).await;
    let contact = contact.data(201)["id"].as_str().unwrap().to_owned();
    let organization = tenant.id.parse().unwrap();
    let code = UnsubscribeCode::new_in(organization, [9; 32]);
    let proposed = [(contact.parse().unwrap(), code.clone())];
    let store = PgStore::connect(&world.database, 1).unwrap();
    UnsubscribeRepository::codes(&store, organization, &proposed).await.unwrap();
    let link = format!("/u/{code}");

    let page = browse(&world, Method::GET, &link.to_uppercase().replace("/U/", "/u/")).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("by SMS to +233*****4567"), "{}", page.text);
    assert_eq!(world.call(Method::POST, &link, None).await.data(200)["channel"], "SMS");

    for (category, code) in
        [("MARKETING", json!("RECIPIENT_SUPPRESSED")), ("TRANSACTIONAL", Value::Null)]
    {
        let text =
            json!({"channel": "SMS", "to": "0241234567", "body": "Sale", "category": category});
        let text = tenant.owner().post("/messages/send", text).await.data(201).clone();
        assert_eq!(text["errorCode"], code, "{text}");
    }
    let delete = tenant.owner().call(Method::DELETE, &format!("/contacts/{contact}"), None).await;
    delete.data(200);
    assert_eq!(browse(&world, Method::GET, &link).await.status, 404);
    assert_eq!(tenant.count("unsubscribe_codes").await, 0);
}

#[tokio::test]
async fn a_forged_link_is_answered_404_as_page_or_envelope() {
    let (vendor, service) = mailing().await;
    let world = &service.world;
    let tenant = world.tenant().await;
    let link = advertised(&vendor, &tenant, "ama@example.com").await;
    let tampered = format!("{}0{}", &link[..20], &link[21..]);
    for path in [
        tampered.as_str(),
        &link[..link.len() - 1],
        "/unsubscribe/x",
        "/unsubscribe/%00%ff",
        "/u/x",
        "/u/aaaaaaaaaa000",
        "/u/%F0%9F%98%80",
    ] {
        for method in [Method::GET, Method::POST] {
            let page = browse(world, method.clone(), path).await;
            assert_eq!(page.status, 404, "{path}: {}", page.text);
            assert!(page.header("content-type").starts_with("text/html"), "{path}");
            assert!(page.text.contains("works no more"), "{path}: {}", page.text);
            world.call(method, path, None).await.fails(404, "NOT_FOUND");
        }
    }
    world.call(Method::DELETE, &link, None).await.fails(405, "METHOD_NOT_ALLOWED");
    assert_eq!(world.value("SELECT count(*) FROM suppressions").await, 0);
}

#[tokio::test]
async fn links_work_on_every_instance_and_after_secrets_change() {
    let (vendor, service) = mailing().await;
    let tenant = service.world.tenant().await;
    let old = advertised(&vendor, &tenant, "ama@example.com").await;
    let other = service.another(&[("ATUMPAN_JWT_SECRET", "a secret that is another one by now")]);
    let other = other.await;
    assert_eq!(browse(&other.world, Method::GET, &old).await.status, 200);
    let signing = ("ATUMPAN_LINK_SECRET", "a secret for links of 32 bytes or more");
    let signing = service.another(&[signing]).await;

    assert_eq!(browse(&signing.world, Method::GET, &old).await.status, 200);
    let new = advertised(&vendor, &tenant.at(&signing.world), "ama@example.com").await;
    assert_ne!(new, old);
    assert_eq!(browse(&signing.world, Method::POST, &new).await.status, 200);
    assert_eq!(browse(&service.world, Method::GET, &new).await.status, 404);
}

#[tokio::test]
async fn limits_guessing_of_links() {
    let world = World::start_with(&[("ATUMPAN_LIMIT_GUESTS", "1/3")]).await;
    for _ in 0..3 {
        world.get("/u/aaaaaaaaaa000").await.fails(404, "NOT_FOUND");
    }
    let refused = world.get("/u/aaaaaaaaaa001").await;
    refused.fails(429, "RATE_LIMITED");
    assert!(!refused.header("retry-after").is_empty());
}

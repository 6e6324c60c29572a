//! Consent of contacts: recorded, imported, filtered, and missing in campaigns.

use acceptance::{Answer, Tenant, World, until};
use reqwest::Method;
use serde_json::{Value, json};

const AHEAD: &str = "2999-01-01T09:00:00.000Z";

fn consent() -> Value {
    json!({"at": "2026-01-31T09:00:00.000Z", "source": "Till at Osu"})
}

async fn create(tenant: &Tenant<'_>, contact: Value) -> String {
    let made = tenant.owner().post("/contacts", contact).await;
    format!("/contacts/{}", made.data(201)["id"].as_str().unwrap())
}

async fn list(tenant: &Tenant<'_>, query: &str) -> Vec<Value> {
    tenant.owner().get(&format!("/contacts{query}")).await.data(200).as_array().unwrap().clone()
}

async fn names(tenant: &Tenant<'_>, query: &str) -> Vec<String> {
    let contacts = list(tenant, query).await;
    contacts.iter().map(|contact| contact["firstName"].as_str().unwrap().to_owned()).collect()
}

async fn act(tenant: &Tenant<'_>, campaign: &str, action: &str) -> Answer {
    tenant.owner().call(Method::POST, &format!("{campaign}/{action}"), None).await
}

/// Uploads a file of contacts or of suppressions with the source of their consent.
async fn upload(tenant: &Tenant<'_>, path: &str, source: &str, file: &str) -> Answer {
    let form = format!(
        "--limit\r\nContent-Disposition: form-data; name=\"consentSource\"\r\n\r\n{source}\r\n\
         --limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"rows.csv\"\r\n\r\n\
         {file}\r\n--limit--\r\n"
    );
    let media_type = "multipart/form-data; boundary=limit";
    tenant.owner().post_form(path, media_type, form.into_bytes()).await
}

#[tokio::test]
async fn a_consent_is_shown_filtered_and_withdrawn() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let ama = create(&tenant, json!({"firstName": "Ama", "consent": consent()})).await;
    create(&tenant, json!({"firstName": "Kofi"})).await;
    let change = async |body: Value| tenant.owner().call(Method::PATCH, &ama, Some(body)).await;

    assert_eq!(tenant.owner().get(&ama).await.data(200)["consent"], consent());
    assert_eq!(names(&tenant, "?isConsented=true").await, ["Ama"]);
    assert_eq!(names(&tenant, "?isConsented=false").await, ["Kofi"]);
    assert_eq!(names(&tenant, "?isConsented=true&search=kofi").await, [""; 0]);
    assert_eq!(names(&tenant, "?isConsented=false&search=kofi").await, ["Kofi"]);
    assert_eq!(change(json!({"lastName": "Mensah"})).await.data(200)["consent"], consent());
    for (consent, field) in [
        (json!({"at": "2026-01-31T09:00:00Z"}), "consent.source"),
        (json!({"at": "2126-01-31T09:00:00Z", "source": "Form"}), "consent.at"),
        (json!({"at": "yesterday", "source": "Form"}), "consent.at"),
        (json!(true), "consent"),
    ] {
        let refused = change(json!({ "consent": consent })).await;
        let details = refused.fails(400, "VALIDATION_ERROR");
        let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
        assert_eq!(fields, [field], "{}", refused.text);
    }

    assert_eq!(change(json!({"consent": null})).await.data(200)["consent"], Value::Null);
    assert_eq!(names(&tenant, "?isConsented=true").await, [""; 0]);
}

#[tokio::test]
async fn a_file_records_the_consent_of_its_contacts() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    create(&tenant, json!({"phone": "0241234567", "consent": consent()})).await;
    let (file, source) = ("phone\n0241234567\n0201234567\n", "Fair in Tamale");

    let accepted = upload(&tenant, "/contacts/import", source, file).await;

    let accepted = accepted.data(201);
    assert_eq!(accepted["consentSource"], source);
    let path = format!("/contacts/imports/{}", accepted["id"].as_str().unwrap());
    until("the file is imported", async || {
        tenant.owner().get(&path).await.data(200)["status"] == "COMPLETED"
    })
    .await;
    let all = list(&tenant, "").await;
    assert_eq!(all[0]["consent"], json!({"at": accepted["createdAt"], "source": source}));
    assert_eq!(all[1]["consent"], consent(), "an older consent stays");

    let refused = upload(&tenant, "/compliance/suppression/import", source, file).await;
    let details = refused.fails(400, "VALIDATION_ERROR");
    let fields: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["consentSource"], "{}", refused.text);
}

#[tokio::test]
async fn a_campaign_of_promotion_says_how_many_contacts_have_no_consent() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    create(&tenant, json!({"phone": "0241234561", "consent": consent()})).await;
    create(&tenant, json!({"phone": "0241234562"})).await;
    create(&tenant, json!({"firstName": "Kofi"})).await;
    let hello = json!({"name": "Hello", "channel": "SMS", "body": "Akwaaba to Kente Online"});
    let template = tenant.owner().post("/templates", hello).await.data(201)["id"].clone();
    let sale = json!({"body": "Sale on Saturday. Reply STOP to opt out", "scheduledAt": AHEAD});
    for (mut campaign, expected) in
        [(sale, json!(2)), (json!({"templateId": template}), Value::Null)]
    {
        campaign["name"] = json!("Sale");
        campaign["channel"] = json!("SMS");
        let made = tenant.owner().post("/campaigns", campaign).await;
        let path = format!("/campaigns/{}", made.data(201)["id"].as_str().unwrap());
        let preview = act(&tenant, &path, "preview").await;
        assert_eq!(preview.data(200)["withoutConsent"], expected, "{}", preview.text);
        if expected.is_number() {
            let sent = act(&tenant, &path, "send").await;
            let sent = sent.data(200);
            assert_eq!(
                (&sent["withoutConsent"], &sent["status"]),
                (&expected, &json!("SCHEDULED"))
            );
        }
    }
}

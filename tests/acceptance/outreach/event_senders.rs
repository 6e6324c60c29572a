//! Senders and countries of events and of their triggers.

use acceptance::{Tenant, World, until_some};
use reqwest::Method;
use serde_json::{Value, json};

use crate::shared::settings::APPROVED_SENDERS;

async fn event(tenant: &Tenant<'_>, fields: Value) -> Value {
    let template = json!({"name": "Parcel", "channel": "SMS", "body": "Akwaaba"});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let mut event = json!({"name": "Parcel", "slug": "parcel", "templateId": template});
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    tenant.owner().post("/events", event).await.data(201).clone()
}

/// Triggers the event with these fields in the sandbox, and returns the message.
async fn trigger(tenant: &Tenant<'_>, fields: Value) -> Value {
    let mut trigger = json!({"event": "parcel", "async": true, "isSandbox": true});
    trigger.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    tenant.owner().post("/events/trigger", trigger).await.data(202).clone()
}

#[tokio::test]
async fn a_trigger_has_the_sender_and_country_of_its_event_unless_it_names_others() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = event(&tenant, json!({"senderId": "Kente", "countryCode": "NG"})).await;
    assert_eq!((&made["senderId"], &made["countryCode"]), (&json!("Kente"), &json!("NG")));

    let plain = trigger(&tenant, json!({"to": "08031234567"})).await;
    assert_eq!(
        (&plain["senderId"], &plain["recipient"]),
        (&json!("Kente"), &json!("+2348031234567"))
    );
    let named = json!({"to": "0241234567", "senderId": "Adinkra", "countryCode": "GH"});
    let named = trigger(&tenant, named).await;
    assert_eq!(
        (&named["senderId"], &named["recipient"]),
        (&json!("Adinkra"), &json!("+233241234567"))
    );

    let path = format!("/events/{}", made["id"].as_str().unwrap());
    let cleared = json!({"senderId": null, "countryCode": null});
    let cleared = tenant.owner().call(Method::PATCH, &path, Some(cleared)).await;
    assert_eq!(
        (&cleared.data(200)["senderId"], &cleared.data(200)["countryCode"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(trigger(&tenant, json!({"to": "0241234567"})).await["senderId"], Value::Null);
}

#[tokio::test]
async fn a_sender_must_fit_a_channel_of_the_event() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (channels, sender) in [(["SMS"], "a sender that is too long"), (["EMAIL"], "Kente")] {
        let event =
            json!({"name": "n", "slug": "s", "channelPriority": channels, "senderId": sender});
        let answer = tenant.owner().post("/events", event).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"]["senderId"].is_array(), "{details}");
    }
    let fit = json!({"name": "n", "slug": "s", "channelPriority": ["SMS"], "senderId": "Kente"});
    let fit = tenant.owner().post("/events", fit).await.data(201)["id"].clone();
    let path = format!("/events/{}", fit.as_str().unwrap());
    let elsewhere = json!({"channelPriority": ["EMAIL"]});
    let answer = tenant.owner().call(Method::PATCH, &path, Some(elsewhere)).await;
    let details = answer.fails(400, "VALIDATION_ERROR");
    assert!(details["fieldErrors"]["senderId"].is_array(), "{details}");

    event(&tenant, json!({})).await;
    for sender in ["a sender that is too long", " "] {
        let trigger = json!({"event": "parcel", "to": "0241234567", "senderId": sender});
        let answer = tenant.owner().post("/events/trigger", trigger).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"]["senderId"].is_array(), "{details}");
    }
}

#[tokio::test]
async fn a_sender_is_used_on_the_channels_for_which_it_is_approved() {
    let world = World::shared_with(APPROVED_SENDERS).await;
    let (admin, tenant) = (world.administrator().await, world.tenant().await);
    event(&tenant, json!({"channelPriority": ["SMS", "VOICE"]})).await;
    let named = |sender: &str| {
        json!({
            "event": "parcel", "to": "0241234567", "senderId": sender, "async": true,
            "isSandbox": true,
        })
    };
    let refused = tenant.owner().post("/events/trigger", named("ADINKRA")).await;
    let details = refused.fails(400, "VALIDATION_ERROR");
    assert!(details["fieldErrors"]["senderId"].is_array(), "{details}");

    let name = json!({"name": "Adinkra", "channel": "SMS"});
    tenant.owner().post("/sender-names", name).await.data(201);
    let waiting = admin.get("/admin/approvals").await.data(200).as_array().unwrap().clone();
    let approval = waiting.iter().find(|it| it["organizationId"] == tenant.id).unwrap();
    let path = format!("/admin/approvals/{}/approve", approval["id"].as_str().unwrap());
    admin.post(&path, json!({})).await.data(200);

    let sent = until_some("the sender may be used", async || {
        let answer = tenant.owner().post("/events/trigger", named("ADINKRA")).await;
        if answer.status == 202 { Ok(answer.data(202).clone()) } else { Err(answer.text) }
    })
    .await;
    assert_eq!((&sent["channel"], &sent["senderId"]), (&json!("SMS"), &json!("Adinkra")));
}

//! Push notifications, and tokens that are no longer registered.

use acceptance::{Receiver, Reply, World};
use serde_json::{Value, json};

/// Key of an account that does not exist.
const KEY: &str =
    include_str!("../../../crates/adapters-providers/tests/vendors/conformance/fcm_key.json");
const TOKEN: &str = "bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1";

/// Starts a simulated Firebase Cloud Messaging that knows no token.
async fn google() -> Receiver {
    let grant = json!({"access_token": "ya29.t0k3n", "expires_in": 3599, "token_type": "Bearer"});
    let unregistered = json!({"error": {
        "code": 404, "status": "NOT_FOUND", "message": "Requested entity was not found.",
        "details": [{
            "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
            "errorCode": "UNREGISTERED",
        }],
    }});
    Receiver::start(move |call, _| match call.path.as_str() {
        "/token" => Reply::json(200, &grant),
        "/v1/projects/test/messages:send" => Reply::json(404, &unregistered),
        path => panic!("{path} is called"),
    })
    .await
}

/// Starts a service that sends through it.
async fn service(google: &Receiver) -> World {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("providers.toml");
    let url = &google.url;
    let declaration = format!(
        "[[provider]]\n\
         name = \"push\"\n\
         kind = \"fcm\"\n\
         channel = \"PUSH\"\n\
         base_url = \"{url}\"\n\
         options.token_url = \"{url}/token\"\n\
         credentials.project_id = \"test\"\n\
         credentials.service_account = '''{KEY}'''\n\
         [[provider.route]]\n\
         country = \"*\"\n"
    );
    std::fs::write(&file, declaration).unwrap();
    World::start_with(&[("ATUMPAN_PROVIDERS", file.to_str().unwrap())]).await
}

#[tokio::test]
async fn a_token_unknown_to_google_is_removed_from_its_contact() {
    let google = google().await;
    let world = service(&google).await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    for (organization, token) in [(&own.id, TOKEN), (&own.id, "another"), (&other.id, TOKEN)] {
        world
            .sql(&format!(
                "INSERT INTO contacts (id, organization_id, fcm_token, created_at) \
                 VALUES (gen_random_uuid(), '{organization}', '{token}', now())"
            ))
            .await;
    }

    let push = json!({"channel": "PUSH", "to": TOKEN, "body": "Akwaaba"});
    let answer = own.owner().post("/messages/send", push).await;

    let failed = answer.data(201);
    assert_eq!(
        (&failed["status"], &failed["errorCode"]),
        (&json!("FAILED"), &json!("DEVICE_UNREGISTERED"))
    );
    assert_eq!(failed["attempts"].as_array().map(Vec::len), Some(1), "{failed}");
    assert_ne!(failed["provider"], Value::Null);
    let having = async |organization: &str, token: &str| {
        let query = format!(
            "SELECT count(*) FROM contacts \
             WHERE organization_id = '{organization}' AND fcm_token = '{token}'"
        );
        world.value(&query).await
    };
    assert_eq!(having(&own.id, TOKEN).await, 0);
    assert_eq!(having(&own.id, "another").await, 1);
    assert_eq!(having(&other.id, TOKEN).await, 1, "another organization keeps its own");
    assert!((own.balance().await - 10.0).abs() < 1e-9, "it is refunded");
}

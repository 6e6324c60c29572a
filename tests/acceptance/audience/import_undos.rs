//! Undo of imports of contacts.

use acceptance::{Answer, Tenant, World, until};
use reqwest::Method;
use serde_json::{Value, json};

use super::imports::{contacts, import};

const CONTACTS: &str = "/contacts/import";

fn path_of(import: &Value) -> String {
    format!("/contacts/imports/{}", import["id"].as_str().unwrap())
}

async fn undo(tenant: &Tenant<'_>, import: &Value) -> Answer {
    let path = format!("{}/undo", path_of(import));
    tenant.owner().call(Method::POST, &path, None).await
}

/// Waits until the undo of an import is completed, and returns the import.
async fn undone(tenant: &Tenant<'_>, import: &Value) -> Value {
    let path = path_of(import);
    let look = async || tenant.owner().get(&path).await.data(200).clone();
    until("the import is undone", async || look().await["undoStatus"] == "COMPLETED").await;
    look().await
}

#[tokio::test]
async fn an_undo_deletes_the_contacts_that_the_import_made_and_nobody_changed() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner();
    owner.post("/contacts", json!({"phone": "0241234561", "firstName": "Ama"})).await.data(201);
    let file = "phone,firstName\n0241234561,Yaa\n0241234562,Kofi\n0241234563,Esi\n\
                0241234564,Adwoa\n0241234565,Kojo\n";
    let wrong = import(&tenant, CONTACTS, file).await;
    assert_eq!((&wrong["undoStatus"], &wrong["undone"]), (&Value::Null, &json!(0)));
    let all = contacts(&tenant).await;
    let path = |name: &str| {
        let contact = all.iter().find(|it| it["firstName"] == name).unwrap();
        format!("/contacts/{}", contact["id"].as_str().unwrap())
    };
    let change = json!({"lastName": "Boateng"});
    owner.call(Method::PATCH, &path("Kofi"), Some(change)).await.data(200);
    import(&tenant, CONTACTS, "phone,tags\n0241234563,vip\n").await;
    owner.call(Method::DELETE, &path("Adwoa"), None).await.data(200);
    let message = json!({"channel": "SMS", "to": "0241234565", "body": "Akwaaba"});
    owner.post("/messages/send", message).await.data(201);

    let accepted = undo(&tenant, &wrong).await;

    assert_eq!(accepted.data(202)["id"], wrong["id"]);
    assert!(accepted.data(202)["undoStatus"].is_string(), "{}", accepted.text);
    let import = undone(&tenant, &wrong).await;
    assert_eq!((&import["undone"], &import["created"]), (&json!(1), &json!(4)));
    assert!(import["undoneAt"].is_string());
    let mut left: Vec<_> =
        contacts(&tenant).await.iter().map(|it| it["firstName"].clone()).collect();
    left.sort_by_key(Value::to_string);
    assert_eq!(left, ["Esi", "Kofi", "Yaa"]);
    assert_eq!(tenant.owner().get("/contacts").await.body["pagination"]["total"], 3);
    undo(&tenant, &wrong).await.fails(409, "ALREADY_UNDONE");
    assert_eq!(tenant.count("contact_erasures").await, 1, "nobody else was to be erased");
}

#[tokio::test]
async fn an_undo_is_in_the_audit_log() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let wrong = import(&tenant, CONTACTS, "phone\n0241234567\n").await;

    undo(&tenant, &wrong).await.data(202);

    let audit = tenant.owner().get("/organizations/audit").await.data(200).clone();
    let lines = audit.as_array().unwrap();
    let line = lines.iter().find(|line| line["action"] == "import.undone").unwrap();
    assert_eq!(line["resourceId"], wrong["id"]);
    assert_eq!(line["details"]["created"], "1");
}

#[tokio::test]
async fn a_file_is_imported_anew_after_its_undo() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let file = "phone\n0241234567\n";
    let first = import(&tenant, CONTACTS, file).await;
    undo(&tenant, &first).await.data(202);
    undone(&tenant, &first).await;
    assert!(contacts(&tenant).await.is_empty());

    let second = import(&tenant, CONTACTS, file).await;

    assert_eq!((&second["sameAs"], &second["created"]), (&Value::Null, &json!(1)));
}

#[tokio::test]
async fn an_undo_is_refused_before_the_end_and_a_day_after_it() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let late = import(&tenant, CONTACTS, "phone\n0241234567\n").await;
    let list = import(&tenant, "/compliance/suppression/import", "phone\n0241234567\n").await;
    world
        .sql(&format!(
            "UPDATE imports SET completed_at = now() - interval '25 hours' WHERE id = '{}'; \
             INSERT INTO imports (organization_id, id, kind, status, created_at, due_at) \
             VALUES ('{}', uuid_v7_in(now(), '{}'), 'CONTACTS', 'QUEUED', now(), 'infinity')",
            late["id"].as_str().unwrap(),
            tenant.id,
            tenant.id
        ))
        .await;
    let waiting = tenant.owner().get("/contacts/imports").await.data(200)[0].clone();
    assert_eq!(waiting["status"], "QUEUED");

    undo(&tenant, &late).await.fails(409, "UNDO_TOO_LATE");
    undo(&tenant, &waiting).await.fails(409, "IMPORT_NOT_FINISHED");
    undo(&tenant, &list).await.fails(404, "NOT_FOUND");
    undo(&other, &late).await.fails(404, "NOT_FOUND");
}

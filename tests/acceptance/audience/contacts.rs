//! Contacts, as organizations see and change them.

use acceptance::{Tenant, World, until};
use adapters_postgres::PgStore;
use reqwest::Method;
use serde_json::{Value, json};

async fn create(tenant: &Tenant<'_>, contact: Value) -> Value {
    tenant.owner().post("/contacts", contact).await.data(201).clone()
}

fn path(contact: &Value) -> String {
    format!("/contacts/{}", contact["id"].as_str().unwrap())
}

async fn names(tenant: &Tenant<'_>, query: &str) -> Vec<String> {
    let answer = tenant.owner().get(&format!("/contacts{query}")).await;
    let contacts = answer.data(200).as_array().unwrap();
    contacts.iter().map(|contact| contact["firstName"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_contact_is_visible_only_to_its_organization() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);

    let made = create(
        &own,
        json!({
            "firstName": " Ama ", "lastName": "Mensah", "phone": "024 123 4567",
            "email": "Ama@Example.com", "tags": ["VIP", "vip", "Accra"], "fcmToken": "token",
            "attributes": {"city": "Kumasi"},
        }),
    )
    .await;

    assert_eq!(
        made,
        json!({
            "id": made["id"], "firstName": "Ama", "lastName": "Mensah", "phone": "+233241234567",
            "phoneType": "MOBILE", "email": "ama@example.com", "countryCode": "GH",
            "tags": ["VIP", "Accra"],
            "fcmToken": "token", "attributes": {"city": "Kumasi"}, "consent": null,
            "suppressed": [], "lastMessageAt": null, "lastStatus": null,
            "createdAt": made["createdAt"], "updatedAt": made["createdAt"],
        })
    );
    assert_eq!(own.owner().get(&path(&made)).await.data(200), &made);
    let list = own.owner().get("/contacts").await;
    assert_eq!(list.data(200), &json!([made]));
    let pagination =
        json!({"page": 1, "limit": 100, "total": 1, "totalPages": 1, "nextCursor": null});
    assert_eq!(list.body["pagination"], pagination);
    other.owner().get(&path(&made)).await.fails(404, "NOT_FOUND");
    other.owner().get("/contacts/nonsense").await.fails(404, "NOT_FOUND");
    assert_eq!(other.owner().get("/contacts").await.data(200), &json!([]));
    let change = Some(json!({"firstName": "Kofi"}));
    for (method, body) in [(Method::PATCH, change), (Method::DELETE, None)] {
        other.owner().call(method, &path(&made), body).await.fails(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn rejects_an_address_of_another_contact_and_names_it() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let ama = create(&tenant, json!({"phone": "0241234567", "email": "ama@example.com"})).await;
    let kofi = create(&tenant, json!({"phone": "0241234568"})).await;

    for (request, field) in [
        (json!({"phone": "+233241234567"}), "phone"),
        (json!({"phone": "0241234569", "email": "AMA@example.com"}), "email"),
    ] {
        let details = json!({"field": field, "contactId": ama["id"]});
        let made = tenant.owner().post("/contacts", request.clone()).await;
        assert_eq!(made.fails(409, "CONTACT_EXISTS"), &details);
        let changed = tenant.owner().call(Method::PATCH, &path(&kofi), Some(request)).await;
        assert_eq!(changed.fails(409, "CONTACT_EXISTS"), &details);
    }
    assert_eq!(tenant.owner().get(&path(&kofi)).await.data(200), &kofi);
    let other = world.tenant().await;
    create(&other, json!({"phone": "0241234567", "email": "ama@example.com"})).await;
}

#[tokio::test]
async fn a_change_keeps_absent_fields_and_clears_null_fields() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = create(
        &tenant,
        json!({"firstName": "Ama", "phone": "0241234567", "tags": ["vip"], "attributes": {"a": "b"}}),
    )
    .await;
    let change =
        async |body: Value| tenant.owner().call(Method::PATCH, &path(&made), Some(body)).await;

    let changed = change(json!({"countryCode": "NG", "tags": null, "lastName": "Mensah"})).await;

    let mut expected = made.clone();
    expected["countryCode"] = json!("NG");
    expected["tags"] = json!([]);
    expected["lastName"] = json!("Mensah");
    expected["updatedAt"] = changed.data(200)["updatedAt"].clone();
    assert!(expected["updatedAt"].as_str() > made["updatedAt"].as_str(), "{expected}");
    assert_eq!(changed.data(200), &expected);
    assert_eq!(tenant.owner().get(&path(&made)).await.data(200), &expected);
    let changed = change(json!({"phone": "08031234567", "attributes": {"c": "d"}})).await;
    assert_eq!(changed.data(200)["phone"], "+2348031234567");
    assert_eq!(changed.data(200)["attributes"], json!({"c": "d"}));
    let nothing = json!({"firstName": null, "lastName": null, "phone": null, "attributes": null});
    assert_eq!(change(nothing).await.data(200)["phone"], Value::Null);
}

#[tokio::test]
async fn reports_every_fault_of_a_contact() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let wrong = json!({
        "firstName": 7, "phone": "12", "email": "nobody", "countryCode": "ZZ", "tags": ["a", ""],
        "attributes": {"a": 1}, "colour": "red",
    });
    let made = create(&tenant, json!({"firstName": "Ama"})).await;
    for (method, path) in [(Method::POST, "/contacts".to_owned()), (Method::PATCH, path(&made))] {
        let answer = tenant.owner().call(method, &path, Some(wrong.clone())).await;
        let fields = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        let fields: Vec<_> = fields.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            fields,
            ["attributes.a", "colour", "countryCode", "email", "firstName", "phone", "tags.1"]
        );
    }
    let long = "x".repeat(201);
    let search = tenant.owner().get(&format!("/contacts?search={long}&limit=101")).await;
    let fields = &search.fails(400, "VALIDATION_ERROR")["fieldErrors"];
    assert!(fields["limit"].is_array(), "{fields}");
}

#[tokio::test]
async fn a_contact_may_be_created_without_fields() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = create(&tenant, json!({})).await;
    assert_eq!((&made["phone"], &made["countryCode"]), (&json!(null), &json!("GH")));
    let phone = json!({"phone": "0241234567"});
    let known = tenant.owner().call(Method::PATCH, &path(&made), Some(phone)).await;
    assert_eq!(known.data(200)["phone"], "+233241234567");
}

#[tokio::test]
async fn a_contact_shows_the_type_of_its_phone() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (contact, expected) in [
        (json!({"phone": "0241234567"}), json!("MOBILE")),
        (json!({"phone": "0302345678"}), json!("FIXED_LINE")),
        (json!({"phone": "+18002345678"}), json!("OTHER")),
        (json!({"email": "ama@example.com"}), Value::Null),
    ] {
        let made = create(&tenant, contact).await;
        assert_eq!(made["phoneType"], expected, "{made}");
        assert_eq!(tenant.owner().get(&path(&made)).await.data(200), &made);
    }
}

#[tokio::test]
async fn contacts_are_searched_by_part_of_name_phone_or_email() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let contacts = [
        json!({"firstName": "Ama", "lastName": "Mensah", "phone": "0241234567"}),
        json!({"firstName": "Kofi", "email": "kofi_a@example.com"}),
        json!({"firstName": "100%", "email": "kofixa@example.com"}),
    ];
    for contact in contacts {
        create(&tenant, contact).await;
    }

    for (search, expected) in [
        ("ama%20MEN", vec!["Ama"]),
        ("%2B23324", vec!["Ama"]),
        ("0241234567", vec!["Ama"]),
        ("024%20123", vec!["Ama"]),
        ("EXAMPLE", vec!["100%", "Kofi"]),
        ("i_A%40", vec!["Kofi"]),
        ("0%25", vec!["100%"]),
        ("nobody", vec![]),
    ] {
        assert_eq!(names(&tenant, &format!("?search={search}")).await, expected, "{search}");
    }
    assert_eq!(names(&tenant, "?page=2&limit=1").await, ["Kofi"]);
    assert_eq!(names(&tenant, "?page=4294967295").await, Vec::<String>::new());
}

#[tokio::test]
async fn deleting_a_contact_erases_its_messages() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let contact = create(&tenant, json!({"phone": "0241230001", "email": "ama@example.com"})).await;
    let key = tenant.api_key(json!({"name": "sandbox"})).await;
    let send = async |to: &str| {
        let email = to.contains('@');
        let channel = if email { "EMAIL" } else { "SMS" };
        let metadata = json!({"customer": "Ama"});
        let mut message =
            json!({"channel": channel, "to": to, "body": "Akwaaba, Ama", "metadata": metadata});
        if email {
            message["subject"] = json!("Ama");
        }
        key.post("/messages/send", message).await.data(201)["id"].as_str().unwrap().to_owned()
    };
    let (email, other) = (send("Ama@example.com").await, send("kofi@example.com").await);

    let suppression = json!({"email": "ama@example.com"});
    tenant.owner().post("/compliance/suppression", suppression).await.data(201);
    let deleted = tenant.owner().call(Method::DELETE, &path(&contact), None).await;
    assert_eq!(deleted.data(200), &json!({"id": contact["id"], "deleted": true}));

    tenant.owner().get(&path(&contact)).await.fails(404, "NOT_FOUND");
    let again = tenant.owner().call(Method::DELETE, &path(&contact), None).await;
    again.fails(404, "NOT_FOUND");
    assert_eq!(tenant.owner().get("/contacts").await.body["pagination"]["total"], 0);
    // As if a minute had passed.
    let id = &tenant.id;
    world
        .sql(&format!(
            "UPDATE contact_erasures SET requested_at = now() - interval '2 minutes' \
             WHERE organization_id = '{id}'"
        ))
        .await;
    let store = PgStore::connect_writers(&world.database, 1).unwrap();
    until("the person is erased", async || {
        store.erase_some().await.unwrap();
        tenant.count("contact_erasures").await == 0
    })
    .await;
    let log =
        async |id: &str| tenant.owner().get(&format!("/messages/{id}")).await.data(200).clone();
    let erased = log(&email).await;
    for field in ["recipient", "subject", "body"] {
        assert_eq!(erased[field], "[erased]", "{field}");
    }
    assert_eq!((&erased["status"], &erased["metadata"]), (&json!("DELIVERED"), &json!({})));
    assert_eq!(log(&other).await["body"], "Akwaaba, Ama");
    assert_eq!(tenant.count("suppressions").await, 1, "the wish outlives the contact");
}

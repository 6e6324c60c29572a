//! Lists of contacts, the messages to one, and the export.

use acceptance::{Answer, Tenant, World, until};
use reqwest::Method;
use serde_json::{Value, json};

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";

async fn create(tenant: &Tenant<'_>, contact: Value) -> Value {
    tenant.owner().post("/contacts", contact).await.data(201).clone()
}

async fn suppress(tenant: &Tenant<'_>, entry: Value) -> Value {
    tenant.owner().post("/compliance/suppression", entry).await.data(201).clone()
}

async fn segment(tenant: &Tenant<'_>, rules: Value, is_dynamic: bool) -> String {
    let segment = json!({"name": "some", "rules": rules, "isDynamic": is_dynamic});
    let made = tenant.owner().post("/segments", segment).await;
    made.data(201)["id"].as_str().unwrap().to_owned()
}

fn names(answer: &Answer) -> Vec<&str> {
    let contacts = answer.data(200).as_array().unwrap();
    contacts.iter().map(|contact| contact["firstName"].as_str().unwrap()).collect()
}

fn id(item: &Value) -> &str {
    item["id"].as_str().unwrap()
}

/// Ama and Esi are customers, Kofi and Esi are suppressed, Yaw has a device only.
async fn four_people(tenant: &Tenant<'_>) -> Vec<Value> {
    let consent = json!({"at": "2026-01-31T09:00:00Z", "source": "Till at Osu"});
    let ama = json!({
        "firstName": "Ama", "phone": "0241234567", "tags": ["VIP"], "consent": consent,
    });
    let kofi = json!({"firstName": "Kofi", "phone": "0551002995"});
    let esi = json!({"firstName": "Esi", "email": "Esi@example.com", "tags": ["vip", "Accra"]});
    let yaw = json!({"firstName": "Yaw", "fcmToken": "device-1"});
    let mut made = Vec::new();
    for contact in [ama, kofi, esi, yaw] {
        made.push(create(tenant, contact).await);
    }
    suppress(tenant, json!({"phone": "0551002995", "reason": "asked for it"})).await;
    suppress(tenant, json!({"email": "ESI@example.com", "channel": "EMAIL"})).await;
    made
}

#[tokio::test]
async fn contacts_are_filtered_by_all_filters_together() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    four_people(&tenant).await;
    four_people(&other).await;
    let dynamic = segment(&tenant, json!({"tags": {"exists": true}}), true).await;
    let frozen = segment(&tenant, json!({"tags": "vip"}), false).await;
    create(&tenant, json!({"firstName": "Abena", "tags": ["vip"]})).await;

    for (query, expected) in [
        ("tag=vip", vec!["Abena", "Esi", "Ama"]),
        ("tag=accra", vec!["Esi"]),
        ("tag=vi", vec![]),
        ("suppressed=true", vec!["Esi", "Kofi"]),
        ("suppressed=false", vec!["Abena", "Yaw", "Ama"]),
        ("tag=vip&suppressed=true", vec!["Esi"]),
        ("tag=vip&suppressed=false&isConsented=true", vec!["Ama"]),
        ("search=055%20100%202995&suppressed=true", vec!["Kofi"]),
        ("search=0551002995", vec!["Kofi"]),
        ("search=%2B233%2055%20100", vec!["Kofi"]),
        ("search=0551002995&tag=vip", vec![]),
        (&format!("segmentId={dynamic}"), vec!["Abena", "Esi", "Ama"]),
        (&format!("segmentId={frozen}"), vec!["Esi", "Ama"]),
        (&format!("segmentId={frozen}&search=es"), vec!["Esi"]),
        (&format!("segmentId={dynamic}&suppressed=false&tag=VIP"), vec!["Abena", "Ama"]),
    ] {
        for place in ["", "&page=1", "&after="] {
            let answer = tenant.owner().get(&format!("/contacts?{query}{place}")).await;
            assert_eq!(names(&answer), expected, "{query}{place}");
            if place.is_empty() {
                let pagination = &answer.body["pagination"];
                assert_eq!(pagination["total"], expected.len(), "{query}");
                assert_eq!(pagination["nextCursor"], Value::Null, "{query}");
            }
        }
        let export = tenant.owner().get(&format!("/contacts/export?{query}")).await;
        assert_eq!(export.text.lines().count(), expected.len() + 1, "{query}");
    }
    let suppressed = tenant.owner().get("/compliance/suppression?search=055%20100%202995").await;
    assert_eq!(suppressed.data(200)[0]["phone"], "+233551002995");
    let foreign = other.owner().get(&format!("/contacts?segmentId={frozen}")).await;
    foreign.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn unfit_filters_of_contacts_are_named() {
    let world = World::shared().await;
    let owner = world.tenant().await.owner();
    for (query, field) in [
        (format!("segmentId={UNKNOWN}"), "segmentId"),
        ("segmentId=vips".to_owned(), "segmentId"),
        (format!("tag={}", "x".repeat(51)), "tag"),
        ("tag=a%00".to_owned(), "tag"),
        ("suppressed=maybe".to_owned(), "suppressed"),
        ("after=x".to_owned(), "after"),
    ] {
        let answer = owner.get(&format!("/contacts?{query}")).await;
        let fields = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
        assert!(fields[field].is_array(), "{query}: {fields}");
    }
}

#[tokio::test]
async fn the_contacts_of_a_segment_are_read_in_parts_to_their_end() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    four_people(&tenant).await;
    let all = tenant.owner().get("/contacts").await;
    for is_dynamic in [true, false] {
        let segment = segment(&tenant, json!({}), is_dynamic).await;
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/segments/{segment}/contacts?limit=3&after={after}");
            let part = tenant.owner().get(&path).await;
            seen.extend(part.data(200).as_array().unwrap().clone());
            let pagination = &part.body["pagination"];
            assert_eq!(pagination.as_object().unwrap().len(), 2, "{pagination}");
            let Some(next) = pagination["nextCursor"].as_str() else { break };
            next.clone_into(&mut after);
        }
        assert_eq!(&json!(seen), all.data(200), "dynamic: {is_dynamic}");
        let path = format!("/segments/{segment}/contacts");
        other.owner().get(&path).await.fails(404, "NOT_FOUND");
    }
    let unknown = format!("/segments/{UNKNOWN}/contacts");
    tenant.owner().get(&unknown).await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn the_list_of_contacts_is_read_in_parts_to_its_end() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    four_people(&tenant).await;

    let first = tenant.owner().get("/contacts?limit=3").await;
    let after = first.body["pagination"]["nextCursor"].as_str().unwrap().to_owned();
    let second = tenant.owner().get(&format!("/contacts?limit=3&after={after}")).await;

    assert_eq!((names(&first), names(&second)), (vec!["Yaw", "Esi", "Kofi"], vec!["Ama"]));
    assert_eq!(first.body["pagination"]["total"], 4);
    let end = json!({"limit": 3, "nextCursor": null});
    assert_eq!(second.body["pagination"], end);
}

#[tokio::test]
async fn a_contact_shows_its_suppressions() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let made = four_people(&tenant).await;
    let promotion = json!({"phone": "0241234567", "channel": "SMS", "category": "MARKETING"});
    suppress(&tenant, promotion).await;

    let list = tenant.owner().get("/contacts").await.data(200).clone();
    let show = async |index: usize| {
        let path = format!("/contacts/{}", id(&made[index]));
        tenant.owner().get(&path).await.data(200).clone()
    };
    let (ama, kofi, yaw) = (show(0).await, show(1).await, show(3).await);

    let entry = &kofi["suppressed"][0];
    assert_eq!(
        kofi["suppressed"],
        json!([{
            "id": entry["id"], "channel": null, "category": null, "reason": "asked for it",
            "source": "MANUAL", "createdAt": entry["createdAt"],
        }])
    );
    let only = &ama["suppressed"][0];
    assert_eq!((&only["channel"], &only["category"]), (&json!("SMS"), &json!("MARKETING")));
    assert_eq!(yaw["suppressed"], json!([]));
    assert_eq!((&list[0], &list[2], &list[3]), (&yaw, &kofi, &ama), "both have one form");
    let rules = json!({"rules": {"firstName": "Kofi"}});
    let preview = tenant.owner().post("/segments/preview", rules).await;
    assert_eq!(preview.data(200)["sample"], json!([kofi]));
}

#[tokio::test]
async fn a_contact_shows_its_last_message_and_lists_all_of_them() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let ama = json!({"firstName": "Ama", "phone": "0241234567", "email": "ama@example.com"});
    let ama = create(&tenant, ama).await;
    let kofi = create(&tenant, json!({"firstName": "Kofi"})).await;
    let key = tenant.api_key(json!({"name": "sandbox"})).await;
    for message in [
        json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"}),
        json!({"channel": "SMS", "to": "0200000001", "body": "Akwaaba"}),
        json!({"channel": "EMAIL", "to": "ama@example.com", "subject": "Hi", "body": "Akwaaba"}),
    ] {
        key.post("/messages/send", message).await.data(201);
    }
    let path = format!("/contacts/{}", id(&ama));
    let messages = format!("{path}/messages");
    until("the mail is delivered", async || {
        tenant.owner().get(&messages).await.data(200)[0]["status"] == "DELIVERED"
    })
    .await;

    let all = tenant.owner().get(&messages).await;
    let first = tenant.owner().get(&format!("{messages}?limit=1")).await;
    let after = first.body["pagination"]["nextCursor"].as_str().unwrap().to_owned();
    let second = tenant.owner().get(&format!("{messages}?limit=1&after={after}")).await;

    let lines = all.data(200).as_array().unwrap();
    let recipients: Vec<_> = lines.iter().map(|line| line["recipient"].as_str().unwrap()).collect();
    assert_eq!(recipients, ["ama@example.com", "+233241234567"]);
    let shown = tenant.owner().get(&path).await.data(200).clone();
    assert_eq!(shown["lastMessageAt"], Value::Null, "messages of the sandbox do not count");
    assert_eq!(shown["lastStatus"], Value::Null);
    let logged = tenant.owner().get("/delivery-logs?recipient=ama@example.com").await;
    assert_eq!(logged.data(200)[0], lines[0]);
    assert_eq!((&first.data(200)[0], &second.data(200)[0]), (&lines[0], &lines[1]));
    assert_eq!(second.body["pagination"], json!({"limit": 1, "nextCursor": null}));
    let nobody = tenant.owner().get(&format!("/contacts/{}/messages", id(&kofi))).await;
    assert_eq!(nobody.data(200), &json!([]));
    other.owner().get(&messages).await.fails(404, "NOT_FOUND");

    let reader = async |is_sandbox: bool| {
        let scopes = ["delivery-logs:read"];
        tenant.api_key(json!({"name": "k", "scopes": scopes, "isSandbox": is_sandbox})).await
    };
    let (sandbox, live) = (reader(true).await, reader(false).await);
    assert_eq!(sandbox.get(&messages).await.data(200).as_array().unwrap().len(), 2);
    assert_eq!(live.get(&messages).await.data(200), &json!([]));

    let message = json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"});
    let sent = tenant.owner().post("/messages/send", message.clone()).await.data(201).clone();
    key.post("/messages/send", message).await.data(201);
    let shown = tenant.owner().get(&path).await.data(200).clone();
    assert_eq!(shown["lastMessageAt"], sent["createdAt"]);
    assert!(shown["lastStatus"].is_string(), "{shown}");
}

#[tokio::test]
async fn an_export_of_contacts_has_all_their_fields_and_escapes_formulas() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let made = create(
        &tenant,
        json!({
            "firstName": "=1+1", "lastName": "Mensah", "phone": "0241234567",
            "email": "ama@example.com", "tags": ["VIP", "Accra"],
            "attributes": {"city": "Kumasi"},
            "consent": {"at": "2026-01-31T09:00:00Z", "source": "@Osu"},
        }),
    )
    .await;
    let change = Some(json!({"lastName": "Owusu"}));
    let path = format!("/contacts/{}", id(&made));
    let changed = tenant.owner().call(Method::PATCH, &path, change).await.data(200).clone();
    create(&tenant, json!({})).await;

    let export = tenant.owner().get("/contacts/export").await;

    assert_eq!(export.status, 200);
    assert!(export.header("content-type").starts_with("text/csv"));
    assert!(export.header("content-disposition").contains("contacts.csv"));
    let lines: Vec<_> = export.text.split("\r\n").collect();
    let header = "id,phone,email,firstName,lastName,countryCode,tags,consentAt,consentSource,\
                  createdAt,updatedAt,attributes";
    let time = |field: &str| changed[field].as_str().unwrap();
    let row = format!(
        "{},+233241234567,ama@example.com,'=1+1,Owusu,GH,VIP;Accra,2026-01-31T09:00:00.000Z,'@Osu,\
         {},{},\"{{\"\"city\"\":\"\"Kumasi\"\"}}\"",
        id(&made),
        time("createdAt"),
        time("updatedAt"),
    );
    assert_eq!((lines.len(), lines[0], lines[2], lines[3]), (4, header, row.as_str(), ""));
    assert!(lines[1].contains(",,,,,GH,,,,"), "{}", lines[1]);
    let empty = other.owner().get("/contacts/export").await;
    assert_eq!(empty.text, format!("{header}\r\n"));
}

//! Segments: parts of the contacts, described by rules.

use acceptance::{Caller, Tenant, World};
use reqwest::Method;
use serde_json::{Value, json};

const SEGMENTS: &str = "/segments";
const PREVIEW: &str = "/segments/preview";
const UNKNOWN: &str = "/segments/01a1fe23-0000-7000-8000-00000000000f";

async fn contact(tenant: &Tenant<'_>, contact: Value) -> Value {
    tenant.owner().post("/contacts", contact).await.data(201).clone()
}

async fn create(tenant: &Tenant<'_>, segment: Value) -> Value {
    tenant.owner().post(SEGMENTS, segment).await.data(201).clone()
}

async fn preview(caller: &Caller, rules: Value) -> Value {
    caller.post(PREVIEW, json!({ "rules": rules })).await.data(200).clone()
}

fn path(entity: &str, made: &Value) -> String {
    format!("/{entity}/{}", made["id"].as_str().unwrap())
}

async fn counts(tenant: &Tenant<'_>) -> Vec<(String, u64)> {
    let list = tenant.owner().get(SEGMENTS).await.data(200).clone();
    let list = list.as_array().unwrap().iter();
    list.map(|segment| {
        let name = segment["name"].as_str().unwrap().to_owned();
        (name, segment["contactCount"].as_u64().unwrap())
    })
    .collect()
}

#[tokio::test]
async fn a_preview_counts_matches_and_shows_the_newest_ten() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    for number in 0..12 {
        let name = format!("Ama {number}");
        contact(&own, json!({"firstName": name, "tags": ["VIP"], "attributes": {"City": "Ho"}}))
            .await;
    }
    contact(&own, json!({"firstName": "Kofi", "phone": "0241234567"})).await;
    contact(&other, json!({"firstName": "Ama", "tags": ["vip"]})).await;

    let vips = preview(&own.owner(), json!({"tags": "Vip"})).await;
    assert_eq!(vips["count"], 12);
    let names: Vec<_> =
        vips["sample"].as_array().unwrap().iter().map(|it| &it["firstName"]).collect();
    assert_eq!(names.len(), 10);
    assert_eq!((names[0], names[9]), (&json!("Ama 11"), &json!("Ama 2")));
    assert_eq!(vips["sample"][0]["attributes"], json!({"City": "Ho"}));

    for (rules, count) in [
        (json!({}), 13),
        (json!({"City": "HO"}), 12),
        (json!({"phone": "024 123 4567"}), 1),
        (json!({"all": [{"tags": "vip"}, {"firstName": {"startsWith": "ama 1"}}]}), 3),
        (json!({"not": {"tags": {"exists": true}}}), 1),
        (json!({"countryCode": "gh", "createdAt": {"after": "2020-01-01"}}), 13),
        (json!({"firstName": "'; DROP TABLE contacts; --"}), 0),
    ] {
        let found = preview(&own.owner(), rules.clone()).await;
        assert_eq!(found["count"], count, "{rules}");
        assert_eq!(found["sample"].as_array().unwrap().len(), count.min(10), "{rules}");
    }
}

#[tokio::test]
async fn a_segment_is_created_shown_listed_changed_and_deleted() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    contact(&own, json!({"firstName": "Ama", "tags": ["vip"]})).await;

    let rules = json!({"tags": ["VIP", "gold"], "any": [{"city": {"exists": false}}]});
    let made =
        create(&own, json!({"name": " VIPs ", "rules": rules, "description": "who pays"})).await;
    assert_eq!(
        made,
        json!({
            "id": made["id"], "name": "VIPs", "description": "who pays", "rules": rules,
            "isDynamic": true, "contactCount": 1, "countedAt": made["countedAt"], "warnings": [],
            "createdAt": made["createdAt"],
        })
    );
    let second = create(&own, json!({"name": "Nobody", "rules": {"tags": "none"}})).await;
    assert_eq!(counts(&own).await, [("Nobody".into(), 0), ("VIPs".into(), 1)]);
    let answer = own.owner().get("/segments?limit=1&page=2").await;
    assert_eq!(answer.data(200)[0]["id"], made["id"]);
    assert_eq!(answer.body["pagination"]["total"], 2);
    let shown = own.owner().get(&path("segments", &made)).await.data(200).clone();
    assert_eq!(shown["rules"], rules);

    let change = json!({"name": "Gold", "rules": {"tags": "gold"}, "description": null});
    let patch = async |segment, change| {
        own.owner().call(Method::PATCH, &path("segments", segment), Some(change)).await
    };
    let changed = patch(&made, change).await.data(200).clone();
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Gold"), &Value::Null));
    assert_eq!((&changed["contactCount"], &changed["id"]), (&json!(0), &made["id"]));
    let renamed = patch(&made, json!({"name": "Gold again"})).await.data(200).clone();
    assert_eq!(renamed["rules"], json!({"tags": "gold"}));

    other.owner().get(&path("segments", &made)).await.fails(404, "NOT_FOUND");
    assert_eq!(counts(&other).await, []);
    let delete = async |tenant: &Tenant<'_>| {
        tenant.owner().call(Method::DELETE, &path("segments", &second), None).await
    };
    delete(&other).await.fails(404, "NOT_FOUND");
    assert_eq!(delete(&own).await.data(200)["deleted"], true);
    assert_eq!(counts(&own).await, [("Gold again".into(), 0)]);
    own.owner().get(UNKNOWN).await.fails(404, "NOT_FOUND");
    own.owner().get("/segments/1").await.fails(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_dynamic_segment_gains_contacts_and_a_frozen_one_does_not() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let first = contact(&tenant, json!({"firstName": "Ama", "tags": ["vip"]})).await;
    let second = contact(&tenant, json!({"firstName": "Kofi", "tags": ["vip"]})).await;
    let rules = json!({"tags": "vip"});
    create(&tenant, json!({"name": "dynamic", "rules": rules})).await;
    let frozen =
        create(&tenant, json!({"name": "frozen", "rules": rules, "isDynamic": false})).await;
    assert_eq!((&frozen["contactCount"], &frozen["isDynamic"]), (&json!(2), &json!(false)));

    contact(&tenant, json!({"firstName": "Esi", "tags": ["VIP"]})).await;
    let change = Some(json!({"tags": []}));
    tenant.owner().call(Method::PATCH, &path("contacts", &second), change).await.data(200);
    assert_eq!(counts(&tenant).await, [("frozen".into(), 2), ("dynamic".into(), 2)]);

    tenant.owner().call(Method::DELETE, &path("contacts", &first), None).await.data(200);
    assert_eq!(counts(&tenant).await, [("frozen".into(), 1), ("dynamic".into(), 1)]);

    let change = Some(json!({"rules": {}}));
    let answer = tenant.owner().call(Method::PATCH, &path("segments", &frozen), change).await;
    answer.fails(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn reports_faults_of_a_segment_by_their_path() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    for (segment, paths) in [
        (json!({}), vec!["name", "rules"]),
        (json!({"name": " ", "rules": [], "isDynamic": 1}), vec!["isDynamic", "name", "rules"]),
        (json!({"name": "x", "rules": null, "colour": 1}), vec!["colour", "rules"]),
        (
            json!({"name": "x", "rules": {"all": [{}, {"tags": {"contains": []}}], "city": null}}),
            vec!["rules.all.1.tags.contains", "rules.city"],
        ),
    ] {
        let answer = tenant.owner().post(SEGMENTS, segment.clone()).await;
        answer.fails(400, "VALIDATION_ERROR");
        let fields = answer.body["error"]["details"]["fieldErrors"].as_object().unwrap();
        assert_eq!(fields.keys().collect::<Vec<_>>(), paths, "{segment}");
    }
    for body in [json!({}), json!({"rules": "all"}), json!({"rules": {"tags": {"is": "vip"}}})] {
        tenant.owner().post(PREVIEW, body).await.fails(400, "VALIDATION_ERROR");
    }
    assert_eq!(counts(&tenant).await, []);
}

#[tokio::test]
async fn warns_of_a_mistyped_field_and_of_a_taken_name() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    create(&other, json!({"name": "VIPs", "rules": {}})).await;

    let rules =
        json!({"any": [{"tag": "vip"}, {"not": {"first_name": "Ama", "attributes.tag": "x"}}]});
    let first = create(&own, json!({"name": "VIPs", "rules": rules})).await;
    let warnings = first["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{first}");
    for (warning, (key, field)) in
        warnings.iter().zip([("tag", "tags"), ("first_name", "firstName")])
    {
        let beginning = format!("`{key}` is read as an attribute; did you mean `{field}`?");
        assert!(warning.as_str().unwrap().starts_with(&beginning), "{warning}");
    }
    assert_eq!(preview(&own.owner(), rules).await["warnings"], first["warnings"]);

    let taken = json!(["another segment is named `VIPs`"]);
    let second = create(&own, json!({"name": "vips", "rules": {"tags": "vip"}})).await;
    assert_eq!(second["warnings"], taken);
    let rename = async |name: &str| {
        let change = Some(json!({"name": name}));
        let answer = own.owner().call(Method::PATCH, &path("segments", &second), change).await;
        answer.data(200)["warnings"].clone()
    };
    assert_eq!(rename("Gold").await, json!([]));
    assert_eq!(rename("VIPS").await, taken);
}

#[tokio::test]
async fn an_organization_has_at_most_a_hundred_segments() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    contact(&tenant, json!({"firstName": "Ama", "tags": ["vip"]})).await;
    for number in 0..100 {
        let rules =
            if number % 2 == 0 { json!({"tags": "vip"}) } else { json!({"firstName": "ama"}) };
        create(&tenant, json!({"name": format!("{number}"), "rules": rules})).await;
    }
    let one_more = json!({"name": "x", "rules": {}});
    tenant.owner().post(SEGMENTS, one_more).await.fails(409, "SEGMENT_LIMIT_REACHED");

    let counts = counts(&tenant).await;
    assert_eq!(counts.len(), 100);
    assert!(counts.iter().all(|(_, count)| *count == 1), "{counts:?}");
}

#[tokio::test]
async fn a_rule_names_a_campaign_of_the_organization_and_its_outcome() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    contact(&own, json!({"firstName": "Ama", "attributes": {"campaign": "easter"}})).await;
    let campaign = json!({"name": "Sale", "channel": "SMS"});
    let made = own.owner().post("/campaigns", campaign.clone()).await.data(201)["id"].clone();
    let theirs = other.owner().post("/campaigns", campaign).await.data(201)["id"].clone();

    let rule = |id: &Value, outcome: Value| json!({"campaign": {"id": id, "outcome": outcome}});
    for outcome in [json!("SENT"), json!(["SKIPPED", "FAILED"])] {
        assert_eq!(preview(&own.owner(), rule(&made, outcome)).await["count"], 0);
    }
    let others = json!({ "not": rule(&made, json!("SENT")) });
    let segment = create(&own, json!({"name": "Not yet", "rules": others})).await;
    assert_eq!((&segment["contactCount"], &segment["rules"]), (&json!(1), &others));
    assert_eq!(preview(&own.owner(), json!({"attributes.campaign": "easter"})).await["count"], 1);

    for (rules, field) in [
        (rule(&theirs, json!("SENT")), "rules.campaign.id"),
        (rule(&json!("x"), json!("SENT")), "rules.campaign.id"),
        (rule(&made, json!("DELIVERED")), "rules.campaign.outcome"),
        (rule(&made, json!([])), "rules.campaign.outcome"),
        (json!({"campaign": {"id": made}}), "rules.campaign.outcome"),
        (json!({"campaign": "easter"}), "rules.campaign"),
    ] {
        let path = path("segments", &segment);
        let change = Some(json!({ "rules": rules }));
        for answer in [
            own.owner().post(PREVIEW, json!({ "rules": rules })).await,
            own.owner().post(SEGMENTS, json!({"name": "x", "rules": rules})).await,
            own.owner().call(Method::PATCH, &path, change).await,
        ] {
            let details = answer.fails(400, "VALIDATION_ERROR");
            let found: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
            assert_eq!(found, [field], "{rules}");
        }
    }
}

#[tokio::test]
async fn warns_of_an_attribute_that_contacts_have_in_another_case() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    contact(&tenant, json!({"attributes": {"town": "Ho"}})).await;
    let rules = json!({"Town": "Ho"});

    let made = create(&tenant, json!({"name": "Ho", "rules": rules})).await;

    let warning = made["warnings"][0].as_str().unwrap();
    assert!(warning.contains("`Town`; did you mean `town`?"), "{warning}");
    let shown = tenant.owner().get(&path("segments", &made)).await.data(200).clone();
    assert_eq!(shown["warnings"], made["warnings"]);
    assert_eq!(preview(&tenant.owner(), rules).await["warnings"], made["warnings"]);
    let change = Some(json!({"rules": {"town": "Ho"}}));
    let changed = tenant.owner().call(Method::PATCH, &path("segments", &made), change).await;
    assert_eq!(changed.data(200)["warnings"], json!([]));
}

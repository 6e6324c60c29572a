//! Jobs that delete or tag many contacts.

use acceptance::{Tenant, World, until_some};
use serde_json::{Value, json};

const DELETE: &str = "/contacts/delete";
const TAGS: &str = "/contacts/tags";

async fn contact(tenant: &Tenant<'_>, contact: Value) -> Value {
    tenant.owner().post("/contacts", contact).await.data(201).clone()
}

fn job_path(id: &Value) -> String {
    format!("/contacts/jobs/{}", id.as_str().unwrap())
}

/// Returns a job once it has ended.
async fn ended(tenant: &Tenant<'_>, id: &Value) -> Value {
    until_some("the job has ended", async || {
        let answer = tenant.owner().get(&job_path(id)).await;
        let job = answer.data(200).clone();
        if job["finishedAt"].is_string() { Ok(job) } else { Err(answer.text) }
    })
    .await
}

async fn names(tenant: &Tenant<'_>) -> Vec<String> {
    let contacts = tenant.owner().get("/contacts").await.data(200).clone();
    let contacts = contacts.as_array().unwrap().iter();
    contacts.map(|it| it["firstName"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn selected_contacts_are_counted_and_then_deleted() {
    let world = World::shared().await;
    let (own, other) = (world.tenant().await, world.tenant().await);
    let ama = contact(&own, json!({"firstName": "Ama", "tags": ["Trial"]})).await;
    contact(&own, json!({"firstName": "Kofi"})).await;
    contact(&other, json!({"firstName": "Esi", "tags": ["trial"]})).await;
    let request = json!({"filter": {"tag": "trial"}, "dryRun": true});

    let preview = own.owner().post(DELETE, request).await.data(200).clone();
    assert_eq!(preview["count"], 1);
    assert_eq!(preview["sample"][0]["id"], ama["id"]);
    assert_eq!(names(&own).await, ["Kofi", "Ama"]);

    let begun = own.owner().post(DELETE, json!({"filter": {"tag": "trial"}})).await;
    let begun = begun.data(202).clone();
    assert_eq!(begun["count"], 1);
    let job = ended(&own, &begun["id"]).await;
    assert_eq!((&job["kind"], &job["status"]), (&json!("DELETE"), &json!("COMPLETED")));
    assert_eq!((&job["count"], &job["done"]), (&json!(1), &json!(1)));
    assert!(job["createdBy"].is_string());
    assert_eq!((names(&own).await, names(&other).await), (vec!["Kofi".into()], vec!["Esi".into()]));

    let list = own.owner().get("/contacts/jobs?limit=1").await;
    assert_eq!(list.data(200), &json!([job]));
    assert_eq!(list.body["pagination"], json!({"limit": 1, "nextCursor": null}));
    other.owner().get(&job_path(&begun["id"])).await.fails(404, "NOT_FOUND");
    assert_eq!(other.owner().get("/contacts/jobs").await.data(200), &json!([]));
}

#[tokio::test]
async fn tags_of_selected_contacts_change() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let ama = contact(&tenant, json!({"firstName": "Ama", "tags": ["Trial", "Accra"]})).await;
    let kofi = contact(&tenant, json!({"firstName": "Kofi", "tags": ["Trial"]})).await;
    let request = json!({
        "filter": {"ids": [ama["id"]], "tag": "TRIAL"}, "add": ["Gold"], "remove": ["trial"],
    });

    let begun = tenant.owner().post(TAGS, request).await.data(202).clone();

    assert_eq!(ended(&tenant, &begun["id"]).await["kind"], "TAG");
    for (made, tags) in [(&ama, json!(["Accra", "Gold"])), (&kofi, json!(["Trial"]))] {
        let path = format!("/contacts/{}", made["id"].as_str().unwrap());
        assert_eq!(tenant.owner().get(&path).await.data(200)["tags"], tags);
    }
}

#[tokio::test]
async fn an_empty_filter_selects_all_contacts_only_on_purpose() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    contact(&tenant, json!({"firstName": "Ama"})).await;
    let segment = json!({"name": "All", "rules": {}});
    let theirs = other.owner().post("/segments", segment).await.data(201)["id"].clone();

    for (path, request, fields) in [
        (DELETE, json!({}), vec!["filter"]),
        (DELETE, json!({"filter": {}, "dryRun": true}), vec!["filter"]),
        (DELETE, json!({"filter": {"search": " "}}), vec!["filter.search"]),
        (DELETE, json!({"filter": {"tag": "x"}, "all": true}), vec!["all"]),
        (DELETE, json!({"filter": {"segmentId": theirs}}), vec!["filter.segmentId"]),
        (DELETE, json!({"filter": {"ids": [], "colour": 1}}), vec!["filter.colour", "filter.ids"]),
        (DELETE, json!({"filter": {"tag": "x", "segmentId": null}}), vec!["filter.segmentId"]),
        (
            TAGS,
            json!({"filter": {"ids": null, "suppressed": true}, "add": ["a"], "dryRun": true}),
            vec!["filter.ids"],
        ),
        (TAGS, json!({"all": true}), vec!["add"]),
        (TAGS, json!({"all": true, "add": ["a", " "], "remove": ["A"]}), vec!["add", "add.1"]),
    ] {
        let answer = tenant.owner().post(path, request.clone()).await;
        let details = answer.fails(400, "VALIDATION_ERROR");
        let found: Vec<_> = details["fieldErrors"].as_object().unwrap().keys().collect();
        assert_eq!(found, fields, "{request}");
    }
    let all = json!({"all": true, "dryRun": true});
    assert_eq!(tenant.owner().post(DELETE, all).await.data(200)["count"], 1);
}

#[tokio::test]
async fn a_job_is_in_the_audit_log_with_its_filter() {
    let world = World::shared().await;
    let tenant = world.tenant().await;

    let request = json!({"filter": {"tag": "Trial", "suppressed": false}, "add": ["former"]});
    let begun = tenant.owner().post(TAGS, request).await.data(202).clone();

    let audit = tenant.owner().get("/organizations/audit").await.data(200).clone();
    let lines = audit.as_array().unwrap();
    let line = lines.iter().find(|line| line["action"] == "contacts.tagged").unwrap();
    assert_eq!(line["resourceId"], begun["id"]);
    assert_eq!(line["details"]["tag"], "trial");
    assert_eq!(line["details"]["suppressed"], "false");
    assert_eq!(line["details"]["add"], "former");
}

#[tokio::test]
async fn a_repeated_request_with_a_key_begins_one_job() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner().with("Idempotency-Key", "delete-1");
    let request = json!({"filter": {"tag": "trial"}});

    let first = owner.post(DELETE, request.clone()).await.data(202).clone();

    assert_eq!(owner.post(DELETE, request).await.data(202), &first);
    assert_eq!(tenant.count("contact_jobs").await, 1);
}

//! Files that are imported again.

use acceptance::{Answer, Tenant, World};
use serde_json::{Value, json};

use super::imports::{done, form_of, import};

const CONTACTS: &str = "/contacts/import";
const SUPPRESSIONS: &str = "/compliance/suppression/import";
const FILE: &str = "phone\n0241234567\n";

/// Uploads a file that is to be imported once.
async fn upload_once(tenant: &Tenant<'_>, path: &str, file: &str) -> Answer {
    let form = form_of(&[("once", "true"), ("file", file)]);
    tenant.owner().post_form(path, "multipart/form-data; boundary=limit", form).await
}

#[tokio::test]
async fn the_same_bytes_are_recognized_for_a_day() {
    let world = World::shared().await;
    let (tenant, other) = (world.tenant().await, world.tenant().await);
    let first = import(&tenant, CONTACTS, FILE).await;
    assert_eq!(first["sameAs"], Value::Null);

    let second = import(&tenant, CONTACTS, FILE).await;
    let refused = upload_once(&tenant, CONTACTS, FILE).await;

    assert_eq!(second["sameAs"], first["id"]);
    assert_eq!(refused.fails(409, "FILE_IMPORTED")["importId"], second["id"]);
    assert_eq!(tenant.owner().get("/contacts/imports").await.body["pagination"]["total"], 2);
    assert_eq!(tenant.count("import_chunks").await, 0);
    for accepted in [
        upload_once(&tenant, CONTACTS, "phone\n0241234567").await,
        upload_once(&tenant, SUPPRESSIONS, FILE).await,
        upload_once(&other, CONTACTS, FILE).await,
    ] {
        assert_eq!(accepted.data(201)["sameAs"], Value::Null, "it is another file");
    }
}

#[tokio::test]
async fn bytes_of_yesterday_and_of_failed_imports_are_not_known() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let failed = import(&tenant, CONTACTS, FILE).await;
    let old = import(&tenant, SUPPRESSIONS, FILE).await;
    world
        .sql(&format!(
            "UPDATE imports SET status = 'FAILED' WHERE id = '{}'; \
             UPDATE imports SET id = uuid_v7_in(now() - interval '25 hours', organization_id) \
             WHERE id = '{}'",
            failed["id"].as_str().unwrap(),
            old["id"].as_str().unwrap()
        ))
        .await;

    for path in [CONTACTS, SUPPRESSIONS] {
        let accepted = upload_once(&tenant, path, FILE).await;
        assert_eq!(accepted.data(201)["sameAs"], Value::Null, "{path}");
    }
}

#[tokio::test]
async fn of_equal_files_that_arrive_together_one_is_imported() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let uploads = (0..5).map(async |_| upload_once(&tenant, CONTACTS, FILE).await);

    let answers = futures_util::future::join_all(uploads).await;

    let mut made = Vec::new();
    let mut named = Vec::new();
    for answer in &answers {
        if answer.status == 201 {
            made.push(answer.data(201)["id"].clone());
        } else {
            named.push(answer.fails(409, "FILE_IMPORTED")["importId"].clone());
        }
    }
    assert_eq!((made.len(), named.len()), (1, 4));
    assert!(named.iter().all(|id| *id == made[0]), "{named:?}");
    let path = format!("/contacts/imports/{}", made[0].as_str().unwrap());
    assert_eq!(done(&tenant, &path).await["created"], json!(1));
}

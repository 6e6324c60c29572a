//! Previews of imports of contacts.

use std::fmt::Write;

use acceptance::{Answer, Tenant, World};
use serde_json::{Value, json};

use super::imports::form_of;

const FORM: &str = "multipart/form-data; boundary=limit";
const DRY: (&str, &str) = ("dryRun", "true");

async fn send(tenant: &Tenant<'_>, parts: &[(&str, &str)]) -> Answer {
    tenant.owner().post_form("/contacts/import", FORM, form_of(parts)).await
}

#[tokio::test]
async fn a_preview_shows_how_a_file_is_understood_and_imports_nothing() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let file = "Full Name,Mobile No.,E-mail,Branch,Notes\r\n\
                Ama Mensah,\"=\"\"0241234567\"\"\",nobody,Ho,x\r\n\
                ,,,,\r\n\
                Kofi,n/a,,,\r\n\
                \"Boateng, Esi\",,ESI@example.com,,\r\n";
    let mapping = r#"{"Branch": "attributes.Town", "Notes": null}"#;

    let answer = send(&tenant, &[("mapping", mapping), DRY, ("file", file)]).await;

    let preview = answer.data(200);
    let columns = json!([
        {"header": "Full Name", "field": "name"},
        {"header": "Mobile No.", "field": "phone"},
        {"header": "E-mail", "field": "email"},
        {"header": "Branch", "field": "attributes.Town"},
        {"header": "Notes", "field": null},
    ]);
    assert_eq!(preview["columns"], columns);
    let rows = json!([
        {
            "row": 2, "firstName": "Ama", "lastName": "Mensah", "phone": "+233241234567",
            "email": null, "countryCode": "GH", "tags": [], "fcmToken": null,
            "attributes": {"Town": "Ho"},
        },
        {
            "row": 5, "firstName": "Esi", "lastName": "Boateng", "phone": null,
            "email": "esi@example.com", "countryCode": "GH", "tags": [], "fcmToken": null,
            "attributes": {},
        },
    ]);
    assert_eq!(preview["rows"], rows);
    let errors: Vec<_> = preview["errors"].as_array().unwrap().iter().collect();
    let places: Vec<_> = errors.iter().map(|it| (&it["row"], &it["column"])).collect();
    let expected = [(&json!(2), &json!("E-mail")), (&json!(4), &json!("Mobile No."))];
    assert_eq!(places, expected, "{errors:?}");
    assert_eq!(tenant.count("imports").await + tenant.count("contacts").await, 0);
}

#[tokio::test]
async fn a_preview_of_a_long_file_looks_at_its_first_thousand_rows() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let mut file = "phone,firstName\n".to_owned();
    for number in 0..100_000 {
        let phone = if number % 900 == 0 { "12".to_owned() } else { format!("024{number:07}") };
        writeln!(file, "{phone},{}", "Ama".repeat(20)).unwrap();
    }

    let answer = send(&tenant, &[DRY, ("file", &file)]).await;

    let preview = answer.data(200);
    let rows = |field: &str| -> Vec<u64> {
        let items = preview[field].as_array().unwrap().iter();
        items.map(|it| it["row"].as_u64().unwrap()).collect()
    };
    assert_eq!(rows("rows"), (3_u64..13).collect::<Vec<_>>());
    assert_eq!(rows("errors"), [2, 902]);
}

#[tokio::test]
async fn a_preview_is_refused_like_an_import() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let file = ("file", "Nummer,Branch\n0241234567,Ho\n");
    for (parts, field) in [
        (vec![DRY, file], "file"),
        (vec![DRY, ("mapping", r#"{"Tel": "phone"}"#), file], "mapping.Tel"),
        (vec![DRY, ("mapping", r#"{"Nummer": "phone", "Branch": "phone"}"#), file], "file"),
        (vec![DRY, ("consentSource", " "), file], "consentSource"),
        (vec![("dryRun", "yes"), file], "dryRun"),
        (vec![DRY, DRY, file], "dryRun"),
        (vec![("file", "phone\n0241234567\n"), DRY], "dryRun"),
    ] {
        let refused = send(&tenant, &parts).await;
        let details = refused.fails(400, "VALIDATION_ERROR");
        assert!(details["fieldErrors"][field].is_array(), "{parts:?}: {}", refused.text);
    }
    let form = form_of(&[DRY, ("file", "phone\n0241234567\n")]);
    let refused = tenant.owner().post_form("/compliance/suppression/import", FORM, form).await;
    let details = refused.fails(400, "VALIDATION_ERROR");
    assert!(details["fieldErrors"]["dryRun"].is_array(), "{}", refused.text);
}

#[tokio::test]
async fn a_preview_can_be_repeated_under_its_key() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let caller = tenant.owner().with("Idempotency-Key", "first look");
    let file = ("file", "phone\n0241234567\n");
    let send = async |parts: &[(&str, &str)]| {
        caller.post_form("/contacts/import", FORM, form_of(parts)).await
    };

    let first = send(&[DRY, file]).await.data(200).clone();
    let again = send(&[DRY, file]).await.data(200).clone();

    assert_eq!(first, again);
    assert_ne!(first["columns"], Value::Null);
    send(&[file]).await.fails(422, "IDEMPOTENCY_KEY_REUSED");
    let import = tenant.owner().post_form("/contacts/import", FORM, form_of(&[file])).await;
    import.data(201);
}

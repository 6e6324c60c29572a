//! The description of the API.

use std::collections::BTreeSet;

use super::*;

const OPERATIONS: [&str; 31] = [
    "POST /auth/register",
    "POST /auth/login",
    "GET /auth/me",
    "POST /auth/forgot-password",
    "POST /auth/reset-password",
    "GET /auth/verify-email",
    "POST /auth/verify-email",
    "POST /organizations",
    "GET /organizations/current",
    "PATCH /organizations/current",
    "GET /organizations/members",
    "POST /organizations/invite",
    "GET /api-keys",
    "POST /api-keys",
    "DELETE /api-keys/{id}",
    "POST /messages/send",
    "POST /messages/bulk",
    "GET /messages/{id}",
    "GET /delivery-logs",
    "GET /delivery-logs/export",
    "GET /billing/wallet",
    "GET /billing/pricing",
    "GET /providers",
    "GET /providers/{id}",
    "POST /providers/{id}/health-check",
    "POST /callbacks/providers/{name}",
    "GET /callbacks/providers/{name}",
    "GET /health",
    "GET /health/live",
    "GET /health/ready",
    "GET /metrics",
];

fn operations() -> Vec<(String, Value)> {
    let document = serde_json::to_value(openapi()).unwrap();
    let paths = document["paths"].as_object().unwrap().clone();
    let operations = paths.into_iter().flat_map(|(path, item)| {
        let item = item.as_object().unwrap().clone();
        item.into_iter().map(move |(method, operation)| {
            (format!("{} {path}", method.to_uppercase()), operation)
        })
    });
    operations.collect()
}

#[test]
fn every_operation_is_documented_and_no_other() {
    let documented: BTreeSet<_> = operations().into_iter().map(|(name, _)| name).collect();
    assert_eq!(documented, OPERATIONS.map(str::to_owned).into());
}

#[test]
fn every_operation_has_a_name_of_its_own_a_summary_and_a_tag() {
    let operations = operations();
    let names: BTreeSet<_> =
        operations.iter().map(|(_, it)| it["operationId"].as_str().unwrap()).collect();
    assert_eq!(names.len(), operations.len());
    for (name, operation) in &operations {
        assert!(operation["summary"].is_string(), "{name}");
        assert!(operation["tags"][0].is_string(), "{name}");
        assert!(operation["responses"]["500"].is_object(), "{name}");
    }
}

#[test]
fn bodies_have_examples_and_required_fields() {
    let document = serde_json::to_value(openapi()).unwrap();
    for (name, operation) in operations() {
        let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
        let Some(body) = body.as_str() else { continue };
        let schema = body.trim_start_matches("#/components/schemas/");
        let schema = &document["components"]["schemas"][schema];
        assert!(schema["example"].is_object(), "{name}");
        assert!(operation["responses"]["400"].is_object(), "{name}");
        assert!(operation["responses"]["413"].is_object(), "{name}");
    }
    let send = &document["components"]["schemas"]["SendMessageRequest"];
    assert_eq!(send["required"], json!(["channel", "to"]));
    assert!(send["properties"]["async"].is_object());
}

#[test]
fn every_reference_leads_somewhere() {
    let document = serde_json::to_value(openapi()).unwrap();
    let text = document.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[test]
fn the_organization_is_named_by_a_header_wherever_a_session_acts_in_one() {
    for (name, operation) in operations() {
        let header = operation["parameters"].as_array().into_iter().flatten();
        let header = header.filter(|it| it["name"] == json!("X-Organization-Id"));
        let outside = ["GET /auth/me", "POST /organizations"].contains(&name.as_str())
            || name.contains(" /providers");
        let expected = operation["security"].is_array() && !outside;
        assert_eq!(header.count(), usize::from(expected), "{name}");
    }
}

//! Conventions of the API document (`docs/api-conventions.md`), with their exceptions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Times with other names: one is specified, the others are older than the convention.
const TIMES: [&str; 10] = [
    "DeliveryLog.notBefore",
    "Health.timestamp",
    "MessageFigures.from",
    "MessageFigures.to",
    "RecoverWebhookDeliveriesRequest.since",
    "ResendFailedRequest.from",
    "ResendFailedRequest.to",
    "TrafficAlert.stoppedUntil",
    "WebhookEndpoint.failingSince",
    "WebhookEndpoint.previousSecretUntil",
];

/// Objects with amounts in GHS without a currency: their fields are specified, or older than the
/// convention, or they belong to such an object.
const WITHOUT_CURRENCY: [&str; 8] = [
    "CheckedMessage",
    "DeliveryLog",
    "LedgerMovement",
    "OrganizationSettings",
    "Recommendation",
    "RefusedItem",
    "TimelineEntry",
    "VerifiedPayment",
];

/// Endings of the names of numbers that are no amounts.
const RATIOS: [&str; 2] = ["Rate", "Share"];

/// Extensions older than the convention, which answer a DELETE with 200 and what is gone.
const DELETES: [&str; 7] = [
    "DELETE /admin/sending-windows/{id}",
    "DELETE /api-keys/{id}",
    "DELETE /compliance/suppression/{id}",
    "DELETE /contacts/{id}",
    "DELETE /events/{id}",
    "DELETE /segments/{id}",
    "DELETE /sender-names/{id}",
];

/// Filters with other names: they are older than the convention, or decided otherwise.
const FILTERS: [&str; 6] = [
    "GET /admin/audit actor",
    "GET /admin/audit organization",
    "GET /admin/payment-exceptions resolved",
    "GET /admin/tenants suspended",
    "GET /contacts suppressed",
    "GET /contacts/export suppressed",
];

/// Beginning of the operations on accounts and sessions: a session is not shown twice, an address
/// registers once, and links work once.
const ACCOUNTS: &str = "POST /auth/";

/// Further operations that take no idempotency key: they make nothing, but decide about something,
/// change its state, which repetitions do not change again, or calculate an answer.
const MAKE_NOTHING: [&str; 33] = [
    "POST /admin/approvals/{id}/approve",
    "POST /admin/approvals/{id}/reject",
    "POST /admin/exit-impersonation",
    "POST /admin/payment-exceptions/{id}/resolve",
    "POST /admin/tenants/{id}/impersonate",
    "POST /admin/tenants/{id}/restore",
    "POST /admin/tenants/{id}/suspend",
    "POST /admin/users/{id}/end-sessions",
    "POST /admin/users/{id}/reset-totp",
    "POST /billing/invoices/{id}/void",
    "POST /billing/verify-payment",
    "POST /billing/webhooks/gateway",
    "POST /callbacks/providers/{name}",
    "POST /campaigns/{id}/cancel",
    "POST /campaigns/{id}/pause",
    "POST /campaigns/{id}/preview",
    "POST /campaigns/{id}/resume",
    "POST /checkout/{reference}/decline",
    "POST /checkout/{reference}/pay",
    "POST /compliance/check-message",
    "POST /contacts/imports/{id}/undo",
    "POST /content/generate",
    "POST /content/rewrite",
    "POST /content/translate",
    "POST /messages/{id}/cancel",
    "POST /organizations/current/close",
    "POST /organizations/current/restore",
    "POST /organizations/leave",
    "POST /organizations/traffic-alerts/{id}/lift",
    "POST /providers/{id}/health-check",
    "POST /segments/preview",
    "POST /templates/{id}/render",
    "POST /webhook-endpoints/{id}/test",
];

/// Operations of recipients, who have no keys.
const RECIPIENTS: [&str; 2] = ["POST /u/{code}", "POST /unsubscribe/{token}"];

fn schemas() -> &'static Value {
    &adapters_http::openapi()["components"]["schemas"]
}

/// Returns every operation, by its method and path.
fn operations() -> Vec<(String, &'static Value)> {
    let mut operations = Vec::new();
    for (path, item) in adapters_http::openapi()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push((format!("{} {path}", method.to_uppercase()), operation));
        }
    }
    operations
}

fn is_extension(operation: &Value) -> bool {
    operation["x-atumpan-extension"] == true
}

/// Returns the parameters in the query of an operation.
fn filters(operation: &'static Value) -> impl Iterator<Item = (&'static str, &'static Value)> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let those = parameters.filter(|parameter| parameter["in"] == "query");
    those.map(|it| (it["name"].as_str().unwrap(), resolved(&it["schema"])))
}

fn resolved(schema: &'static Value) -> &'static Value {
    referred(schema).map_or(schema, |name| &schemas()[name])
}

/// Returns the name of the schema that a schema refers to.
fn referred(schema: &'static Value) -> Option<&'static str> {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
}

/// Returns the schemas that a schema consists of, except those that it refers to.
fn parts(schema: &'static Value) -> Vec<&'static Value> {
    let mut found = Vec::new();
    for keyword in ["allOf", "anyOf", "oneOf"] {
        found.extend(schema[keyword].as_array().into_iter().flatten());
    }
    for keyword in ["items", "additionalProperties"] {
        found.extend(schema.get(keyword).filter(|schema| schema.is_object()));
    }
    found
}

/// Returns all fields inside a schema, each as its owner and its name, with its schema.
fn fields(owner: &str, schema: &'static Value) -> Vec<(String, &'static Value)> {
    let mut found = Vec::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let name = format!("{owner}.{name}");
        found.extend(fields(&name, field));
        found.push((name, field));
    }
    found.extend(parts(schema).into_iter().flat_map(|part| fields(owner, part)));
    found
}

fn is_time(field: &'static Value) -> bool {
    let is_one = |form: &Value| {
        form["format"] == "date-time" || form["$ref"] == "#/components/schemas/Timestamp"
    };
    is_one(field) || field["oneOf"].as_array().is_some_and(|forms| forms.iter().any(is_one))
}

/// Returns the answers of a success in JSON.
fn answers(operation: &'static Value) -> Vec<&'static Value> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let successes = responses.filter(|(status, _)| status.starts_with('2'));
    let answers = successes.map(|(_, response)| &response["content"]["application/json"]["schema"]);
    answers.filter(|schema| schema.is_object()).collect()
}

#[track_caller]
fn assert_none(broken: &BTreeSet<String>, rule: &str) {
    let broken: Vec<_> = broken.iter().map(String::as_str).collect();
    assert!(broken.is_empty(), "{rule} (docs/api-conventions.md):\n  {}", broken.join("\n  "));
}

#[test]
fn a_time_ends_in_at_and_nothing_else_does() {
    let mut broken = BTreeSet::new();
    for (owner, schema) in schemas().as_object().unwrap() {
        for (name, field) in fields(owner, schema) {
            let is_named =
                name.ends_with("At") || name.rsplit_once('.').is_some_and(|(_, last)| last == "at");
            if is_time(field) != is_named && !TIMES.contains(&name.as_str()) {
                broken.insert(name);
            }
        }
    }
    assert_none(&broken, "the name of a time ends in `At`");
}

/// Search for amounts in an object that has no currency, and is in none that has one.
#[derive(Default)]
struct Amounts {
    seen: BTreeSet<(String, bool)>,
    found: BTreeSet<String>,
}

impl Amounts {
    fn search(&mut self, owner: &str, schema: &'static Value, has_currency: bool) {
        if let Some(name) = referred(schema) {
            if self.seen.insert((name.to_owned(), has_currency)) {
                self.search(name, &schemas()[name], has_currency);
            }
            return;
        }
        let whole = schema["allOf"].as_array().into_iter().flatten().map(resolved);
        let has_currency = has_currency
            || whole.chain([schema]).any(|part| part["properties"].get("currency").is_some());
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let is_amount = field["type"].to_string().contains("\"number\"")
                && !RATIOS.iter().any(|ratio| name.ends_with(ratio));
            if is_amount && !has_currency && !WITHOUT_CURRENCY.contains(&owner) {
                self.found.insert(format!("{owner}.{name}"));
            }
            self.search(owner, field, has_currency);
        }
        for part in parts(schema) {
            self.search(owner, part, has_currency);
        }
    }
}

#[test]
fn an_amount_has_its_currency_in_the_same_object() {
    let mut amounts = Amounts::default();
    for (name, operation) in operations() {
        for answer in answers(operation) {
            amounts.search(&name, answer, false);
        }
    }
    assert_none(&amounts.found, "an amount has `currency` beside it, or around it");
}

#[test]
fn a_delete_of_an_extension_answers_nothing() {
    let mut broken = BTreeSet::new();
    for (name, operation) in operations() {
        if !name.starts_with("DELETE ") || !is_extension(operation) {
            continue;
        }
        let statuses = operation["responses"].as_object().unwrap().keys();
        let successes: Vec<_> = statuses.filter(|status| status.starts_with('2')).collect();
        if successes != ["204"] && !DELETES.contains(&name.as_str()) {
            broken.insert(name);
        }
    }
    assert_none(&broken, "a DELETE answers 204");
}

#[test]
fn a_filter_is_named_after_its_kind() {
    let mut broken = BTreeSet::new();
    for (name, operation) in operations().into_iter().filter(|(name, _)| name.starts_with("GET ")) {
        for (filter, schema) in filters(operation) {
            let is_named = match (schema["type"].as_str(), schema["format"].as_str()) {
                (_, Some("uuid")) => filter == "id" || filter.ends_with("Id"),
                (_, Some("date-time")) => ["from", "to"].contains(&filter),
                (Some("boolean"), _) => filter.starts_with("is"),
                _ => true,
            };
            let name = format!("{name} {filter}");
            if !is_named && !FILTERS.contains(&name.as_str()) {
                broken.insert(name);
            }
        }
    }
    assert_none(&broken, "a filter is `…Id`, `is…`, `from`, `to` or a word");
}

#[test]
fn a_filter_has_one_type_in_all_lists() {
    let mut types: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (_, operation) in operations() {
        for (filter, schema) in filters(operation) {
            types.entry(filter).or_default().insert(schema["type"].to_string());
        }
    }
    let broken = types.into_iter().filter(|(_, types)| types.len() > 1);
    let broken = broken.map(|(filter, types)| format!("{filter}: {types:?}")).collect();
    assert_none(&broken, "one name stands for one filter");
}

#[test]
fn a_list_in_parts_says_where_the_next_one_begins() {
    let mut broken = BTreeSet::new();
    for (name, operation) in operations() {
        let taken: BTreeSet<_> = filters(operation).map(|(filter, _)| filter).collect();
        let is_in_parts = taken.contains("page") || taken.contains("after");
        for answer in answers(operation).into_iter().map(resolved) {
            let pagination = answer["properties"].get("pagination");
            let has_cursor =
                pagination.is_some_and(|it| resolved(it)["properties"].get("nextCursor").is_some());
            let fits = pagination.is_some() == is_in_parts
                && (!is_in_parts || taken.contains("limit"))
                && (!taken.contains("after") || has_cursor);
            if !fits {
                broken.insert(name.clone());
            }
        }
    }
    assert_none(&broken, "a list with `page` or `after` has `limit` and `pagination`");
}

#[test]
fn a_post_that_makes_something_takes_an_idempotency_key() {
    let mut broken = BTreeSet::new();
    let posts = operations().into_iter().filter(|(name, _)| name.starts_with("POST "));
    for (name, operation) in posts {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        let takes_key = parameters.any(|it| it["name"] == "Idempotency-Key");
        let is_named = MAKE_NOTHING.contains(&name.as_str()) || RECIPIENTS.contains(&name.as_str());
        if takes_key == (is_named || name.starts_with(ACCOUNTS)) {
            broken.insert(name);
        }
    }
    assert_none(&broken, "a POST that sends or creates takes `Idempotency-Key`");
}

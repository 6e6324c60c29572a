//! Isolation of organizations: every operation of the API document, with identifiers of another
//! organization's items in its path or its body.

use std::collections::{BTreeMap, BTreeSet};

use acceptance::{Answer, Caller, Tenant, World};
use domain::identity::api_key::DEFAULT_SCOPES;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    identity::{
        roles::{RETRY, ask, rules},
        scopes::SCOPES,
    },
    shared::{
        body_fields::{BodyField, fields_of},
        document::{Operation, operations},
        possessions::Possessions,
        settings::with_nobody,
    },
};

/// Operations whose identifiers are filters: they find nothing by those of others.
const FILTERED: [&str; 3] =
    ["POST /messages/resend", "POST /contacts/delete", "POST /contacts/tags"];
const UNKNOWN: &str = "01a1fe23-0000-7000-8000-00000000000f";
const SESSION: &str = "a session";
const IMPERSONATION: &str = "an impersonation";
/// Fields that name an item by a word of its organization.
const NAMED: [(&str, &str); 2] =
    [("POST /events/trigger", "event"), ("POST /billing/verify-payment", "reference")];
/// Headers that no two answers share.
const OWN_HEADERS: [&str; 7] = [
    "connection",
    "content-length",
    "date",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "x-request-id",
];

/// Two organizations in a separate world; the first one attacks.
struct Scene<'w> {
    attacker: Tenant<'w>,
    victim: Tenant<'w>,
    own: Possessions,
    theirs: Possessions,
    /// Names of an event and of an open top-up, of the victim and of the attacker.
    named: BTreeMap<&'static str, [String; 2]>,
}

/// Request, and the identifier in it.
struct Attempt {
    path: String,
    body: Value,
    id: String,
}

async fn scene(world: &World) -> Scene<'_> {
    let (attacker, victim) = (world.tenant().await, world.tenant().await);
    let own = Possessions::of(world, &attacker).await;
    let theirs = Possessions::of(world, &victim).await;
    let event = json!({"name": "Theirs", "slug": "theirs.alone"});
    victim.owner().post("/events", event).await.data(201);
    let references = [top_up(&victim).await, top_up(&attacker).await];
    let events = ["theirs.alone".to_owned(), "ready".to_owned()];
    let named = BTreeMap::from([("event", events), ("reference", references)]);
    Scene { attacker, victim, own, theirs, named }
}

/// Begins a top-up and returns the reference of its payment.
async fn top_up(tenant: &Tenant<'_>) -> String {
    let answer = tenant.owner().post("/billing/top-up", json!({"amount": 5})).await;
    answer.data(200)["reference"].as_str().unwrap().to_owned()
}

impl Scene<'_> {
    /// Returns a valid body for an operation.
    fn body(operation: &Operation) -> Value {
        let rules = rules();
        let rule = rules.iter().find(|(name, ..)| *name == operation.name());
        rule.map_or_else(|| operation.example().unwrap_or_default(), |(_, _, body, _)| body.clone())
    }

    /// Returns requests with the victim's identifier in the path, each with the same for an unknown one.
    fn addresses(&self, operation: &Operation) -> Vec<[Attempt; 2]> {
        let Some(path) = self.theirs.path(operation) else { return Vec::new() };
        let attempt =
            |path: String| Attempt { path, body: Self::body(operation), id: String::new() };
        let mut pairs = vec![[attempt(path), attempt(operation.path(UNKNOWN))]];
        if operation.name() == RETRY {
            let nobodys = self.own.retry_of(&self.theirs);
            let (endpoint, _) = nobodys.split_once("/deliveries/").unwrap();
            let unknown = format!("{endpoint}/deliveries/{UNKNOWN}/retry");
            pairs.push([attempt(nobodys), attempt(unknown)]);
        }
        pairs
    }

    /// Returns requests with the victim's identifier in the body, each with the same for an unknown one
    /// and for the attacker's own.
    fn references(&self, operation: &Operation) -> Vec<[Attempt; 3]> {
        let mut found = Vec::new();
        for field in fields_of(operation) {
            let Some([theirs, own]) = self.referred_to(operation, &field) else { continue };
            let path = self.own.path(operation).unwrap_or_else(|| operation.path(UNKNOWN));
            let attempt = |id: String| {
                let mut body = field.set(operation, json!(id));
                body.as_object_mut().unwrap().remove("idempotencyKey");
                // A campaign has a text or a template.
                if operation.template.starts_with("/campaigns") && field.name() == "templateId" {
                    body["body"] = Value::Null;
                }
                if field.name() == "contactId" {
                    // An event whose template is approved.
                    body = json!({"event": "ready", "contactId": id});
                }
                Attempt { path: path.clone(), body, id }
            };
            let nobodys = if field.name() == "event" { "nobodys" } else { UNKNOWN };
            found.push([attempt(theirs), attempt(nobodys.into()), attempt(own)]);
        }
        found
    }

    /// Returns the victim's and the attacker's identifiers that suit the field.
    fn referred_to(&self, operation: &Operation, field: &BodyField) -> Option<[String; 2]> {
        let name = operation.name();
        if NAMED.contains(&(name.as_str(), field.name())) {
            return Some(self.named[field.name()].clone());
        }
        if field.schema["format"] != "uuid" {
            return None;
        }
        let named = match field.path[0].as_str() {
            "filter" => field.name(),
            first => first,
        };
        let home = match named {
            "messages" | "templateId" | "templates" => "/templates/",
            "segmentId" => "/segments/",
            "campaignId" => "/campaigns/",
            "contactId" | "ids" => "/contacts/",
            "organizationId" => "/admin/tenants/",
            other => panic!("{name}: what does `{other}` identify? Say it in `referred_to`"),
        };
        Some([self.theirs.at(home).to_owned(), self.own.at(home).to_owned()])
    }
}

async fn call(caller: &Caller, operation: &Operation, attempt: &Attempt) -> Answer {
    ask(caller, operation.method.clone(), &attempt.path, &attempt.body).await
}

/// Returns the answer without the parts that differ in each answer and without the requested identifier.
fn comparable(answer: &Answer, attempt: &Attempt) -> (u16, Vec<String>, String) {
    let headers = answer.headers.iter().filter(|(name, _)| !OWN_HEADERS.contains(&name.as_str()));
    let mut headers: Vec<_> = headers.map(|(name, value)| format!("{name}: {value:?}")).collect();
    headers.sort();
    let text = match attempt.id.as_str() {
        "" => answer.text.clone(),
        id => answer.text.replace(id, "…"),
    };
    (answer.status, headers, text)
}

/// Returns an administrator who impersonates the attacker.
async fn impersonator(world: &World, scene: &Scene<'_>) -> Caller {
    let admin = world.administrator().await;
    let path = format!("/admin/tenants/{}/impersonate", scene.attacker.id);
    let session = admin.post(&path, json!({})).await;
    let token = session.data(200)["token"].as_str().unwrap();
    admin.with("Authorization", &format!("Bearer {token}"))
}

/// Requests the victim's and unknown identifiers in the path. Returns the number of pairs.
async fn attack_by_address(
    scene: &Scene<'_>,
    operation: &Operation,
    who: &str,
    caller: &Caller,
) -> usize {
    let pairs = scene.addresses(operation);
    for [theirs, nobodys] in &pairs {
        let answer = comparable(&call(caller, operation, theirs).await, theirs);
        let expected = comparable(&call(caller, operation, nobodys).await, nobodys);
        assert_eq!(answer, expected, "{} by {who}", theirs.path);
        // Administration, and some operations for impersonators, are forbidden.
        let may_know = operation.is_inside && who != IMPERSONATION;
        let refusals: &[u16] = if may_know { &[404] } else { &[403, 404] };
        assert!(refusals.contains(&answer.0), "{} by {who}: {answer:?}", operation.name());
    }
    pairs.len()
}

/// Requests the victim's and unknown identifiers in the body. Returns the number of attempts.
async fn attack_by_body(
    scene: &Scene<'_>,
    operation: &Operation,
    who: &str,
    caller: &Caller,
) -> usize {
    let attempts = scene.references(operation);
    for [theirs, nobodys, own] in &attempts {
        let answer = comparable(&call(caller, operation, theirs).await, theirs);
        let expected = comparable(&call(caller, operation, nobodys).await, nobodys);
        let what = format!("{} {} by {who}", operation.name(), theirs.body);
        assert_eq!(answer, expected, "{what}");
        if FILTERED.contains(&operation.name().as_str()) && answer.0 == 200 {
            assert!(answer.2.contains("\"count\":0"), "{what}: {answer:?}");
            continue;
        }
        assert!((400..=404).contains(&answer.0), "{what}: {answer:?}");
        // Otherwise the identifier would not have been looked up.
        if operation.is_inside && who == SESSION {
            let allowed = comparable(&call(caller, operation, own).await, own);
            assert_ne!(allowed, answer, "{what} is answered like {}", own.body);
        }
    }
    attempts.len()
}

#[tokio::test]
async fn foreign_identifiers_are_answered_like_unknown_ones() {
    let world = with_nobody().await;
    let scene = scene(&world).await;
    let (owner, acting) = (scene.attacker.owner(), impersonator(&world, &scene).await);
    let scopes: BTreeSet<_> = SCOPES.into_iter().chain(DEFAULT_SCOPES).collect();
    let key = json!({"name": "live", "isSandbox": false, "scopes": scopes});
    let key = scene.attacker.api_key(key).await;
    let before = scene.theirs.read(&scene.victim).await;

    let mut tried = 0;
    for operation in operations().into_iter().filter(|it| it.takes_session) {
        let mut callers = vec![(SESSION, &owner), (IMPERSONATION, &acting)];
        if operation.takes_key || operation.opened_by.is_some() {
            callers.push(("a key", &key));
        }
        for (who, caller) in callers {
            tried += attack_by_address(&scene, &operation, who, caller).await;
            tried += attack_by_body(&scene, &operation, who, caller).await;
        }
    }

    assert!(tried > 120, "{tried} attempts");
    assert_eq!(scene.theirs.read(&scene.victim).await, before);
    // The comparison would show any change.
    let contact = format!("/contacts/{}", scene.theirs.at("/contacts/"));
    let change = json!({"lastName": "Owusu"});
    scene.victim.owner().call(Method::PATCH, &contact, Some(change)).await.data(200);
    assert_ne!(scene.theirs.read(&scene.victim).await, before);
    scene.victim.assert_ledger_adds_up().await;
}

#[tokio::test]
async fn a_caller_cannot_act_for_another_organization() {
    let world = with_nobody().await;
    let scene = scene(&world).await;
    let acting = impersonator(&world, &scene).await;
    let before = scene.theirs.read(&scene.victim).await;

    for caller in [scene.attacker.owner(), acting] {
        let caller = caller.with("X-Organization-Id", &scene.victim.id);
        for operation in operations().into_iter().filter(|it| it.is_inside) {
            let path = scene.theirs.path(&operation);
            let path = path.unwrap_or_else(|| operation.template.clone());
            let body = Scene::body(&operation);
            let answer = ask(&caller, operation.method.clone(), &path, &body).await;
            assert_eq!(answer.status, 403, "{}: {}", operation.name(), answer.text);
            // Some operations are forbidden to impersonators.
            let code = &answer.body["error"]["code"];
            assert!(code == "NOT_A_MEMBER" || code == "FORBIDDEN", "{}", answer.text);
        }
    }
    // A key belongs to its organization, whatever the header names.
    let key = scene.attacker.live_key().await.with("X-Organization-Id", &scene.victim.id);
    let message = format!("/messages/{}", scene.theirs.at("/messages/"));
    key.get(&message).await.fails(404, "NOT_FOUND");
    assert_eq!(scene.theirs.read(&scene.victim).await, before);
}

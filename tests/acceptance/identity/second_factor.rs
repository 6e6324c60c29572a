//! Second factors: codes of an authenticator app, recovery codes, and administrators in production.

use std::time::{SystemTime, UNIX_EPOCH};

use acceptance::{Answer, Caller, World, unique_email};
use app::service;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::shared::settings::PRODUCTION;

const PASSWORD: &str = "correct horse";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Authenticator app with one secret.
pub(crate) struct App(Vec<u8>);

impl App {
    /// Returns the app that has a secret in base32.
    pub(crate) fn new(secret: &str) -> Self {
        let (mut bytes, mut pending, mut count) = (Vec::new(), 0_usize, 0);
        for digit in secret.chars() {
            pending = (pending << 5) | BASE32.find(digit).unwrap();
            count += 5;
            if count >= 8 {
                count -= 8;
                bytes.push(u8::try_from(pending >> count).unwrap());
                pending &= (1 << count) - 1;
            }
        }
        Self(bytes)
    }

    /// Returns the code that the app shows so many steps from now.
    pub(crate) fn code(&self, steps: i64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let step = i64::try_from(now / 30).unwrap() + steps;
        let mac = Hmac::<Sha1>::new_from_slice(&self.0).unwrap();
        let mac: [u8; 20] = mac.chain_update(step.to_be_bytes()).finalize().into_bytes().into();
        let start = usize::from(mac[19] & 0xf);
        let number = u32::from_be_bytes(mac[start..start + 4].try_into().unwrap()) & 0x7fff_ffff;
        format!("{:06}", number % 1_000_000)
    }

    /// Returns a code that is not valid now.
    fn wrong_code(&self) -> String {
        let valid: Vec<_> = (-2..=2).map(|steps| self.code(steps)).collect();
        let mut codes = (0..6).map(|number| format!("{number:06}"));
        codes.find(|code| !valid.contains(code)).unwrap()
    }
}

/// User with a session.
struct Person<'w> {
    world: &'w World,
    email: String,
    caller: Caller,
}

impl<'w> Person<'w> {
    async fn registered(world: &'w World) -> Self {
        let email = unique_email("esi");
        let user = world.user(&email).await;
        let token = user["token"].as_str().unwrap();
        let caller = world.guest().with("Authorization", &format!("Bearer {token}"));
        Self { world, email, caller }
    }

    async fn propose(&self) -> App {
        let answer = self.caller.post("/auth/totp", json!({"password": PASSWORD})).await;
        App::new(answer.data(200)["secret"].as_str().unwrap())
    }

    async fn confirm(&self, code: &str) -> Answer {
        self.caller.post("/auth/totp/confirm", json!({"code": code})).await
    }

    /// Sets up a second factor, and returns the app and the recovery codes.
    async fn set_up(&self) -> (App, Vec<Value>) {
        let app = self.propose().await;
        let codes = self.confirm(&app.code(0)).await.data(200)["recoveryCodes"].clone();
        (app, codes.as_array().unwrap().clone())
    }

    async fn login(&self, proof: Value) -> Answer {
        let mut body = json!({"email": self.email, "password": PASSWORD});
        body.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
        self.world.post("/auth/login", body).await
    }

    async fn remove(&self, password: &str, proof: Value) -> Answer {
        let mut body = json!({"password": password});
        body.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
        self.caller.post("/auth/totp/remove", body).await
    }

    async fn has_second_factor(&self) -> Value {
        self.caller.get("/auth/me").await.data(200)["secondFactor"].clone()
    }
}

#[track_caller]
fn faulty_fields(answer: &Answer) -> Vec<String> {
    let details = answer.fails(400, "VALIDATION_ERROR");
    details["fieldErrors"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn a_login_needs_a_code_once_the_second_factor_is_confirmed() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    let answer = esi.caller.post("/auth/totp", json!({"password": PASSWORD})).await;
    let secret = answer.data(200)["secret"].as_str().unwrap().to_owned();
    let uri = answer.data(200)["uri"].as_str().unwrap().to_owned();
    assert!(uri.starts_with("otpauth://totp/Atumpan:esi"), "{uri}");
    assert!(uri.contains(&format!("?secret={secret}&issuer=Atumpan")), "{uri}");
    let app = App::new(&secret);
    esi.login(json!({})).await.data(200);
    assert_eq!(esi.has_second_factor().await, false);

    assert_eq!(faulty_fields(&esi.confirm(&app.wrong_code()).await), ["code"]);
    let confirmed = esi.confirm(&app.code(0)).await;
    let codes = confirmed.data(200)["recoveryCodes"].as_array().unwrap().clone();
    assert_eq!(codes.len(), 10);
    assert_eq!(esi.has_second_factor().await, true);

    esi.login(json!({})).await.fails(401, "SECOND_FACTOR_REQUIRED");
    esi.login(json!({"code": null, "recoveryCode": ""})).await.fails(401, "SECOND_FACTOR_REQUIRED");
    assert_eq!(faulty_fields(&esi.login(json!({"code": 123_456})).await), ["code"]);
    let wrong_password = json!({"email": esi.email, "password": "wrong", "code": app.code(1)});
    world.post("/auth/login", wrong_password).await.fails(401, "INVALID_CREDENTIALS");
    let session = esi.login(json!({"code": app.code(1)})).await;
    assert_eq!(session.data(200)["user"]["secondFactor"], true);
}

#[tokio::test]
async fn a_code_is_accepted_once_and_none_before_it() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    let app = esi.propose().await;
    let confirming = app.code(0);
    esi.confirm(&confirming).await.data(200);

    esi.login(json!({"code": confirming})).await.fails(401, "SECOND_FACTOR_REQUIRED");
    let next = app.code(1);
    esi.login(json!({"code": next})).await.data(200);
    for used in [next, confirming, app.code(-1)] {
        esi.login(json!({"code": used})).await.fails(401, "SECOND_FACTOR_REQUIRED");
    }
}

#[tokio::test]
async fn a_recovery_code_replaces_a_code_once() {
    let world = World::shared().await;
    let (esi, kofi) = (Person::registered(&world).await, Person::registered(&world).await);
    let (_, codes) = esi.set_up().await;
    kofi.set_up().await;
    let first =
        json!({"recoveryCode": codes[0].as_str().unwrap().to_lowercase().replace('-', " ")});

    kofi.login(first.clone()).await.fails(401, "SECOND_FACTOR_REQUIRED");
    esi.login(first.clone()).await.data(200);
    esi.login(first).await.fails(401, "SECOND_FACTOR_REQUIRED");
    esi.login(json!({"recoveryCode": codes[1]})).await.data(200);
}

#[tokio::test]
async fn wrong_codes_count_as_failed_logins() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    let (app, codes) = esi.set_up().await;
    for attempt in 0..10 {
        // A login without a code does not reset the count.
        let proof = if attempt % 2 == 0 { json!({}) } else { json!({"code": app.wrong_code()}) };
        esi.login(proof).await.fails(401, "SECOND_FACTOR_REQUIRED");
    }

    esi.login(json!({"recoveryCode": codes[0]})).await.fails(429, "RATE_LIMITED");
    let removed = esi.remove(PASSWORD, json!({"recoveryCode": codes[0]})).await;
    removed.fails(429, "RATE_LIMITED");
}

#[tokio::test]
async fn a_second_factor_is_removed_with_the_password_and_a_code() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    esi.remove(PASSWORD, json!({"code": "123456"})).await.fails(404, "NOT_FOUND");
    esi.confirm("123456").await.fails(404, "NOT_FOUND");
    assert_eq!(faulty_fields(&esi.caller.post("/auth/totp", json!({})).await), ["password"]);
    let wrong = esi.caller.post("/auth/totp", json!({"password": "wrong"})).await;
    assert_eq!(faulty_fields(&wrong), ["password"]);
    let (app, codes) = esi.set_up().await;

    let again = esi.caller.post("/auth/totp", json!({"password": PASSWORD})).await;
    again.fails(409, "SECOND_FACTOR_EXISTS");
    esi.confirm(&app.code(1)).await.fails(409, "SECOND_FACTOR_EXISTS");
    assert_eq!(faulty_fields(&esi.remove("", json!({})).await), ["code", "password"]);
    let wrong_password = esi.remove("wrong", json!({"code": app.code(1)})).await;
    assert_eq!(faulty_fields(&wrong_password), ["password"]);
    let wrong_code = esi.remove(PASSWORD, json!({"code": app.wrong_code()})).await;
    assert_eq!(faulty_fields(&wrong_code), ["code"]);
    let wrong_code = esi.remove(PASSWORD, json!({"recoveryCode": "AAAA"})).await;
    assert_eq!(faulty_fields(&wrong_code), ["recoveryCode"]);
    esi.remove(PASSWORD, json!({"code": app.code(1)})).await.data(200);

    esi.login(json!({})).await.data(200);
    let (_, new_codes) = esi.set_up().await;
    let old = json!({"recoveryCode": codes[1]});
    esi.login(old).await.fails(401, "SECOND_FACTOR_REQUIRED");
    esi.remove(PASSWORD, json!({"recoveryCode": new_codes[0]})).await.data(200);
}

#[tokio::test]
async fn only_the_last_proposed_secret_is_confirmed() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    let (first, second) = (esi.propose().await, esi.propose().await);

    assert_eq!(faulty_fields(&esi.confirm(&first.code(0)).await), ["code"]);
    esi.confirm(&second.code(0)).await.data(200);
}

#[tokio::test]
async fn neither_secrets_nor_recovery_codes_are_stored_in_clear() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    let (app, codes) = esi.set_up().await;
    let rows = |table: &str, condition: &str| {
        format!(
            "SELECT count(*) FROM {table} JOIN users ON users.id = user_id \
             WHERE email = '{}' AND {condition}",
            esi.email
        )
    };

    let secret = app.0.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    let in_clear = format!("position('\\x{secret}'::bytea IN secret) > 0");
    assert_eq!(world.value(&rows("second_factors", &in_clear)).await, 0);
    let sealed = "octet_length(secret) > 40";
    assert_eq!(world.value(&rows("second_factors", sealed)).await, 1);
    let hashed = "octet_length(hash) = 32";
    assert_eq!(world.value(&rows("recovery_codes", hashed)).await, 10);
    let code = codes[0].as_str().unwrap().replace('-', "");
    let unsalted = format!("hash = sha256('{code}')");
    assert_eq!(world.value(&rows("recovery_codes", &unsalted)).await, 0);
}

#[tokio::test]
async fn the_operator_removes_a_lost_second_factor() {
    let world = World::shared().await;
    let esi = Person::registered(&world).await;
    esi.set_up().await;

    let email = esi.email.to_uppercase();
    assert!(service::reset_second_factor(&world.database, &email).await.unwrap());

    esi.login(json!({})).await.data(200);
    assert!(!service::reset_second_factor(&world.database, &email).await.unwrap());
    let unknown = service::reset_second_factor(&world.database, &unique_email("nobody")).await;
    assert!(unknown.unwrap_err().to_string().contains("nobody has registered with"));
}

#[tokio::test]
async fn an_administrator_in_production_needs_a_second_factor() {
    let world = World::shared_with(PRODUCTION).await;
    let esi = Person::registered(&world).await;
    esi.caller.get("/admin/tenants").await.fails(403, "FORBIDDEN");
    world.promote(&esi.email).await;

    for path in ["/admin/tenants", "/organizations/current", "/billing/wallet"] {
        esi.caller.get(path).await.fails(403, "SECOND_FACTOR_REQUIRED");
    }
    let found = esi.caller.post("/organizations", json!({"name": "Kente"})).await;
    found.fails(403, "SECOND_FACTOR_REQUIRED");
    assert_eq!(esi.has_second_factor().await, false);
    let (app, _) = esi.set_up().await;

    esi.caller.get("/admin/tenants").await.data(200);
    esi.login(json!({})).await.fails(401, "SECOND_FACTOR_REQUIRED");
    esi.remove(PASSWORD, json!({"code": app.code(1)})).await.data(200);
    esi.caller.get("/admin/tenants").await.fails(403, "SECOND_FACTOR_REQUIRED");
}

//! Organizations of a running service, and their callers.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{Answer, World, unique::next_number, wait::until_some, world::registration};

/// Organization with its owner.
pub struct Tenant<'w> {
    /// Service that the organization belongs to.
    pub world: &'w World,
    /// Identifier of the organization.
    pub id: String,
    /// Email address of the owner.
    pub email: String,
    /// Session token of the owner.
    pub token: String,
}

/// Caller of the API, with credentials.
#[derive(Clone)]
pub struct Caller<'w> {
    world: &'w World,
    headers: Vec<(&'static str, String)>,
}

impl World {
    /// Registers an organization with an owner and a trial credit.
    pub async fn tenant(&self) -> Tenant<'_> {
        let number = next_number();
        let email = format!("owner{number}@example.com");
        let body = registration(&email, Some(&format!("Kente {number} Ltd")));
        let answer = self.post("/auth/register", body).await;
        let data = answer.data(201);
        let text = |value: &Value| value.as_str().expect("it is text").to_owned();
        let (id, token) = (text(&data["organization"]["id"]), text(&data["token"]));
        Tenant { world: self, id, email, token }
    }
}

impl World {
    /// Registers a platform administrator without an organization.
    pub async fn administrator(&self) -> Caller<'_> {
        let email = format!("admin{}@example.com", next_number());
        let user = self.user(&email).await;
        self.promote(&email).await;
        let token = user["token"].as_str().expect("a token is text");
        Caller { world: self, headers: vec![("Authorization", format!("Bearer {token}"))] }
    }

    /// Makes a registered user a platform administrator.
    pub async fn promote(&self, email: &str) {
        let role = "PLATFORM_SUPER_ADMIN";
        self.sql(&format!("UPDATE users SET platform_role = '{role}' WHERE email = '{email}'"))
            .await;
    }
}

impl<'w> Tenant<'w> {
    /// Verifies the owner's address; mails about the organization go there from then on.
    pub async fn verify_email(&self) {
        let verify = "UPDATE users SET email_verified_at = now() WHERE email";
        self.world.sql(&format!("{verify} = '{}'", self.email)).await;
    }

    /// Returns the same organization on another instance.
    pub fn at<'o>(&self, world: &'o World) -> Tenant<'o> {
        let (id, email, token) = (self.id.clone(), self.email.clone(), self.token.clone());
        Tenant { world, id, email, token }
    }

    /// Returns the owner as caller.
    pub fn owner(&self) -> Caller<'w> {
        self.member(&self.token)
    }

    /// Returns the member with that session token as caller.
    pub fn member(&self, token: &str) -> Caller<'w> {
        Caller {
            world: self.world,
            headers: vec![
                ("Authorization", format!("Bearer {token}")),
                ("X-Organization-Id", self.id.clone()),
            ],
        }
    }

    /// Creates an API key and returns it as caller.
    pub async fn api_key(&self, request: Value) -> Caller<'w> {
        let answer = self.owner().post("/api-keys", request).await;
        let key = answer.data(201)["key"].as_str().expect("the key is told").to_owned();
        Caller { world: self.world, headers: vec![("X-API-Key", key)] }
    }

    /// Creates an API key for live messages and returns it as caller.
    pub async fn live_key(&self) -> Caller<'w> {
        self.api_key(json!({"name": "live", "isSandbox": false})).await
    }

    /// Returns the balance of the wallet, in GHS.
    pub async fn balance(&self) -> f64 {
        let answer = self.owner().get("/billing/wallet").await;
        answer.data(200)["balance"].as_f64().expect("a balance is a number")
    }

    /// Sets the balance of the wallet, in micros, with an entry in the ledger.
    pub async fn set_balance(&self, micros: i64) {
        let id = &self.id;
        self.world
            .sql(&format!(
                "INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
                 SELECT gen_random_uuid(), organization_id, 'CORRECTION', {micros} - balance_micros, \
                 now() FROM wallets WHERE organization_id = '{id}'; \
                 UPDATE wallets SET balance_micros = {micros} WHERE organization_id = '{id}'"
            ))
            .await;
    }

    /// Returns the number of rows of a table that belong to the organization.
    pub async fn count(&self, table: &str) -> i64 {
        let id = &self.id;
        let query = format!("SELECT count(*) FROM {table} WHERE organization_id = '{id}'");
        self.world.value(&query).await
    }

    /// Returns the number of refunded messages.
    pub async fn refunds(&self) -> i64 {
        let id = &self.id;
        let query = format!(
            "SELECT coalesce(sum(messages), 0)::bigint FROM ledger \
             WHERE organization_id = '{id}' AND kind = 'MESSAGE_REFUND'"
        );
        self.world.value(&query).await
    }

    /// Asserts that the balance is the sum of the ledger, and not below zero.
    pub async fn assert_ledger_adds_up(&self) {
        let id = &self.id;
        let difference = self
            .world
            .value(&format!(
                "SELECT (balance_micros - (SELECT coalesce(sum(amount_micros), 0) FROM ledger \
                 WHERE organization_id = '{id}'))::bigint FROM wallet_balances \
                 WHERE organization_id = '{id}'"
            ))
            .await;
        assert_eq!(difference, 0);
        assert!(self.balance().await >= 0.0);
    }
}

impl Caller<'_> {
    /// Calls the API.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let mut request = self.world.http.request(method, format!("{}{path}", self.world.url));
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        Answer::read(request.send().await.expect("the service answers")).await
    }

    /// Sends a `POST`.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Sends a `GET`.
    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    /// Sends a form with a file by `POST`.
    pub async fn upload(&self, path: &str, file: impl AsRef<[u8]>) -> Answer {
        let begin = "--limit\r\nContent-Disposition: form-data; name=\"file\"; \
                     filename=\"rows.csv\"\r\nContent-Type: text/csv\r\n\r\n";
        let form = [begin.as_bytes(), file.as_ref(), b"\r\n--limit--\r\n"].concat();
        self.post_form(path, "multipart/form-data; boundary=limit", form).await
    }

    /// Sends a body of that media type by `POST`.
    pub async fn post_form(&self, path: &str, media_type: &str, body: Vec<u8>) -> Answer {
        let mut request = self.world.http.post(format!("{}{path}", self.world.url));
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let request = request.header("Content-Type", media_type).body(body);
        Answer::read(request.send().await.expect("the service answers")).await
    }

    /// Waits until the message has that status and returns it.
    pub async fn message_that_is(&self, status: &str, id: &Value) -> Value {
        let id = id.as_str().expect("an identifier is text");
        until_some(&format!("message {id} is {status}"), async || {
            let answer = self.get(&format!("/messages/{id}")).await;
            let message = answer.data(200).clone();
            if message["status"] == status { Ok(message) } else { Err(message.to_string()) }
        })
        .await
    }

    /// Returns this caller with a header added or replaced.
    #[must_use]
    pub fn with(&self, name: &'static str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name, value.to_owned()));
        Self { world: self.world, headers }
    }
}

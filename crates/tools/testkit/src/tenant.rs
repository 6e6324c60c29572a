//! Organizations of a running service, and their requests.

use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::{Answer, Caller, Service, client};

const TIMEOUT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

/// Organization with the session of its owner.
#[derive(Clone)]
pub struct Tenant {
    /// HTTP client of the owner.
    pub http: Client,
    /// Session token of the owner.
    pub token: String,
    /// Identifier of the organization.
    pub organization: String,
}

/// Returns a body for `POST /auth/register`.
pub fn registration(email: &str, organization: Option<&str>) -> Value {
    let mut body = json!({
        "email": email, "password": "correct horse", "firstName": "Ama", "lastName": "Mensah",
    });
    if let Some(organization) = organization {
        body["organizationName"] = json!(organization);
    }
    body
}

impl Service {
    /// Registers an organization.
    pub async fn tenant(&self) -> Tenant {
        self.tenant_of("ama@example.com").await
    }

    /// Registers an organization whose owner has the address.
    pub async fn tenant_of(&self, email: &str) -> Tenant {
        let tenant = Tenant::found(&client(), &self.url, email, "Kente Ltd").await;
        tenant.expect("an organization is registered")
    }

    /// Returns the status of `GET` without credentials.
    pub async fn status(&self, path: &str) -> u16 {
        Caller::guest(&client(), &self.url).get(path).await.status
    }
}

impl Tenant {
    /// Registers an organization of that name with the service at the URL.
    pub async fn found(http: &Client, url: &str, email: &str, name: &str) -> Result<Self, String> {
        let body = registration(email, Some(name));
        let guest = Caller::guest(http, url);
        let data = created(guest.try_call(Method::POST, "/auth/register", Some(&body)).await)?;
        let (token, organization) = (text(&data["token"])?, text(&data["organization"]["id"])?);
        Ok(Self { http: http.clone(), token, organization })
    }

    /// Creates an API key for live messages.
    pub async fn live_key(&self, url: &str) -> Result<String, String> {
        let body = json!({"name": "live", "isSandbox": false});
        let answer = self.at(url).try_call(Method::POST, "/api-keys", Some(&body)).await;
        text(&created(answer)?["key"])
    }

    /// Returns the owner as caller of the service at that URL.
    pub fn at(&self, url: &str) -> Caller {
        Caller::guest(&self.http, url)
            .with("Authorization", &format!("Bearer {}", self.token))
            .with("X-Organization-Id", &self.organization)
    }

    /// Sends `GET`, and returns the JSON.
    pub async fn get(&self, service: &Service, path: &str) -> Value {
        self.at(&service.url).get(path).await.body
    }

    /// Sends `POST`, and returns the status and the text of the response.
    pub async fn post(&self, service: &Service, path: &str, body: Value) -> (u16, String) {
        let answer = self.at(&service.url).post(path, body).await;
        (answer.status, answer.text)
    }

    /// Sends `POST` of a form with a file, and returns the data of the response.
    pub async fn upload(&self, service: &Service, path: &str, file: &str) -> Value {
        let answer = self.at(&service.url).upload(path, file).await;
        assert_eq!(answer.body["success"], true, "{}", answer.text);
        answer.body["data"].clone()
    }

    /// Sends an asynchronous text with `POST /messages/send`: returns the status and the response,
    /// or `None` if the connection broke.
    pub async fn send(&self, url: &str, key: &str) -> Option<(u16, Value)> {
        let mut message = text_message();
        message["idempotencyKey"] = json!(key);
        self.send_message(url, &message).await
    }

    /// Sends the message with `POST /messages/send`, likewise.
    pub async fn send_message(&self, url: &str, message: &Value) -> Option<(u16, Value)> {
        let answer = self.at(url).try_call(Method::POST, "/messages/send", Some(message)).await;
        let answer = answer.ok()?;
        (!answer.body.is_null()).then_some((answer.status, answer.body))
    }

    /// Sends an asynchronous text under the same key until it is accepted.
    pub async fn send_until_accepted(&self, url: &str, key: &str) {
        let began = Instant::now();
        loop {
            let answer = self.send(url, key).await;
            match &answer {
                Some((202, _)) => return,
                Some((503, _)) | None if began.elapsed() < TIMEOUT => {}
                _ => panic!("{key}: {answer:?}"),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns the number of messages with the status.
    pub async fn count(&self, service: &Service, status: &str) -> u64 {
        let answer = self.get(service, &format!("/delivery-logs?limit=1&status={status}")).await;
        answer["pagination"]["total"].as_u64().expect("a list has a total")
    }

    /// Waits until that number of messages has the status.
    pub async fn until(&self, service: &Service, status: &str, messages: u64) {
        let began = Instant::now();
        loop {
            let count = self.count(service, status).await;
            if count >= messages {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "{count} of {messages} are {status}");
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns the balance, in GHS.
    pub async fn balance(&self, service: &Service) -> f64 {
        let wallet = self.get(service, "/billing/wallet").await;
        wallet["data"]["balance"].as_f64().expect("a balance is a number")
    }
}

/// Returns an asynchronous SMS.
pub fn text_message() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "async": true})
}

/// Returns the data of an answer that created something.
fn created(answer: reqwest::Result<Answer>) -> Result<Value, String> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    if answer.status == 201 { Ok(answer.body["data"].take()) } else { Err(answer.text) }
}

fn text(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| format!("not a text: {value}"))
}

//! Organizations of the service, and their requests.

use std::{error::Error, net::SocketAddr, sync::LazyLock};

use serde_json::{Value, json};

use crate::{
    harness::Database,
    http::{Connection, Request},
};

const TEXT: &str = "Your parcel has arrived at Makola.";
/// Number of messages of a bulk request.
pub(crate) const BULK: u64 = 100;

/// Client that registers organizations, before anything is measured.
static CLIENT: LazyLock<testkit::Client> = LazyLock::new(testkit::client);

/// Organization with a live API key.
#[derive(Clone)]
pub(crate) struct Tenant {
    pub(crate) organization: String,
    session: String,
    /// Session of the owner's browser, as its cookie.
    cookie: String,
    key: String,
}

impl Tenant {
    /// Registers an organization.
    pub(crate) async fn found(address: SocketAddr, number: usize) -> Result<Self, Box<dyn Error>> {
        let url = format!("http://{address}");
        let (email, name) = (format!("owner{number}@example.com"), format!("Kente {number}"));
        let found = testkit::Tenant::found(&CLIENT, &url, &email, &name).await?;
        let (key, session) = (found.live_key(&url).await?, format!("Bearer {}", found.token));
        let cookie = format!("atumpan={}", found.token);
        Ok(Self { organization: found.organization, session, cookie, key })
    }

    /// Inserts that number of organizations into a database, each with a wallet and a key, and
    /// without users.
    pub(crate) async fn load(database: &Database, count: u64) -> Result<Vec<Self>, Box<dyn Error>> {
        database.execute(&LOAD.replace("$count", &count.to_string())).await?;
        let rows = database.client().query("SELECT id::text, name FROM organizations", &[]).await?;
        let mut tenants = Vec::with_capacity(rows.len());
        for row in rows {
            let (organization, name): (String, String) = (row.get(0), row.get(1));
            if let Some(number) = name.strip_prefix("Kente ") {
                let key = format!("ak_live_{number}");
                let (session, cookie) = (String::new(), String::new());
                tenants.push(Self { organization, session, cookie, key });
            }
        }
        Ok(tenants)
    }

    /// Returns a request that sends a message.
    pub(crate) fn send(&self) -> Request {
        Request::post("/messages/send", &[("X-API-Key", &self.key)], &message())
    }

    /// Returns the same request with an idempotency key.
    pub(crate) fn send_with_key(&self) -> Request {
        let headers = [("X-API-Key", self.key.as_str()), ("Idempotency-Key", "order-4711")];
        Request::post("/messages/send", &headers, &message())
    }

    /// Creates an event whose message is that of [`send`](Self::send).
    pub(crate) async fn make_event(
        &self,
        connection: &mut Connection,
    ) -> Result<(), Box<dyn Error>> {
        let template = json!({"name": "Parcel", "channel": "SMS", "body": TEXT});
        let template = call(connection, &self.post("/templates", &template)).await?;
        let event = json!({"name": "Parcel", "slug": "parcel", "templateId": template["id"]});
        call(connection, &self.post("/events", &event)).await.map(drop)
    }

    /// Returns a request that triggers the event.
    pub(crate) fn trigger(&self) -> Request {
        let trigger = json!({"event": "parcel", "to": "0241234567", "async": true});
        Request::post("/events/trigger", &[("X-API-Key", &self.key)], &trigger)
    }

    /// Returns a request that sends [`BULK`] messages.
    pub(crate) fn send_bulk(&self) -> Request {
        let message =
            |number| json!({"channel": "SMS", "to": format!("024{number:07}"), "body": TEXT});
        let messages: Vec<_> = (1_000_002..1_000_002 + BULK).map(message).collect();
        let body = json!({"async": true, "messages": messages});
        Request::post("/messages/bulk", &[("X-API-Key", &self.key)], &body)
    }

    /// Returns a `GET` request of the owner.
    pub(crate) fn get(&self, path: &str) -> Request {
        Request::get(path, &self.headers())
    }

    /// Returns a `POST` request of the owner.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Request {
        Request::post(path, &self.headers(), body)
    }

    /// Returns a request of the owner with a file of that name and text.
    pub(crate) fn upload(&self, path: &str, name: &str, text: &str) -> Request {
        Request::upload(path, &self.headers(), (name, text))
    }

    /// Returns a request of the owner's browser for a page or a file of the dashboard. `encoding` is
    /// the compression that it reads.
    pub(crate) fn visit(&self, path: &str, encoding: &str) -> Request {
        Request::get(path, &[("Cookie", &self.cookie), ("Accept-Encoding", encoding)])
    }

    /// Returns a request of the owner's browser with a form of a page, and its media type.
    pub(crate) fn submit(&self, path: &str, form: (&str, &str)) -> Request {
        let headers = [("Cookie", self.cookie.as_str()), ("Sec-Fetch-Site", "same-origin")];
        Request::post_form(path, &headers, form)
    }

    fn headers(&self) -> [(&str, &str); 2] {
        [("Authorization", &self.session), ("X-Organization-Id", &self.organization)]
    }
}

fn message() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": TEXT, "async": true})
}

const LOAD: &str = "\
    INSERT INTO organizations (id, name, created_at) \
        SELECT ('0190' || left(hash, 8) || '7' || substr(hash, 9, 3) || '8' || right(hash, 15))::uuid, \
            'Kente ' || number, now() \
        FROM generate_series(1, $count) AS number, md5(number::text) AS hash; \
    INSERT INTO wallets (organization_id, balance_micros, updated_at) \
        SELECT id, 9000000000000, now() FROM organizations WHERE name LIKE 'Kente %'; \
    INSERT INTO api_keys (id, organization_id, hash, name, prefix, scopes, is_sandbox, created_at) \
        SELECT gen_random_uuid(), id, sha256(replace(name, 'Kente ', 'ak_live_')::bytea), 'bench', '', \
            ARRAY['messages:send'], false, now() \
        FROM organizations WHERE name LIKE 'Kente %'";

/// Sends a request, and returns the data of the answer.
pub(crate) async fn call(
    connection: &mut Connection,
    request: &Request,
) -> Result<Value, Box<dyn Error>> {
    let answer = connection.call(request).await?;
    let mut body: Value = serde_json::from_slice(answer.body)?;
    if (200..300).contains(&answer.status) {
        Ok(body["data"].take())
    } else {
        Err(body.to_string().into())
    }
}

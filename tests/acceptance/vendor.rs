//! Vendors that do as they are told, and a service that sends through them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

use acceptance::{Answer, World};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Url;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::Sha256;
use tempfile::TempDir;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::method};

/// What callbacks are addressed to.
const PUBLIC_URL: &str = "https://atumpan.example";
/// The key and token of all accounts.
pub(crate) const SECRET: &str = "s3cret-of-the-account";
/// Longer than any provider here waits.
const SILENCE: Duration = Duration::from_secs(60);

/// What a vendor does with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It takes them.
    Takes,
    /// It says that it is out of order.
    Refuses,
    /// It reads them and says nothing.
    Silent,
}

/// A server that answers as Africa's Talking, Twilio and the `WhatsApp` Cloud API do.
pub(crate) struct Vendor {
    server: MockServer,
    mood: Arc<Mutex<Mood>>,
    calls: Arc<AtomicUsize>,
}

impl Vendor {
    /// A vendor that takes messages.
    pub(crate) async fn start() -> Self {
        let server = MockServer::start().await;
        let mood = Arc::new(Mutex::new(Mood::Takes));
        let calls = Arc::new(AtomicUsize::new(0));
        let (told, counted) = (Arc::clone(&mood), Arc::clone(&calls));
        let take = move |request: &Request| {
            let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
            match *told.lock().unwrap() {
                Mood::Takes => ResponseTemplate::new(201).set_body_json(taken(request, number)),
                Mood::Refuses => ResponseTemplate::new(503),
                Mood::Silent => ResponseTemplate::new(201).set_delay(SILENCE),
            }
        };
        Mock::given(method("POST")).respond_with(take).mount(&server).await;
        let account = json!({"UserData": {"balance": "GHS 12.50"}, "status": "active"});
        let show = ResponseTemplate::new(200).set_body_json(account);
        Mock::given(method("GET")).respond_with(show).mount(&server).await;
        Self { server, mood, calls }
    }

    /// Changes what it does with messages.
    pub(crate) fn now(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// How many messages it was handed.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Where it is reached.
    pub(crate) fn url(&self) -> String {
        self.server.uri()
    }
}

/// An address at which nobody listens.
pub(crate) fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// What a vendor says when it has taken its message of that number.
fn taken(request: &Request, number: usize) -> Value {
    if request.url.path().starts_with("/version1") {
        let recipient = json!({
            "statusCode": 101, "number": "+233241234567", "status": "Success",
            "cost": "KES 0.8", "messageId": format!("ATXid_{number}"),
        });
        json!({"SMSMessageData": {"Message": "Sent to 1/1", "Recipients": [recipient]}})
    } else if request.url.path().starts_with("/2010-04-01") {
        json!({"sid": format!("SM{number:032x}"), "status": "queued"})
    } else {
        json!({"messages": [{"id": format!("wamid.{number}")}]})
    }
}

/// A provider to declare.
pub(crate) struct Declared<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Its vendor.
    pub(crate) kind: &'a str,
    /// Where that is reached.
    pub(crate) url: &'a str,
    /// The priority of its only route.
    pub(crate) priority: u16,
}

impl Declared<'_> {
    fn text(&self) -> String {
        let Self { name, kind, url, priority } = self;
        let (channel, credentials) = match *kind {
            "africas-talking" => ("SMS", format!("{{ username = \"u\", api_key = \"{SECRET}\" }}")),
            "twilio-whatsapp" => ("WHATSAPP", twilio()),
            "whatsapp-cloud" => ("WHATSAPP", meta()),
            _ => ("SMS", twilio()),
        };
        format!(
            "[[provider]]\n\
             name = \"{name}\"\n\
             kind = \"{kind}\"\n\
             channel = \"{channel}\"\n\
             sender = \"+233302000000\"\n\
             base_url = \"{url}\"\n\
             timeout_ms = 500\n\
             credentials = {credentials}\n\
             [[provider.route]]\n\
             country = \"GH\"\n\
             priority = {priority}\n"
        )
    }
}

fn twilio() -> String {
    format!("{{ account_sid = \"AC1\", auth_token = \"{SECRET}\" }}")
}

fn meta() -> String {
    format!(
        "{{ phone_number_id = \"1\", access_token = \"{SECRET}\", app_secret = \"{SECRET}\", \
         verify_token = \"{SECRET}\" }}"
    )
}

/// A running service that has these providers.
pub(crate) struct Installation {
    /// The service.
    pub(crate) world: World,
    _folder: TempDir,
}

impl Installation {
    pub(crate) async fn start(providers: &[Declared<'_>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("providers.toml");
        let declarations: Vec<_> = providers.iter().map(Declared::text).collect();
        std::fs::write(&file, declarations.join("\n")).unwrap();
        let variables = [
            ("ATUMPAN_PROVIDERS", file.to_str().unwrap()),
            ("ATUMPAN_PUBLIC_URL", PUBLIC_URL),
            ("ATUMPAN_RATE_LIMITS", "off"),
        ];
        Self { world: World::start_with(&variables).await, _folder: folder }
    }

    /// Calls back as Africa's Talking does, with that token.
    pub(crate) async fn call_back(
        &self,
        provider: &str,
        token: &str,
        form: &[(&str, &str)],
    ) -> Answer {
        let url = format!("{}/callbacks/providers/{provider}?token={token}", self.world.url);
        self.world.send(self.world.http.post(url).form(form)).await
    }

    /// Reports on a message as Africa's Talking does.
    pub(crate) async fn report(&self, provider: &str, reference: &str, status: &str) -> Answer {
        let form = [("id", reference), ("status", status), ("phoneNumber", "+233241234567")];
        self.call_back(provider, &token(provider), &form).await
    }

    /// Passes a text on as Africa's Talking does.
    pub(crate) async fn text(&self, provider: &str, from: &str, text: &str) -> Answer {
        let form = [("from", from), ("to", "4567"), ("text", text), ("id", "in-1")];
        self.call_back(provider, &token(provider), &form).await
    }

    /// Calls back as Meta does, signed with `secret`.
    pub(crate) async fn call_back_as_meta(
        &self,
        provider: &str,
        secret: &str,
        body: &Value,
    ) -> Answer {
        let body = body.to_string();
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        let signature = format!("sha256={}", hex(&mac.chain_update(&body).finalize().into_bytes()));
        let url = format!("{}/callbacks/providers/{provider}", self.world.url);
        let request = self.world.http.post(url).header("X-Hub-Signature-256", signature);
        self.world.send(request.header("Content-Type", "application/json").body(body)).await
    }

    /// Calls back as Twilio does, signed with `secret`. `path` may have a query.
    pub(crate) async fn call_back_as_twilio(
        &self,
        path: &str,
        secret: &str,
        form: &[(&str, &str)],
    ) -> Answer {
        let path = format!("/callbacks/providers/{path}");
        let mut fields = form.to_vec();
        fields.sort_unstable();
        let public = format!("{PUBLIC_URL}{path}");
        let signed = fields.iter().fold(public, |text, (name, value)| text + name + value);
        let mac = Hmac::<Sha1>::new_from_slice(secret.as_bytes()).unwrap();
        let signature = mac.chain_update(signed).finalize().into_bytes();
        let url = Url::parse(&format!("{}{path}", self.world.url)).unwrap();
        let request = self.world.http.post(url).form(form);
        let signature = BASE64_STANDARD.encode(signature);
        self.world.send(request.header("X-Twilio-Signature", signature)).await
    }
}

/// The token that a provider's vendor shows if it does not sign.
pub(crate) fn token(provider: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let digest = mac.chain_update(format!("callbacks of {provider}")).finalize().into_bytes();
    hex(&digest[..16])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// An ordinary SMS.
pub(crate) fn sms() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"})
}

/// A one-time password.
pub(crate) fn code() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "category": "OTP"})
}

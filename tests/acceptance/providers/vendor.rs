//! Simulated vendors, and a service that sends through them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::{Duration, Instant};

use acceptance::{Answer, Received, Receiver, Reply, World, fresh_database_url};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Url;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::Sha256;
use tempfile::TempDir;

/// Name of the providers file.
const FILE: &str = "providers.toml";
/// Base URL of callbacks.
const PUBLIC_URL: &str = "https://atumpan.example";
/// Key and token of all accounts.
pub(crate) const SECRET: &str = "s3cret-of-the-account";
/// Secret from which the tokens in the addresses of callbacks are derived.
const CALLBACK_SECRET: &str = "a secret that vendors never see 1";
/// Delay longer than the timeout of any provider here.
const SILENCE: Duration = Duration::from_secs(60);

/// Reaction of a vendor to messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Accepts them.
    Takes,
    /// Answers that it is out of order.
    Refuses,
    /// Reads them without an answer.
    Silent,
    /// Accepts them after that time.
    TakesAfter(Duration),
    /// Rejects them as too many, with a retry time in seconds.
    Throttles(u64),
    /// Accepts one and fails at the next, alternately.
    Halts,
}

/// Call to a vendor.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Time of arrival.
    pub(crate) at: Instant,
    /// Recipients of the message or messages.
    pub(crate) to: Vec<String>,
    /// Text of the message.
    pub(crate) text: String,
}

/// Server that answers as Africa's Talking, Twilio and the `WhatsApp` Cloud API do.
pub(crate) struct Vendor {
    receiver: Receiver,
    mood: Arc<Mutex<Mood>>,
    calls: Arc<Mutex<Vec<Call>>>,
    word: Arc<Mutex<&'static str>>,
    questions: Arc<AtomicUsize>,
}

impl Vendor {
    /// Starts a vendor that accepts messages.
    pub(crate) async fn start() -> Self {
        let mood = Arc::new(Mutex::new(Mood::Takes));
        let calls = Arc::<Mutex<Vec<Call>>>::default();
        let (word, questions) = (Arc::new(Mutex::new("sent")), Arc::<AtomicUsize>::default());
        let (told, kept) = (Arc::clone(&mood), Arc::clone(&calls));
        let (said, counted) = (Arc::clone(&word), Arc::clone(&questions));
        let receiver = Receiver::start(move |received, _| {
            if received.method == "POST" {
                return take(received, &kept, *told.lock().unwrap());
            }
            if received.path.contains("/Messages/") {
                counted.fetch_add(1, Ordering::SeqCst);
                return Reply::json(
                    200,
                    &json!({
                        "status": *said.lock().unwrap(), "error_code": null, "date_updated": null,
                    }),
                );
            }
            Reply::json(200, &json!({"UserData": {"balance": "GHS 12.50"}, "status": "active"}))
        })
        .await;
        Self { receiver, mood, calls, word, questions }
    }

    /// Changes its reaction to messages.
    pub(crate) fn now(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// Returns the number of calls with messages.
    pub(crate) fn calls(&self) -> usize {
        self.calls.lock().unwrap().len()
    }

    /// Returns the calls with messages.
    pub(crate) fn received(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// Changes the status with which it answers queries for a message, as Twilio does.
    pub(crate) fn set_status(&self, status: &'static str) {
        *self.word.lock().unwrap() = status;
    }

    /// Returns the number of queries for a message.
    pub(crate) fn questions(&self) -> usize {
        self.questions.load(Ordering::SeqCst)
    }

    /// Returns the body of its last call with a message.
    pub(crate) fn last_body(&self) -> String {
        let mut received = self.receiver.received();
        received.retain(|call| call.method == "POST");
        received.pop().map(|call| call.body).unwrap_or_default()
    }

    /// URL of the vendor.
    pub(crate) fn url(&self) -> String {
        self.receiver.url.clone()
    }
}

/// Returns an address at which no server listens.
pub(crate) fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

impl Call {
    fn of(received: &Received) -> Self {
        let form: Vec<(String, String)> = form_urlencoded(&received.body);
        let field = |names: [&str; 2]| {
            let mut fields = form.iter().filter(|(name, _)| names.contains(&name.as_str()));
            fields.next().map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let to = field(["to", "To"]).split(',').map(str::to_owned).collect();
        Self { at: received.at, to, text: field(["message", "Body"]) }
    }
}

fn form_urlencoded(body: &str) -> Vec<(String, String)> {
    let mut url = Url::parse("http://form").unwrap();
    url.set_query(Some(body));
    url.query_pairs().into_owned().collect()
}

/// Keeps a call with a message, and returns the reply of a vendor in that mood.
fn take(received: &Received, calls: &Mutex<Vec<Call>>, mood: Mood) -> Reply {
    let call = Call::of(received);
    let to = call.to.clone();
    let number = {
        let mut calls = calls.lock().unwrap();
        calls.push(call);
        calls.len()
    };
    let taken = Reply::json(201, &taken(received, number, &to));
    match mood {
        Mood::Takes => taken,
        Mood::TakesAfter(time) => taken.after(time),
        Mood::Silent => taken.after(SILENCE),
        Mood::Halts if number % 2 == 1 => taken,
        Mood::Halts | Mood::Refuses => Reply::status(503),
        Mood::Throttles(wait) => Reply::status(429).with("Retry-After", wait.to_string()),
    }
}

/// Returns the answer of a vendor to its accepted call with that number.
fn taken(received: &Received, number: usize, to: &[String]) -> Value {
    if received.path.starts_with("/version1") {
        let recipient = |(index, to): (usize, &String)| {
            let part = if index > 0 { format!("_{index}") } else { String::new() };
            json!({
                "statusCode": 101, "number": to, "status": "Success", "cost": "KES 0.8",
                "messageId": format!("ATXid_{number}{part}"),
            })
        };
        let recipients: Vec<_> = to.iter().enumerate().map(recipient).collect();
        json!({"SMSMessageData": {"Message": "Sent", "Recipients": recipients}})
    } else if received.path == "/call" {
        let entry = json!({"status": "Queued", "sessionId": format!("ATVId_{number}")});
        json!({"entries": [entry], "errorMessage": "None"})
    } else if received.path.starts_with("/2010-04-01") {
        json!({"sid": format!("SM{number:032x}"), "status": "queued"})
    } else {
        json!({"messages": [{"id": format!("wamid.{number}")}]})
    }
}

/// Declaration of a provider.
pub(crate) struct Declared<'a> {
    /// Name of the provider.
    pub(crate) name: &'a str,
    /// Kind of its vendor.
    pub(crate) kind: &'a str,
    /// URL of the vendor.
    pub(crate) url: &'a str,
    /// Priority of its only route.
    pub(crate) priority: u16,
    /// Additional lines of the declaration.
    pub(crate) more: &'a str,
}

/// Declares a provider of that name and kind, with its vendor at `url`.
pub(crate) fn provider<'a>(
    name: &'a str,
    kind: &'a str,
    url: &'a str,
    priority: u16,
) -> Declared<'a> {
    Declared { name, kind, url, priority, more: "timeout_ms = 500" }
}

impl<'a> Declared<'a> {
    /// Replaces its timeout of half a second by other lines.
    pub(crate) fn with(self, more: &'a str) -> Self {
        Self { more, ..self }
    }

    fn text(&self) -> String {
        let Self { name, kind, url, priority, more } = self;
        let (channel, credentials) = match *kind {
            "africas-talking" => ("SMS", africas_talking()),
            "twilio-whatsapp" => ("WHATSAPP", twilio()),
            "whatsapp-cloud" => ("WHATSAPP", meta(*priority)),
            "africas-talking-voice" => ("VOICE", africas_talking()),
            _ => ("SMS", twilio()),
        };
        format!(
            "[[provider]]\n\
             name = \"{name}\"\n\
             kind = \"{kind}\"\n\
             channel = \"{channel}\"\n\
             sender = \"+233302000000\"\n\
             base_url = \"{url}\"\n\
             {more}\n\
             credentials = {credentials}\n\
             [[provider.route]]\n\
             country = \"GH\"\n\
             priority = {priority}\n"
        )
    }
}

fn africas_talking() -> String {
    format!("{{ username = \"u\", api_key = \"{SECRET}\" }}")
}

fn twilio() -> String {
    format!("{{ account_sid = \"AC1\", auth_token = \"{SECRET}\" }}")
}

/// Returns the credentials of the number whose identifier is the priority.
fn meta(priority: u16) -> String {
    format!(
        "{{ phone_number_id = \"{priority}\", access_token = \"{SECRET}\", app_secret = \"{SECRET}\", \
         verify_token = \"{SECRET}\" }}"
    )
}

/// Running service with declared providers.
pub(crate) struct Installation {
    /// Service of this instance.
    pub(crate) world: World,
    file: Arc<TempDir>,
}

impl Installation {
    pub(crate) async fn start(providers: &[Declared<'_>]) -> Self {
        Self::start_with(providers, &[]).await
    }

    /// Starts a service with these providers and environment variables.
    pub(crate) async fn start_with(providers: &[Declared<'_>], more: &[(&str, &str)]) -> Self {
        let declarations: Vec<_> = providers.iter().map(Declared::text).collect();
        Self::declaring(&declarations.join("\n"), more).await
    }

    /// Starts a service with that text as its providers file.
    pub(crate) async fn declaring(text: &str, more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        Self::start_on(fresh_database_url().await, Arc::new(folder), more).await
    }

    /// Starts another instance of the same installation, with these environment variables.
    pub(crate) async fn another(&self, more: &[(&str, &str)]) -> Self {
        Self::start_on(self.world.database.clone(), Arc::clone(&self.file), more).await
    }

    async fn start_on(database: String, file: Arc<TempDir>, more: &[(&str, &str)]) -> Self {
        let path = file.path().join(FILE);
        let usual = [
            ("ATUMPAN_PROVIDERS", path.to_str().unwrap()),
            ("ATUMPAN_PUBLIC_URL", PUBLIC_URL),
            ("ATUMPAN_RATE_LIMITS", "off"),
            ("ATUMPAN_TRIAL_CREDIT_GHS", "10"),
            ("ATUMPAN_JWT_SECRET", "a secret that all instances share"),
            ("ATUMPAN_CALLBACK_SECRET", CALLBACK_SECRET),
        ];
        let variables = [&usual, more].concat();
        Self { world: World::start_on(database, &variables).await, file }
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

/// Returns the token that a provider's vendor shows if it does not sign.
pub(crate) fn token(provider: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(CALLBACK_SECRET.as_bytes()).unwrap();
    let digest = mac.chain_update(format!("callbacks of {provider}")).finalize().into_bytes();
    hex(&digest[..16])
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// Returns an ordinary SMS.
pub(crate) fn sms() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba"})
}

/// Returns an SMS with a one-time password.
pub(crate) fn code() -> Value {
    json!({"channel": "SMS", "to": "0241234567", "body": "Akwaaba", "category": "OTP"})
}

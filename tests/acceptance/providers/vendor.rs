//! Vendors that do as they are told, and a service that sends through them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use std::time::{Duration, Instant};

use acceptance::{Answer, World, fresh_database_url};
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Url;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::Sha256;
use tempfile::TempDir;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::method};

/// What the providers file is called.
const FILE: &str = "providers.toml";
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
    /// It takes them, after that time.
    TakesAfter(Duration),
    /// It has had too many, and wants to be left alone for that many seconds.
    Throttles(u64),
    /// It takes one and breaks down at the next, in turns.
    Halts,
}

/// A call that a vendor was made.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// When it came.
    pub(crate) at: Instant,
    /// To whom the message goes, or the messages go.
    pub(crate) to: Vec<String>,
    /// What it says.
    pub(crate) text: String,
}

/// A server that answers as Africa's Talking, Twilio and the `WhatsApp` Cloud API do.
pub(crate) struct Vendor {
    server: MockServer,
    mood: Arc<Mutex<Mood>>,
    calls: Arc<Mutex<Vec<Call>>>,
    word: Arc<Mutex<&'static str>>,
    questions: Arc<AtomicUsize>,
}

impl Vendor {
    /// A vendor that takes messages.
    pub(crate) async fn start() -> Self {
        let server = MockServer::start().await;
        let mood = Arc::new(Mutex::new(Mood::Takes));
        let calls = Arc::<Mutex<Vec<Call>>>::default();
        let (told, kept) = (Arc::clone(&mood), Arc::clone(&calls));
        let take = move |request: &Request| {
            let call = Call::of(request);
            let to = call.to.clone();
            let number = {
                let mut calls = kept.lock().unwrap();
                calls.push(call);
                calls.len()
            };
            let taken = ResponseTemplate::new(201).set_body_json(taken(request, number, &to));
            match *told.lock().unwrap() {
                Mood::Takes => taken,
                Mood::TakesAfter(time) => taken.set_delay(time),
                Mood::Silent => taken.set_delay(SILENCE),
                Mood::Halts if number % 2 == 1 => taken,
                Mood::Halts | Mood::Refuses => ResponseTemplate::new(503),
                Mood::Throttles(wait) => {
                    ResponseTemplate::new(429).insert_header("Retry-After", wait.to_string())
                }
            }
        };
        Mock::given(method("POST")).respond_with(take).mount(&server).await;
        let (word, questions) = (Arc::new(Mutex::new("sent")), Arc::<AtomicUsize>::default());
        let (told, counted) = (Arc::clone(&word), Arc::clone(&questions));
        let tell = move |request: &Request| {
            if request.url.path().contains("/Messages/") {
                counted.fetch_add(1, Ordering::SeqCst);
                return ResponseTemplate::new(200).set_body_json(json!({
                    "status": *told.lock().unwrap(), "error_code": null, "date_updated": null,
                }));
            }
            let account = json!({"UserData": {"balance": "GHS 12.50"}, "status": "active"});
            ResponseTemplate::new(200).set_body_json(account)
        };
        Mock::given(method("GET")).respond_with(tell).mount(&server).await;
        Self { server, mood, calls, word, questions }
    }

    /// Changes what it does with messages.
    pub(crate) fn now(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// How often it was called with messages.
    pub(crate) fn calls(&self) -> usize {
        self.calls.lock().unwrap().len()
    }

    /// Those calls.
    pub(crate) fn heard(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// Changes what it says of a message when it is asked, as Twilio does.
    pub(crate) fn says(&self, status: &'static str) {
        *self.word.lock().unwrap() = status;
    }

    /// How often it was asked for a message.
    pub(crate) fn questions(&self) -> usize {
        self.questions.load(Ordering::SeqCst)
    }

    /// The body of its last call with a message.
    pub(crate) async fn last_body(&self) -> String {
        let mut requests = self.server.received_requests().await.unwrap_or_default();
        requests.retain(|request| request.method.as_str() == "POST");
        requests.pop().and_then(|request| String::from_utf8(request.body).ok()).unwrap_or_default()
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

impl Call {
    fn of(request: &Request) -> Self {
        let form: Vec<(String, String)> = form_urlencoded(&request.body);
        let field = |names: [&str; 2]| {
            let mut fields = form.iter().filter(|(name, _)| names.contains(&name.as_str()));
            fields.next().map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let to = field(["to", "To"]).split(',').map(str::to_owned).collect();
        Self { at: Instant::now(), to, text: field(["message", "Body"]) }
    }
}

fn form_urlencoded(body: &[u8]) -> Vec<(String, String)> {
    let mut url = Url::parse("http://form").unwrap();
    url.set_query(Some(&String::from_utf8_lossy(body)));
    url.query_pairs().into_owned().collect()
}

/// What a vendor says when it has taken its call of that number.
fn taken(request: &Request, number: usize, to: &[String]) -> Value {
    if request.url.path().starts_with("/version1") {
        let recipient = |(index, to): (usize, &String)| {
            let part = if index > 0 { format!("_{index}") } else { String::new() };
            json!({
                "statusCode": 101, "number": to, "status": "Success", "cost": "KES 0.8",
                "messageId": format!("ATXid_{number}{part}"),
            })
        };
        let recipients: Vec<_> = to.iter().enumerate().map(recipient).collect();
        json!({"SMSMessageData": {"Message": "Sent", "Recipients": recipients}})
    } else if request.url.path() == "/call" {
        let entry = json!({"status": "Queued", "sessionId": format!("ATVId_{number}")});
        json!({"entries": [entry], "errorMessage": "None"})
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
    /// More lines of the declaration.
    pub(crate) more: &'a str,
}

/// A provider of that name and kind, reached at `url`.
pub(crate) fn provider<'a>(
    name: &'a str,
    kind: &'a str,
    url: &'a str,
    priority: u16,
) -> Declared<'a> {
    Declared { name, kind, url, priority, more: "timeout_ms = 500" }
}

impl<'a> Declared<'a> {
    /// The same provider with other lines instead of its time-out of half a second.
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

/// Of the number whose identifier is the priority.
fn meta(priority: u16) -> String {
    format!(
        "{{ phone_number_id = \"{priority}\", access_token = \"{SECRET}\", app_secret = \"{SECRET}\", \
         verify_token = \"{SECRET}\" }}"
    )
}

/// A running service that has these providers.
pub(crate) struct Installation {
    /// The service.
    pub(crate) world: World,
    file: Arc<TempDir>,
}

impl Installation {
    pub(crate) async fn start(providers: &[Declared<'_>]) -> Self {
        Self::start_with(providers, &[]).await
    }

    /// With these variables besides.
    pub(crate) async fn start_with(providers: &[Declared<'_>], more: &[(&str, &str)]) -> Self {
        let declarations: Vec<_> = providers.iter().map(Declared::text).collect();
        Self::declaring(&declarations.join("\n"), more).await
    }

    /// With that text as its providers file.
    pub(crate) async fn declaring(text: &str, more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), text).unwrap();
        Self::start_on(fresh_database_url().await, Arc::new(folder), more).await
    }

    /// Another instance of the same installation, with these variables besides.
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

/// The token that a provider's vendor shows if it does not sign.
pub(crate) fn token(provider: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let digest = mac.chain_update(format!("callbacks of {provider}")).finalize().into_bytes();
    hex(&digest[..16])
}

pub(crate) fn hex(bytes: &[u8]) -> String {
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

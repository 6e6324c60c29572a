//! Running service and its database.

use std::{
    collections::{BTreeMap, HashMap},
    future,
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use app::{
    config::{Config, Source},
    service::Service,
};
use reqwest::{Client, Method};
use serde_json::Value;
use testkit::{Answer, Caller, client, registration};
use tokio::{
    runtime::Runtime,
    sync::{OnceCell, oneshot},
};

use crate::cluster::fresh_database_url;

/// Environment variables of a service that tests share.
pub type Settings = &'static [(&'static str, &'static str)];

type Shared = Arc<OnceCell<Addresses>>;

/// Instances that the tests of this binary share.
static SHARED: Mutex<BTreeMap<(Settings, Instance), Shared>> = Mutex::new(BTreeMap::new());
/// Settings of the service that most tests share.
const USUAL: Settings = &[("ATUMPAN_RATE_LIMITS", "off")];

/// Instances with the same settings that use the same database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Instance {
    First,
    Second,
}

/// Addresses of a shared instance.
#[derive(Clone)]
struct Addresses {
    url: String,
    database: String,
}

/// Running service with a client for it.
pub struct World {
    /// URL of the service.
    pub url: String,
    /// URL of its database.
    pub database: String,
    /// HTTP client for the service.
    pub http: Client,
    /// Connection of the statements of tests, once there is one: a new one for each statement would cost
    /// the server more than the statement.
    client: Mutex<Option<tokio_postgres::Client>>,
    /// `None` if the service is shared.
    own: Option<OwnService>,
}

struct OwnService {
    service: Service,
    // The service keeps secrets in this folder.
    _folder: tempfile::TempDir,
}

impl World {
    /// Returns the service that the tests of this binary share, with default settings but without
    /// rate limits. Tests use separate tenants and email addresses ([`crate::unique_email`]).
    pub async fn shared() -> Self {
        Self::shared_with(USUAL).await
    }

    /// Returns the service with these settings that the tests of this binary share.
    pub async fn shared_with(settings: Settings) -> Self {
        let start = async || start_shared(fresh_database_url().await, settings).await;
        let cell = shared_cell(settings, Instance::First);
        Self::at(cell.get_or_init(start).await.clone())
    }

    /// Returns two instances with these settings and one database, which the tests of this binary share.
    pub async fn shared_pair(settings: Settings) -> (Self, Self) {
        let first = Self::shared_with(settings).await;
        let start = || start_shared(first.database.clone(), settings);
        let cell = shared_cell(settings, Instance::Second);
        let second = Self::at(cell.get_or_init(start).await.clone());
        (first, second)
    }

    fn at(addresses: Addresses) -> Self {
        let Addresses { url, database } = addresses;
        // A client belongs to the runtime of its test: connections end with it.
        Self { url, database, http: client(), client: Mutex::default(), own: None }
    }

    /// Starts a service with default settings.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a service with these environment variables.
    pub async fn start_with(variables: &[(&str, &str)]) -> Self {
        let database = fresh_database_url().await;
        Self::start_on(database, variables).await
    }

    /// Starts a service on a database, with these environment variables.
    pub async fn start_on(database: String, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let mut all = HashMap::from([
            ("ATUMPAN_LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
            ("ATUMPAN_DATA_DIR".to_owned(), folder.path().display().to_string()),
            ("DATABASE_URL".to_owned(), database.clone()),
            // Tests count messages, including those of the platform.
            ("ATUMPAN_EMAIL_VERIFICATION".to_owned(), "off".to_owned()),
        ]);
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        all.extend(variables.iter().map(own));
        let config = Config::read(&Source::of_variables(all)).expect("the settings make sense");
        let start = Box::pin(Service::start(&config, &database, false));
        let service = start.await.expect("the service starts");
        let url = format!("http://{}", service.address());
        let own = Some(OwnService { service, _folder: folder });
        Self { url, database, http: client(), client: Mutex::default(), own }
    }

    /// Returns a caller without credentials.
    pub fn guest(&self) -> Caller {
        Caller::guest(&self.http, &self.url)
    }

    /// Calls the API without credentials.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.guest().call(method, path, body).await
    }

    /// Sends a `POST` without credentials.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.guest().post(path, body).await
    }

    /// Sends a `GET` without credentials.
    pub async fn get(&self, path: &str) -> Answer {
        self.guest().get(path).await
    }

    /// Sends a prepared request.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        Answer::to(request).await.expect("the service answers")
    }

    /// Registers a user without an organization and returns the answer's data.
    pub async fn user(&self, email: &str) -> Value {
        let answer = self.post("/auth/register", registration(email, None)).await;
        answer.data(201).clone()
    }

    /// Runs statements on the service's database.
    pub async fn sql(&self, statements: &str) {
        let client = self.client().await;
        client.batch_execute(statements).await.expect("the statements work");
        self.keep(client);
    }

    /// Returns the only value of the only row of a query.
    pub async fn value(&self, query: &str) -> i64 {
        let client = self.client().await;
        let row = client.query_one(query, &[]).await.expect("the query works");
        self.keep(client);
        row.get(0)
    }

    /// Returns the kept connection, or another one while that is in use.
    async fn client(&self) -> tokio_postgres::Client {
        let kept = self.kept().take();
        match kept {
            Some(client) if !client.is_closed() => client,
            _ => connect(&self.database).await,
        }
    }

    fn keep(&self, client: tokio_postgres::Client) {
        *self.kept() = Some(client);
    }

    fn kept(&self) -> MutexGuard<'_, Option<tokio_postgres::Client>> {
        self.client.lock().expect("no test fails while it holds the lock")
    }

    /// Stops the service as a signal would.
    pub async fn stop(self) {
        let own = self.own.expect("a shared service is not stopped");
        own.service.stop().await;
    }
}

async fn connect(database: &str) -> tokio_postgres::Client {
    let connecting = tokio_postgres::connect(database, tokio_postgres::NoTls).await;
    let (client, connection) = connecting.expect("it connects");
    tokio::spawn(connection);
    client
}

fn shared_cell(settings: Settings, instance: Instance) -> Shared {
    let mut shared = SHARED.lock().expect("no test fails while it holds the lock");
    Arc::clone(shared.entry((settings, instance)).or_default())
}

/// Starts a shared instance on its own thread, since the runtime of a test ends with the test.
async fn start_shared(database: String, settings: Settings) -> Addresses {
    let (started, starting) = oneshot::channel();
    thread::spawn(move || {
        let runtime = Runtime::new().expect("a runtime can be made");
        runtime.block_on(async {
            let world = World::start_on(database, settings).await;
            let (url, database) = (world.url.clone(), world.database.clone());
            let _ = started.send(Addresses { url, database });
            future::pending::<()>().await;
        });
    });
    starting.await.expect("a shared instance starts")
}

//! Running service and its database.

use std::sync::{Arc, Mutex, MutexGuard};

use reqwest::{Client, Method};
use serde_json::Value;
use testkit::{Answer, Caller, client, registration};

use crate::{
    cluster::fresh_database_url,
    own_service::OwnService,
    shared_service::{Settings, SharedService},
};

/// Settings of the service that most tests share.
const USUAL: Settings = &[("ATUMPAN_RATE_LIMITS", "off")];

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
    service: Running,
}

/// Service that runs at least as long as its world.
enum Running {
    Own(Box<OwnService>),
    Shared { _used: Arc<SharedService> },
}

impl World {
    /// Returns the service that the tests of this binary share, with default settings but without
    /// rate limits. Tests use separate tenants and email addresses ([`crate::unique_email`]).
    pub async fn shared() -> Self {
        Self::shared_with(USUAL).await
    }

    /// Returns the service with these settings that the tests of this binary share.
    pub async fn shared_with(settings: Settings) -> Self {
        Self::at(SharedService::with(settings).await)
    }

    /// Returns two instances with these settings and one database, which the tests of this binary share.
    pub async fn shared_pair(settings: Settings) -> (Self, Self) {
        let first = SharedService::with(settings).await;
        let second = SharedService::beside(&first, settings).await;
        (Self::at(first), Self::at(second))
    }

    fn at(shared: Arc<SharedService>) -> Self {
        let (url, database) = (shared.url.clone(), shared.database.clone());
        Self::of(url, database, Running::Shared { _used: shared })
    }

    fn of(url: String, database: String, service: Running) -> Self {
        // A client belongs to the runtime of its test: connections end with it.
        Self { url, database, http: client(), client: Mutex::default(), service }
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
        let service = OwnService::start(&database, variables).await;
        Self::of(service.url(), database, Running::Own(Box::new(service)))
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
        match self.service {
            Running::Own(service) => service.stop().await,
            Running::Shared { .. } => panic!("a shared service is not stopped"),
        }
    }
}

async fn connect(database: &str) -> tokio_postgres::Client {
    let connecting = tokio_postgres::connect(database, tokio_postgres::NoTls).await;
    let (client, connection) = connecting.expect("it connects");
    tokio::spawn(connection);
    client
}

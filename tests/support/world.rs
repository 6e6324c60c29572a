//! A running service and its database.

use std::{collections::HashMap, future, thread, time::Duration};

use app::{
    config::{Config, Source},
    service::Service,
};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use tokio::{
    runtime::Runtime,
    sync::{OnceCell, oneshot},
};

use crate::{Answer, cluster::fresh_database_url};

/// Where the service is that the tests of this binary share, and its database.
static SHARED: OnceCell<(String, String)> = OnceCell::const_new();

/// A running service and a way to call it.
pub struct World {
    /// Where it serves.
    pub url: String,
    /// Its database.
    pub database: String,
    /// A client for it.
    pub http: Client,
    /// None of the test's own if it is shared.
    own: Option<OwnService>,
}

struct OwnService {
    service: Service,
    // Secrets are kept there.
    _folder: tempfile::TempDir,
}

impl World {
    /// The service that the tests of this binary share: a newcomer's, without rate limits. Tests
    /// are kept apart by their tenants, and by addresses of their own ([`crate::unique_email`]).
    pub async fn shared() -> Self {
        let (url, database) = SHARED.get_or_init(start_shared).await.clone();
        // A client belongs to the runtime of its test: connections end with it.
        Self { url, database, http: client(), own: None }
    }

    /// A service as a newcomer has it.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A service with some variables set.
    pub async fn start_with(variables: &[(&str, &str)]) -> Self {
        let database = fresh_database_url().await;
        Self::start_on(database, variables).await
    }

    /// A service on a database, with some variables set.
    pub async fn start_on(database: String, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let mut all = HashMap::from([
            ("ATUMPAN_LISTEN".to_owned(), "127.0.0.1:0".to_owned()),
            ("ATUMPAN_DATA_DIR".to_owned(), folder.path().display().to_string()),
            ("DATABASE_URL".to_owned(), database.clone()),
            // Tests count messages, also those of the platform.
            ("ATUMPAN_EMAIL_VERIFICATION".to_owned(), "off".to_owned()),
        ]);
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        all.extend(variables.iter().map(own));
        let config = Config::read(&Source::of_variables(all)).expect("the settings make sense");
        let start = Box::pin(Service::start(&config, &database, false));
        let service = start.await.expect("the service starts");
        let url = format!("http://{}", service.address());
        let own = Some(OwnService { service, _folder: folder });
        Self { url, database, http: client(), own }
    }

    /// Calls the API without credentials.
    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = self.http.request(method, format!("{}{path}", self.url));
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        Answer::read(request.send().await.expect("the service answers")).await
    }

    /// `POST` without credentials.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    /// `GET` without credentials.
    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    /// Sends a request that was made by hand.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        Answer::read(request.send().await.expect("the service answers")).await
    }

    /// A new user who belongs to no organization; the answer's data.
    pub async fn user(&self, email: &str) -> Value {
        let answer = self.post("/auth/register", registration(email, None)).await;
        answer.data(201).clone()
    }

    /// Runs statements on the service's database.
    pub async fn sql(&self, statements: &str) {
        crate::cluster::sql(&self.database, statements).await;
    }

    /// The only value of the only row that a query finds.
    pub async fn value(&self, query: &str) -> i64 {
        let connecting = tokio_postgres::connect(&self.database, tokio_postgres::NoTls).await;
        let (client, connection) = connecting.expect("it connects");
        tokio::spawn(connection);
        client.query_one(query, &[]).await.expect("the query works").get(0)
    }

    /// Stops the service as a signal would.
    pub async fn stop(self) {
        let own = self.own.expect("a shared service is not stopped");
        own.service.stop().await;
    }
}

/// Starts it on a thread of its own, since the runtime of a test ends with the test.
async fn start_shared() -> (String, String) {
    let (started, starting) = oneshot::channel();
    thread::spawn(move || {
        let runtime = Runtime::new().expect("a runtime can be made");
        runtime.block_on(async {
            let world = World::start_with(&[("ATUMPAN_RATE_LIMITS", "off")]).await;
            let _ = started.send((world.url.clone(), world.database.clone()));
            future::pending::<()>().await;
        });
    });
    starting.await.expect("the shared service starts")
}

/// A body for `POST /auth/register`.
pub(crate) fn registration(email: &str, organization: Option<&str>) -> Value {
    let mut body = json!({
        "email": email,
        "password": "correct horse",
        "firstName": "Ama",
        "lastName": "Mensah",
    });
    if let Some(organization) = organization {
        body["organizationName"] = json!(organization);
    }
    body
}

fn client() -> Client {
    // Another test may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().timeout(Duration::from_secs(30)).no_proxy();
    client.build().expect("a client can be made")
}

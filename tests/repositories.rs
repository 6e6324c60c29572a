//! What the store promises, tried on a real database. Each test has organizations of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use acceptance as support;
use adapters_postgres::PgStore;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    id::Id,
    organization::{Organization, Profile, Settings},
    user::User,
};
use ports::store::{Repositories, Store};

#[path = "repositories/callbacks.rs"]
mod callbacks;
#[path = "repositories/claims.rs"]
mod claims;
#[path = "repositories/connections.rs"]
mod connections;
#[path = "repositories/contacts.rs"]
mod contacts;
#[path = "repositories/delivery_logs.rs"]
mod delivery_logs;
#[path = "repositories/desk.rs"]
mod desk;
#[path = "repositories/growth.rs"]
mod growth;
#[path = "repositories/identity.rs"]
mod identity;
#[path = "repositories/instances.rs"]
mod instances;
#[path = "repositories/intake.rs"]
mod intake;
#[path = "repositories/jobs.rs"]
mod jobs;
#[path = "repositories/journal.rs"]
mod journal;
#[path = "repositories/locks.rs"]
mod locks;
#[path = "repositories/money.rs"]
mod money;
#[path = "repositories/providers.rs"]
mod providers;
#[path = "repositories/templates.rs"]
mod templates;
#[path = "repositories/upkeep.rs"]
mod upkeep;

/// A store on the database of this test run, and a way past it.
struct World {
    url: String,
    store: PgStore,
}

impl World {
    async fn new() -> Self {
        Self::on(support::database_url().await)
    }

    /// A world that no other test can disturb.
    async fn alone() -> Self {
        Self::on(support::fresh_database_url().await)
    }

    fn on(url: String) -> Self {
        let store = PgStore::connect(&url, 3).unwrap();
        Self { url, store }
    }

    async fn session(&self) -> Box<dyn Repositories> {
        self.store.connect().await.unwrap()
    }

    /// The address of the database with one more parameter.
    fn url_with(&self, parameter: &str) -> String {
        let separator = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{separator}{parameter}", self.url)
    }

    /// Runs statements as somebody other than the store.
    async fn sql(&self, statements: &str) {
        self.client().await.batch_execute(statements).await.unwrap();
    }

    async fn client(&self) -> tokio_postgres::Client {
        let connecting = tokio_postgres::connect(&self.url, tokio_postgres::NoTls);
        let (client, connection) = connecting.await.unwrap();
        tokio::spawn(connection);
        client
    }

    async fn organization(&self) -> Organization {
        let organization = Organization {
            id: Id::new(now()),
            name: "Adinkra Ltd".into(),
            profile: Profile::default(),
            settings: Settings::default(),
            created_at: now(),
        };
        self.session().await.organizations().insert(&organization).await.unwrap();
        organization
    }

    async fn user(&self) -> User {
        let user = user(&format!("Ama-{}@Example.com", Id::<User>::new(now())));
        self.session().await.users().insert(&user).await.unwrap();
        user
    }
}

fn user(email: &str) -> User {
    User {
        id: Id::new(now()),
        email: email.into(),
        first_name: "Ama".into(),
        last_name: "Mensah".into(),
        password_hash: "$argon2id$1".into(),
        platform_role: None,
        session_version: 1,
        email_verified_at: None,
        created_at: now(),
    }
}

/// A time of day at which no test crosses midnight.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 123_456_000).unwrap()
}

fn minutes(count: i64) -> TimeDelta {
    TimeDelta::minutes(count)
}

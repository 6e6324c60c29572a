//! Tests of the store on a real database. Each test has organizations of its own.

#![expect(clippy::unwrap_used, reason = "a test reports by panicking")]

use std::sync::LazyLock;

use acceptance as support;
use adapters_postgres::PgStore;
use app::clock::SystemClock;
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use domain::{
    identity::{
        organization::{Organization, Profile, Settings},
        user::User,
    },
    shared::{id::Id, money::Money},
};
use ports::{
    content::{approvals::ApprovalRepository, templates::TemplateRepository},
    identity::{
        api_keys::ApiKeyRepository,
        auth::UserRepository,
        identity_store::{IdentityStore, IdentityTransaction},
        organizations::OrganizationRepository,
    },
    messaging::delivery_logs::DeliveryLogRepository,
    money::{billing::WalletRepository, pricing::PricingRepository},
    shared::clock::Clock,
};

mod audience;
mod content;
mod identity;
mod messaging;
mod money;
mod outreach;
mod platform;
mod providers;
mod shared;
mod webhooks;

/// A store on the database of this test run, with direct access to it.
struct World {
    url: String,
    store: PgStore,
}

impl World {
    async fn new() -> Self {
        Self::on(support::database_url().await)
    }

    /// A world that no other test uses.
    async fn alone() -> Self {
        Self::on(support::fresh_database_url().await)
    }

    fn on(url: String) -> Self {
        let store = PgStore::connect(&url, 3).unwrap();
        Self { url, store }
    }

    fn users(&self) -> &dyn UserRepository {
        &self.store
    }

    fn organizations(&self) -> &dyn OrganizationRepository {
        &self.store
    }

    fn api_keys(&self) -> &dyn ApiKeyRepository {
        &self.store
    }

    fn approvals(&self) -> &dyn ApprovalRepository {
        &self.store
    }

    fn delivery_logs(&self) -> &dyn DeliveryLogRepository {
        &self.store
    }

    fn pricing(&self) -> &dyn PricingRepository {
        &self.store
    }

    fn templates(&self) -> &dyn TemplateRepository {
        &self.store
    }

    fn wallets(&self) -> &dyn WalletRepository {
        &self.store
    }

    async fn begin(&self) -> Box<dyn IdentityTransaction> {
        self.store.begin().await.unwrap()
    }

    /// The address of the database with one more parameter.
    fn url_with(&self, parameter: &str) -> String {
        let separator = if self.url.contains('?') { '&' } else { '?' };
        format!("{}{separator}{parameter}", self.url)
    }

    /// Runs statements on a connection outside the store.
    async fn sql(&self, statements: &str) {
        self.client().await.batch_execute(statements).await.unwrap();
    }

    /// Runs statements with triggers disabled.
    async fn tamper(&self, statements: &str) {
        self.sql(&format!("SET session_replication_role = replica; {statements}")).await;
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
        let mut transaction = self.begin().await;
        transaction.insert_organization(&organization).await.unwrap();
        transaction.commit().await.unwrap();
        organization
    }

    async fn open_wallet(&self, organization: Id<Organization>, credit: Money) {
        self.wallets().open(organization, credit, now()).await.unwrap();
    }

    async fn user(&self) -> User {
        let user = user(&format!("Ama-{}@Example.com", Id::<User>::new(now())));
        self.users().insert(&user).await.unwrap();
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
        second_factor_at: None,
        created_at: now(),
    }
}

/// A moment some weeks ago, within the time of hourly counts, from which no test crosses midnight.
fn now() -> DateTime<Utc> {
    static NOW: LazyLock<DateTime<Utc>> = LazyLock::new(|| {
        let today = SystemClock.now().date_naive().and_time(NaiveTime::MIN).and_utc();
        today - TimeDelta::days(20) + TimeDelta::microseconds(48_800_123_456)
    });
    *NOW
}

fn minutes(count: i64) -> TimeDelta {
    TimeDelta::minutes(count)
}

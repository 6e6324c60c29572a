//! Organizations of a running service, and their callers.

use serde_json::{Value, json};
use testkit::Caller;

use crate::{World, unique::next_number};

/// Organization with its owner.
pub struct Tenant<'w> {
    /// Service that the organization belongs to.
    pub world: &'w World,
    /// Identifier of the organization.
    pub id: String,
    /// Email address of the owner.
    pub email: String,
    /// Session token of the owner.
    pub token: String,
}

impl World {
    /// Registers an organization with an owner and a trial credit.
    pub async fn tenant(&self) -> Tenant<'_> {
        let number = next_number();
        let email = format!("owner{number}@example.com");
        let name = format!("Kente {number} Ltd");
        let found = testkit::Tenant::found(&self.http, &self.url, &email, &name).await;
        let found = found.expect("an organization is registered");
        let (id, token) = (found.organization, found.token);
        Tenant { world: self, id, email, token }
    }

    /// Registers a platform administrator without an organization.
    pub async fn administrator(&self) -> Caller {
        let email = format!("admin{}@example.com", next_number());
        let user = self.user(&email).await;
        self.promote(&email).await;
        let token = user["token"].as_str().expect("a token is text");
        self.guest().with("Authorization", &format!("Bearer {token}"))
    }

    /// Makes a registered user a platform administrator.
    pub async fn promote(&self, email: &str) {
        let role = "PLATFORM_SUPER_ADMIN";
        self.sql(&format!("UPDATE users SET platform_role = '{role}' WHERE email = '{email}'"))
            .await;
    }
}

impl Tenant<'_> {
    /// Verifies the owner's address; mails about the organization go there from then on.
    pub async fn verify_email(&self) {
        let verify = "UPDATE users SET email_verified_at = now() WHERE email";
        self.world.sql(&format!("{verify} = '{}'", self.email)).await;
    }

    /// Returns the same organization on another instance.
    pub fn at<'o>(&self, world: &'o World) -> Tenant<'o> {
        let (id, email, token) = (self.id.clone(), self.email.clone(), self.token.clone());
        Tenant { world, id, email, token }
    }

    /// Returns the owner as caller.
    pub fn owner(&self) -> Caller {
        self.member(&self.token)
    }

    /// Returns the member with that session token as caller.
    pub fn member(&self, token: &str) -> Caller {
        let caller = self.world.guest().with("Authorization", &format!("Bearer {token}"));
        caller.with("X-Organization-Id", &self.id)
    }

    /// Creates an API key and returns it as caller.
    pub async fn api_key(&self, request: Value) -> Caller {
        let answer = self.owner().post("/api-keys", request).await;
        let key = answer.data(201)["key"].as_str().expect("the key is told");
        self.world.guest().with("X-API-Key", key)
    }

    /// Creates an API key for live messages and returns it as caller.
    pub async fn live_key(&self) -> Caller {
        self.api_key(json!({"name": "live", "isSandbox": false})).await
    }

    /// Returns the balance of the wallet, in GHS.
    pub async fn balance(&self) -> f64 {
        let answer = self.owner().get("/billing/wallet").await;
        answer.data(200)["balance"].as_f64().expect("a balance is a number")
    }

    /// Sets the balance of the wallet, in micros, with an entry in the ledger.
    pub async fn set_balance(&self, micros: i64) {
        let id = &self.id;
        self.world
            .sql(&format!(
                "INSERT INTO ledger_entries (id, organization_id, kind, amount_micros, created_at) \
                 SELECT gen_random_uuid(), organization_id, 'CORRECTION', {micros} - balance_micros, \
                 now() FROM wallets WHERE organization_id = '{id}'; \
                 UPDATE wallets SET balance_micros = {micros} WHERE organization_id = '{id}'"
            ))
            .await;
    }

    /// Returns the number of rows of a table that belong to the organization.
    pub async fn count(&self, table: &str) -> i64 {
        let id = &self.id;
        let query = format!("SELECT count(*) FROM {table} WHERE organization_id = '{id}'");
        self.world.value(&query).await
    }

    /// Returns the number of refunded messages.
    pub async fn refunds(&self) -> i64 {
        let id = &self.id;
        let query = format!(
            "SELECT coalesce(sum(messages), 0)::bigint FROM ledger \
             WHERE organization_id = '{id}' AND kind = 'MESSAGE_REFUND'"
        );
        self.world.value(&query).await
    }

    /// Asserts that the balance is the sum of the ledger, and not below zero.
    pub async fn assert_ledger_adds_up(&self) {
        let id = &self.id;
        let difference = self
            .world
            .value(&format!(
                "SELECT (balance_micros - (SELECT coalesce(sum(amount_micros), 0) FROM ledger \
                 WHERE organization_id = '{id}'))::bigint FROM wallet_balances \
                 WHERE organization_id = '{id}'"
            ))
            .await;
        assert_eq!(difference, 0);
        assert!(self.balance().await >= 0.0);
    }
}

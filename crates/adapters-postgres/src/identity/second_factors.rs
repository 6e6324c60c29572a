//! Second factors of users, and their recovery codes.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{identity::user::User, shared::id::Id};
use ports::{
    identity::second_factors::{SecondFactorRepository, StoredFactor},
    shared::store::StoreError,
};

use crate::{
    identity::users,
    shared::{
        database::{connection::Connection, session::PgStore},
        query::{row::row, sql::sql},
    },
};

row! {
    struct FactorRow {
        secret: Vec<u8>,
        last_step: Option<i64>,
    }
}

#[async_trait]
impl SecondFactorRepository for PgStore {
    async fn propose(
        &self,
        user: Id<User>,
        sealed_secret: &[u8],
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.transaction().await?;
        if !lacks_one(transaction.conn(), user).await? {
            return Ok(false);
        }
        let put = sql!(
            "INSERT INTO second_factors (user_id, secret, created_at) \
             VALUES ({user}, {secret}, {now}) \
             ON CONFLICT (user_id) DO UPDATE \
             SET secret = excluded.secret, last_step = NULL, created_at = excluded.created_at",
            user,
            secret = sealed_secret,
            now,
        );
        put.execute(transaction.conn()).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn find(&self, user: Id<User>) -> Result<Option<StoredFactor>, StoreError> {
        let find =
            sql!("SELECT secret, last_step FROM second_factors WHERE user_id = {user}", user);
        let row: Option<FactorRow> = find.row(self.session().await?.conn()).await?;
        Ok(row.map(|row| StoredFactor { sealed_secret: row.secret, last_step: row.last_step }))
    }

    async fn confirm(
        &self,
        user: Id<User>,
        factor: &StoredFactor,
        step: i64,
        recovery_codes: &[[u8; 32]],
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.transaction().await?;
        let conn = transaction.conn();
        if !lacks_one(conn, user).await? || !use_step(conn, user, factor, step).await? {
            return Ok(false);
        }
        let hashes: Vec<_> = recovery_codes.iter().map(|hash| hash.to_vec()).collect();
        let insert = sql!(
            "INSERT INTO recovery_codes (user_id, hash) \
             SELECT {user}::uuid, unnest({hashes}::bytea[])",
            user,
            hashes,
        );
        insert.execute(conn).await?;
        mark(conn, user, Some(now)).await?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn use_step(
        &self,
        user: Id<User>,
        factor: &StoredFactor,
        step: i64,
    ) -> Result<bool, StoreError> {
        use_step(self.session().await?.conn(), user, factor, step).await
    }

    async fn use_recovery_code(&self, user: Id<User>, hash: [u8; 32]) -> Result<bool, StoreError> {
        let delete = sql!(
            "DELETE FROM recovery_codes WHERE user_id = {user} AND hash = {hash}",
            user,
            hash = hash.as_slice(),
        );
        Ok(delete.execute(self.session().await?.conn()).await? > 0)
    }

    async fn remove(&self, user: Id<User>) -> Result<bool, StoreError> {
        let mut transaction = self.transaction().await?;
        let conn = transaction.conn();
        let was_confirmed =
            users::lock(conn, user).await?.is_some_and(|user| user.second_factor_at.is_some());
        sql!("DELETE FROM second_factors WHERE user_id = {user}", user).execute(conn).await?;
        mark(conn, user, None).await?;
        transaction.commit().await?;
        Ok(was_confirmed)
    }
}

/// Locks a user until commit, so that their second factor changes once at a time. Returns true if they
/// have no confirmed one.
async fn lacks_one(conn: &mut Connection, user: Id<User>) -> Result<bool, StoreError> {
    let user = users::lock(conn, user).await?;
    Ok(user.is_some_and(|user| user.second_factor_at.is_none()))
}

async fn use_step(
    conn: &mut Connection,
    user: Id<User>,
    factor: &StoredFactor,
    step: i64,
) -> Result<bool, StoreError> {
    // Two requests with the same code wait for each other here; one of them changes the row.
    let update = sql!(
        "UPDATE second_factors SET last_step = {step} \
         WHERE user_id = {user} AND secret = {secret} \
            AND (last_step IS NULL OR last_step < {step})",
        step,
        user,
        secret = factor.sealed_secret.as_slice(),
    );
    Ok(update.execute(conn).await? > 0)
}

/// Writes the time of confirmation where sessions find it.
async fn mark(
    conn: &mut Connection,
    user: Id<User>,
    at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    let mark = sql!("UPDATE users SET second_factor_at = {at} WHERE id = {user}", at, user);
    mark.execute(conn).await?;
    Ok(())
}

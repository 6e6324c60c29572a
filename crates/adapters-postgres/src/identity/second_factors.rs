//! Second factors of users, and their recovery codes.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{Array, BigInt, Binary, Nullable, Timestamptz, Uuid as SqlUuid},
};
use domain::{identity::user::User, shared::id::Id};
use ports::{
    identity::second_factors::{SecondFactorRepository, StoredFactor},
    shared::store::StoreError,
};

use crate::{
    identity::users,
    shared::{
        database::{connection::Connection, session::PgStore},
        error::store_error,
        query::{run_query::RunQueryDsl, statement::Statement},
    },
};

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
        let put = Statement::new(&[PROPOSE])
            .bind::<SqlUuid, _>(user.uuid())
            .bind::<Binary, _>(sealed_secret.to_vec())
            .bind::<Timestamptz, _>(now);
        put.execute(transaction.conn()).await.map_err(store_error)?;
        transaction.commit().await?;
        Ok(true)
    }

    async fn find(&self, user: Id<User>) -> Result<Option<StoredFactor>, StoreError> {
        let query = Statement::<(Binary, Nullable<BigInt>)>::returning(&[FIND])
            .bind::<SqlUuid, _>(user.uuid());
        let found: Option<(Vec<u8>, Option<i64>)> =
            query.get_result(self.session().await?.conn()).await.optional().map_err(store_error)?;
        Ok(found.map(|(sealed_secret, last_step)| StoredFactor { sealed_secret, last_step }))
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
        let insert = Statement::new(&[INSERT_RECOVERY_CODES])
            .bind::<SqlUuid, _>(user.uuid())
            .bind::<Array<Binary>, _>(hashes);
        insert.execute(conn).await.map_err(store_error)?;
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
        let delete = Statement::new(&[USE_RECOVERY_CODE])
            .bind::<SqlUuid, _>(user.uuid())
            .bind::<Binary, _>(hash.to_vec());
        let deleted = delete.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(deleted > 0)
    }

    async fn remove(&self, user: Id<User>) -> Result<bool, StoreError> {
        let mut transaction = self.transaction().await?;
        let conn = transaction.conn();
        let was_confirmed =
            users::lock(conn, user).await?.is_some_and(|user| user.second_factor_at.is_some());
        let delete = Statement::new(&[REMOVE]).bind::<SqlUuid, _>(user.uuid());
        delete.execute(conn).await.map_err(store_error)?;
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
    let update = Statement::new(&[USE_STEP])
        .bind::<BigInt, _>(step)
        .bind::<SqlUuid, _>(user.uuid())
        .bind::<Binary, _>(factor.sealed_secret.clone())
        .bind::<BigInt, _>(step);
    let updated = update.execute(conn).await.map_err(store_error)?;
    Ok(updated > 0)
}

/// Writes the time of confirmation where sessions find it.
async fn mark(
    conn: &mut Connection,
    user: Id<User>,
    at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    let mark = Statement::new(&[MARK])
        .bind::<Nullable<Timestamptz>, _>(at)
        .bind::<SqlUuid, _>(user.uuid());
    mark.execute(conn).await.map_err(store_error)?;
    Ok(())
}

const PROPOSE: &str = "\
    INSERT INTO second_factors (user_id, secret, created_at) VALUES (?, ?, ?) \
    ON CONFLICT (user_id) DO UPDATE \
    SET secret = excluded.secret, last_step = NULL, created_at = excluded.created_at";

const FIND: &str = "SELECT secret, last_step FROM second_factors WHERE user_id = ?";

/// Two requests with the same code wait for each other here; one of them changes the row.
const USE_STEP: &str = "\
    UPDATE second_factors SET last_step = ? \
    WHERE user_id = ? AND secret = ? AND (last_step IS NULL OR last_step < ?)";

const INSERT_RECOVERY_CODES: &str =
    "INSERT INTO recovery_codes (user_id, hash) SELECT ?, unnest(?)";

const USE_RECOVERY_CODE: &str = "DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?";

const REMOVE: &str = "DELETE FROM second_factors WHERE user_id = ?";

const MARK: &str = "UPDATE users SET second_factor_at = ? WHERE id = ?";

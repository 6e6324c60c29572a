//! Users, counters of login attempts, and tokens of password resets.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    define_sql_function,
    dsl::{case_when, exists, not},
    prelude::*,
    sql_types::Text,
};
use domain::{
    identity::{
        session::{Attempts, Claims, LoginAttempts},
        user::{PlatformRole, User, UserUpdate},
    },
    shared::id::Id,
};
use ports::{
    identity::auth::{TokenLimit, UserRepository},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, sql::sql},
    schema::{
        email_verification_tokens, login_attempts, password_reset_tokens, reset_mails,
        revoked_sessions, sessions, users,
    },
};

define_sql_function! {
    /// Returns `text` in lower case, as stored in the index on addresses.
    fn lower(text: Text) -> Text;
}

/// Row that counts login attempts from any address.
const ANYWHERE: &str = "";

diesel::alias!(password_reset_tokens as shown: Shown);

#[derive(HasQuery, Insertable)]
#[diesel(table_name = users)]
struct UserRow {
    id: Uuid,
    email: String,
    first_name: String,
    last_name: String,
    password_hash: String,
    platform_role: Option<String>,
    session_version: i32,
    email_verified_at: Option<DateTime<Utc>>,
    second_factor_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
}

#[async_trait]
impl UserRepository for PgStore {
    async fn insert(&self, user: &User) -> Result<(), StoreError> {
        insert(self.session().await?.conn(), user).await
    }

    async fn find(&self, id: Id<User>) -> Result<Option<User>, StoreError> {
        let query = UserRow::query().filter(users::id.eq(id.uuid()));
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(User::try_from).transpose()
    }

    async fn find_signed_in(
        &self,
        token: &Claims,
    ) -> Result<Option<(User, Option<i32>)>, StoreError> {
        let (user, session) = (token.user.uuid(), token.session.uuid());
        let ended =
            revoked_sessions::table.filter(revoked_sessions::id.eq_any(vec![token.id, session]));
        let version = sessions::table.find((user, session)).select(sessions::version);
        let query = users::table
            .find(user)
            .filter(not(exists(ended)))
            .select((UserRow::as_select(), version.single_value()));
        let row: Option<(UserRow, Option<i32>)> =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        match row {
            Some((user, version)) => Ok(Some((User::try_from(user)?, version))),
            None => Ok(None),
        }
    }

    async fn find_by_email(&self, email: &str) -> Result<Option<User>, StoreError> {
        find_by_email(self.session().await?.conn(), email).await
    }

    async fn update(&self, id: Id<User>, update: &UserUpdate) -> Result<Option<User>, StoreError> {
        let mut session = self.transaction().await?;
        let Some(user) = lock(session.conn(), id).await? else { return Ok(None) };
        let user = user.updated(update);
        let write = diesel::update(users::table.find(id.uuid()))
            .set((users::first_name.eq(&user.first_name), users::last_name.eq(&user.last_name)));
        write.execute(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(Some(user))
    }

    async fn emails(&self, ids: &[Id<User>]) -> Result<HashMap<Id<User>, String>, StoreError> {
        let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
        let query = users::table.filter(users::id.eq_any(ids)).select((users::id, users::email));
        let rows: Vec<(Uuid, String)> =
            query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(|(id, email)| (id.into(), email)).collect())
    }

    async fn make_platform_admin(&self, id: Id<User>) -> Result<(), StoreError> {
        let update = diesel::update(users::table.find(id.uuid()))
            .set(users::platform_role.eq(PlatformRole::SuperAdmin.as_str()));
        update.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn count_login(
        &self,
        email: &str,
        address: &str,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<LoginAttempts, StoreError> {
        use login_attempts::{address as from, attempts, email as key, table, window_start};

        let is_open = || window_start.ge(since);
        // Every transaction locks the row of its own address first.
        let lines = [address, ANYWHERE].map(|line| {
            (key.eq(lower(email)), from.eq(line), attempts.eq(1), window_start.eq(now))
        });
        let upsert = diesel::insert_into(table)
            .values(lines.to_vec())
            .on_conflict((key, from))
            .do_update()
            .set((
                attempts.eq(case_when(is_open(), attempts + 1).otherwise(1)),
                window_start.eq(case_when(is_open(), window_start).otherwise(now)),
            ))
            .returning((from, attempts, window_start));
        let lines: Vec<(String, i32, DateTime<Utc>)> =
            upsert.load(self.session().await?.conn()).await.map_err(store_error)?;
        let line = |wanted: &str| {
            let found = lines.iter().find(|(line, ..)| line == wanted);
            let (_, count, since) = found
                .ok_or_else(|| StoreError::Internal("no line of attempts came back".into()))?;
            Ok(Attempts { count: count.unsigned_abs(), since: *since })
        };
        Ok(LoginAttempts { from_address: line(address)?, in_all: line(ANYWHERE)? })
    }

    async fn forget_logins(&self, email: &str, address: &str) -> Result<(), StoreError> {
        let forget = sql!(
            "WITH own AS ( \
                DELETE FROM login_attempts \
                WHERE email = lower({email}::text) AND address = {address} \
                RETURNING attempts) \
             UPDATE login_attempts SET attempts = greatest(0, login_attempts.attempts - own.attempts) \
             FROM own WHERE email = lower({email}::text) AND address = ''",
            email,
            address,
        );
        forget.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn count_reset_mail(
        &self,
        user: Id<User>,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<u32, StoreError> {
        use reset_mails::{mails, table, user_id, window_start};

        let is_open = || window_start.ge(since);
        let upsert = diesel::insert_into(table)
            .values((user_id.eq(user.uuid()), mails.eq(1), window_start.eq(now)))
            .on_conflict(user_id)
            .do_update()
            .set((
                mails.eq(case_when(is_open(), mails + 1).otherwise(1)),
                window_start.eq(case_when(is_open(), window_start).otherwise(now)),
            ))
            .returning(mails);
        let count: i32 =
            upsert.get_result(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(count.unsigned_abs())
    }

    async fn insert_reset_token(
        &self,
        user: Id<User>,
        hash: [u8; 32],
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let insert = diesel::insert_into(password_reset_tokens::table).values((
            password_reset_tokens::hash.eq(hash.as_slice()),
            password_reset_tokens::user_id.eq(user.uuid()),
            password_reset_tokens::expires_at.eq(expires_at),
        ));
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn insert_verification_token(
        &self,
        user: Id<User>,
        hash: [u8; 32],
        expires_at: DateTime<Utc>,
        limit: TokenLimit,
    ) -> Result<bool, StoreError> {
        let mut session = self.transaction().await?;
        // Concurrent requests must not count the same tokens.
        lock(session.conn(), user).await?;
        let counted = email_verification_tokens::table
            .filter(email_verification_tokens::user_id.eq(user.uuid()))
            .filter(email_verification_tokens::expires_at.gt(limit.expiring_after))
            .count();
        let count: i64 = counted.get_result(session.conn()).await.map_err(store_error)?;
        if count >= i64::from(limit.most) {
            return Ok(false);
        }
        let insert = diesel::insert_into(email_verification_tokens::table).values((
            email_verification_tokens::hash.eq(hash.as_slice()),
            email_verification_tokens::user_id.eq(user.uuid()),
            email_verification_tokens::expires_at.eq(expires_at),
        ));
        insert.execute(session.conn()).await.map_err(store_error)?;
        session.commit().await?;
        Ok(true)
    }
}

/// Adds a user.
pub(crate) async fn insert(conn: &mut Connection, user: &User) -> Result<(), StoreError> {
    let row = UserRow::from(user);
    let insert = diesel::insert_into(users::table).values(row);
    insert.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Finds a user by address, in any case.
pub(crate) async fn find_by_email(
    conn: &mut Connection,
    email: &str,
) -> Result<Option<User>, StoreError> {
    let query = UserRow::query().filter(lower(users::email).eq(lower(email)));
    let row = query.first(conn).await.optional().map_err(store_error)?;
    row.map(User::try_from).transpose()
}

/// Returns the users with these identifiers, newest first.
pub(crate) async fn newest(conn: &mut Connection, ids: &[Uuid]) -> Result<Vec<User>, StoreError> {
    let query = UserRow::query().filter(users::id.eq_any(ids)).order(users::id.desc());
    let rows = query.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(User::try_from).collect()
}

/// Finds a user and locks it until commit.
pub(crate) async fn lock(conn: &mut Connection, id: Id<User>) -> Result<Option<User>, StoreError> {
    let query = UserRow::query().filter(users::id.eq(id.uuid())).for_update();
    let row = query.get_result(conn).await.optional().map_err(store_error)?;
    row.map(User::try_from).transpose()
}

/// Changes a password and ends all sessions of the user.
pub(crate) async fn set_password(
    conn: &mut Connection,
    id: Id<User>,
    hash: &str,
) -> Result<(), StoreError> {
    let update = diesel::update(users::table.find(id.uuid())).set((
        users::password_hash.eq(hash),
        users::session_version.eq(users::session_version + 1),
    ));
    update.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Marks the mail address of a user as verified.
pub(crate) async fn verify_email(
    conn: &mut Connection,
    id: Id<User>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let unverified = users::table.find(id.uuid()).filter(users::email_verified_at.is_null());
    let update = diesel::update(unverified).set(users::email_verified_at.eq(now));
    update.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Deletes all recorded login attempts of a user.
pub(crate) async fn forget_all_logins(
    conn: &mut Connection,
    user: Id<User>,
) -> Result<(), StoreError> {
    let forget = sql!(
        "DELETE FROM login_attempts \
         WHERE email = (SELECT lower(email) FROM users WHERE id = {user})",
        user,
    );
    forget.execute(conn).await?;
    Ok(())
}

/// Consumes a token for a new password, with all others of its user.
pub(crate) async fn take_reset_token(
    conn: &mut Connection,
    hash: [u8; 32],
    now: DateTime<Utc>,
) -> Result<Option<Id<User>>, StoreError> {
    let owner = shown
        .filter(shown.field(password_reset_tokens::hash).eq(hash.as_slice()))
        .filter(shown.field(password_reset_tokens::expires_at).gt(now))
        .select(shown.field(password_reset_tokens::user_id));
    let own = password_reset_tokens::table.filter(password_reset_tokens::user_id.eq_any(owner));
    let delete = diesel::delete(own).returning(password_reset_tokens::user_id);
    let users: Vec<Uuid> = delete.load(conn).await.map_err(store_error)?;
    Ok(users.into_iter().next().map(Id::of))
}

/// Consumes a token that verifies an address.
pub(crate) async fn take_verification_token(
    conn: &mut Connection,
    hash: [u8; 32],
    now: DateTime<Utc>,
) -> Result<Option<Id<User>>, StoreError> {
    let valid = email_verification_tokens::table
        .find(hash.as_slice())
        .filter(email_verification_tokens::expires_at.gt(now));
    let delete = diesel::delete(valid).returning(email_verification_tokens::user_id);
    let user: Option<Uuid> = delete.get_result(conn).await.optional().map_err(store_error)?;
    Ok(user.map(Id::of))
}

impl From<&User> for UserRow {
    fn from(user: &User) -> Self {
        Self {
            id: user.id.uuid(),
            email: user.email.clone(),
            first_name: user.first_name.clone(),
            last_name: user.last_name.clone(),
            password_hash: user.password_hash.clone(),
            platform_role: user.platform_role.map(|role| role.as_str().to_owned()),
            session_version: user.session_version,
            email_verified_at: user.email_verified_at,
            second_factor_at: user.second_factor_at,
            created_at: user.created_at,
        }
    }
}

impl TryFrom<UserRow> for User {
    type Error = StoreError;

    fn try_from(row: UserRow) -> Result<Self, StoreError> {
        let platform_role = match row.platform_role.as_deref() {
            None => None,
            Some(role) if role == PlatformRole::SuperAdmin.as_str() => {
                Some(PlatformRole::SuperAdmin)
            }
            Some(_) => return Err(corrupt("users", row.id)),
        };
        Ok(Self {
            id: row.id.into(),
            email: row.email,
            first_name: row.first_name,
            last_name: row.last_name,
            password_hash: row.password_hash,
            platform_role,
            session_version: row.session_version,
            email_verified_at: row.email_verified_at,
            second_factor_at: row.second_factor_at,
            created_at: row.created_at,
        })
    }
}

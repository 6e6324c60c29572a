//! Users, as platform administrators see and change them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::user::{PlatformRole, User},
    platform::user::{UserFilter, UserUpdate},
    shared::{
        change::Change,
        id::Id,
        page::{Page, Paged},
        text::fold,
    },
};
use ports::{
    platform::users::{PlatformUserRepository, UserUpdated},
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::{
    identity::users,
    shared::{
        database::session::{PgSession, PgStore},
        query::{
            search::{self, Found, MOST_INDEXED, one_more},
            sql::sql,
        },
    },
};

/// Maximum number of users counted for a list.
const MOST_COUNTED: u64 = 10_000;
/// Minimum length of a text that the index on trigrams finds, in characters.
const INDEXED: usize = 3;

#[async_trait]
impl PlatformUserRepository for PgStore {
    async fn page(&self, filter: &UserFilter, page: Page) -> Result<Paged<User>, StoreError> {
        let mut session = self.session().await?;
        let Some(search) = &filter.search else {
            let found = session.count_users().await?;
            let ids = session.newest_users(page).await?;
            let items = users::newest(session.conn(), &ids).await?;
            return Ok(Paged::counted_up_to(MOST_COUNTED, items, page, found));
        };
        let found = session.search_users(&fold(search)).await?;
        let total = u64::try_from(found.ids.len()).unwrap_or(u64::MAX);
        let items = users::newest(session.conn(), &page.cut(found.ids)).await?;
        Ok(Paged { items, page, total, is_lower_bound: found.is_lower_bound })
    }

    async fn find(&self, id: Id<User>) -> Result<Option<User>, StoreError> {
        let mut session = self.session().await?;
        Ok(users::newest(session.conn(), &[id.uuid()]).await?.pop())
    }

    async fn is_only_admin(&self, id: Id<User>) -> Result<bool, StoreError> {
        let is_only = sql!(
            "SELECT NOT EXISTS (SELECT FROM user_directory \
                WHERE is_administrator AND user_id <> {id})",
            id,
        );
        is_only.only(self.session().await?.conn()).await
    }

    async fn update(
        &self,
        id: Id<User>,
        update: &UserUpdate,
        now: DateTime<Utc>,
    ) -> Result<UserUpdated, StoreError> {
        let mut session = self.transaction().await?;
        if update.takes_role_away() && session.lock_admins().await? == [id.uuid()] {
            return Ok(UserUpdated::LastAdmin);
        }
        let role = match &update.platform_role {
            Change::Set(role) => role.map(PlatformRole::as_str),
            Change::Keep => None,
        };
        let write = sql!(
            UPDATE,
            sets_role = update.platform_role != Change::Keep,
            role,
            is_verified = update.is_email_verified,
            at = now,
            id,
        );
        write.execute(session.conn()).await?;
        let Some(user) = users::lock(session.conn(), id).await? else {
            return Ok(UserUpdated::NotFound);
        };
        session.commit().await?;
        Ok(UserUpdated::Done(user))
    }

    async fn end_sessions(&self, id: Id<User>) -> Result<Option<User>, StoreError> {
        let mut session = self.session().await?;
        let end = sql!(
            "UPDATE users SET session_version = session_version + 1 WHERE id = {id} RETURNING id",
            id,
        );
        let ended: Option<Uuid> = end.value(session.conn()).await?;
        let ended: Vec<Uuid> = ended.into_iter().collect();
        Ok(users::newest(session.conn(), &ended).await?.pop())
    }
}

impl PgSession {
    /// Returns the number of users, up to one more than are counted.
    async fn count_users(&mut self) -> Result<u64, StoreError> {
        let count = sql!(
            "SELECT count(*) FROM (SELECT FROM users LIMIT {most}) AS counted",
            most = MOST_COUNTED.saturating_add(1).cast_signed(),
        );
        let found: i64 = count.only(self.conn()).await?;
        Ok(found.unsigned_abs())
    }

    /// Returns the identifiers of the users on a page.
    async fn newest_users(&mut self, page: Page) -> Result<Vec<Uuid>, StoreError> {
        let newest = sql!(
            "SELECT id FROM users ORDER BY id DESC OFFSET {offset} LIMIT {limit}",
            offset = i64::try_from(page.offset()).unwrap_or(i64::MAX),
            limit = i64::from(page.limit()),
        );
        newest.values(self.conn()).await
    }

    /// Returns the users whose address or name contains a folded text: by the index on trigrams, or,
    /// for a text that has none, among the newest.
    async fn search_users(&mut self, text: &str) -> Result<Found, StoreError> {
        let pattern = search::pattern(text);
        let most = one_more(MOST_INDEXED);
        if is_indexed(text) {
            let find = sql!(
                "SELECT user_id FROM user_directory WHERE text LIKE {pattern} LIMIT {most}",
                pattern,
                most,
            );
            let ids: Vec<Uuid> = find.values(self.conn()).await?;
            let are_all = ids.len() <= MOST_INDEXED;
            return Ok(Found::of(ids, are_all));
        }
        let find = sql!(
            "SELECT user_id FROM ( \
                SELECT user_id, text FROM user_directory \
                ORDER BY user_id DESC LIMIT {most}) AS newest \
             WHERE text LIKE {pattern} ORDER BY user_id DESC",
            most,
            pattern,
        );
        let ids: Vec<Uuid> = find.values(self.conn()).await?;
        let are_all = self.count_users().await? <= MOST_COUNTED;
        Ok(Found::of(ids, are_all))
    }

    /// Returns the platform administrators, of whom no other transaction makes ordinary users until
    /// the end of this one.
    async fn lock_admins(&mut self) -> Result<Vec<Uuid>, StoreError> {
        sql!("SELECT pg_advisory_xact_lock(hashtext('atumpan administrators'))")
            .execute(self.conn())
            .await?;
        let admins = sql!("SELECT user_id FROM user_directory WHERE is_administrator");
        admins.values(self.conn()).await
    }
}

/// True if the index on trigrams finds a text: it has three letters or digits in a row. The locale of
/// the database decides about others than those of ASCII.
fn is_indexed(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| word.len() >= INDEXED)
}

const UPDATE: &str = "\
    UPDATE users SET \
        platform_role = CASE WHEN given.sets_role THEN given.role ELSE users.platform_role END, \
        email_verified_at = CASE given.is_verified \
            WHEN true THEN coalesce(users.email_verified_at, given.at) \
            WHEN false THEN NULL \
            ELSE users.email_verified_at END \
    FROM (SELECT {sets_role}::boolean AS sets_role, {role}::text AS role, \
        {is_verified}::boolean AS is_verified, {at}::timestamptz AS at) AS given \
    WHERE users.id = {id}";

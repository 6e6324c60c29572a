//! Users, as platform administrators see and change them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
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
        error::store_error,
        query::{
            run_query::RunQueryDsl,
            search::{self, Found, MOST_INDEXED, one_more},
            statement::Statement,
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
        let query = Statement::<Bool>::returning(&[IS_ONLY_ADMIN]).bind::<SqlUuid, _>(id.uuid());
        query.get_result(self.session().await?.conn()).await.map_err(store_error)
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
        let write = Statement::new(&[UPDATE])
            .bind::<Bool, _>(update.platform_role != Change::Keep)
            .bind::<Nullable<Text>, _>(role)
            .bind::<Nullable<Bool>, _>(update.is_email_verified)
            .bind::<Timestamptz, _>(now)
            .bind::<SqlUuid, _>(id.uuid());
        write.execute(session.conn()).await.map_err(store_error)?;
        let Some(user) = users::lock(session.conn(), id).await? else {
            return Ok(UserUpdated::NotFound);
        };
        session.commit().await?;
        Ok(UserUpdated::Done(user))
    }

    async fn end_sessions(&self, id: Id<User>) -> Result<Option<User>, StoreError> {
        let mut session = self.session().await?;
        let end = Statement::<SqlUuid>::returning(&[END_SESSIONS]).bind::<SqlUuid, _>(id.uuid());
        let ended: Option<Uuid> =
            end.get_result(session.conn()).await.optional().map_err(store_error)?;
        let ended: Vec<Uuid> = ended.into_iter().collect();
        Ok(users::newest(session.conn(), &ended).await?.pop())
    }
}

impl PgSession {
    /// Returns the number of users, up to one more than are counted.
    async fn count_users(&mut self) -> Result<u64, StoreError> {
        let query = Statement::<BigInt>::returning(&[COUNT])
            .bind::<BigInt, _>(MOST_COUNTED.saturating_add(1).cast_signed());
        let found: i64 = query.get_result(self.conn()).await.map_err(store_error)?;
        Ok(found.unsigned_abs())
    }

    /// Returns the identifiers of the users on a page.
    async fn newest_users(&mut self, page: Page) -> Result<Vec<Uuid>, StoreError> {
        let query = Statement::<SqlUuid>::returning(&[NEWEST])
            .bind::<BigInt, _>(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .bind::<BigInt, _>(i64::from(page.limit()));
        query.load(self.conn()).await.map_err(store_error)
    }

    /// Returns the users whose address or name contains a folded text: by the index on trigrams, or,
    /// for a text that has none, among the newest.
    async fn search_users(&mut self, text: &str) -> Result<Found, StoreError> {
        let pattern = search::pattern(text);
        let most = one_more(MOST_INDEXED);
        if is_indexed(text) {
            let find = Statement::<SqlUuid>::returning(&[FIND_INDEXED])
                .bind::<Text, _>(pattern)
                .bind::<BigInt, _>(most);
            let ids: Vec<Uuid> = find.load(self.conn()).await.map_err(store_error)?;
            let are_all = ids.len() <= MOST_INDEXED;
            return Ok(Found::of(ids, are_all));
        }
        let find = Statement::<SqlUuid>::returning(&[FIND_NEWEST])
            .bind::<BigInt, _>(most)
            .bind::<Text, _>(pattern);
        let ids: Vec<Uuid> = find.load(self.conn()).await.map_err(store_error)?;
        let are_all = self.count_users().await? <= MOST_COUNTED;
        Ok(Found::of(ids, are_all))
    }

    /// Returns the platform administrators, of whom no other transaction makes ordinary users until
    /// the end of this one.
    async fn lock_admins(&mut self) -> Result<Vec<Uuid>, StoreError> {
        Statement::new(&[LOCK_ADMINS]).execute(self.conn()).await.map_err(store_error)?;
        let admins = Statement::<SqlUuid>::returning(&[ADMINS]);
        admins.load(self.conn()).await.map_err(store_error)
    }
}

/// True if the index on trigrams finds a text: it has three letters or digits in a row. The locale of
/// the database decides about others than those of ASCII.
fn is_indexed(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| word.len() >= INDEXED)
}

const COUNT: &str = "SELECT count(*) FROM (SELECT FROM users LIMIT ?) AS counted";

const NEWEST: &str = "SELECT id FROM users ORDER BY id DESC OFFSET ? LIMIT ?";

const FIND_INDEXED: &str = "SELECT user_id FROM user_directory WHERE text LIKE ? LIMIT ?";

const FIND_NEWEST: &str = "\
    SELECT user_id FROM ( \
        SELECT user_id, text FROM user_directory ORDER BY user_id DESC LIMIT ?) AS newest \
    WHERE text LIKE ? ORDER BY user_id DESC";

const IS_ONLY_ADMIN: &str = "\
    SELECT NOT EXISTS (SELECT FROM user_directory WHERE is_administrator AND user_id <> ?)";

const LOCK_ADMINS: &str = "SELECT pg_advisory_xact_lock(hashtext('atumpan administrators'))";

const ADMINS: &str = "SELECT user_id FROM user_directory WHERE is_administrator";

const UPDATE: &str = "\
    UPDATE users SET \
        platform_role = CASE WHEN given.sets_role THEN given.role ELSE users.platform_role END, \
        email_verified_at = CASE given.is_verified \
            WHEN true THEN coalesce(users.email_verified_at, given.at) \
            WHEN false THEN NULL \
            ELSE users.email_verified_at END \
    FROM (SELECT ?::boolean AS sets_role, ?::text AS role, ?::boolean AS is_verified, \
        ?::timestamptz AS at) AS given \
    WHERE users.id = ?";

const END_SESSIONS: &str =
    "UPDATE users SET session_version = session_version + 1 WHERE id = ? RETURNING id";

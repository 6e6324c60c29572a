//! Sessions that have not ended.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    identity::{
        open_session::{OpenSession, SessionUse},
        user::User,
    },
    shared::id::Id,
};
use ports::{identity::sessions::SessionRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::store_error,
    query::{run_query::RunQueryDsl, sql::sql},
    schema::{sessions, users},
};

/// Maximum number of uses written by one statement.
const WRITTEN_AT_ONCE: usize = 1_000;

#[derive(HasQuery, Insertable)]
#[diesel(table_name = sessions)]
struct SessionRow {
    user_id: Uuid,
    id: Uuid,
    version: i32,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    last_used_at: DateTime<Utc>,
    address: String,
    user_agent: Option<String>,
}

#[async_trait]
impl SessionRepository for PgStore {
    async fn insert(&self, session: &OpenSession) -> Result<(), StoreError> {
        let insert = diesel::insert_into(sessions::table).values(SessionRow::from(session));
        insert.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn list(
        &self,
        user: Id<User>,
        current: Id<OpenSession>,
        now: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<OpenSession>, StoreError> {
        let version = users::table.find(user.uuid()).select(users::session_version);
        let query = SessionRow::query()
            .filter(sessions::user_id.eq(user.uuid()))
            .filter(sessions::version.nullable().eq(version.single_value()))
            .filter(sessions::expires_at.gt(now))
            .order((
                sessions::id.eq(current.uuid()).desc(),
                sessions::last_used_at.desc(),
                sessions::id.desc(),
            ))
            .limit(i64::try_from(most).unwrap_or(i64::MAX));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(rows.into_iter().map(OpenSession::from).collect())
    }

    async fn end(
        &self,
        user: Id<User>,
        session: Id<OpenSession>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let end = sql!(
            "WITH ended AS ( \
                DELETE FROM sessions \
                WHERE user_id = {user} AND id = {session} AND expires_at > {now} \
                    AND version = (SELECT session_version FROM users WHERE users.id = {user}) \
                RETURNING id, expires_at \
             ), noted AS ( \
                INSERT INTO revoked_sessions (id, expires_at) SELECT id, expires_at FROM ended \
                ON CONFLICT DO NOTHING \
             ) SELECT count(*) FROM ended",
            user,
            session,
            now,
        );
        let ended: i64 = end.only(self.session().await?.conn()).await?;
        Ok(ended > 0)
    }

    async fn end_all(&self, user: Id<User>) -> Result<(), StoreError> {
        let update = diesel::update(users::table.find(user.uuid()))
            .set(users::session_version.eq(users::session_version + 1));
        update.execute(self.session().await?.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn note_uses(&self, uses: &[SessionUse]) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        for uses in uses.chunks(WRITTEN_AT_ONCE) {
            let note = sql!(
                "UPDATE sessions SET last_used_at = used.at \
                 FROM UNNEST({users}::uuid[], {sessions}::uuid[], {times}::timestamptz[]) \
                    AS used (user_id, session_id, at) \
                 WHERE sessions.user_id = used.user_id AND sessions.id = used.session_id \
                    AND sessions.last_used_at <= used.at - interval '5 minutes'",
                users = column(uses, |it| it.user),
                sessions = column(uses, |it| it.session),
                times = column(uses, |it| it.at),
            );
            note.execute(session.conn()).await?;
        }
        Ok(())
    }
}

/// Makes a session valid for the present version of its user.
pub(crate) async fn keep(
    conn: &mut Connection,
    user: Id<User>,
    session: Id<OpenSession>,
) -> Result<(), StoreError> {
    let keep = sql!(
        "UPDATE sessions SET version = users.session_version FROM users \
         WHERE users.id = {user} AND sessions.user_id = users.id AND sessions.id = {session}",
        user,
        session,
    );
    keep.execute(conn).await?;
    Ok(())
}

fn column<V>(uses: &[SessionUse], value: impl Fn(&SessionUse) -> V) -> Vec<V> {
    uses.iter().map(value).collect()
}

impl From<&OpenSession> for SessionRow {
    fn from(session: &OpenSession) -> Self {
        Self {
            user_id: session.user.uuid(),
            id: session.id.uuid(),
            version: session.version,
            created_at: session.created_at,
            expires_at: session.expires_at,
            last_used_at: session.last_used_at,
            address: session.address.clone(),
            user_agent: session.user_agent.clone(),
        }
    }
}

impl From<SessionRow> for OpenSession {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id.into(),
            user: row.user_id.into(),
            version: row.version,
            created_at: row.created_at,
            expires_at: row.expires_at,
            last_used_at: row.last_used_at,
            address: row.address,
            user_agent: row.user_agent,
        }
    }
}

//! Open invitations to organizations, and counts of the mails with them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    prelude::*,
    sql_types::{Binary, Integer, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    identity::{
        invitation::Invitation,
        organization::{Organization, Role},
        session::Attempts,
    },
    shared::id::Id,
};
use ports::{identity::invitations::InvitationRepository, shared::store::StoreError};
use uuid::Uuid;

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Types of the columns of an invitation.
type Columns = (SqlUuid, SqlUuid, Text, Text, SqlUuid, Timestamptz, Timestamptz);
/// Values of these columns.
type Row = (Uuid, Uuid, String, String, Uuid, DateTime<Utc>, DateTime<Utc>);

#[async_trait]
impl InvitationRepository for PgStore {
    async fn list(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Invitation>, StoreError> {
        open(self.session().await?.conn(), organization, now).await
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, StoreError> {
        let mut session = self.session().await?;
        by_token(Statement::returning(&[FIND]), session.conn(), organization, hash, now).await
    }
}

/// Returns the invitations of an organization that are open at `now`, newest first.
pub(crate) async fn open(
    conn: &mut Connection,
    organization: Id<Organization>,
    now: DateTime<Utc>,
) -> Result<Vec<Invitation>, StoreError> {
    let query = Statement::<Columns>::returning(&[LIST])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Timestamptz, _>(now);
    let rows: Vec<Row> = query.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(invitation).collect()
}

/// Adds an invitation in the place of an expired one.
pub(crate) async fn insert(
    conn: &mut Connection,
    invitation: &Invitation,
    hash: [u8; 32],
) -> Result<(), StoreError> {
    let insert = Statement::new(&[INSERT])
        .bind::<SqlUuid, _>(invitation.organization.uuid())
        .bind::<SqlUuid, _>(invitation.id.uuid())
        .bind::<Text, _>(invitation.email.as_str())
        .bind::<Text, _>(invitation.role.as_str())
        .bind::<Binary, _>(hash.to_vec())
        .bind::<SqlUuid, _>(invitation.invited_by.uuid())
        .bind::<Timestamptz, _>(invitation.created_at)
        .bind::<Timestamptz, _>(invitation.expires_at);
    insert.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Writes who renewed an invitation, until when, and the hash of its new token.
pub(crate) async fn renew(
    conn: &mut Connection,
    invitation: &Invitation,
    hash: [u8; 32],
) -> Result<(), StoreError> {
    let renew = Statement::new(&[RENEW])
        .bind::<Binary, _>(hash.to_vec())
        .bind::<SqlUuid, _>(invitation.invited_by.uuid())
        .bind::<Timestamptz, _>(invitation.expires_at)
        .bind::<SqlUuid, _>(invitation.organization.uuid())
        .bind::<SqlUuid, _>(invitation.id.uuid());
    renew.execute(conn).await.map_err(store_error)?;
    Ok(())
}

/// Deletes an invitation. Returns false if there is none.
pub(crate) async fn delete(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Invitation>,
) -> Result<bool, StoreError> {
    let delete = Statement::new(&[DELETE])
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<SqlUuid, _>(id.uuid());
    Ok(delete.execute(conn).await.map_err(store_error)? > 0)
}

/// Consumes the invitation with the hash of its token, if it is open at `now`.
pub(crate) async fn take(
    conn: &mut Connection,
    organization: Id<Organization>,
    hash: [u8; 32],
    now: DateTime<Utc>,
) -> Result<Option<Invitation>, StoreError> {
    by_token(Statement::returning(&[TAKE]), conn, organization, hash, now).await
}

async fn by_token(
    statement: Statement<'_, Columns>,
    conn: &mut Connection,
    organization: Id<Organization>,
    hash: [u8; 32],
    now: DateTime<Utc>,
) -> Result<Option<Invitation>, StoreError> {
    let query = statement
        .bind::<SqlUuid, _>(organization.uuid())
        .bind::<Binary, _>(hash.to_vec())
        .bind::<Timestamptz, _>(now);
    let row: Option<Row> = query.get_result(conn).await.optional().map_err(store_error)?;
    row.map(invitation).transpose()
}

/// Counts a mail from an organization, and to an address. Every transaction locks the row of its
/// organization first.
pub(crate) async fn count_mail(
    conn: &mut Connection,
    organization: Id<Organization>,
    email: &str,
    now: DateTime<Utc>,
    since: DateTime<Utc>,
) -> Result<[Attempts; 2], StoreError> {
    let of_organization = count_mail_of(conn, organization.to_string(), now, since).await?;
    let of_address = count_mail_of(conn, email.to_lowercase(), now, since).await?;
    Ok([of_organization, of_address])
}

async fn count_mail_of(
    conn: &mut Connection,
    party: String,
    now: DateTime<Utc>,
    since: DateTime<Utc>,
) -> Result<Attempts, StoreError> {
    let count = Statement::<(Integer, Timestamptz)>::returning(&[COUNT_MAIL])
        .bind::<Text, _>(party)
        .bind::<Timestamptz, _>(now)
        .bind::<Timestamptz, _>(since)
        .bind::<Timestamptz, _>(since);
    let (mails, since): (i32, DateTime<Utc>) = count.get_result(conn).await.map_err(store_error)?;
    Ok(Attempts { count: mails.unsigned_abs(), since })
}

fn invitation(row: Row) -> Result<Invitation, StoreError> {
    let (organization, id, email, role, invited_by, created_at, expires_at) = row;
    let role: Role = role.parse().map_err(|_| corrupt("invitations", id))?;
    Ok(Invitation {
        id: id.into(),
        organization: organization.into(),
        email,
        role,
        invited_by: invited_by.into(),
        created_at,
        expires_at,
    })
}

const LIST: &str = "\
    SELECT organization_id, id, email, role, invited_by, created_at, expires_at FROM invitations \
    WHERE organization_id = ? AND expires_at > ? ORDER BY id DESC";

const FIND: &str = "\
    SELECT organization_id, id, email, role, invited_by, created_at, expires_at FROM invitations \
    WHERE organization_id = ? AND token_hash = ? AND expires_at > ?";

const INSERT: &str = "\
    INSERT INTO invitations (organization_id, id, email, role, token_hash, invited_by, created_at, \
        expires_at) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) \
    ON CONFLICT (organization_id, lower(email)) DO UPDATE SET id = excluded.id, \
        email = excluded.email, role = excluded.role, token_hash = excluded.token_hash, \
        invited_by = excluded.invited_by, created_at = excluded.created_at, \
        expires_at = excluded.expires_at";

const RENEW: &str = "\
    UPDATE invitations SET token_hash = ?, invited_by = ?, expires_at = ? \
    WHERE organization_id = ? AND id = ?";

const DELETE: &str = "DELETE FROM invitations WHERE organization_id = ? AND id = ?";

const TAKE: &str = "\
    DELETE FROM invitations WHERE organization_id = ? AND token_hash = ? AND expires_at > ? \
    RETURNING organization_id, id, email, role, invited_by, created_at, expires_at";

const COUNT_MAIL: &str = "\
    INSERT INTO invitation_mails AS line (party, mails, window_start) VALUES (?, 1, ?) \
    ON CONFLICT (party) DO UPDATE SET \
        mails = CASE WHEN line.window_start >= ? THEN line.mails + 1 ELSE 1 END, \
        window_start = CASE WHEN line.window_start >= ? THEN line.window_start \
            ELSE excluded.window_start END \
    RETURNING mails, window_start";

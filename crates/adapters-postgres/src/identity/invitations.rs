//! Open invitations to organizations, and counts of the mails with them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::result::Error as DieselError;
use domain::{
    identity::{
        invitation::Invitation,
        organization::{Organization, Role},
        session::Attempts,
        user::User,
    },
    shared::id::Id,
};
use ports::{identity::invitations::InvitationRepository, shared::store::StoreError};

use crate::shared::{
    database::{connection::Connection, session::PgStore},
    error::{corrupt, store_error},
    query::{row::row, sql::sql},
};

row! {
    struct InvitationRow {
        organization_id: Id<Organization>,
        id: Id<Invitation>,
        email: String,
        role: String,
        invited_by: Id<User>,
        created_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
    }
}

row! {
    /// Count of the mails from an organization, or to an address.
    struct MailsRow {
        mails: i32,
        window_start: DateTime<Utc>,
    }
}

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
        let find = sql!(
            "SELECT organization_id, id, email, role, invited_by, created_at, expires_at \
             FROM invitations \
             WHERE organization_id = {organization} AND token_hash = {hash} AND expires_at > {now}",
            organization,
            hash = hash.as_slice(),
            now,
        );
        let row: Option<InvitationRow> = find.row(self.session().await?.conn()).await?;
        row.map(invitation).transpose()
    }
}

/// Returns the invitations of an organization that are open at `now`, newest first.
pub(crate) async fn open(
    conn: &mut Connection,
    organization: Id<Organization>,
    now: DateTime<Utc>,
) -> Result<Vec<Invitation>, StoreError> {
    let open = sql!(
        "SELECT organization_id, id, email, role, invited_by, created_at, expires_at \
         FROM invitations \
         WHERE organization_id = {organization} AND expires_at > {now} ORDER BY id DESC",
        organization,
        now,
    );
    let rows: Vec<InvitationRow> = open.rows(conn).await?;
    rows.into_iter().map(invitation).collect()
}

/// Adds an invitation in the place of an expired one.
pub(crate) async fn insert(
    conn: &mut Connection,
    invitation: &Invitation,
    hash: [u8; 32],
) -> Result<(), StoreError> {
    let insert = sql!(
        "INSERT INTO invitations (organization_id, id, email, role, token_hash, invited_by, \
            created_at, expires_at) \
         VALUES ({organization}, {id}, {email}, {role}, {hash}, {invited_by}, {created_at}, \
            {expires_at}) \
         ON CONFLICT (organization_id, lower(email)) DO UPDATE SET id = excluded.id, \
            email = excluded.email, role = excluded.role, token_hash = excluded.token_hash, \
            invited_by = excluded.invited_by, created_at = excluded.created_at, \
            expires_at = excluded.expires_at",
        organization = invitation.organization,
        id = invitation.id,
        email = invitation.email.as_str(),
        role = invitation.role.as_str(),
        hash = hash.as_slice(),
        invited_by = invitation.invited_by,
        created_at = invitation.created_at,
        expires_at = invitation.expires_at,
    );
    insert.execute(conn).await?;
    Ok(())
}

/// Writes who renewed an invitation, until when, and the hash of its new token.
pub(crate) async fn renew(
    conn: &mut Connection,
    invitation: &Invitation,
    hash: [u8; 32],
) -> Result<(), StoreError> {
    let renew = sql!(
        "UPDATE invitations \
         SET token_hash = {hash}, invited_by = {invited_by}, expires_at = {expires_at} \
         WHERE organization_id = {organization} AND id = {id}",
        hash = hash.as_slice(),
        invited_by = invitation.invited_by,
        expires_at = invitation.expires_at,
        organization = invitation.organization,
        id = invitation.id,
    );
    renew.execute(conn).await?;
    Ok(())
}

/// Deletes an invitation. Returns false if there is none.
pub(crate) async fn delete(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Invitation>,
) -> Result<bool, StoreError> {
    let delete = sql!(
        "DELETE FROM invitations WHERE organization_id = {organization} AND id = {id}",
        organization,
        id,
    );
    Ok(delete.execute(conn).await? > 0)
}

/// Consumes the invitation with the hash of its token, if it is open at `now`.
pub(crate) async fn take(
    conn: &mut Connection,
    organization: Id<Organization>,
    hash: [u8; 32],
    now: DateTime<Utc>,
) -> Result<Option<Invitation>, StoreError> {
    let take = sql!(
        "DELETE FROM invitations \
         WHERE organization_id = {organization} AND token_hash = {hash} AND expires_at > {now} \
         RETURNING organization_id, id, email, role, invited_by, created_at, expires_at",
        organization,
        hash = hash.as_slice(),
        now,
    );
    let row: Option<InvitationRow> = take.row(conn).await?;
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
    let count = sql!(
        "INSERT INTO invitation_mails AS line (party, mails, window_start) \
         VALUES ({party}, 1, {now}) \
         ON CONFLICT (party) DO UPDATE SET \
            mails = CASE WHEN line.window_start >= {since} THEN line.mails + 1 ELSE 1 END, \
            window_start = CASE WHEN line.window_start >= {since} THEN line.window_start \
                ELSE excluded.window_start END \
         RETURNING mails, window_start",
        party,
        now,
        since,
    );
    let row: Option<MailsRow> = count.row(conn).await?;
    let row = row.ok_or_else(|| store_error(DieselError::NotFound))?;
    Ok(Attempts { count: row.mails.unsigned_abs(), since: row.window_start })
}

fn invitation(row: InvitationRow) -> Result<Invitation, StoreError> {
    let role: Role = row.role.parse().map_err(|_| corrupt("invitations", row.id))?;
    Ok(Invitation {
        id: row.id,
        organization: row.organization_id,
        email: row.email,
        role,
        invited_by: row.invited_by,
        created_at: row.created_at,
        expires_at: row.expires_at,
    })
}

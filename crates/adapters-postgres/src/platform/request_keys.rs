//! Idempotency keys of requests that make something, except those that accept messages.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{
    OptionalExtension,
    sql_types::{Binary, Bool, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{identity::organization::PLATFORM, shared::id::Id};
use ports::{
    platform::request_keys::{
        KeptAnswer, KeyClaim, KeyOwner, KeyState, RequestKey, RequestKeyRepository,
    },
    shared::store::StoreError,
};
use uuid::Uuid;

use crate::shared::{
    database::session::PgStore,
    error::{corrupt, store_error},
    query::{run_query::RunQueryDsl, statement::Statement},
};

/// Hash of the request, and status and body of its answer.
type FoundTypes = (Nullable<Binary>, Nullable<SmallInt>, Nullable<Binary>);
type Found = (Option<Vec<u8>>, Option<i16>, Option<Vec<u8>>);

/// Owner of a key, as its row names it.
struct OwnerColumns {
    organization: Uuid,
    user: Uuid,
    is_sandbox: bool,
}

impl From<KeyOwner> for OwnerColumns {
    fn from(owner: KeyOwner) -> Self {
        match owner {
            KeyOwner::Organization { id, is_sandbox } => {
                Self { organization: id.uuid(), user: Uuid::nil(), is_sandbox }
            }
            KeyOwner::User(user) => {
                Self { organization: PLATFORM.uuid(), user: user.uuid(), is_sandbox: false }
            }
        }
    }
}

#[async_trait]
impl RequestKeyRepository for PgStore {
    async fn claim(
        &self,
        key: &RequestKey,
        claim: &KeyClaim,
        now: DateTime<Utc>,
    ) -> Result<KeyState, StoreError> {
        let owner = OwnerColumns::from(key.owner);
        let mut session = self.session().await?;
        let claimed = Statement::new(&[CLAIM])
            .bind::<SqlUuid, _>(owner.organization)
            .bind::<SqlUuid, _>(owner.user)
            .bind::<Bool, _>(owner.is_sandbox)
            .bind::<Text, _>(&key.text)
            .bind::<SqlUuid, _>(claim.id.uuid())
            .bind::<Nullable<Binary>, _>(claim.fingerprint.map(Vec::from))
            .bind::<Timestamptz, _>(claim.leased_until)
            .bind::<Timestamptz, _>(claim.expires_at)
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(now)
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        if claimed > 0 {
            return Ok(KeyState::Claimed);
        }
        let found: Option<Found> = Statement::<FoundTypes>::returning(&[FIND])
            .bind::<SqlUuid, _>(owner.organization)
            .bind::<SqlUuid, _>(owner.user)
            .bind::<Bool, _>(owner.is_sandbox)
            .bind::<Text, _>(&key.text)
            .get_result(session.conn())
            .await
            .optional()
            .map_err(store_error)?;
        match found {
            Some(found) => state(found).ok_or_else(|| corrupt("request_keys", owner.organization)),
            // It was freed in between, and a repetition will claim it.
            None => Ok(KeyState::InProgress { fingerprint: None }),
        }
    }

    async fn keep(
        &self,
        key: &RequestKey,
        claim: Id<KeyClaim>,
        fingerprint: [u8; 32],
        answer: &KeptAnswer,
    ) -> Result<(), StoreError> {
        let owner = OwnerColumns::from(key.owner);
        let mut session = self.session().await?;
        Statement::new(&[KEEP])
            .bind::<Binary, _>(fingerprint.to_vec())
            .bind::<SmallInt, _>(answer.status.cast_signed())
            .bind::<Nullable<Binary>, _>(answer.sealed_body.clone())
            .bind::<SqlUuid, _>(owner.organization)
            .bind::<SqlUuid, _>(owner.user)
            .bind::<Bool, _>(owner.is_sandbox)
            .bind::<Text, _>(&key.text)
            .bind::<SqlUuid, _>(claim.uuid())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }

    async fn release(&self, key: &RequestKey, claim: Id<KeyClaim>) -> Result<(), StoreError> {
        let owner = OwnerColumns::from(key.owner);
        let mut session = self.session().await?;
        Statement::new(&[RELEASE])
            .bind::<SqlUuid, _>(owner.organization)
            .bind::<SqlUuid, _>(owner.user)
            .bind::<Bool, _>(owner.is_sandbox)
            .bind::<Text, _>(&key.text)
            .bind::<SqlUuid, _>(claim.uuid())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

/// Returns the state of a key in use; `None` if its row makes no sense.
fn state((fingerprint, status, body): Found) -> Option<KeyState> {
    let fingerprint = fingerprint.map(<[u8; 32]>::try_from).transpose().ok()?;
    match status {
        None => Some(KeyState::InProgress { fingerprint }),
        Some(status) => {
            let answer = KeptAnswer { status: status.cast_unsigned(), sealed_body: body };
            Some(KeyState::Answered { fingerprint: fingerprint?, answer })
        }
    }
}

const CLAIM: &str = "\
    INSERT INTO request_keys AS used (organization_id, user_id, is_sandbox, key, claim_id, \
        fingerprint, leased_until, expires_at) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) \
    ON CONFLICT (organization_id, user_id, is_sandbox, key) DO UPDATE \
    SET claim_id = excluded.claim_id, fingerprint = excluded.fingerprint, \
        leased_until = excluded.leased_until, expires_at = excluded.expires_at, \
        status = NULL, body = NULL \
    WHERE used.expires_at <= ? OR (used.status IS NULL AND used.leased_until <= ?)";

const FIND: &str = "\
    SELECT fingerprint, status, body FROM request_keys \
    WHERE organization_id = ? AND user_id = ? AND is_sandbox = ? AND key = ?";

const KEEP: &str = "\
    UPDATE request_keys SET fingerprint = ?, status = ?, body = ? \
    WHERE organization_id = ? AND user_id = ? AND is_sandbox = ? AND key = ? AND claim_id = ?";

const RELEASE: &str = "\
    DELETE FROM request_keys \
    WHERE organization_id = ? AND user_id = ? AND is_sandbox = ? AND key = ? AND claim_id = ? \
        AND status IS NULL";

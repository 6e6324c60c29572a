//! Idempotency keys of requests that make something, except those that accept messages.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
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
    error::corrupt,
    query::{row::row, sql::sql},
};

row! {
    struct FoundRow {
        /// Hash of the request.
        fingerprint: Option<Vec<u8>>,
        /// Status of the answer, and its body.
        status: Option<i16>,
        body: Option<Vec<u8>>,
    }
}

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
        let claim = sql!(
            CLAIM,
            organization = owner.organization,
            user = owner.user,
            is_sandbox = owner.is_sandbox,
            key = &key.text,
            claim = claim.id,
            fingerprint = claim.fingerprint.map(|hash| hash.to_vec()),
            leased_until = claim.leased_until,
            expires_at = claim.expires_at,
            now,
        );
        let mut session = self.session().await?;
        if claim.execute(session.conn()).await? > 0 {
            return Ok(KeyState::Claimed);
        }
        let find = sql!(
            "SELECT fingerprint, status, body FROM request_keys \
             WHERE organization_id = {organization} AND user_id = {user} \
                AND is_sandbox = {is_sandbox} AND key = {key}",
            organization = owner.organization,
            user = owner.user,
            is_sandbox = owner.is_sandbox,
            key = &key.text,
        );
        let found: Option<FoundRow> = find.row(session.conn()).await?;
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
        let keep = sql!(
            "UPDATE request_keys SET fingerprint = {fingerprint}, status = {status}, body = {body} \
             WHERE organization_id = {organization} AND user_id = {user} \
                AND is_sandbox = {is_sandbox} AND key = {key} AND claim_id = {claim}",
            fingerprint = fingerprint.to_vec(),
            status = answer.status.cast_signed(),
            body = answer.sealed_body.clone(),
            organization = owner.organization,
            user = owner.user,
            is_sandbox = owner.is_sandbox,
            key = &key.text,
            claim,
        );
        keep.execute(self.session().await?.conn()).await?;
        Ok(())
    }

    async fn release(&self, key: &RequestKey, claim: Id<KeyClaim>) -> Result<(), StoreError> {
        let owner = OwnerColumns::from(key.owner);
        let release = sql!(
            "DELETE FROM request_keys \
             WHERE organization_id = {organization} AND user_id = {user} \
                AND is_sandbox = {is_sandbox} AND key = {key} AND claim_id = {claim} \
                AND status IS NULL",
            organization = owner.organization,
            user = owner.user,
            is_sandbox = owner.is_sandbox,
            key = &key.text,
            claim,
        );
        release.execute(self.session().await?.conn()).await?;
        Ok(())
    }
}

/// Returns the state of a key in use; `None` if its row makes no sense.
fn state(FoundRow { fingerprint, status, body }: FoundRow) -> Option<KeyState> {
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
    VALUES ({organization}, {user}, {is_sandbox}, {key}, {claim}, {fingerprint}, {leased_until}, \
        {expires_at}) \
    ON CONFLICT (organization_id, user_id, is_sandbox, key) DO UPDATE \
    SET claim_id = excluded.claim_id, fingerprint = excluded.fingerprint, \
        leased_until = excluded.leased_until, expires_at = excluded.expires_at, \
        status = NULL, body = NULL \
    WHERE used.expires_at <= {now} OR (used.status IS NULL AND used.leased_until <= {now})";

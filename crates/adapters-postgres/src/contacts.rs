//! Contacts: whom organizations write to.

pub(crate) mod row;

use async_trait::async_trait;
use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::{address::Address, id::Id, organization::Organization};
use ports::{contacts::DeviceTokens, store::StoreError};

use crate::{error::store_error, session::PgStore, statement::Statement};

#[async_trait]
impl DeviceTokens for PgStore {
    async fn forget_device_token(
        &self,
        organization: Id<Organization>,
        token: &Address,
    ) -> Result<(), StoreError> {
        let mut session = self.session().await?;
        Statement::<Forget>::new(&[FORGET])
            .bind::<SqlUuid, _>(organization.uuid())
            .bind::<Text, _>(token.as_str())
            .execute(session.conn())
            .await
            .map_err(store_error)?;
        Ok(())
    }
}

struct Forget;
const FORGET: &str =
    "UPDATE contacts SET fcm_token = NULL WHERE organization_id = ? AND fcm_token = ?";

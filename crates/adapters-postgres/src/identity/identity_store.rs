//! Users, organizations and members, where they change together.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        organization::{Member, Membership, Organization, Role},
        user::User,
    },
    shared::id::Id,
};
use ports::{
    identity::identity_store::{IdentityStore, IdentityTransaction},
    shared::store::StoreError,
};

use crate::{
    identity::{organizations, users},
    shared::database::session::{PgSession, PgStore},
};

#[async_trait]
impl IdentityStore for PgStore {
    async fn begin(&self) -> Result<Box<dyn IdentityTransaction>, StoreError> {
        Ok(Box::new(self.transaction().await?))
    }
}

#[async_trait]
impl IdentityTransaction for PgSession {
    async fn insert_user(&mut self, user: &User) -> Result<(), StoreError> {
        users::insert(self.conn(), user).await
    }

    async fn lock_user(&mut self, id: Id<User>) -> Result<Option<User>, StoreError> {
        users::lock(self.conn(), id).await
    }

    async fn find_user_by_email(&mut self, email: &str) -> Result<Option<User>, StoreError> {
        users::find_by_email(self.conn(), email).await
    }

    async fn set_password(&mut self, id: Id<User>, hash: &str) -> Result<(), StoreError> {
        users::set_password(self.conn(), id, hash).await
    }

    async fn verify_email(&mut self, id: Id<User>, now: DateTime<Utc>) -> Result<(), StoreError> {
        users::verify_email(self.conn(), id, now).await
    }

    async fn forget_all_logins(&mut self, user: Id<User>) -> Result<(), StoreError> {
        users::forget_all_logins(self.conn(), user).await
    }

    async fn take_reset_token(
        &mut self,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Id<User>>, StoreError> {
        users::take_reset_token(self.conn(), hash, now).await
    }

    async fn take_verification_token(
        &mut self,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Id<User>>, StoreError> {
        users::take_verification_token(self.conn(), hash, now).await
    }

    async fn insert_organization(&mut self, organization: &Organization) -> Result<(), StoreError> {
        organizations::insert(self.conn(), organization).await
    }

    async fn lock_organization(
        &mut self,
        id: Id<Organization>,
    ) -> Result<Option<Organization>, StoreError> {
        organizations::lock(self.conn(), id).await
    }

    async fn update_organization(&mut self, organization: &Organization) -> Result<(), StoreError> {
        organizations::update(self.conn(), organization).await
    }

    async fn members(&mut self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError> {
        organizations::members(self.conn(), organization).await
    }

    async fn put_member(
        &mut self,
        organization: Id<Organization>,
        user: Id<User>,
        role: Role,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        organizations::put_member(self.conn(), organization, user, role, now).await
    }

    async fn memberships(&mut self, user: Id<User>) -> Result<Vec<Membership>, StoreError> {
        organizations::memberships(self.conn(), user).await
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        Self::commit(*self).await
    }
}

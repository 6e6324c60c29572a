//! Users, organizations and members, where they change together.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::QueryDsl;
use domain::{
    identity::{
        invitation::Invitation,
        open_session::OpenSession,
        organization::{Member, Membership, Organization, Role},
        session::Attempts,
        user::User,
    },
    shared::id::Id,
};
use ports::{
    identity::identity_store::{IdentityStore, IdentityTransaction},
    shared::store::StoreError,
};

use crate::{
    identity::{invitations, organizations, sessions, users},
    shared::{
        database::session::{PgSession, PgStore},
        error::store_error,
        query::run_query::RunQueryDsl,
        schema::members,
    },
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

    async fn keep_session(
        &mut self,
        user: Id<User>,
        session: Id<OpenSession>,
    ) -> Result<(), StoreError> {
        sessions::keep(self.conn(), user, session).await
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

    async fn remove_member(
        &mut self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<(), StoreError> {
        let own = members::table.find((organization.uuid(), user.uuid()));
        diesel::delete(own).execute(self.conn()).await.map_err(store_error)?;
        Ok(())
    }

    async fn invitations(
        &mut self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Invitation>, StoreError> {
        invitations::open(self.conn(), organization, now).await
    }

    async fn insert_invitation(
        &mut self,
        invitation: &Invitation,
        hash: [u8; 32],
    ) -> Result<(), StoreError> {
        invitations::insert(self.conn(), invitation, hash).await
    }

    async fn renew_invitation(
        &mut self,
        invitation: &Invitation,
        hash: [u8; 32],
    ) -> Result<(), StoreError> {
        invitations::renew(self.conn(), invitation, hash).await
    }

    async fn delete_invitation(
        &mut self,
        organization: Id<Organization>,
        id: Id<Invitation>,
    ) -> Result<bool, StoreError> {
        invitations::delete(self.conn(), organization, id).await
    }

    async fn take_invitation(
        &mut self,
        organization: Id<Organization>,
        hash: [u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<Invitation>, StoreError> {
        invitations::take(self.conn(), organization, hash, now).await
    }

    async fn count_invitation_mail(
        &mut self,
        organization: Id<Organization>,
        email: &str,
        now: DateTime<Utc>,
        since: DateTime<Utc>,
    ) -> Result<[Attempts; 2], StoreError> {
        invitations::count_mail(self.conn(), organization, email, now, since).await
    }

    async fn memberships(&mut self, user: Id<User>) -> Result<Vec<Membership>, StoreError> {
        organizations::memberships(self.conn(), user).await
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        Self::commit(*self).await
    }
}

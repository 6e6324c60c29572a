//! Organizations and their members.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    identity::{
        organization::{Member, Membership, Organization, Role, Settings},
        user::User,
    },
    shared::id::Id,
};
use ports::{identity::organizations::OrganizationRepository, shared::store::StoreError};

use crate::shared::store::MemoryStore;

impl MemoryStore {
    /// Adds or replaces an organization. A new one has no wallet, and is to be provisioned.
    pub fn put_organization(&self, organization: Organization) {
        self.state().organizations.put(organization);
    }

    /// Adds a member to an organization, if it exists, or replaces a member's role.
    pub fn put_member(&self, organization: Id<Organization>, member: Member) {
        self.state().organizations.put_member(organization, member);
    }
}

#[async_trait]
impl OrganizationRepository for MemoryStore {
    async fn find(&self, id: Id<Organization>) -> Result<Option<Organization>, StoreError> {
        Ok(self.state().organizations.find(id).cloned())
    }

    async fn settings(&self, id: Id<Organization>) -> Result<Option<Settings>, StoreError> {
        Ok(self.state().organizations.find(id).map(|found| found.settings.clone()))
    }

    async fn suspended(&self) -> Result<Vec<Id<Organization>>, StoreError> {
        let state = self.state();
        let all = state.organizations.all();
        Ok(all.filter(|it| it.settings.suspension.is_some()).map(|it| it.id).collect())
    }

    async fn members(&self, organization: Id<Organization>) -> Result<Vec<Member>, StoreError> {
        Ok(self.state().organizations.members(organization).to_vec())
    }

    async fn role(
        &self,
        organization: Id<Organization>,
        user: Id<User>,
    ) -> Result<Option<Role>, StoreError> {
        let state = self.state();
        let members = state.organizations.members(organization);
        Ok(members.iter().find(|member| member.user == user).map(|member| member.role))
    }

    async fn unprovisioned(
        &self,
        founded_before: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Id<Organization>>, StoreError> {
        Ok(self.state().organizations.unprovisioned(founded_before, limit))
    }

    async fn mark_provisioned(&self, id: Id<Organization>) -> Result<(), StoreError> {
        self.state().organizations.mark_provisioned(id);
        Ok(())
    }

    async fn memberships(&self, user: Id<User>) -> Result<Vec<Membership>, StoreError> {
        let state = self.state();
        let memberships = state.organizations.all().filter_map(|organization| {
            let members = state.organizations.members(organization.id);
            let role = members.iter().find(|member| member.user == user)?.role;
            Some(Membership {
                organization: organization.id,
                name: organization.name.clone(),
                role,
                closed_at: organization.settings.closed_at,
            })
        });
        Ok(memberships.collect())
    }
}

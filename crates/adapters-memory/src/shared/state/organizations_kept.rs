//! Stored organizations.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::{Member, Organization},
    shared::{id::Id, money::Money},
};

/// All organizations, in the order of their identifiers.
#[derive(Default)]
pub(crate) struct KeptOrganizations(BTreeMap<Id<Organization>, KeptOrganization>);

struct KeptOrganization {
    organization: Organization,
    members: Vec<Member>,
    is_provisioned: bool,
}

impl KeptOrganizations {
    pub(crate) fn put(&mut self, organization: Organization) {
        match self.0.get_mut(&organization.id) {
            Some(kept) => kept.organization = organization,
            None => {
                let (id, members) = (organization.id, Vec::new());
                let kept = KeptOrganization { organization, members, is_provisioned: false };
                self.0.insert(id, kept);
            }
        }
    }

    pub(crate) fn put_member(&mut self, organization: Id<Organization>, member: Member) {
        let Some(kept) = self.0.get_mut(&organization) else { return };
        match kept.members.iter_mut().find(|known| known.user == member.user) {
            Some(known) => *known = member,
            None => kept.members.push(member),
        }
    }

    pub(crate) fn find(&self, id: Id<Organization>) -> Option<&Organization> {
        self.0.get(&id).map(|kept| &kept.organization)
    }

    /// Returns the daily spending limit of an organization; `None` if it has none.
    pub(crate) fn daily_limit(&self, id: Id<Organization>) -> Option<Money> {
        self.find(id)?.settings.spending.daily_limit
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Organization> {
        self.0.values().map(|kept| &kept.organization)
    }

    /// Returns the members, in the order in which they joined.
    pub(crate) fn members(&self, id: Id<Organization>) -> &[Member] {
        self.0.get(&id).map(|kept| kept.members.as_slice()).unwrap_or_default()
    }

    /// Returns the oldest organizations that are to be provisioned.
    pub(crate) fn unprovisioned(
        &self,
        founded_before: DateTime<Utc>,
        limit: usize,
    ) -> Vec<Id<Organization>> {
        let is_left = |kept: &&KeptOrganization| {
            !kept.is_provisioned && kept.organization.created_at < founded_before
        };
        let mut left: Vec<_> = self.0.values().filter(is_left).collect();
        left.sort_by_key(|kept| (kept.organization.created_at, kept.organization.id));
        left.into_iter().take(limit).map(|kept| kept.organization.id).collect()
    }

    pub(crate) fn mark_provisioned(&mut self, id: Id<Organization>) {
        if let Some(kept) = self.0.get_mut(&id) {
            kept.is_provisioned = true;
        }
    }
}

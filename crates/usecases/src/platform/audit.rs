//! Audit log: reading and verification.

mod verification;

use std::{collections::HashMap, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{
        caller::{Administrator, Caller},
        permission::Permission,
        user::User,
    },
    platform::audit::{AuditFilter, AuditLine},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{identity::auth::UserRepository, platform::audit_log::AuditLog};

pub use self::verification::{BrokenChain, Verification};
use crate::Error;

/// Operations on the audit log.
#[derive(Clone, Constructor)]
pub struct Audit {
    log: Arc<dyn AuditLog>,
    users: Arc<dyn UserRepository>,
}

/// A line of the audit log with the address of its actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// Line as recorded.
    pub line: AuditLine,
    /// Email address of the actor; shown to platform administrators only.
    pub email: Option<String>,
}

impl Audit {
    /// Returns a page of the logs of all organizations, newest first.
    pub async fn page(
        &self,
        _: &Administrator,
        filter: AuditFilter,
        page: Page,
    ) -> Result<Paged<AuditRecord>, Error> {
        let found = self.log.page(&filter, page).await?;
        let mut users: Vec<_> = found.items.iter().map(|line| line.user).collect();
        users.sort_unstable();
        users.dedup();
        let emails = self.users.emails(&users).await?;
        Ok(with_emails(found, &emails))
    }

    /// Returns a page of the log of the caller's organization, newest first.
    pub async fn own(&self, caller: &Caller, page: Page) -> Result<Paged<AuditRecord>, Error> {
        caller.authorize(Permission::ReadAudit)?;
        let organization = Some(caller.organization);
        let filter = AuditFilter { organization, ..AuditFilter::default() };
        Ok(with_emails(self.log.page(&filter, page).await?, &HashMap::new()))
    }
}

fn with_emails(found: Paged<AuditLine>, emails: &HashMap<Id<User>, String>) -> Paged<AuditRecord> {
    let record = |line: AuditLine| AuditRecord { email: emails.get(&line.user).cloned(), line };
    Paged {
        items: found.items.into_iter().map(record).collect(),
        page: found.page,
        total: found.total,
        is_lower_bound: found.is_lower_bound,
    }
}

//! Suspension of organizations from sending, and its end.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    identity::{
        caller::Administrator,
        organization::{Organization, Role, Settings, Suspension},
    },
    platform::{audit::AuditAction, tenant::Tenant},
    shared::{fault::Faults, id::Id},
};

use super::Tenants;
use crate::Error;

/// Time for which a repeated suspension mails the owners again, in case a mail is missing. Idempotency
/// keys are kept as long, so that no owner gets two mails.
const MAILED: TimeDelta = TimeDelta::hours(23);

/// Notice to owners.
#[derive(Clone, Copy)]
enum Notice {
    Suspended,
    Restored,
}

impl Tenants {
    /// Suspends an organization from sending, and mails its owners. A suspended one is left unchanged.
    /// `faults` holds the faults found so far. A partial failure can be repeated.
    pub async fn suspend(
        &self,
        admin: &Administrator,
        id: Id<Organization>,
        reason: Option<String>,
        faults: Faults,
    ) -> Result<Tenant, Error> {
        let now = self.deps.clock.now();
        let suspension = faults.check(Suspension::new(reason.as_deref(), now))?;
        let mut organization = self.find(id).await?;
        if organization.settings.suspension.is_none() {
            let details = BTreeMap::from([("reason", suspension.reason.clone())]);
            self.write_down((admin, AuditAction::TenantSuspended), id, details).await?;
            let suspend = |settings: &mut Settings| {
                settings.suspension.get_or_insert(suspension);
                Ok(())
            };
            organization = self.change(id, suspend).await?;
        }
        if let Some(suspension) = &organization.settings.suspension
            && now - suspension.at < MAILED
        {
            self.notify_owners(&organization, suspension, Notice::Suspended).await?;
        }
        self.tenant(organization).await
    }

    /// Lets an organization send again, and mails its owners. One that is not suspended is left
    /// unchanged. A partial failure can be repeated.
    pub async fn restore(
        &self,
        admin: &Administrator,
        id: Id<Organization>,
    ) -> Result<Tenant, Error> {
        let organization = self.find(id).await?;
        let Some(suspension) = organization.settings.suspension.clone() else {
            return self.tenant(organization).await;
        };
        self.write_down((admin, AuditAction::TenantRestored), id, BTreeMap::new()).await?;
        // Mailed before the change, since a retry finds no suspension to mail about.
        self.notify_owners(&organization, &suspension, Notice::Restored).await?;
        let restore = |settings: &mut Settings| {
            settings.suspension = None;
            Ok(())
        };
        self.tenant(self.change(id, restore).await?).await
    }

    async fn notify_owners(
        &self,
        organization: &Organization,
        suspension: &Suspension,
        notice: Notice,
    ) -> Result<(), Error> {
        let members = self.deps.organizations.members(organization.id).await?;
        let (subject, body) = mail(organization.id, suspension, notice);
        let kind = match notice {
            Notice::Suspended => "suspension",
            Notice::Restored => "restoration",
        };
        for owner in members.iter().filter(|member| member.is_mailed(&[Role::Owner])) {
            let since = suspension.at.timestamp_millis();
            let key = format!("{kind}-{}-{since}-{}", organization.id, owner.user);
            self.deps.mailer.send_service_notice(&owner.email, subject, body.clone(), key).await?;
        }
        Ok(())
    }
}

/// Returns the subject and the text of the mail to an owner. The reason is written by an administrator.
/// The name of the organization is left out, because it is user-supplied.
fn mail(id: Id<Organization>, suspension: &Suspension, notice: Notice) -> (&'static str, String) {
    match notice {
        Notice::Suspended => {
            let (at, reason) = (suspension.at.format("%Y-%m-%d %H:%M UTC"), &suspension.reason);
            let body = format!(
                "Your organization {id} was suspended on {at}. It cannot send messages, and \
                 those that wait are held back. You can still read everything.\n\n\
                 The reason:\n\n{reason}\n"
            );
            ("Your organization was suspended", body)
        }
        Notice::Restored => {
            let body = format!(
                "Your organization {id} can send messages again. Those that were held back go \
                 now, unless they are too old: what was paid for these is in the wallet again.\n"
            );
            ("Your organization can send again", body)
        }
    }
}

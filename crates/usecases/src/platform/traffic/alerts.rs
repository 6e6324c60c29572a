//! Alerts about codes, for organizations.

use std::{collections::BTreeMap, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        permission::Permission,
        traffic::TrafficAlert,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::{
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{platform::traffic::TrafficAlertRepository, shared::clock::Clock};

use crate::{Error, identity::policies::Policies};

const NOT_FOUND: Error = Error::NotFound("traffic alert");

/// Operations on alerts about codes.
#[derive(Clone, Constructor)]
pub struct TrafficAlerts {
    repository: Arc<dyn TrafficAlertRepository>,
    /// Cache from which lifted stops are evicted.
    policies: Policies,
    clock: Arc<dyn Clock>,
}

impl TrafficAlerts {
    /// Returns a page of the alerts, newest first.
    pub async fn page(&self, caller: &Caller, page: Page) -> Result<Paged<TrafficAlert>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.page(caller.organization, page).await?)
    }

    /// Lifts the stop of an alert, and returns the alert afterwards. An alert without a current stop is
    /// left unchanged.
    pub async fn lift(
        &self,
        caller: &Caller,
        id: Id<TrafficAlert>,
        request: RequestId,
    ) -> Result<TrafficAlert, Error> {
        caller.authorize(Permission::ManageOrganization)?;
        let (user, now) = (caller.user()?, self.clock.now());
        let alert = self.repository.find(caller.organization, id).await?.ok_or(NOT_FOUND)?;
        if !alert.is_stopped(now) {
            return Ok(alert);
        }
        let lifted = TrafficAlert { lifted_at: Some(now), lifted_by: Some(user), ..alert };
        let is_impersonating = caller.impersonator().is_some();
        let recent = lifted.evidence.recent;
        let details = BTreeMap::from([
            ("range", lifted.range.to_string()),
            ("codes", recent.codes.to_string()),
            ("delivered", recent.delivered.to_string()),
        ]);
        let actor = Actor { user, request, is_impersonating };
        let action = AuditAction::TrafficStopLifted;
        let entry = AuditEntry::of(caller.organization, now, actor, action)
            .on("TRAFFIC_ALERT", id.uuid())
            .with(details);
        let is_done = self.repository.lift(&lifted, &entry).await?;
        self.policies.forget(caller.organization);
        if is_done {
            return Ok(lifted);
        }
        // A concurrent request was first.
        self.repository.find(caller.organization, id).await?.ok_or(NOT_FOUND)
    }
}

//! Management of sending windows by platform administrators.

use std::{collections::BTreeMap, sync::Arc};

use derive_more::Constructor;
use domain::{
    identity::{
        caller::{Administrator, Caller},
        organization::PLATFORM,
        permission::Permission,
    },
    messaging::sending_window::{SendingWindow, SendingWindowRequest},
    platform::audit::{AuditAction, AuditEntry},
    shared::{
        fault::Faults,
        id::Id,
        page::{Page, Paged},
    },
};
use ports::{
    messaging::sending_windows::SendingWindowRepository, platform::audit_log::AuditLog,
    shared::clock::Clock,
};

use crate::{Error, messaging::holding::Holding};

/// Operations on sending windows.
#[derive(Clone, Constructor)]
pub struct SendingWindows {
    repository: Arc<dyn SendingWindowRepository>,
    audit_log: Arc<dyn AuditLog>,
    /// Notifies workers of changes.
    holding: Holding,
    clock: Arc<dyn Clock>,
}

impl SendingWindows {
    /// Returns a page of all windows, newest first.
    pub async fn page(&self, _: &Administrator, page: Page) -> Result<Paged<SendingWindow>, Error> {
        Ok(self.repository.page(page).await?)
    }

    /// Returns a window.
    pub async fn get(
        &self,
        _: &Administrator,
        id: Id<SendingWindow>,
    ) -> Result<SendingWindow, Error> {
        self.repository.find(id).await?.ok_or(NOT_FOUND)
    }

    /// Returns the windows that apply to the messages of every organization.
    pub async fn active(&self, caller: &Caller) -> Result<Vec<SendingWindow>, Error> {
        caller.authorize(Permission::Read)?;
        Ok(self.repository.active().await?)
    }

    /// Creates a window. `faults` holds the faults found so far.
    pub async fn create(
        &self,
        admin: &Administrator,
        request: SendingWindowRequest,
        faults: Faults,
    ) -> Result<SendingWindow, Error> {
        let window = faults.check(request.window(self.clock.now()))?;
        self.write_down(admin, AuditAction::SendingWindowCreated, &window).await?;
        self.repository.insert(&window).await?;
        self.refresh_holds().await;
        Ok(window)
    }

    /// Changes a window. `faults` holds the faults found so far.
    pub async fn update(
        &self,
        admin: &Administrator,
        id: Id<SendingWindow>,
        changes: SendingWindowRequest,
        faults: Faults,
    ) -> Result<SendingWindow, Error> {
        let present = self.get(admin, id).await?;
        let window = faults.check(changes.apply(&present))?;
        if window == present {
            return Ok(present);
        }
        self.write_down(admin, AuditAction::SendingWindowUpdated, &window).await?;
        if !self.repository.update(&window).await? {
            return Err(NOT_FOUND);
        }
        self.refresh_holds().await;
        Ok(window)
    }

    /// Removes a window.
    pub async fn delete(&self, admin: &Administrator, id: Id<SendingWindow>) -> Result<(), Error> {
        let window = self.get(admin, id).await?;
        self.write_down(admin, AuditAction::SendingWindowDeleted, &window).await?;
        if !self.repository.delete(id).await? {
            return Err(NOT_FOUND);
        }
        self.refresh_holds().await;
        Ok(())
    }

    /// Adds an entry to the audit log of the platform, before the change: the log may hold a change
    /// that failed, but never lacks one that was made.
    async fn write_down(
        &self,
        admin: &Administrator,
        action: AuditAction,
        window: &SendingWindow,
    ) -> Result<(), Error> {
        let (now, hours) = (self.clock.now(), &window.hours);
        let weekdays: Vec<_> = hours.weekdays.iter().map(|day| day.as_str()).collect();
        let details = BTreeMap::from([
            ("countryCode", window.country.to_string()),
            ("category", window.category.to_string()),
            ("weekdays", weekdays.join(" ")),
            ("opens", hours.opens.to_string()),
            ("closes", hours.closes.to_string()),
            ("utcOffset", hours.utc_offset.to_string()),
            ("source", window.source.clone()),
            ("isActive", window.is_active.to_string()),
        ]);
        let entry = AuditEntry::of(PLATFORM, now, admin.actor(), action)
            .on("SENDING_WINDOW", window.id.uuid())
            .with(details);
        Ok(self.audit_log.record(&entry).await?)
    }

    /// Notifies workers. Those that are not reached find the change within seconds.
    async fn refresh_holds(&self) {
        if let Err(error) = self.holding.changed().await {
            tracing::warn!(%error, "failed to read sending windows and held campaigns");
        }
    }
}

const NOT_FOUND: Error = Error::NotFound("sending window");

#[cfg(test)]
mod tests;

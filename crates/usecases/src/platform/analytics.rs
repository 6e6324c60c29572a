//! Figures about messages.

use std::sync::Arc;

use chrono::NaiveDate;
use derive_more::Constructor;
use domain::{
    identity::{
        caller::{Administrator, Caller},
        organization::Organization,
        permission::Permission,
    },
    messaging::{delivery::Status, delivery_log::LogFilter, message::Message},
    platform::{
        analytics::{FAILURES_SHOWN, MonthCount, Overview, Period, Usage},
        message_figures::{FiguresRequest, MessageFigures},
    },
    shared::id::Id,
};
use ports::{
    messaging::delivery_logs::DeliveryLogRepository, platform::analytics::AnalyticsRepository,
    shared::clock::Clock,
};

use crate::Error;

/// Operations on figures.
#[derive(Clone, Constructor)]
pub struct Analytics {
    repository: Arc<dyn AnalyticsRepository>,
    delivery_logs: Arc<dyn DeliveryLogRepository>,
    clock: Arc<dyn Clock>,
}

impl Analytics {
    /// Returns the figures of the last thirty days.
    pub async fn overview(&self, caller: &Caller) -> Result<Overview, Error> {
        caller.authorize(Permission::Read)?;
        self.last_days(caller.organization).await
    }

    /// Returns the same figures of an organization for a platform administrator.
    pub async fn overview_of(
        &self,
        _: &Administrator,
        organization: Id<Organization>,
    ) -> Result<Overview, Error> {
        self.last_days(organization).await
    }

    async fn last_days(&self, organization: Id<Organization>) -> Result<Overview, Error> {
        let today = self.today();
        let since = Overview::compares_since(today);
        let counts = self.repository.counts(organization, since, Period::Day).await?;
        Ok(Overview::of(&counts, today))
    }

    /// Returns the usage of each channel in the last calendar months.
    pub async fn usage(&self, caller: &Caller, months: MonthCount) -> Result<Vec<Usage>, Error> {
        caller.authorize(Permission::Read)?;
        let since = months.first_day(self.today());
        let counts = self.repository.counts(caller.organization, since, Period::Month).await?;
        Ok(Usage::of(&counts))
    }

    /// Returns the numbers of messages by time and one property.
    pub async fn figures(
        &self,
        caller: &Caller,
        request: &FiguresRequest,
    ) -> Result<MessageFigures, Error> {
        caller.authorize(Permission::Read)?;
        let query = request.query(self.clock.now())?;
        let rows = self.repository.figures(caller.organization, &query).await?;
        Ok(MessageFigures::of(query, rows))
    }

    /// Returns the newest failed messages, including those of the sandbox.
    pub async fn failures(&self, caller: &Caller) -> Result<Vec<Message>, Error> {
        caller.authorize(Permission::Read)?;
        let failed = LogFilter::of_status(Status::Failed);
        let organization = caller.organization;
        let part = self.delivery_logs.older(organization, &failed, None, FAILURES_SHOWN).await?;
        Ok(part.messages)
    }

    fn today(&self) -> NaiveDate {
        self.clock.now().date_naive()
    }
}

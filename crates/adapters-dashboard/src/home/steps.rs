//! First steps of a new organization, ticked off by what happened.

use chrono::TimeDelta;
use domain::{
    audience::contact::ContactFilter, content::template::TemplateFilter,
    identity::permission::Permission, messaging::delivery_log::LogRequest,
    money::top_up::TopUpStatus, platform::analytics::Overview, shared::page::Page,
};
use usecases::Error;

use crate::frame::Visit;

/// Time for which an organization that sends messages is new.
const NEW_FOR: TimeDelta = TimeDelta::days(30);

/// Steps: true if one is done; `None` if the member may not do it.
pub(super) struct FirstSteps {
    /// Contacts were added.
    pub(super) contacts: Option<bool>,
    /// A template was written.
    pub(super) text: Option<bool>,
    /// A message was sent.
    pub(super) message: Option<bool>,
    /// A top-up was paid.
    pub(super) top_up: Option<bool>,
    /// An API key was made.
    pub(super) key: Option<bool>,
}

impl FirstSteps {
    /// Returns the steps; `None` if the organization is not new, or nothing is left to do.
    pub(super) async fn of(visit: &Visit, overview: &Overview) -> Result<Option<Self>, Error> {
        let has_sent = overview.total.sent + overview.before.sent > 0;
        let age = visit.api().clock.now() - visit.organization.created_at;
        if has_sent && age > NEW_FOR {
            return Ok(None);
        }
        let steps = Self::read(visit).await?;
        Ok(Some(steps).filter(Self::are_open))
    }

    async fn read(visit: &Visit) -> Result<Self, Error> {
        let (api, caller, page) = (visit.api(), &visit.caller, Page::of_one());
        let mut steps = Self { contacts: None, text: None, message: None, top_up: None, key: None };
        if visit.may(Permission::WriteAudience) {
            let contacts = api.contacts.page(caller, &ContactFilter::default(), page).await?;
            steps.contacts = Some(contacts.total > 0);
            steps.text =
                Some(api.templates.page(caller, TemplateFilter::default(), page).await?.total > 0);
        }
        if visit.may(Permission::SendMessages) {
            let log = api.delivery_logs.page(caller, &LogRequest::default(), page).await?;
            steps.message = Some(log.total > 0);
        }
        if visit.may(Permission::TopUp) {
            let top_ups = api.top_ups.page(caller, Some(TopUpStatus::Credited), page).await?;
            steps.top_up = Some(top_ups.total > 0);
        }
        if visit.may(Permission::ManageIntegrations) {
            steps.key = Some(!api.api_keys.list(caller).await?.is_empty());
        }
        Ok(steps)
    }

    /// True if a step is left.
    fn are_open(&self) -> bool {
        let all = [self.contacts, self.text, self.message, self.top_up, self.key];
        all.contains(&Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_open_until_the_member_has_done_all_that_they_may_do() {
        let steps = FirstSteps {
            contacts: None,
            text: None,
            message: Some(true),
            top_up: None,
            key: Some(false),
        };
        assert!(steps.are_open());
        assert!(!FirstSteps { key: Some(true), ..steps }.are_open());
        assert!(!FirstSteps { key: None, message: None, ..steps }.are_open());
    }
}

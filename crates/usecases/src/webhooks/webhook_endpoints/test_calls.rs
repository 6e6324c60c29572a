//! Test calls of endpoints.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    content::template::TemplateStatus,
    identity::{caller::Caller, organization::Organization, permission::Permission},
    platform::webhook_examples::{
        example_campaign, example_import, example_low_wallet, example_message, example_opt_out,
        example_started_campaign, example_template, example_top_up,
    },
    shared::{fault::Faults, id::Id, webhook_event::WebhookEvent},
    webhooks::{
        outbound_event::OutboundEvent,
        webhook::{WebhookCall, WebhookCallResult, WebhookEndpoint},
    },
};

use super::WebhookEndpoints;
use crate::{Error, shared::limits::Limit};

/// Minimum time between the starts of two tests of an endpoint.
const PAUSE: TimeDelta = TimeDelta::seconds(1);

impl WebhookEndpoints {
    /// Sends an example event to an active endpoint, at once. `faults` holds the faults found so
    /// far.
    pub async fn test(
        &self,
        caller: &Caller,
        id: Id<WebhookEndpoint>,
        event: Option<WebhookEvent>,
        faults: Faults,
    ) -> Result<WebhookCallResult, Error> {
        caller.authorize(Permission::ManageIntegrations)?;
        faults.or(())?;
        let endpoint = self.find(caller, id).await?;
        if !endpoint.is_active {
            return Err(Error::NotFound("active webhook endpoint"));
        }
        let now = self.deps().clock.now();
        let _turn = self.inner.tests.take(id, now)?;
        let event = event.unwrap_or(WebhookEvent::MessageStatusUpdated);
        let example = self.example(caller.organization, event, now);
        let secrets = endpoint.secrets(now);
        let (id, body) = (example.id.to_string(), example.body());
        let (organization, url) = (caller.organization, endpoint.url);
        let trace = None;
        let call = WebhookCall { organization, url, secrets, id, event, body, at: now, trace };
        Ok(self.deps().caller.call(&call).await)
    }

    fn example(
        &self,
        organization: Id<Organization>,
        event: WebhookEvent,
        now: DateTime<Utc>,
    ) -> OutboundEvent {
        let message = example_message(organization, now);
        let (id, subject) = (Id::new_in(now, organization), message.id.uuid());
        let data = match event {
            WebhookEvent::MessageStatusUpdated => self.deps().views.delivery_log(message),
            WebhookEvent::ContactOptedOut => example_opt_out(organization, now),
            WebhookEvent::CampaignCompleted => example_campaign(organization, now),
            WebhookEvent::CampaignStarted => example_started_campaign(organization, now),
            WebhookEvent::ImportCompleted => example_import(organization, now),
            WebhookEvent::TemplateApproved => {
                example_template(organization, TemplateStatus::Approved, now)
            }
            WebhookEvent::TemplateRejected => {
                example_template(organization, TemplateStatus::Rejected, now)
            }
            WebhookEvent::WalletLow => example_low_wallet(now),
            WebhookEvent::TopUpCompleted => example_top_up(organization, now),
        };
        OutboundEvent { id, organization, event, subject, data, at: now }
    }
}

/// Tests in progress: one per endpoint at a time, and one per second.
#[derive(Default)]
pub(super) struct TestTurns(Mutex<HashMap<Id<WebhookEndpoint>, Turn>>);

#[derive(Clone, Copy)]
struct Turn {
    began_at: DateTime<Utc>,
    is_over: bool,
}

/// Guard of a test in progress.
struct OpenTurn<'t> {
    turns: &'t TestTurns,
    endpoint: Id<WebhookEndpoint>,
}

impl TestTurns {
    fn take(
        &self,
        endpoint: Id<WebhookEndpoint>,
        now: DateTime<Utc>,
    ) -> Result<OpenTurn<'_>, Error> {
        let mut turns = self.turns();
        // A clock that was set back must not block a test.
        turns.retain(|_, turn| !turn.is_over || (now - turn.began_at).abs() < PAUSE);
        if let Some(turn) = turns.get(&endpoint) {
            Limit::WebhookTests.count_refusal();
            let wait = if turn.is_over { turn.began_at + PAUSE - now } else { PAUSE };
            return Err(Error::RateLimited(wait));
        }
        turns.insert(endpoint, Turn { began_at: now, is_over: false });
        Ok(OpenTurn { turns: self, endpoint })
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<Id<WebhookEndpoint>, Turn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenTurn<'_> {
    fn drop(&mut self) {
        if let Some(turn) = self.turns.turns().get_mut(&self.endpoint) {
            turn.is_over = true;
        }
    }
}

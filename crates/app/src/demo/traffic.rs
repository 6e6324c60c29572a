//! Messages of an hour: accepted with the clock in that hour, and left in a state each.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    audience::contact::Contact,
    messaging::{
        delivery::FailureCode,
        job::{Job, Step},
        message::{Message, MessageRequest, Terms},
        priority::Origin,
    },
    money::pricing::PriceList,
    shared::{channel::Channel, money::Money},
};
use futures_util::future::try_join_all;
use ports::messaging::messages::{FirstWorker, Intake, Jobs, Receipt, Recorded, Submission};

use super::{
    calendar::Hour,
    chance::Chance,
    course::{self, Ending},
    failures::{Failures, failure},
    past_clock::PastClock,
    tenant::{OPTED_OUT, Prepared, Tenant},
    texts::Text,
    webhook::Webhook,
};
use crate::service::{PastService, StartError};

/// Share of the messages that the first organization sends, in thousandths.
const SHARE_OF_FIRST: u32 = 700;
/// Age up to which some messages have not ended.
const RECENT: TimeDelta = TimeDelta::hours(2);
/// Number of messages that are scheduled for the next day.
const SCHEDULED: u32 = 12;

/// Writer of messages and of their steps.
pub(super) struct Traffic<'s> {
    service: &'s PastService,
    clock: &'s PastClock,
    now: DateTime<Utc>,
    chance: Chance,
    failures: Failures,
}

impl<'s> Traffic<'s> {
    /// Creates the writer of what happened until `now`.
    pub(super) fn new(service: &'s PastService, clock: &'s PastClock, now: DateTime<Utc>) -> Self {
        let (chance, failures) = (Chance::seeded(957), Failures::default());
        Self { service, clock, now, chance, failures }
    }

    /// Writes the messages of an hour. Those of the first organization call `webhook`, if there is one.
    pub(super) async fn write(
        &mut self,
        tenants: &[&Tenant; 2],
        hour: Hour,
        webhook: Option<&Webhook>,
    ) -> Result<(), StartError> {
        let end = (hour.begin + TimeDelta::minutes(59)).min(self.now);
        self.clock.set(end);
        let prices = self.service.core.prices.current().await?;
        let first = hour.messages * SHARE_OF_FIRST / 1_000;
        let mut accepted = Vec::new();
        for (tenant, count) in tenants.iter().zip([first, hour.messages - first]) {
            let mut times: Vec<_> = (0..count).map(|_| self.time(hour.begin, end)).collect();
            times.sort_unstable();
            let mut planned = Vec::with_capacity(times.len());
            for at in times {
                planned.push(self.plan(tenant, &prices, at)?);
            }
            accepted.push(planned);
        }
        let submissions = accepted.iter().zip(tenants).map(|(planned, tenant)| {
            let messages = planned.iter().map(|(message, _)| message.clone()).collect();
            self.accept(tenant, messages)
        });
        let jobs: Vec<Job> = try_join_all(submissions).await?.into_iter().flatten().collect();
        let endings = accepted.into_iter().flatten().map(|(_, ending)| ending);
        let jobs: Vec<_> = jobs.into_iter().zip(endings).collect();
        self.conclude(jobs, webhook).await
    }

    /// Leaves each message of these jobs in its state.
    pub(super) async fn conclude(
        &mut self,
        jobs: Vec<(Job, Ending)>,
        webhook: Option<&Webhook>,
    ) -> Result<(), StartError> {
        let mut steps: Vec<Step> = Vec::with_capacity(jobs.len());
        for (job, ending) in jobs {
            let concluded = course::conclude(job, ending, self.now, &mut self.chance)?;
            steps.push(match webhook {
                Some(webhook) => webhook.publish(concluded),
                None => Step::from(concluded),
            });
        }
        let events: Vec<_> =
            steps.iter().filter_map(Step::event).map(|it| (it.id, it.at)).collect();
        let recorded = steps.into_iter().map(|step| self.service.core.jobs.record(step));
        if try_join_all(recorded).await?.contains(&Recorded::Stale) {
            return Err("a step of the demo was not recorded".into());
        }
        match webhook {
            Some(webhook) => webhook.deliver(&self.service.webhooks, &events).await,
            None => Ok(()),
        }
    }

    /// Schedules messages for the next day.
    pub(super) async fn schedule(&mut self, tenant: &Tenant) -> Result<(), StartError> {
        let prices = self.service.core.prices.current().await?;
        let mut messages = Vec::new();
        for number in 0..SCHEDULED {
            let (text, contact) = (&tenant.texts[0], self.contact(tenant, self.now));
            let message = self.message(tenant, text, contact, &prices, (self.now, None))?;
            let at = self.now + TimeDelta::hours(20) + TimeDelta::minutes(i64::from(number) * 5);
            // One that its sender waits for is shown as pending, and not as queued.
            messages.push(message.scheduled(at, number % 3 > 0));
        }
        self.accept(tenant, messages).await.map(drop)
    }

    fn time(&mut self, begin: DateTime<Utc>, end: DateTime<Utc>) -> DateTime<Utc> {
        let length = u32::try_from((end - begin).num_milliseconds()).unwrap_or_default();
        begin + TimeDelta::milliseconds(i64::from(self.chance.below(length)))
    }

    /// Returns a message that is accepted at this time, with the state in which it is left.
    fn plan(
        &mut self,
        tenant: &Tenant,
        prices: &PriceList,
        at: DateTime<Utc>,
    ) -> Result<(Message, Ending), StartError> {
        let contact = self.contact(tenant, at);
        let text = self.text(tenant);
        let has_address = contact.address(text.0.channel).is_some();
        let text = if has_address { text } else { &tenant.texts[0] };
        let ending = self.ending(&text.0, at);
        let contact = match ending {
            Ending::Failed(FailureCode::RecipientSuppressed) => {
                &tenant.contacts[self.chance.place(OPTED_OUT)]
            }
            _ => contact,
        };
        let refusal = if let Ending::Failed(code) = ending { Some(code) } else { None };
        let refusal = refusal.filter(|code| code.refuses());
        let message = self.message(tenant, text, contact, prices, (at, refusal))?;
        let is_early = message.expires_at > self.now;
        let ending = match ending {
            Ending::Failed(FailureCode::Expired) if is_early => {
                Ending::Failed(FailureCode::Undelivered)
            }
            ending => ending,
        };
        Ok((message, ending))
    }

    /// Returns a contact that was known at this time, and wants messages.
    fn contact<'t>(&mut self, tenant: &'t Tenant, at: DateTime<Utc>) -> &'t Contact {
        let known = tenant.contacts.partition_point(|contact| contact.created_at < at);
        let others = known.saturating_sub(OPTED_OUT).max(1);
        &tenant.contacts[OPTED_OUT + self.chance.place(others)]
    }

    fn text<'t>(&mut self, tenant: &'t Tenant) -> &'t Prepared {
        let total = tenant.texts.iter().map(|(text, _)| text.weight).sum();
        let mut place = self.chance.below(total);
        for text in &tenant.texts {
            if place < text.0.weight {
                return text;
            }
            place -= text.0.weight;
        }
        &tenant.texts[0]
    }

    /// Returns the state in which a message is left that is accepted at this time.
    fn ending(&mut self, text: &Text, at: DateTime<Utc>) -> Ending {
        let place = self.chance.below(1_000);
        if self.now - at < RECENT {
            match place {
                0..60 => return Ending::Awaited,
                60..90 => return Ending::Doubted,
                90..120 => return Ending::Deferred,
                _ => {}
            }
        }
        match place {
            0..920 => Ending::Delivered,
            920..938 => Ending::Unreported,
            _ => Ending::Failed(self.failures.next(text.channel, text.category, &mut self.chance)),
        }
    }

    fn message(
        &mut self,
        tenant: &Tenant,
        (text, template): &Prepared,
        contact: &Contact,
        prices: &PriceList,
        (at, refusal): (DateTime<Utc>, Option<FailureCode>),
    ) -> Result<Message, StartError> {
        let person = contact.first_name.as_deref().unwrap_or("customer");
        let request = MessageRequest {
            channel: Some(text.channel),
            to: contact.address(text.channel).map(ToString::to_string),
            template: Some(template.id),
            variables: text.values(person, &mut self.chance),
            sender: (text.channel == Channel::Sms).then(|| tenant.sender.to_owned()),
            ..MessageRequest::default()
        };
        let draft = request.draft_under(&tenant.caller.policy, Some(template));
        let draft = draft.map_err(usecases::Error::from)?;
        let organization = tenant.caller.organization;
        let price = prices.price(organization, draft.channel, draft.country, draft.segments);
        let cost = if refusal.is_some() { Money::ZERO } else { price.unwrap_or_default() };
        let refusal = refusal.map(failure);
        let terms = Terms { cost, refusal, is_sandbox: false, is_confidential: false };
        let message = Message::queue(organization, draft, Origin::Single, terms, at);
        Ok(Message { contact: Some(contact.id.uuid().into()), ..message })
    }

    /// Accepts messages of an organization, and returns the jobs of those that go at once.
    async fn accept(
        &self,
        tenant: &Tenant,
        messages: Vec<Message>,
    ) -> Result<Vec<Job>, StartError> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let submission = Submission {
            organization: tenant.caller.organization,
            idempotency: None,
            messages,
            first_worker: FirstWorker::Submitter,
            advance: None,
        };
        match self.service.core.intake.accept(submission).await? {
            Receipt::Accepted(jobs) => Ok(jobs),
            Receipt::Replayed(_) => Ok(Vec::new()),
        }
    }
}

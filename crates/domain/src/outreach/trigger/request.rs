//! Requests to trigger an event, and their plans.

use crate::messaging::message::TriggerId;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{ChannelState, Trigger, TriggerChannel};
use crate::{
    audience::contact::Contact,
    identity::{organization::Organization, policy::Policy},
    messaging::{
        delivery::FailureCode,
        message::{Draft, MessageRequest, Metadata, check_sender},
    },
    outreach::event::{EventTexts, NO_SENDER, Wait, check_slug, may_have},
    shared::{address::Address, channel::Channel, country::Country, fault::Faults, id::Id, text},
};

/// An unchecked request to trigger an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriggerRequest {
    /// Slug of the event. Required.
    pub event: Option<String>,
    /// Recipient: an address of one of the event's channels.
    pub to: Option<String>,
    /// Contact to be notified. Beside `to` it only provides its fields.
    pub contact: Option<Id<Contact>>,
    /// Values of the placeholders.
    pub variables: BTreeMap<String, String>,
    /// Sender on the channels that can have it; that of the event if absent.
    pub sender: Option<String>,
    /// Country whose numbers may be written without calling code; that of the event if absent.
    pub country: Option<Country>,
    /// Pairs by which the sender's systems know the messages; they are not sent.
    pub metadata: Metadata,
    /// Time at which the first message is to go; at once if absent.
    pub scheduled_at: Option<DateTime<Utc>>,
}

/// The channels of an event, and a message for each that may be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Slug of the event.
    pub event: String,
    /// Channels in order. None was tried.
    pub channels: Vec<TriggerChannel>,
    /// Messages for the channels that are not skipped, in order: at least one.
    pub drafts: Vec<Draft>,
    /// Time to wait for a channel before the next one is tried.
    pub wait: Wait,
}

impl TriggerRequest {
    /// Returns everything that is wrong with it for any event.
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        match &self.event {
            None => faults.add("event", "is required"),
            Some(slug) => {
                faults.take("event", check_slug(slug));
            }
        }
        if self.to.is_none() && self.contact.is_none() {
            faults.form.push("either `to` or `contactId` is required".to_owned());
        }
        if let Some(to) = &self.to {
            faults.take("to", text::without_nul(to));
        }
        if let Some(sender) = &self.sender {
            faults.take("senderId", check_sender(None, sender));
        }
        faults
    }

    /// Returns the plan. The drafts of all channels are made at once, so that errors in the request
    /// do not appear only when a later channel is tried. `contact` is the contact that the request
    /// names.
    pub fn plan(
        &self,
        texts: &EventTexts,
        contact: Option<&Contact>,
        policy: &Policy,
    ) -> Result<Plan, Faults> {
        let variables = self.variables_with(texts, contact);
        let sender = self.sender.as_ref().or(texts.sender.as_ref());
        let mut request = MessageRequest {
            variables,
            country: self.country.or(texts.country),
            metadata: self.metadata.clone(),
            scheduled_at: self.scheduled_at,
            ..MessageRequest::default()
        };
        let (mut faults, mut unusable) = (sender_faults(sender, texts, policy), Faults::default());
        let (mut channels, mut drafts) = (Vec::new(), Vec::new());
        for (channel, template) in &texts.channels {
            let to = self.address(*channel, contact);
            let drafted = to.map(|to| {
                request.channel = Some(*channel);
                request.template = Some(template.id);
                request.sender = sender.filter(|it| may_have(*channel, it, policy)).cloned();
                request.to = Some(to);
                request.draft_under(policy, Some(template))
            });
            let state = match drafted {
                None => ChannelState::Skipped(FailureCode::InvalidRecipient),
                Some(Ok(draft)) => {
                    drafts.push(Draft { retry_rules: texts.retry, ..draft });
                    ChannelState::Left
                }
                Some(Err(mut found)) => match found.fields.remove("to") {
                    Some(wrong) => {
                        unusable.fields.entry("to".to_owned()).or_insert(wrong);
                        ChannelState::Skipped(FailureCode::InvalidRecipient)
                    }
                    None => {
                        faults.merge("", found);
                        ChannelState::Left
                    }
                },
            };
            channels.push(TriggerChannel { channel: *channel, state });
        }
        if faults.is_empty() && drafts.is_empty() {
            return Err(self.without_address(unusable, &channels));
        }
        let event = self.event.clone().unwrap_or_default();
        faults.or(Plan { event, channels, drafts, wait: texts.wait })
    }

    /// Returns the values of the placeholders: the given ones, else those of the contact.
    fn variables_with(
        &self,
        texts: &EventTexts,
        contact: Option<&Contact>,
    ) -> BTreeMap<String, String> {
        let mut variables = self.variables.clone();
        let Some(contact) = contact else { return variables };
        for name in &texts.names {
            if let Some(value) = contact.field(name) {
                variables.entry(name.clone()).or_insert_with(|| value.to_owned());
            }
        }
        variables
    }

    /// Returns the recipient's address on a channel; `None` if it is unknown.
    fn address(&self, channel: Channel, contact: Option<&Contact>) -> Option<String> {
        match &self.to {
            // Any text would do as a device token.
            Some(to) if channel == Channel::Push && is_for_people(to) => None,
            Some(to) => Some(to.clone()),
            None => contact?.address(channel).map(|address| address.as_str().to_owned()),
        }
    }

    fn without_address(&self, unusable: Faults, channels: &[TriggerChannel]) -> Faults {
        if self.to.is_some() && !unusable.is_empty() {
            return unusable;
        }
        let names: Vec<_> = channels.iter().map(|it| it.channel.as_str()).collect();
        let field = if self.to.is_some() { "to" } else { "contactId" };
        Faults::field(field, format!("has no address for {}", names.join(", ")))
    }
}

/// Returns the fault of a sender that none of the channels may have. Channels that cannot have it are
/// tried without.
fn sender_faults(sender: Option<&String>, texts: &EventTexts, policy: &Policy) -> Faults {
    let mut faults = Faults::default();
    if let Some(sender) = sender {
        let mut channels = texts.channels.iter();
        if !channels.any(|(channel, _)| may_have(*channel, sender, policy)) {
            faults.add("senderId", NO_SENDER);
        }
    }
    faults
}

/// True if it is a phone number or a mail address.
fn is_for_people(to: &str) -> bool {
    let is = |channel| Address::parse(channel, Country::GH, to).is_ok();
    is(Channel::Voice) || is(Channel::Email)
}

impl Plan {
    /// Leaves out the channels whose drafts would be refused. If all would be, the first one is
    /// tried and fails. `refusals` has an element for each draft.
    #[must_use]
    pub fn without(mut self, refusals: &[Option<FailureCode>]) -> Self {
        let is_hopeless = refusals.iter().all(Option::is_some);
        let left = self.channels.iter_mut().filter(|it| it.state == ChannelState::Left);
        let mut drafts = Vec::with_capacity(self.drafts.len());
        for ((at, channel), (draft, refusal)) in
            left.enumerate().zip(self.drafts.into_iter().zip(refusals))
        {
            match refusal {
                Some(code) if at > 0 || !is_hopeless => {
                    channel.state = ChannelState::Skipped(*code);
                }
                _ => drafts.push(draft),
            }
        }
        Self { drafts, ..self }
    }

    /// Returns the trigger, with no channel tried yet.
    pub fn trigger(
        self,
        id: TriggerId,
        organization: Id<Organization>,
        is_sandbox: bool,
    ) -> Trigger {
        let Self { event, channels, drafts: left, wait } = self;
        Trigger { id, organization, event, is_sandbox, channels, left, wait }
    }
}

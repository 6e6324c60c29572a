//! What is to be done about an event that happened.

use std::collections::BTreeMap;

use super::{ChannelState, Trigger, TriggerChannel};
use crate::{
    audience::contact::Contact,
    identity::organization::Organization,
    messaging::{
        delivery::FailureCode,
        message::{Draft, MessageRequest},
    },
    outreach::event::{EventTexts, Wait, check_slug},
    platform::policy::Policy,
    shared::{address::Address, channel::Channel, country::Country, fault::Faults, id::Id, text},
};

/// An event that somebody says happened; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriggerRequest {
    /// The slug of the event. Required.
    pub event: Option<String>,
    /// Who is to hear of it: an address of one of its channels.
    pub to: Option<String>,
    /// The contact that is to hear of it. Beside `to` it gives its fields only.
    pub contact: Option<Id<Contact>>,
    /// What the placeholders stand for.
    pub variables: BTreeMap<String, String>,
}

/// The channels of an event, and a message for each that may be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The slug of the event.
    pub event: String,
    /// The channels in their order. None was tried.
    pub channels: Vec<TriggerChannel>,
    /// The messages for those that are not skipped, in their order: at least one.
    pub drafts: Vec<Draft>,
    /// How long a channel is waited for before the next one is tried.
    pub wait: Wait,
}

impl TriggerRequest {
    /// What is wrong with it, whatever the event.
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
        faults
    }

    /// What is to be tried. The drafts of all channels are made, so that nothing of what was asked for
    /// turns out to be wrong when a later one is tried. `contact` is the one it names.
    pub fn plan(
        &self,
        texts: &EventTexts,
        contact: Option<&Contact>,
        policy: &Policy,
    ) -> Result<Plan, Faults> {
        let variables = self.variables_with(texts, contact);
        let mut request = MessageRequest { variables, ..MessageRequest::default() };
        let (mut faults, mut unusable) = (Faults::default(), Faults::default());
        let (mut channels, mut drafts) = (Vec::new(), Vec::new());
        for (channel, template) in &texts.channels {
            let to = self.address(*channel, contact);
            let drafted = to.map(|to| {
                request.channel = Some(*channel);
                request.template = Some(template.id);
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

    /// What the placeholders of the texts stand for: what was given, or else what the contact has.
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

    /// Where the event is told on a channel, as far as that is known.
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

/// Whether it is a phone number or a mail address.
fn is_for_people(to: &str) -> bool {
    let is = |channel| Address::parse(channel, Country::GH, to).is_ok();
    is(Channel::Voice) || is(Channel::Email)
}

impl Plan {
    /// Leaves out the channels whose drafts would be refused, unless all would. Then it is the first
    /// that is tried, and fails. `refusals` has a place for each draft.
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

    /// The trigger that it makes, of which no channel was tried.
    pub fn trigger(
        self,
        id: Id<Trigger>,
        organization: Id<Organization>,
        is_sandbox: bool,
    ) -> Trigger {
        let Self { event, channels, drafts: left, wait } = self;
        Trigger { id, organization, event, is_sandbox, channels, left, wait }
    }
}

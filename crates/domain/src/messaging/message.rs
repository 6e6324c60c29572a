//! Messages: one text, one recipient, one channel.

mod codes;
mod filling;
mod source;

use std::{collections::BTreeMap, str::FromStr, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};

pub use self::{
    codes::{CODE_LIFETIME, MaskedTexts},
    filling::MAX_FILLED_BYTES,
    source::Source,
};
use crate::{
    content::{
        sender_name::{InvalidSender, is_sms_sender},
        template::{FilledTemplate, Template, TemplateText},
    },
    identity::organization::Organization,
    messaging::{
        delivery::{Delivery, Failure, Status},
        priority::{Origin, Priority},
        retry::{self, RetryRules},
    },
    platform::policy::Policy,
    providers::provider::attempt::Attempt,
    shared::{
        address::{Address, InvalidAddress},
        category::Category,
        channel::Channel,
        country::Country,
        fault::Faults,
        id::{Id, InvalidId},
        money::Money,
        sms,
        text_format::TextFormat,
    },
};

/// The longest sender, in characters: enough for a number or a registered name.
const MAX_SENDER: usize = 64;

/// A message that was accepted, and how far it has come: a line of the delivery log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Which message this is.
    pub id: Id<Message>,
    /// Who sends it.
    pub organization: Id<Organization>,
    /// What it says, to whom. Shared, for it stays as it is while the message moves on.
    pub draft: Arc<Draft>,
    /// How urgent it is.
    pub priority: Priority,
    /// What it belongs to; nothing, if it was sent on its own.
    pub source: Option<Source>,
    /// What was paid for it.
    pub cost: Money,
    /// Whether it only rehearses: it costs nothing and never reaches a real provider.
    pub is_sandbox: bool,
    /// Whether its text is forgotten once a provider has it.
    pub is_confidential: bool,
    /// How far it has come.
    pub delivery: Delivery,
    /// The provider that has it, or had it last.
    pub provider: Option<String>,
    /// The handings over to providers that are kept ([`attempts`](crate::messaging::attempts)), oldest first.
    pub attempts: Vec<Attempt>,
    /// When it could go first: its validity counts from then.
    pub valid_from: DateTime<Utc>,
    /// Until when it is worth sending.
    pub expires_at: DateTime<Utc>,
    /// When we accepted it.
    pub created_at: DateTime<Utc>,
}

/// A message that can be sent: its address is normalised, its placeholders are filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// How it travels.
    pub channel: Channel,
    /// Who receives it.
    pub recipient: Address,
    /// The recipient's country, which decides route and price.
    pub country: Country,
    /// What it is about.
    pub category: Category,
    /// The sender it asks for; a provider may have its own.
    pub sender: Option<String>,
    /// Its subject line.
    pub subject: Option<String>,
    /// Its text.
    pub body: String,
    /// The format of its text.
    pub format: TextFormat,
    /// Set if its text is nearly all values, so that nobody has approved what it says.
    pub is_open: bool,
    /// Its texts with masks in the place of codes, if it has any.
    pub masked: Option<MaskedTexts>,
    /// How many units of price it counts.
    pub segments: u16,
    /// The template it came from.
    pub template: Option<Id<Template>>,
    /// The vendor's template that stands for its text, where the vendor has such.
    pub vendor_template: Option<FilledTemplate>,
    /// For how long it is worth sending.
    pub validity: TimeDelta,
    /// How it is tried, if not as usual.
    pub retry_rules: Option<RetryRules>,
}

/// A message as its sender wrote it; nothing is checked yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageRequest {
    /// How it is to travel. Required.
    pub channel: Option<Channel>,
    /// Who is to receive it. Required.
    pub to: Option<String>,
    /// Its text, with placeholders.
    pub body: Option<String>,
    /// Its subject line, with placeholders.
    pub subject: Option<String>,
    /// The format of its text; as it looks, if absent. Only mails are written in several formats.
    pub format: Option<TextFormat>,
    /// The sender it asks for.
    pub sender: Option<String>,
    /// The country whose numbers may be written without calling code; [`Country::GH`] if absent.
    pub country: Option<Country>,
    /// The template that gives the text instead of `body`.
    pub template: Option<Id<Template>>,
    /// What the placeholders stand for.
    pub variables: BTreeMap<String, String>,
    /// What it is about; a template's own category wins.
    pub category: Option<Category>,
    /// For how many seconds it is worth sending; as long as its category usually is, if absent.
    pub validity: Option<i64>,
}

impl MessageRequest {
    /// Checks and completes the message of an organization for which the usual holds. `template` is
    /// the one it names.
    pub fn draft(&self, template: Option<&TemplateText>) -> Result<Draft, Faults> {
        self.draft_under(&Policy::default(), template)
    }

    /// Checks and completes the message of an organization for which that policy holds. `template` is
    /// the one it names.
    pub fn draft_under(
        &self,
        policy: &Policy,
        template: Option<&TemplateText>,
    ) -> Result<Draft, Faults> {
        let mut faults = Faults::default();
        let country = self.country.unwrap_or(Country::GH);
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        if template
            .is_some_and(|template| self.channel.is_some_and(|it| template.channel != it.into()))
        {
            faults.add("templateId", "is a template of another channel");
        }
        let recipient = self.recipient(country, policy, &mut faults);
        let category = template.map(|it| it.category).or(self.category).unwrap_or_default();
        let texts = self.texts(template, category, &mut faults);
        let destination = recipient.as_ref().map(|(_, country)| *country);
        let sender = self.sender(destination, policy, &mut faults);
        let validity = self.validity(category, &mut faults);

        let draft = || {
            let (channel, (recipient, country), texts) = (self.channel?, recipient?, texts?);
            Some(Draft {
                channel,
                country,
                recipient,
                category,
                sender,
                subject: texts.subject,
                segments: segments(channel, &texts.body),
                body: texts.body,
                format: texts.format,
                masked: texts.masked,
                is_open: template.is_some_and(TemplateText::is_open),
                template: self.template,
                vendor_template: texts.vendor_template,
                validity: validity?,
                retry_rules: None,
            })
        };
        let draft = draft();
        faults.require(draft)
    }

    /// The recipient, and the country that it belongs to.
    fn recipient(
        &self,
        country: Country,
        policy: &Policy,
        faults: &mut Faults,
    ) -> Option<(Address, Country)> {
        let Some(to) = &self.to else {
            faults.add("to", "is required");
            return None;
        };
        let channel = self.channel?;
        let address = faults.take("to", Address::parse(channel, country, to))?;
        if !channel.takes_phone_numbers() {
            return Some((address, country));
        }
        let Some(kind) = address.phone_kind() else {
            faults.add("to", InvalidAddress::InternationalPhone);
            return None;
        };
        if kind.is_premium && !policy.settings.allow_premium_numbers {
            faults.add("to", InvalidAddress::PremiumRate);
        }
        Some((address, kind.country))
    }

    fn validity(&self, category: Category, faults: &mut Faults) -> Option<TimeDelta> {
        let Some(seconds) = self.validity else { return Some(retry::validity(category)) };
        let allowed = retry::SHORTEST_VALIDITY..=retry::LONGEST_VALIDITY;
        let validity = TimeDelta::try_seconds(seconds).filter(|it| allowed.contains(it));
        if validity.is_none() {
            let (least, most) = (allowed.start().num_seconds(), allowed.end().num_seconds());
            faults.add("validityPeriod", format!("must be from {least} to {most} seconds"));
        }
        validity.map(|validity| validity.min(retry::longest_validity(category)))
    }

    /// The sender, as it was approved. Which ones may be used depends on the country to which the
    /// message goes.
    fn sender(
        &self,
        destination: Option<Country>,
        policy: &Policy,
        faults: &mut Faults,
    ) -> Option<String> {
        let sender = self.sender.as_deref()?;
        faults.take("senderId", check_sender(self.channel, sender))?;
        let chosen = policy.senders.choose(self.channel?, destination?, sender);
        faults.take("senderId", chosen)
    }
}

/// Checks that a text can be a sender at all.
pub(crate) fn check_sender(channel: Option<Channel>, sender: &str) -> Result<(), String> {
    if sender.trim().is_empty() || sender.chars().any(char::is_control) {
        Err("must be a name or a number".to_owned())
    } else if channel == Some(Channel::Sms) && !is_sms_sender(sender) {
        Err(InvalidSender::Sms.to_string())
    } else if sender.chars().count() > MAX_SENDER {
        Err(format!("must have at most {MAX_SENDER} characters"))
    } else {
        Ok(())
    }
}

pub(crate) fn segments(channel: Channel, body: &str) -> u16 {
    if channel == Channel::Sms { sms::segment(body).segments } else { 1 }
}

/// What is decided about a draft when it is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What it costs; [`Money::ZERO`] when it is refused or only rehearses.
    pub cost: Money,
    /// Why it can never be sent, if so.
    pub refusal: Option<Failure>,
    /// Whether it only rehearses.
    pub is_sandbox: bool,
    /// Whether its text is forgotten once a provider has it.
    pub is_confidential: bool,
}

impl Message {
    /// Accepts a draft for delivery.
    pub fn queue(
        organization: Id<Organization>,
        draft: Draft,
        origin: Origin,
        terms: Terms,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id: Id::new_in(now, organization),
            organization,
            priority: if terms.is_sandbox {
                Priority::Sandbox
            } else {
                Priority::of(draft.category, origin)
            },
            valid_from: now,
            expires_at: now + draft.validity,
            draft: Arc::new(draft),
            source: None,
            cost: terms.cost,
            is_sandbox: terms.is_sandbox,
            is_confidential: terms.is_confidential,
            delivery: Delivery::Queued { last_failure: terms.refusal },
            provider: None,
            attempts: Vec::new(),
            created_at: now,
        }
    }

    /// All that it counts as where suppression lists, sending windows and links to unsubscribe are
    /// concerned, its own category first.
    pub fn kinds(&self) -> impl Iterator<Item = Category> + use<> {
        let is_of_campaign = matches!(self.source, Some(Source::Campaign(_)));
        self.draft.category.kinds(is_of_campaign)
    }

    /// This message, which may not go before `at`: it is worth sending as long as ever from then.
    #[must_use]
    pub fn valid_from(self, at: DateTime<Utc>) -> Self {
        Self { valid_from: at, expires_at: at + self.draft.validity, ..self }
    }

    /// This message, refused: it will fail without being sent, and costs nothing.
    #[must_use]
    pub fn refused(self, failure: Failure) -> Self {
        let delivery = Delivery::Queued { last_failure: Some(failure) };
        Self { cost: Money::ZERO, attempts: Vec::new(), delivery, ..self }
    }

    /// Why this message is never handed to a provider, if so.
    pub fn refusal(&self) -> Option<&Failure> {
        match &self.delivery {
            Delivery::Queued { last_failure: Some(failure) } if failure.code.refuses() => {
                Some(failure)
            }
            _ => None,
        }
    }

    /// Whether what it cost was paid back, as it is when a message fails.
    pub fn is_refunded(&self) -> bool {
        self.delivery.status() == Status::Failed && self.cost > Money::ZERO
    }

    /// This message as it was when it had just been accepted.
    #[must_use]
    pub fn as_accepted(self) -> Self {
        Self { delivery: Delivery::NEW, provider: None, attempts: Vec::new(), ..self }
    }
}

impl Id<Message> {
    /// `internalMessageId`: `msg_` and the identifier's 32 hexadecimal digits.
    pub fn internal(self) -> String {
        format!("msg_{}", self.uuid().simple())
    }

    /// Reads either form: the plain identifier or [`internal`](Self::internal).
    pub fn parse_either(text: &str) -> Result<Self, InvalidId> {
        Self::from_str(text.strip_prefix("msg_").unwrap_or(text))
    }
}

#[cfg(test)]
mod tests;

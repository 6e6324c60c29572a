//! Messages: one text, one recipient, one channel.
//!
//! ```
//! use domain::messaging::message::MessageRequest;
//! assert!(MessageRequest::default().draft(None).is_err(), "a recipient is missing");
//! ```

mod again;
mod codes;
mod counted;
mod filling;
pub mod metadata;
mod rendering;
mod schedule;
mod source;

use std::{collections::BTreeMap, str::FromStr, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};

use self::schedule::check_schedulable;
pub use self::{
    codes::{CODE_LIFETIME, MaskedTexts},
    filling::MAX_FILLED_BYTES,
    metadata::Metadata,
    rendering::Rendering,
    schedule::{LONGEST_LEAD, LONGEST_SANDBOX_LEAD, SHORTEST_LEAD, checked_schedule},
    source::{
        CampaignId, CampaignMarker, ContactId, ContactMarker, Source, TriggerId, TriggerMarker,
    },
};
use crate::{
    content::template::{FilledTemplate, Template, TemplateText},
    identity::{organization::Organization, policy::Policy},
    messaging::{
        attempt::Attempt,
        delivery::{Delivery, Failure, Status},
        priority::{Origin, Priority},
        retry::{self, RetryRules},
    },
    shared::{
        address::{Address, InvalidAddress},
        category::Category,
        channel::Channel,
        country::Country,
        fault::Faults,
        id::{Id, InvalidId},
        money::Money,
        sender::{InvalidSender, is_sms_sender},
        sms,
        text_format::TextFormat,
        trace::TraceContext,
    },
};

/// Maximum length of a sender, in characters: enough for a number or a registered name.
const MAX_SENDER: usize = 64;

/// Accepted message and its progress: an entry of the delivery log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Identifier.
    pub id: Id<Message>,
    /// Organization that sends it.
    pub organization: Id<Organization>,
    /// Content and recipient. Shared, because it does not change during delivery.
    pub draft: Arc<Draft>,
    /// Class of urgency.
    pub priority: Priority,
    /// Campaign or event it belongs to; `None` if it was sent on its own.
    pub source: Option<Source>,
    /// Slug of the event that it notifies of; `None` if it notifies of none.
    pub event: Option<String>,
    /// Contact for whom it was written; `None` if it was sent to an address.
    pub contact: Option<ContactId>,
    /// Failed message that it repeats; `None` if it repeats none.
    pub resent_from: Option<Id<Message>>,
    /// Time for which its sender scheduled it; `None` if it was to go at once.
    pub scheduled_at: Option<DateTime<Utc>>,
    /// Trace that it belongs to, with the span above it; `None` if its spans are not exported.
    pub trace: Option<TraceContext>,
    /// Amount paid for it.
    pub cost: Money,
    /// True if it is a test in the sandbox: it costs nothing and never reaches a real provider.
    pub is_sandbox: bool,
    /// True if its text is erased once a provider has it.
    pub is_confidential: bool,
    /// Delivery state.
    pub delivery: Delivery,
    /// Provider that has it, or had it last.
    pub provider: Option<String>,
    /// Attempts that are kept ([`attempts`](crate::messaging::attempts)), oldest first.
    pub attempts: Vec<Attempt>,
    /// Earliest time at which it could go. Its validity counts from then.
    pub valid_from: DateTime<Utc>,
    /// Time after which it is no longer worth sending.
    pub expires_at: DateTime<Utc>,
    /// Time of acceptance.
    pub created_at: DateTime<Utc>,
}

/// Message that can be sent: its address is normalised and its placeholders are filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Channel over which it goes.
    pub channel: Channel,
    /// Address of the recipient.
    pub recipient: Address,
    /// The recipient's country, which decides route and price.
    pub country: Country,
    /// Purpose of the message.
    pub category: Category,
    /// Requested sender; a provider may use its own.
    pub sender: Option<String>,
    /// Subject line.
    pub subject: Option<String>,
    /// Text.
    pub body: String,
    /// Format of the text.
    pub format: TextFormat,
    /// True if its text is nearly all values, so that nobody has approved its content.
    pub is_open: bool,
    /// Texts with masks in the place of codes; `None` if it has no codes.
    pub masked: Option<MaskedTexts>,
    /// Number of units of price.
    pub segments: u16,
    /// Template it came from.
    pub template: Option<Id<Template>>,
    /// The vendor's template that stands for its text, if the vendor has one.
    pub vendor_template: Option<FilledTemplate>,
    /// Time for which it is worth sending.
    pub validity: TimeDelta,
    /// Retry rules; `None` for the usual ones.
    pub retry_rules: Option<RetryRules>,
    /// Pairs by which the sender's systems know it; they are not sent.
    pub metadata: Metadata,
}

/// Message as its sender wrote it, before any check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MessageRequest {
    /// Channel over which it goes. Required.
    pub channel: Option<Channel>,
    /// Address of the recipient. Required.
    pub to: Option<String>,
    /// Text, with placeholders.
    pub body: Option<String>,
    /// Subject line, with placeholders.
    pub subject: Option<String>,
    /// Format of the text; detected if absent. Only mails have several formats.
    pub format: Option<TextFormat>,
    /// Requested sender.
    pub sender: Option<String>,
    /// Country whose numbers may be written without calling code; [`Country::GH`] if absent.
    pub country: Option<Country>,
    /// Template that gives the text instead of `body`.
    pub template: Option<Id<Template>>,
    /// Values of the placeholders.
    pub variables: BTreeMap<String, String>,
    /// Purpose of the message; the category of a template takes precedence.
    pub category: Option<Category>,
    /// Time for which it is worth sending, in seconds; the usual time of its category if absent.
    pub validity: Option<i64>,
    /// Pairs by which the sender's systems know it; they are not sent.
    pub metadata: Metadata,
    /// Time at which it is to go; at once if absent.
    pub scheduled_at: Option<DateTime<Utc>>,
}

impl MessageRequest {
    /// Checks and completes the message under the default policy. `template` is the one it names.
    pub fn draft(&self, template: Option<&TemplateText>) -> Result<Draft, Faults> {
        self.draft_under(&Policy::default(), template)
    }

    /// Checks and completes the message under the organization's policy. `template` is the one it
    /// names.
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
        if let Err(fault) = check_schedulable(self.scheduled_at, category) {
            faults.add("scheduledAt", fault);
        }

        let draft = || {
            let (channel, (recipient, country), texts) = (self.channel?, recipient?, texts?);
            Some(Draft {
                channel,
                country,
                recipient,
                category,
                sender,
                subject: texts.subject,
                segments: sms::segments_on(channel, &texts.body),
                body: texts.body,
                format: texts.format,
                masked: texts.masked,
                is_open: template.is_some_and(TemplateText::is_open),
                template: self.template,
                vendor_template: texts.vendor_template,
                validity: validity?,
                retry_rules: None,
                metadata: self.metadata.clone(),
            })
        };
        let draft = draft();
        faults.require(draft)
    }

    /// Returns the recipient and its country.
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

    /// Returns the sender as it was approved. The senders allowed depend on the destination.
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

/// Checks that a text can be a sender.
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

/// Terms decided for a draft when it is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Cost of the message; [`Money::ZERO`] if it is refused or in the sandbox.
    pub cost: Money,
    /// Reason why it can never be sent; `None` if it can.
    pub refusal: Option<Failure>,
    /// True if it is in the sandbox.
    pub is_sandbox: bool,
    /// True if its text is erased once a provider has it.
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
            event: None,
            contact: None,
            resent_from: None,
            scheduled_at: None,
            trace: None,
            cost: terms.cost,
            is_sandbox: terms.is_sandbox,
            is_confidential: terms.is_confidential,
            delivery: Delivery::Queued { last_failure: terms.refusal },
            provider: None,
            attempts: Vec::new(),
            created_at: now,
        }
    }

    /// Categories that count for suppression lists, sending windows and links to unsubscribe, its
    /// own category first.
    pub fn kinds(&self) -> impl Iterator<Item = Category> + use<> {
        self.draft.category.kinds(self.is_of_campaign())
    }

    /// Returns this message, not to be sent before `at`. Its validity counts from then.
    #[must_use]
    pub fn valid_from(self, at: DateTime<Utc>) -> Self {
        Self { valid_from: at, expires_at: at + self.draft.validity, ..self }
    }

    /// Returns this message as refused: it fails without being sent, and costs nothing.
    #[must_use]
    pub fn refused(self, failure: Failure) -> Self {
        let delivery = Delivery::Queued { last_failure: Some(failure) };
        Self { cost: Money::ZERO, attempts: Vec::new(), delivery, ..self }
    }

    /// Reason why this message is never handed to a provider, if so.
    pub fn refusal(&self) -> Option<&Failure> {
        match &self.delivery {
            Delivery::Queued { last_failure: Some(failure) } if failure.code.refuses() => {
                Some(failure)
            }
            _ => self.late_refusal(),
        }
    }

    /// Returns the amount paid for it in the end.
    pub fn net_cost(&self) -> Money {
        if self.is_refunded() { Money::ZERO } else { self.cost }
    }

    /// True if its cost was refunded, as it is when a message fails.
    pub fn is_refunded(&self) -> bool {
        self.delivery.status() == Status::Failed && self.cost > Money::ZERO
    }

    /// Returns this message in the state right after its acceptance.
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

//! Sender names: under which name or number an organization writes.

mod protected;

use std::{fmt, ops::RangeInclusive, str::FromStr};

use chrono::{DateTime, Utc};

use crate::{
    content::approval::{Approval, ApprovalContent, ApprovalKind, Verdict},
    identity::{organization::Organization, user::User},
    shared::{
        address::{Address, InvalidAddress},
        channel::Channel,
        country::Country,
        fault::Faults,
        id::Id,
    },
};

/// A sender that an organization asked for, on one channel and for the recipients of one country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderName {
    /// Which one this is.
    pub id: Id<SenderName>,
    /// Who asked for it.
    pub organization: Id<Organization>,
    /// As recipients see it.
    pub sender: Sender,
    /// The channel on which it is used.
    pub channel: Channel,
    /// Whose recipients see it.
    pub country: Country,
    /// Whether it may be used.
    pub status: SenderNameStatus,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
}

impl SenderName {
    /// What of it belongs to one organization.
    pub fn claim(&self) -> String {
        self.sender.claim(self.country)
    }

    /// Whether it is the same as `other`, and asking for that again asks for nothing new.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.channel, self.country) == (other.channel, other.country)
            && self.status != SenderNameStatus::Rejected
            && self.claim() == other.claim()
    }

    /// Asks for its approval. `hash` stands for all of it.
    pub fn approval(&self, author: Id<User>, hash: [u8; 32]) -> Approval {
        let resource = (ApprovalKind::SenderName, self.id.uuid());
        let body = format!("{} ({} to {})", self.sender, self.channel, self.country);
        let content = ApprovalContent { body, ..ApprovalContent::default() };
        let content = (self.sender.as_str().to_owned(), content, hash);
        let assessment = protected::assess(&self.sender);
        Approval {
            risk_score: assessment.score,
            issues: assessment.issues,
            ..Approval::request(self.organization, resource, content, author, self.created_at)
        }
    }
}

/// How many sender names an organization may have, those that were rejected too.
pub const MAX_SENDER_NAMES: usize = 100;

/// Whether a sender name may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SenderNameStatus {
    /// It waits for a decision.
    PendingApproval,
    /// It may be used.
    Approved,
    /// It was refused.
    Rejected,
}

/// The text is no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of PENDING_APPROVAL, APPROVED, REJECTED")]
pub struct UnknownSenderNameStatus;

impl SenderNameStatus {
    /// Every status.
    pub const ALL: [Self; 3] = [Self::PendingApproval, Self::Approved, Self::Rejected];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PendingApproval => "PENDING_APPROVAL",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
        }
    }
}

impl From<Verdict> for SenderNameStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approved => Self::Approved,
            Verdict::Rejected => Self::Rejected,
        }
    }
}

impl FromStr for SenderNameStatus {
    type Err = UnknownSenderNameStatus;

    fn from_str(text: &str) -> Result<Self, UnknownSenderNameStatus> {
        Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or(UnknownSenderNameStatus)
    }
}

/// A name, a short code, or a number in E.164. Always ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(String);

/// The longest name that GSM shows, in characters.
const LONGEST_NAME: usize = 11;
/// How many digits a short code has. What is longer is a number that can be called.
const SHORT_CODE: RangeInclusive<usize> = 3..=6;
/// How many digits a number has, short codes too.
const DIGITS: RangeInclusive<usize> = 3..=15;

/// The text is no sender for the channel. The messages follow the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSender {
    /// Neither a name that GSM shows nor a number.
    #[error("must be a name of 1 to 11 letters, digits and spaces, or a number")]
    Sms,
    /// No number, which the channel shows alone.
    #[error("must be a number: {0} shows no names")]
    Number(Channel),
    /// A number that does not exist.
    #[error("{0}")]
    Phone(#[from] InvalidAddress),
    /// The channel has other senders.
    #[error("must be SMS, WHATSAPP or VOICE: {0} has no sender names")]
    Channel(Channel),
}

impl Sender {
    /// Reads a sender as somebody asks for it. A number without calling code is one of `country`.
    pub fn parse(channel: Channel, country: Country, text: &str) -> Result<Self, InvalidSender> {
        let text = text.trim();
        match (channel, is_number(text)) {
            (Channel::Email | Channel::Push, _) => Err(InvalidSender::Channel(channel)),
            (_, true) if SHORT_CODE.contains(&text.len()) && !text.starts_with('+') => {
                Ok(Self(text.to_owned()))
            }
            (_, true) => {
                let number = Address::parse(Channel::Voice, country, text)?;
                Ok(Self(number.as_str().to_owned()))
            }
            (Channel::Sms, false) if is_sms_sender(text) => {
                Ok(Self(text.split_whitespace().collect::<Vec<_>>().join(" ")))
            }
            (Channel::Sms, false) => Err(InvalidSender::Sms),
            (Channel::WhatsApp | Channel::Voice, false) => Err(InvalidSender::Number(channel)),
        }
    }

    /// One that was parsed before.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// As recipients see it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What belongs to one organization. A name or a number is the same on every channel and in every
    /// country, whatever its case; a short code is another in each country.
    pub fn claim(&self, country: Country) -> String {
        if is_number(&self.0) && !self.0.starts_with('+') {
            format!("{}/{country}", self.0)
        } else {
            self.0.to_ascii_lowercase()
        }
    }

    /// Whether a message that asks for the sender `text` means this one.
    fn is_meant_by(&self, text: &str) -> bool {
        let (own, text) = (self.0.as_str(), text.trim());
        own.eq_ignore_ascii_case(text) || own.strip_prefix('+') == Some(text)
    }
}

impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether it has the digits of a number, with or without a plus.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('+').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether GSM can show a sender: eleven characters with a letter among them, or a number.
pub fn is_sms_sender(sender: &str) -> bool {
    let is_name_character = |c: char| c.is_ascii_alphanumeric() || " &+-._'!".contains(c);
    if is_number(sender) {
        DIGITS.contains(&sender.trim_start_matches('+').len())
    } else {
        sender.len() <= LONGEST_NAME
            && sender.chars().all(is_name_character)
            && sender.contains(|c: char| c.is_ascii_alphabetic())
    }
}

/// A sender name that somebody asks for; nothing is checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SenderNameRequest {
    /// The name or number. Required.
    pub name: Option<String>,
    /// The channel. Required.
    pub channel: Option<Channel>,
    /// Whose recipients are to see it; [`Country::GH`] if absent.
    pub country: Option<Country>,
}

impl SenderNameRequest {
    /// The sender name that is asked for, which waits for a decision.
    pub fn sender_name(
        &self,
        organization: Id<Organization>,
        now: DateTime<Utc>,
    ) -> Result<SenderName, Faults> {
        let mut faults = Faults::default();
        let country = self.country.unwrap_or(Country::GH);
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        if self.name.is_none() {
            faults.add("name", "is required");
        }
        let asked = self.channel.zip(self.name.as_deref());
        let sender = asked.and_then(|(channel, name)| {
            let parsed = Sender::parse(channel, country, name);
            let path = match parsed {
                Err(InvalidSender::Channel(_)) => "channel",
                _ => "name",
            };
            faults.take(path, parsed).map(|sender| (channel, sender))
        });
        let name = sender.map(|(channel, sender)| SenderName {
            id: Id::new_in(now, organization),
            organization,
            sender,
            channel,
            country,
            status: SenderNameStatus::PendingApproval,
            created_at: now,
        });
        faults.require(name)
    }
}

/// What an installation asks of senders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderRule {
    /// Nothing: whoever sends may write under any name.
    Open,
    /// That they were approved for the organization.
    Approved,
}

impl SenderRule {
    /// The name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approved => "approved",
        }
    }
}

/// Which senders an organization's messages may have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum UsableSenders {
    /// Any: the installation asks for no approval.
    #[default]
    Any,
    /// Those that were approved.
    Approved(Box<[ApprovedSender]>),
}

/// A sender that an organization may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedSender {
    /// As recipients see it.
    pub sender: Sender,
    /// The channel on which it is used.
    pub channel: Channel,
    /// Whose recipients see it.
    pub country: Country,
}

impl From<SenderName> for ApprovedSender {
    fn from(name: SenderName) -> Self {
        Self { sender: name.sender, channel: name.channel, country: name.country }
    }
}

/// An organization may not use a sender. The message follows the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of your approved sender names for {channel} to {country}")]
pub struct SenderNotApproved {
    channel: Channel,
    country: Country,
}

impl UsableSenders {
    /// The sender of a message that asks for `text`, as it was approved. Mails and notifications have
    /// no sender names, so they take any.
    pub fn choose(
        &self,
        channel: Channel,
        country: Country,
        text: &str,
    ) -> Result<String, SenderNotApproved> {
        let Self::Approved(senders) = self else { return Ok(text.to_owned()) };
        if !channel.takes_phone_numbers() {
            return Ok(text.to_owned());
        }
        let mut usable = senders.iter().filter(|it| it.channel == channel && it.country == country);
        let found = usable.find(|it| it.sender.is_meant_by(text));
        found.map(|it| it.sender.0.clone()).ok_or(SenderNotApproved { channel, country })
    }

    /// Whether a message on `channel` may have the sender `text` in one country at least.
    pub fn has(&self, channel: Channel, text: &str) -> bool {
        let Self::Approved(senders) = self else { return true };
        let meant = |it: &ApprovedSender| it.channel == channel && it.sender.is_meant_by(text);
        !channel.takes_phone_numbers() || senders.iter().any(meant)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self {
            Self::Any => 0,
            Self::Approved(senders) => senders.len(),
        }
    }
}

#[cfg(test)]
mod tests;

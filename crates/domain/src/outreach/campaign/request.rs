//! Requests for campaigns, and changes of drafts.

use chrono::{DateTime, Utc};

use super::{Campaign, CampaignStatus};
use crate::{
    audience::{segment::Segment, unsubscribe},
    content::template::Template,
    identity::{organization::Organization, policy::Policy, user::User},
    messaging::message::{self, Metadata},
    shared::{
        change::Change,
        channel::Channel,
        fault::Faults,
        id::Id,
        placeholder,
        text::{self, MAX_SUBJECT},
        text_format::{self, TextFormat},
    },
};

/// Maximum length of a name, in characters.
pub(super) const MAX_NAME: usize = 200;
/// Maximum length of a text on any channel, in characters: lists show many.
const MAX_BODY: usize = 100_000;

/// An unchecked request for a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CampaignRequest {
    /// Name for people. Required.
    pub name: Option<String>,
    /// Channel of its messages. Required.
    pub channel: Option<Channel>,
    /// Template whose text it sends.
    pub template: Option<Id<Template>>,
    /// Its own subject line.
    pub subject: Option<String>,
    /// Its own text, instead of that of a template.
    pub body: Option<String>,
    /// Format of its own text; detected if absent. Only for mails.
    pub format: Option<TextFormat>,
    /// Sender that its messages request.
    pub sender: Option<String>,
    /// Pairs by which the organization's systems know its messages.
    pub metadata: Metadata,
    /// True to rehearse it in the sandbox; false if absent.
    pub is_sandbox: Option<bool>,
    /// Segment that it is for.
    pub segment: Option<Id<Segment>>,
    /// Time at which it starts.
    pub scheduled_at: Option<DateTime<Utc>>,
}

impl CampaignRequest {
    /// Returns the draft that `author` requests under the policy. Fails with everything that is wrong.
    pub fn campaign(
        self,
        (organization, policy): (Id<Organization>, &Policy),
        author: Id<User>,
        now: DateTime<Utc>,
    ) -> Result<Campaign, Faults> {
        let mut faults = Faults::default();
        let name = self.name.ok_or_else(|| "is required".to_owned());
        let name = faults.take("name", name.and_then(|name| text::line(&name, MAX_NAME)));
        if self.channel.is_none() {
            faults.add("channel", "is required");
        }
        if self.template.is_some() {
            let own = [
                ("body", self.body.is_some()),
                ("subject", self.subject.is_some()),
                ("format", self.format.is_some()),
            ];
            for (path, is_own) in own {
                if is_own {
                    faults.add(path, "is that of the template; leave out one of them");
                }
            }
        }
        let is_mail = self.channel.is_none_or(|channel| channel == Channel::Email);
        text_format::check(self.format, is_mail, &mut faults);
        let subject = self.subject.and_then(|subject| {
            let line = text::line(&subject, MAX_SUBJECT).and_then(with_sound_placeholders);
            faults.take("subject", line)
        });
        let longest = self.channel.map_or(MAX_BODY, Channel::max_characters).min(MAX_BODY);
        let body = self.body.and_then(|body| {
            let lines = text::lines(text::with_plain_line_breaks(body), longest);
            faults.take("body", lines.and_then(with_sound_placeholders))
        });
        for (path, text) in [("subject", &subject), ("body", &body)] {
            if let Some((channel, text)) = self.channel.zip(text.as_ref()) {
                faults.take(path, unsubscribe::check_text(channel, text));
            }
        }
        if let Some((channel, sender)) = self.channel.zip(self.sender.as_ref()) {
            faults.take("senderId", check_sender(channel, sender, policy));
        }
        let (name, channel) = faults.require(name.zip(self.channel))?;
        Ok(Campaign {
            id: Id::new_in(now, organization),
            organization,
            name,
            channel,
            template: self.template,
            subject,
            body,
            format: self.format,
            sender: self.sender,
            metadata: self.metadata,
            is_sandbox: self.is_sandbox.unwrap_or_default(),
            segment: self.segment,
            scheduled_at: self.scheduled_at,
            version: 1,
            status: CampaignStatus::Draft,
            paused_reason: None,
            created_by: author,
            authors: vec![author],
            created_at: now,
            updated_at: now,
            started_at: None,
            completed_at: None,
            audience: None,
            unreachable: 0,
        })
    }
}

/// Unchecked changes of a draft. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CampaignUpdate {
    /// See [`CampaignRequest::name`].
    pub name: Option<String>,
    /// See [`CampaignRequest::channel`].
    pub channel: Option<Channel>,
    /// See [`CampaignRequest::template`].
    pub template: Change<Id<Template>>,
    /// See [`CampaignRequest::subject`].
    pub subject: Change<String>,
    /// See [`CampaignRequest::body`].
    pub body: Change<String>,
    /// See [`CampaignRequest::format`].
    pub format: Change<TextFormat>,
    /// See [`CampaignRequest::sender`].
    pub sender: Change<String>,
    /// See [`CampaignRequest::metadata`]; replaces all pairs.
    pub metadata: Change<Metadata>,
    /// See [`CampaignRequest::segment`].
    pub segment: Change<Id<Segment>>,
    /// See [`CampaignRequest::scheduled_at`].
    pub scheduled_at: Change<DateTime<Utc>>,
}

impl CampaignUpdate {
    /// Returns the time to which it moves a campaign that is scheduled; `None` if it changes anything
    /// else, or nothing. A move without a time is a fault.
    pub fn moved_to(&self) -> Option<Result<DateTime<Utc>, Faults>> {
        let Change::Set(time) = &self.scheduled_at else { return None };
        let only_time =
            Self { scheduled_at: self.scheduled_at.clone(), ..CampaignUpdate::default() };
        if *self != only_time {
            return None;
        }
        let fault = "must be a time: the campaign is scheduled already";
        Some(time.ok_or_else(|| Faults::field("scheduledAt", fault)))
    }

    /// Returns the draft with the changes of `editor` under the policy. Fails with everything that
    /// is wrong.
    pub fn apply(
        self,
        draft: &Campaign,
        policy: &Policy,
        editor: Id<User>,
        now: DateTime<Utc>,
    ) -> Result<Campaign, Faults> {
        let request = CampaignRequest {
            name: self.name.or_else(|| Some(draft.name.clone())),
            channel: self.channel.or(Some(draft.channel)),
            template: self.template.of(draft.template),
            subject: self.subject.of(draft.subject.clone()),
            body: self.body.of(draft.body.clone()),
            format: self.format.of(draft.format),
            sender: self.sender.of(draft.sender.clone()),
            metadata: self.metadata.of(Some(draft.metadata.clone())).unwrap_or_default(),
            is_sandbox: Some(draft.is_sandbox),
            segment: self.segment.of(draft.segment),
            scheduled_at: self.scheduled_at.of(draft.scheduled_at),
        };
        let edited = request.campaign((draft.organization, policy), draft.created_by, now)?;
        let mut authors = draft.authors.clone();
        if !authors.contains(&editor) {
            authors.push(editor);
        }
        Ok(Campaign {
            id: draft.id,
            version: draft.version + 1,
            authors,
            created_at: draft.created_at,
            ..edited
        })
    }
}

fn with_sound_placeholders(text: String) -> Result<String, String> {
    if placeholder::has_stray_braces(&text) {
        let fault = "has double braces that are no placeholder: its name has letters, digits, _, . \
             and - only, as in {{firstName}}";
        return Err(fault.to_owned());
    }
    Ok(text)
}

/// Checks a sender. The contacts decide the countries of the messages, so it must be approved for
/// at least one country.
pub(super) fn check_sender(channel: Channel, sender: &str, policy: &Policy) -> Result<(), String> {
    message::check_sender(Some(channel), sender)?;
    if policy.senders.has(channel, sender) {
        Ok(())
    } else {
        Err(format!("must be one of your approved sender names for {channel}"))
    }
}

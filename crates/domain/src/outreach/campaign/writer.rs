//! The messages of a campaign, one for each contact.

use std::collections::BTreeMap;

use super::{Campaign, CampaignContent};
use crate::{
    audience::contact::Contact,
    content::template::TemplateText,
    identity::policy::Policy,
    messaging::{
        delivery::{Failure, FailureCode},
        message::{Draft, MessageRequest},
        retry::LONGEST_VALIDITY,
    },
    shared::{
        address::Address, channel::Channel, fault::Faults, placeholder, sms,
        text_format::TextFormat,
    },
};

/// The placeholder that the link for unsubscribing fills.
const UNSUBSCRIBE: &str = crate::audience::unsubscribe::PLACEHOLDER;

/// Writes the messages of a campaign. One writer serves all contacts.
#[derive(Debug, Clone)]
pub struct CampaignWriter {
    channel: Channel,
    content: CampaignContent,
    /// A message without recipient and values.
    blank: MessageRequest,
    template: Option<TemplateText>,
    /// True if its text is nearly all placeholder.
    is_open: bool,
    /// Names of the placeholders, each once.
    names: Vec<String>,
}

/// Outcome of a campaign for one contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignMessage {
    /// The contact has no address for the channel.
    Unreachable,
    /// The draft is to be sent.
    Ready(Draft),
    /// The draft is not sent, for this reason. Its text still has its placeholders.
    Refused(Draft, Failure),
}

impl CampaignWriter {
    /// Returns the writer of `content` for the campaign.
    pub fn new(campaign: &Campaign, content: CampaignContent) -> Self {
        let (channel, has_template) = (campaign.channel, campaign.template.is_some());
        let template = campaign.template.map(|id| TemplateText {
            id,
            channel: channel.into(),
            category: content.category,
            subject: content.subject.clone(),
            body: content.body.clone(),
            format: content.format,
            vendor_template: content.vendor_template.clone(),
            value_rules: content.value_rules.clone(),
            is_approved: true,
        });
        let blank = MessageRequest {
            channel: Some(channel),
            body: (!has_template).then(|| content.body.clone()),
            subject: content.subject.clone().filter(|_| !has_template),
            format: content.format.filter(|_| !has_template),
            sender: campaign.sender.clone(),
            template: campaign.template,
            category: Some(content.category),
            validity: Some(LONGEST_VALIDITY.num_seconds()),
            metadata: campaign.metadata.clone(),
            ..MessageRequest::default()
        };
        let is_open = content.value_rules.leave_open(content.category, &content.body);
        Self { channel, names: names_in(&content), content, blank, template, is_open }
    }

    /// True if the text has a place for an unsubscribe link.
    pub fn has_unsubscribe_link(&self) -> bool {
        self.names.iter().any(|name| name == UNSUBSCRIBE)
    }

    /// Returns the message for a contact under the policy. `unsubscribe` is the contact's
    /// unsubscribe link, used if the text has a place for it.
    pub fn write(
        &self,
        contact: &Contact,
        policy: &Policy,
        unsubscribe: Option<&str>,
    ) -> CampaignMessage {
        let Some(address) = contact.address(self.channel) else {
            return CampaignMessage::Unreachable;
        };
        let (mut variables, mut missing) = (BTreeMap::new(), Vec::new());
        for name in &self.names {
            let value = if name == UNSUBSCRIBE { unsubscribe } else { contact.field(name) };
            match value {
                Some(value) => drop(variables.insert(name.clone(), value.to_owned())),
                None => missing.push(name.as_str()),
            }
        }
        if !missing.is_empty() {
            let missing = format!("the contact has no {}", missing.join(", "));
            let failure = Failure::new(FailureCode::MissingVariable, missing);
            return CampaignMessage::Refused(self.unfilled(contact, address), failure);
        }
        let request = MessageRequest {
            to: Some(address.as_str().to_owned()),
            country: Some(contact.country),
            variables,
            ..self.blank.clone()
        };
        match request.draft_under(policy, self.template.as_ref()) {
            // A campaign's own text is filled with fields of contacts, as a template is.
            Ok(draft) => CampaignMessage::Ready(Draft { is_open: self.is_open, ..draft }),
            Err(faults) => {
                CampaignMessage::Refused(self.unfilled(contact, address), failure(&faults))
            }
        }
    }

    fn unfilled(&self, contact: &Contact, address: &Address) -> Draft {
        let kind = address.phone_kind();
        Draft {
            channel: self.channel,
            recipient: address.clone(),
            country: kind.map_or(contact.country, |kind| kind.country),
            category: self.content.category,
            sender: self.blank.sender.clone(),
            subject: self.content.subject.clone(),
            segments: sms::segments_on(self.channel, &self.content.body),
            body: self.content.body.clone(),
            format: TextFormat::of(self.channel, self.content.format, &self.content.body),
            masked: None,
            is_open: false,
            template: self.blank.template,
            vendor_template: None,
            validity: LONGEST_VALIDITY,
            retry_rules: None,
            metadata: self.blank.metadata.clone(),
        }
    }
}

/// Returns the names of all placeholders of a content, each once.
fn names_in(content: &CampaignContent) -> Vec<String> {
    let texts = content.subject.iter().chain([&content.body]);
    let vendors = content.vendor_template.iter();
    let vendors = vendors.flat_map(|it| it.parameters.iter().chain(&it.button));
    let mut names: Vec<_> = texts.flat_map(|text| placeholder::names(text)).collect();
    names.extend(vendors.map(String::as_str));
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}

/// Returns the reason for which a message that cannot be drafted is not sent.
fn failure(faults: &Faults) -> Failure {
    let is_about_text =
        !faults.fields.contains_key("to") && !faults.fields.contains_key("senderId");
    let code = if is_about_text { FailureCode::MissingVariable } else { FailureCode::NoRoute };
    Failure::new(code, faults.to_string())
}

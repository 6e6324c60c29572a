//! Texts of an event on each of its channels.

use std::collections::BTreeSet;

use super::{Event, Wait};
use crate::{
    content::template::{Template, TemplateText},
    messaging::retry::RetryRules,
    shared::{channel::Channel, country::Country, id::Id, placeholder},
};

/// All data needed to notify of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTexts {
    /// Channels in the order in which they are tried, each with its template.
    pub channels: Vec<(Channel, TemplateText)>,
    /// Names of all their placeholders, each once.
    pub names: Vec<String>,
    /// Rules for retries of its messages; `None` for the usual ones.
    pub retry: Option<RetryRules>,
    /// Sender of its messages on the channels that can have it.
    pub sender: Option<String>,
    /// Country whose numbers may be written without calling code.
    pub country: Option<Country>,
    /// Time to wait for a channel before the next one is tried.
    pub wait: Wait,
}

/// Reason for which nobody can be notified of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReady {
    /// The event is not active.
    Inactive,
    /// The channel has no template.
    NoTemplate(Channel),
    /// The template may not be sent.
    Unapproved(Id<Template>),
}

impl Event {
    /// Returns its texts on its channels, with its templates as they are now.
    pub fn texts(&self, templates: &[TemplateText]) -> Result<EventTexts, NotReady> {
        if !self.is_active {
            return Err(NotReady::Inactive);
        }
        let mut channels = Vec::new();
        for channel in self.channels() {
            let id = self.template_of(channel);
            let template = templates.iter().find(|template| Some(template.id) == id);
            let template = template.ok_or(NotReady::NoTemplate(channel))?;
            if !template.is_approved {
                return Err(NotReady::Unapproved(template.id));
            }
            channels.push((channel, template.written_for(channel)));
        }
        let names = names(&channels);
        Ok(EventTexts {
            channels,
            names,
            retry: self.retry(),
            sender: self.sender.clone(),
            country: self.country,
            wait: self.wait(),
        })
    }
}

fn names(channels: &[(Channel, TemplateText)]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for (_, text) in channels {
        let texts = text.subject.iter().chain([&text.body]);
        names.extend(texts.flat_map(|text| placeholder::names(text)).map(str::to_owned));
        let vendors = text.vendor_template.iter();
        names.extend(vendors.flat_map(|it| it.parameters.iter().chain(&it.button)).cloned());
    }
    names.into_iter().collect()
}

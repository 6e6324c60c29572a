//! Steps in which a campaign is made.

use actix_web::HttpResponse;
use domain::identity::permission::Permission;
use domain::messaging::message::CampaignId;
use domain::outreach::campaign::{Campaign, CampaignStatus};
use usecases::{Error, Reason};

use super::address;
use crate::frame::{Failure, Notice, Visit};

/// The campaign is no draft any more.
const NO_DRAFT: Reason = Reason::new(
    "INVALID_CAMPAIGN_STATUS",
    "only a draft can be changed; duplicate the campaign to change a copy",
);

/// Step in which a campaign is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Audience,
    Text,
    Check,
    Time,
}

/// Step as the pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShownStep {
    pub(super) label: &'static str,
    /// Address of its page; empty if it cannot be opened yet.
    pub(super) href: String,
    pub(super) is_done: bool,
    pub(super) is_current: bool,
}

impl Step {
    const ALL: [Self; 4] = [Self::Audience, Self::Text, Self::Check, Self::Time];

    /// Returns the first step of a draft that lacks something.
    pub(super) fn next_of(draft: &Campaign) -> Self {
        if has_text(draft) { Self::Check } else { Self::Text }
    }

    /// Returns the end of the address of its page.
    pub(super) const fn page(self) -> &'static str {
        match self {
            Self::Audience => "/audience",
            Self::Text => "/text",
            Self::Check => "/check",
            Self::Time => "/time",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Audience => "Audience",
            Self::Text => "Text",
            Self::Check => "Check",
            Self::Time => "Time",
        }
    }
}

/// Returns the steps of a draft, or of a new one.
pub(super) fn steps(draft: Option<&Campaign>, current: Step) -> Vec<ShownStep> {
    let shown = |step: Step| {
        let is_done = match step {
            Step::Audience => draft.is_some(),
            Step::Text => draft.is_some_and(has_text),
            Step::Check => step < current,
            Step::Time => draft.is_some_and(|draft| draft.scheduled_at.is_some()),
        };
        let is_open = step <= Step::Text || draft.is_some_and(has_text);
        let href = draft.filter(|_| is_open).map(|draft| address(draft.id, step.page()));
        let is_current = step == current;
        ShownStep {
            label: step.label(),
            href: href.unwrap_or_default(),
            is_done: is_done && !is_current,
            is_current,
        }
    };
    Step::ALL.map(shown).into()
}

/// Returns a draft that the visitor may change. Fails if the campaign is none any more.
pub(super) async fn draft(visit: &Visit, id: CampaignId) -> Result<Campaign, Failure> {
    visit.caller.authorize(Permission::WriteAudience)?;
    let campaign = visit.api().campaigns.get(&visit.caller, id).await?.campaign;
    match campaign.status {
        CampaignStatus::Draft => Ok(campaign),
        _ => Err(Error::Conflict(NO_DRAFT).into()),
    }
}

/// Leads to the step that a draft without a text lacks.
pub(super) fn to_text(visit: &Visit, id: CampaignId) -> HttpResponse {
    let notice = Notice::bad("Choose a template or write a text first.");
    visit.go(&address(id, Step::Text.page()), Some(notice))
}

fn has_text(draft: &Campaign) -> bool {
    draft.template.is_some() || draft.body.is_some()
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        identity::policy::Policy,
        outreach::campaign::CampaignRequest,
        shared::{channel::Channel, id::Id},
    };

    use super::*;

    fn draft(body: Option<&str>) -> Campaign {
        let now = DateTime::UNIX_EPOCH;
        let request = CampaignRequest {
            name: Some("Sale".into()),
            channel: Some(Channel::Sms),
            body: body.map(str::to_owned),
            ..CampaignRequest::default()
        };
        request.campaign((Id::new(now), &Policy::default()), Id::new(now), now).unwrap()
    }

    fn open(draft: Option<&Campaign>) -> Vec<&'static str> {
        let steps = steps(draft, Step::Audience);
        steps.iter().filter(|step| !step.href.is_empty()).map(|step| step.label).collect()
    }

    #[test]
    fn a_step_opens_once_the_steps_before_it_are_done() {
        assert!(open(None).is_empty());
        assert_eq!(open(Some(&draft(None))), ["Audience", "Text"]);
        assert_eq!(open(Some(&draft(Some("Hello")))), ["Audience", "Text", "Check", "Time"]);
    }

    #[test]
    fn a_draft_is_resumed_where_something_is_missing() {
        assert_eq!(Step::next_of(&draft(None)), Step::Text);
        assert_eq!(Step::next_of(&draft(Some("Hello"))), Step::Check);
    }
}

//! Copies of campaigns.

use chrono::{DateTime, Utc};

use super::{Campaign, CampaignStatus, request::MAX_NAME};
use crate::{identity::user::User, shared::id::Id};

/// Ending of the name of a copy.
const ENDING: &str = " (copy)";

impl Campaign {
    /// Returns a draft with the same text and segment, which has no time yet. Who wrote the text
    /// stays among its authors, so nobody approves their own.
    #[must_use]
    pub fn copy(&self, author: Id<User>, is_sandbox: bool, now: DateTime<Utc>) -> Self {
        let mut authors = self.authors.clone();
        if !authors.contains(&author) {
            authors.push(author);
        }
        let mut name: String = self.name.chars().take(MAX_NAME - ENDING.len()).collect();
        name.push_str(ENDING);
        Self {
            id: Id::new_in(now, self.organization),
            name,
            is_sandbox,
            scheduled_at: None,
            version: 1,
            status: CampaignStatus::Draft,
            paused_reason: None,
            created_by: author,
            authors,
            created_at: now,
            updated_at: now,
            started_at: None,
            completed_at: None,
            audience: None,
            unreachable: 0,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::{
        identity::policy::Policy, outreach::campaign::CampaignRequest, shared::channel::Channel,
    };

    fn campaign(name: &str) -> Campaign {
        let now = DateTime::UNIX_EPOCH;
        let request = CampaignRequest {
            name: Some(name.into()),
            channel: Some(Channel::Sms),
            body: Some("Hello".into()),
            scheduled_at: Some(now),
            ..CampaignRequest::default()
        };
        request.campaign((Id::new(now), &Policy::default()), Id::new(now), now).unwrap()
    }

    #[test]
    fn a_copy_is_a_draft_of_its_own_with_the_same_text() {
        let mut first = campaign("Sale");
        first.status = CampaignStatus::Completed;
        first.audience = Some(7);
        let later = first.created_at + TimeDelta::days(1);
        let author = Id::new(later);

        let copy = first.copy(author, true, later);

        assert_eq!((copy.name.as_str(), &copy.body), ("Sale (copy)", &first.body));
        assert_eq!((copy.status, copy.scheduled_at), (CampaignStatus::Draft, None));
        assert_eq!((copy.audience, copy.is_sandbox, copy.created_by), (None, true, author));
        assert_ne!(copy.id, first.id);
        assert_eq!(copy.authors, [first.created_by, author]);
    }

    #[test]
    fn the_name_of_a_copy_is_no_longer_than_a_name_may_be() {
        let first = campaign(&"é".repeat(MAX_NAME));

        let copy = first.copy(first.created_by, false, first.created_at);

        assert_eq!(copy.name.chars().count(), MAX_NAME);
        assert!(copy.name.ends_with(" (copy)"));
        assert_eq!(copy.authors, first.authors);
    }
}

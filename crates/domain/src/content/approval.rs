//! Approvals by platform administrators.
//!
//! An approval is bound to the hash of a content, and is withdrawn when the content changes. Authors may
//! reject their own content, but not approve it.
//!
//! ```
//! use domain::content::approval::checked_comment;
//!
//! assert_eq!(checked_comment(Some("  ".to_owned())), Ok(None));
//! ```

mod requested;

use chrono::{DateTime, Utc};
use thiserror::Error;
use uuid::Uuid;

pub use self::requested::{ApprovalStatus, RequestedApproval, RequestedApprovalFilter};
use crate::{
    content::{compliance::Issue, template::VendorTemplate},
    identity::{organization::Organization, user::User},
    shared::{fault::Faults, id::Id, text},
};

/// Content that needs the approval of a platform administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Identifier of the approval.
    pub id: Id<Approval>,
    /// Organization that owns the content.
    pub organization: Id<Organization>,
    /// Kind of the resource that has the content.
    pub kind: ApprovalKind,
    /// Identifier of that resource.
    pub resource: Uuid,
    /// Name of the resource within its organization.
    pub name: String,
    /// Content to approve, in readable form.
    pub content: ApprovalContent,
    /// SHA-256 of everything that is approved.
    pub hash: [u8; 32],
    /// Risk of the content, from 0 to 100.
    pub risk_score: u8,
    /// Issues found in the content.
    pub issues: Vec<Issue>,
    /// User who requested the approval, and is notified of the decision.
    pub requested_by: Id<User>,
    /// Users who wrote the content, and may not approve it.
    pub authors: Vec<Id<User>>,
    /// Time of the request.
    pub requested_at: DateTime<Utc>,
    /// State of the approval.
    pub state: ApprovalState,
}

crate::closed_list! {
    /// Kind of a resource that needs approval.
    pub enum ApprovalKind {
        /// A template.
        Template = "TEMPLATE",
        /// The text of a campaign.
        Campaign = "CAMPAIGN",
        /// A sender name.
        SenderName = "SENDER_NAME",
    }
    impl FromStr;
}

/// Text to approve.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalContent {
    /// Subject line; `None` if it has none.
    pub subject: Option<String>,
    /// Text of the message.
    pub body: String,
    /// Template of the vendor, which is sent instead.
    pub vendor_template: Option<VendorTemplate>,
    /// True if placeholders accept long values.
    pub allows_long_values: bool,
}

/// State of an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalState {
    /// The approval waits for a decision.
    Pending,
    /// The content changed before the decision.
    Withdrawn,
    /// An administrator decided.
    Decided(Decision),
}

/// Decision about an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Outcome of the decision.
    pub verdict: Verdict,
    /// User who decided.
    pub by: Id<User>,
    /// Time of the decision.
    pub at: DateTime<Utc>,
    /// Reason for the requester.
    pub comment: Option<String>,
}

crate::closed_list! {
    /// Outcome of a decision.
    pub enum Verdict {
        /// The content may be used.
        Approved = "APPROVED",
        /// The content may not be used.
        Rejected = "REJECTED",
    }
    impl FromStr;
}

/// Reason for which a decision is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecisionRefused {
    /// Another administrator decided first.
    #[error("this has been decided already")]
    AlreadyDecided,
    /// The content changed after the request.
    #[error("the content was changed since approval was asked for")]
    ContentChanged,
    /// The deciding user wrote the content.
    #[error("nobody approves what they wrote themselves")]
    OwnWork,
}

/// The longest comment, in characters.
pub const MAX_COMMENT: usize = 1_000;

impl Approval {
    /// Returns a pending approval of `content`, which `author` wrote and `hash` identifies. `resource` is
    /// the owner of the content, and `name` its name within the organization.
    pub fn request(
        organization: Id<Organization>,
        (kind, resource): (ApprovalKind, Uuid),
        (name, content, hash): (String, ApprovalContent, [u8; 32]),
        author: Id<User>,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id: Id::new_in(now, organization),
            organization,
            kind,
            resource,
            name,
            content,
            hash,
            risk_score: 0,
            issues: Vec::new(),
            requested_by: author,
            authors: vec![author],
            requested_at: now,
            state: ApprovalState::Pending,
        }
    }

    /// Returns the decision of `by`. Fails if it is not allowed. The store resolves simultaneous decisions.
    pub fn decide(
        &self,
        verdict: Verdict,
        comment: Option<String>,
        by: Id<User>,
        now: DateTime<Utc>,
    ) -> Result<Decision, DecisionRefused> {
        if !self.state.status().can_become(verdict.into()) {
            return Err(match self.state {
                ApprovalState::Withdrawn => DecisionRefused::ContentChanged,
                _ => DecisionRefused::AlreadyDecided,
            });
        }
        if verdict == Verdict::Approved && self.authors.contains(&by) {
            return Err(DecisionRefused::OwnWork);
        }
        Ok(Decision { verdict, by, at: now, comment })
    }
}

impl ApprovalState {
    /// Returns the name of this state.
    pub fn status(&self) -> ApprovalStatus {
        match self {
            Self::Pending => ApprovalStatus::Pending,
            Self::Withdrawn => ApprovalStatus::Withdrawn,
            Self::Decided(decision) => decision.verdict.into(),
        }
    }
}

/// Validates a comment. An empty one becomes `None`.
pub fn checked_comment(comment: Option<String>) -> Result<Option<String>, Faults> {
    let Some(comment) = comment else { return Ok(None) };
    let comment = comment.trim();
    if comment.chars().count() > MAX_COMMENT {
        let fault = format!("must have at most {MAX_COMMENT} characters");
        return Err(Faults::field("comment", fault));
    }
    text::without_nul(comment).map_err(|fault| Faults::field("comment", fault))?;
    Ok(Some(comment.to_owned()).filter(|comment| !comment.is_empty()))
}

impl ApprovalKind {
    /// Name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Campaign => "campaign",
            Self::SenderName => "sender name",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn approval(author: Id<User>) -> Approval {
        let organization = Id::new(NOW);
        let resource = (ApprovalKind::Template, Id::<Approval>::new_in(NOW, organization).uuid());
        let content = ("welcome".into(), ApprovalContent::default(), [7; 32]);
        Approval::request(organization, resource, content, author, NOW)
    }

    #[test]
    fn authors_may_reject_but_not_approve_their_content() {
        let (author, other) = (Id::new(NOW), Id::new(NOW));
        let approval = approval(author);

        let own = approval.decide(Verdict::Approved, None, author, NOW);

        assert_eq!(own, Err(DecisionRefused::OwnWork));
        for (verdict, by) in [(Verdict::Rejected, author), (Verdict::Approved, other)] {
            let decision = approval.decide(verdict, None, by, NOW).unwrap();
            assert_eq!(decision, Decision { verdict, by, at: NOW, comment: None });
        }
    }

    #[test]
    fn decides_only_pending_approvals() {
        let (author, other) = (Id::new(NOW), Id::new(NOW));
        let pending = approval(author);
        let decided = pending.decide(Verdict::Rejected, None, other, NOW).unwrap();
        for (state, refused) in [
            (ApprovalState::Decided(decided), DecisionRefused::AlreadyDecided),
            (ApprovalState::Withdrawn, DecisionRefused::ContentChanged),
        ] {
            let approval = Approval { state, ..pending.clone() };
            assert_eq!(approval.decide(Verdict::Approved, None, other, NOW), Err(refused));
        }
    }

    #[test]
    fn a_status_changes_only_from_pending_and_as_decisions_do() {
        let pending = approval(Id::new(NOW));
        let decision = |verdict| Decision { verdict, by: Id::new(NOW), at: NOW, comment: None };
        let states = [ApprovalState::Pending, ApprovalState::Withdrawn].into_iter();
        let decided = Verdict::ALL.map(|verdict| ApprovalState::Decided(decision(verdict)));
        for state in states.chain(decided) {
            let approval = Approval { state, ..pending.clone() };
            let status = approval.state.status();
            for verdict in Verdict::ALL {
                let decided = approval.decide(verdict, None, Id::new(NOW), NOW);
                assert_eq!(decided.is_ok(), status.can_become(verdict.into()), "{status:?}");
            }
            let is_open = status == ApprovalStatus::Pending;
            assert_eq!(status.can_become(ApprovalStatus::Withdrawn), is_open, "{status:?}");
            assert!(!status.can_become(ApprovalStatus::Pending), "{status:?}");
        }
    }

    #[test]
    fn a_comment_may_have_several_lines_and_a_thousand_characters() {
        let checked = |text: &str| checked_comment(Some(text.to_owned()));
        assert_eq!(checked(" no\nopt-out "), Ok(Some("no\nopt-out".to_owned())));
        assert_eq!((checked(" "), checked_comment(None)), (Ok(None), Ok(None)));
        assert!(checked(&"ɛ".repeat(MAX_COMMENT)).is_ok());
        for text in [&"ɛ".repeat(MAX_COMMENT + 1), "a\0b"] {
            assert!(checked(text).unwrap_err().fields.contains_key("comment"), "{text}");
        }
    }
}

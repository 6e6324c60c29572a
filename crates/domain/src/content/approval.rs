//! Approvals: what waits for a platform administrator, and what they decide.
//!
//! An approval is bound to the hash of a content. When the content changes, the approval is withdrawn.
//! Who wrote something may reject it, but not approve it.

use std::str::FromStr;

use chrono::{DateTime, Utc};
use thiserror::Error;
use uuid::Uuid;

use crate::{
    content::{compliance::Issue, template::VendorTemplate},
    identity::{organization::Organization, user::User},
    shared::{fault::Faults, id::Id, text},
};

/// A content that needs the approval of a platform administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Which approval this is.
    pub id: Id<Approval>,
    /// Whose content it is.
    pub organization: Id<Organization>,
    /// What kind of thing has the content.
    pub kind: ApprovalKind,
    /// Which one.
    pub resource: Uuid,
    /// What its organization calls it.
    pub name: String,
    /// What is to be approved, as people read it.
    pub content: ApprovalContent,
    /// The SHA-256 of all that is approved.
    pub hash: [u8; 32],
    /// How risky the content is, 0 to 100.
    pub risk_score: u8,
    /// What was found in it.
    pub issues: Vec<Issue>,
    /// Who asked for it, and is told what was decided.
    pub requested_by: Id<User>,
    /// Who wrote the content, and may not approve it.
    pub authors: Vec<Id<User>>,
    /// When it was asked for.
    pub requested_at: DateTime<Utc>,
    /// What became of it.
    pub state: ApprovalState,
}

/// What kinds of things are approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ApprovalKind {
    /// A template.
    Template,
    /// The text of a campaign.
    Campaign,
    /// A name to send under.
    SenderName,
}

/// The text that is to be approved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalContent {
    /// Its subject line.
    pub subject: Option<String>,
    /// Its text.
    pub body: String,
    /// The text that the vendor keeps, which is sent instead.
    pub vendor_template: Option<VendorTemplate>,
    /// Set if any long text may stand for a placeholder.
    pub allows_long_values: bool,
}

/// What became of an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalState {
    /// It waits for a decision.
    Pending,
    /// The content was changed before anybody decided.
    Withdrawn,
    /// It was decided.
    Decided(Decision),
}

/// What somebody decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What it came to.
    pub verdict: Verdict,
    /// Who decided.
    pub by: Id<User>,
    /// When.
    pub at: DateTime<Utc>,
    /// Why, for whoever asked.
    pub comment: Option<String>,
}

/// What a decision comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The content may be used.
    Approved,
    /// It may not.
    Rejected,
}

/// Why a decision cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecisionRefused {
    /// Somebody was first.
    #[error("this has been decided already")]
    AlreadyDecided,
    /// The content is not the one for which approval was asked.
    #[error("the content was changed since approval was asked for")]
    ContentChanged,
    /// The one who decides wrote it.
    #[error("nobody approves what they wrote themselves")]
    OwnWork,
}

/// The longest comment, in characters.
pub const MAX_COMMENT: usize = 1_000;

impl Approval {
    /// Asks for the approval of `content`, which `author` wrote and `hash` stands for. `resource` is
    /// what has it, and `name` what its organization calls that.
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

    /// The decision of `by`, unless it cannot be made. The store decides between two who decide at
    /// once.
    pub fn decide(
        &self,
        verdict: Verdict,
        comment: Option<String>,
        by: Id<User>,
        now: DateTime<Utc>,
    ) -> Result<Decision, DecisionRefused> {
        match self.state {
            ApprovalState::Pending => {}
            ApprovalState::Withdrawn => return Err(DecisionRefused::ContentChanged),
            ApprovalState::Decided(_) => return Err(DecisionRefused::AlreadyDecided),
        }
        if verdict == Verdict::Approved && self.authors.contains(&by) {
            return Err(DecisionRefused::OwnWork);
        }
        Ok(Decision { verdict, by, at: now, comment })
    }
}

/// Checks a comment. An empty one is none.
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
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Template, Self::Campaign, Self::SenderName];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Template => "TEMPLATE",
            Self::Campaign => "CAMPAIGN",
            Self::SenderName => "SENDER_NAME",
        }
    }

    /// What people call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Campaign => "campaign",
            Self::SenderName => "sender name",
        }
    }
}

/// The text names no kind of approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of TEMPLATE, CAMPAIGN, SENDER_NAME")]
pub struct UnknownApprovalKind;

impl FromStr for ApprovalKind {
    type Err = UnknownApprovalKind;

    fn from_str(text: &str) -> Result<Self, UnknownApprovalKind> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownApprovalKind)
    }
}

impl Verdict {
    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
        }
    }
}

/// The text names no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of APPROVED, REJECTED")]
pub struct UnknownVerdict;

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        let known = [Self::Approved, Self::Rejected];
        known.into_iter().find(|verdict| verdict.as_str() == text).ok_or(UnknownVerdict)
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
    fn nobody_approves_what_they_wrote_but_they_may_reject_it() {
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
    fn what_was_decided_or_withdrawn_is_decided_no_more() {
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

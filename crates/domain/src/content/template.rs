//! Templates: prepared texts with placeholders, which keep their versions.

mod channel;
mod content;
mod request;
mod update;
mod value_rules;
mod vendor;

use std::str::FromStr;

use chrono::{DateTime, Utc};

pub use self::{
    channel::{TemplateChannel, UnknownTemplateChannel},
    content::TemplateContent,
    request::TemplateRequest,
    update::TemplateUpdate,
    value_rules::ValueRules,
    vendor::{FilledTemplate, VendorTemplate, VendorTemplateRequest},
};
use crate::{
    content::{
        approval::{Approval, ApprovalContent, ApprovalKind},
        compliance::{Assessment, Issue},
    },
    identity::{organization::Organization, user::User},
    shared::{category::Category, id::Id, placeholder, text_format::TextFormat},
};

/// A prepared text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Which template this is.
    pub id: Id<Template>,
    /// Whose it is.
    pub organization: Id<Organization>,
    /// What it is called.
    pub name: String,
    /// What it says.
    pub content: TemplateContent,
    /// How often what it says was changed, and one.
    pub version: i32,
    /// Whether it may be sent.
    pub status: TemplateStatus,
    /// How risky it is, 0 to 100.
    pub risk_score: u8,
    /// What was found in it.
    pub issues: Vec<Issue>,
    /// What whoever decided about it had to say.
    pub comment: Option<String>,
    /// Who made it. Of old ones it is not known.
    pub created_by: Option<Id<User>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// What a template said at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateVersion {
    /// Its number, from 1.
    pub version: i32,
    /// What was decided about it.
    pub status: TemplateStatus,
    /// Its subject line.
    pub subject: Option<String>,
    /// Its text.
    pub body: String,
    /// How risky it was.
    pub risk_score: u8,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// Who wrote it. Of old ones it is not known.
    pub created_by: Option<Id<User>>,
}

/// Whether a template may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TemplateStatus {
    /// A platform administrator is to decide.
    PendingApproval,
    /// It may.
    Approved,
    /// A platform administrator has rejected it.
    Rejected,
    /// Only of a version: it was changed before anybody decided.
    Withdrawn,
}

/// The text of a template, as sending needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateText {
    /// Which template this is.
    pub id: Id<Template>,
    /// What it is written for.
    pub channel: TemplateChannel,
    /// What it is about.
    pub category: Category,
    /// Its subject line, with placeholders.
    pub subject: Option<String>,
    /// Its text, with placeholders.
    pub body: String,
    /// Its format, if its writer said so.
    pub format: Option<TextFormat>,
    /// What the vendor knows it as. Only `WhatsApp` has such templates.
    pub vendor_template: Option<VendorTemplate>,
    /// Rules about what may be filled in.
    pub value_rules: ValueRules,
    /// Whether it may be sent.
    pub is_approved: bool,
}

/// How many versions of a template are kept.
pub const MAX_VERSIONS: i32 = 20;

impl Template {
    /// The approval that it needs, if it does: of the content with that hash, which `editor` wrote.
    pub fn needed_approval(
        &self,
        hash: [u8; 32],
        editor: Id<User>,
        now: DateTime<Utc>,
    ) -> Option<Approval> {
        if self.status != TemplateStatus::PendingApproval {
            return None;
        }
        let TemplateContent { subject, body, vendor_template, value_rules, .. } =
            self.content.clone();
        let allows_long_values = value_rules.allows_long;
        let content = ApprovalContent { subject, body, vendor_template, allows_long_values };
        let resource = (ApprovalKind::Template, self.id.uuid());
        let text = (self.name.clone(), content, hash);
        let mut approval = Approval::request(self.organization, resource, text, editor, now);
        approval.risk_score = self.risk_score;
        approval.issues.clone_from(&self.issues);
        // Who made it wrote most of it, whoever has put in a comma.
        approval.authors.extend(self.created_by.filter(|maker| *maker != editor));
        Some(approval)
    }
}

impl TemplateText {
    /// Says if it is nearly all placeholder.
    pub fn is_open(&self) -> bool {
        self.value_rules.leave_open(self.category, &self.body)
    }

    /// The names of all its placeholders; one may be there several times.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let vendors = self.vendor_template.iter();
        let vendors = vendors.flat_map(|it| it.parameters.iter().chain(&it.button));
        let texts = self.subject.iter().chain([&self.body]);
        texts.flat_map(|text| placeholder::names(text)).chain(vendors.map(String::as_str))
    }
}

impl From<&Template> for TemplateText {
    fn from(template: &Template) -> Self {
        let content = template.content.clone();
        Self {
            id: template.id,
            channel: content.channel,
            category: content.category,
            subject: content.subject,
            body: content.body,
            format: content.format,
            vendor_template: content.vendor_template,
            value_rules: content.value_rules,
            is_approved: template.status == TemplateStatus::Approved,
        }
    }
}

impl TemplateStatus {
    /// Every one.
    pub const ALL: [Self; 4] =
        [Self::PendingApproval, Self::Approved, Self::Rejected, Self::Withdrawn];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PendingApproval => "PENDING_APPROVAL",
            Self::Approved => "APPROVED",
            Self::Rejected => "REJECTED",
            Self::Withdrawn => "WITHDRAWN",
        }
    }

    /// That of a content nobody has decided about.
    fn of_new(content: &TemplateContent, assessment: &Assessment) -> Self {
        // What the vendor keeps says something else than the text that is scored, and belongs to the account of
        // the operator, who must have given it to the organization.
        let needs_approval = content.category.needs_approval() || content.vendor_template.is_some();
        if needs_approval || assessment.requires_approval() {
            Self::PendingApproval
        } else {
            Self::Approved
        }
    }
}

/// The text names no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be one of PENDING_APPROVAL, APPROVED, REJECTED, WITHDRAWN")]
pub struct UnknownTemplateStatus;

impl FromStr for TemplateStatus {
    type Err = UnknownTemplateStatus;

    fn from_str(text: &str) -> Result<Self, UnknownTemplateStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownTemplateStatus)
    }
}

#[cfg(test)]
mod tests;

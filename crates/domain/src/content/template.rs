//! Templates: prepared texts with placeholders and versions.
//!
//! ```
//! use chrono::DateTime;
//! use domain::{
//!     content::template::{TemplateChannel, TemplateRequest},
//!     shared::{channel::Channel, id::Id},
//! };
//!
//! let now = DateTime::UNIX_EPOCH;
//! let request = TemplateRequest {
//!     name: Some("Parcel".to_owned()),
//!     channel: Some(TemplateChannel::from(Channel::Sms)),
//!     body: Some("Hello {{name}}, your parcel has arrived.".to_owned()),
//!     ..TemplateRequest::default()
//! };
//! let template = request.template(Id::new(now), Id::new(now), now).unwrap();
//! assert_eq!(template.content.variables, ["name"]);
//! ```

mod channel;
mod content;
mod filter;
mod json;
mod request;
mod update;
mod uses;
mod value_rules;
mod vendor;

use chrono::{DateTime, Utc};

pub use self::{
    channel::{TemplateChannel, UnknownTemplateChannel},
    content::TemplateContent,
    filter::TemplateFilter,
    request::TemplateRequest,
    update::TemplateUpdate,
    uses::{MAX_NAMED_USES, TemplateUse, TemplateUses},
    value_rules::ValueRules,
    vendor::{FilledTemplate, VendorTemplate, VendorTemplateRequest},
};
use crate::{
    content::{
        approval::{Approval, ApprovalContent, ApprovalKind},
        compliance::{Assessment, Issue},
    },
    identity::{
        organization::{Organization, WaysOut},
        user::User,
    },
    shared::{category::Category, channel::Channel, id::Id, placeholder, text_format::TextFormat},
};

/// Prepared text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Identifier of the template.
    pub id: Id<Template>,
    /// Organization that owns the template.
    pub organization: Id<Organization>,
    /// Name for people.
    pub name: String,
    /// Content of the current version.
    pub content: TemplateContent,
    /// Number of the current version, from 1.
    pub version: i32,
    /// Status of the current version.
    pub status: TemplateStatus,
    /// Risk of the content, from 0 to 100.
    pub risk_score: u8,
    /// Issues found in the content.
    pub issues: Vec<Issue>,
    /// Comment of the deciding administrator.
    pub comment: Option<String>,
    /// User who created the template; `None` for old templates.
    pub created_by: Option<Id<User>>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// Version of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateVersion {
    /// Number of the version, from 1.
    pub version: i32,
    /// Status of the version.
    pub status: TemplateStatus,
    /// Subject line; `None` if it has none.
    pub subject: Option<String>,
    /// Text of the message.
    pub body: String,
    /// Risk of the content, from 0 to 100.
    pub risk_score: u8,
    /// Time of writing.
    pub created_at: DateTime<Utc>,
    /// User who wrote the version; `None` for old versions.
    pub created_by: Option<Id<User>>,
}

crate::closed_list! {
    /// Approval status of a template.
    pub enum TemplateStatus {
        /// The template waits for a decision.
        PendingApproval = "PENDING_APPROVAL",
        /// The template may be sent.
        Approved = "APPROVED",
        /// A platform administrator has rejected it.
        Rejected = "REJECTED",
        /// The version was replaced before a decision. Only versions have this status.
        Withdrawn = "WITHDRAWN",
    }
    impl FromStr;
}

/// Text of a template with the data for sending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateText {
    /// Identifier of the template.
    pub id: Id<Template>,
    /// Channel of the template.
    pub channel: TemplateChannel,
    /// Category of its messages.
    pub category: Category,
    /// Subject line with placeholders; `None` if it has none.
    pub subject: Option<String>,
    /// Text with placeholders.
    pub body: String,
    /// Format of the text; `None` if not specified.
    pub format: Option<TextFormat>,
    /// Template that the vendor stores. Only `WhatsApp` has such templates.
    pub vendor_template: Option<VendorTemplate>,
    /// Rules about the values of placeholders.
    pub value_rules: ValueRules,
    /// True if the template may be sent.
    pub is_approved: bool,
}

/// Maximum number of stored versions of a template.
pub const MAX_VERSIONS: i32 = 20;

impl Template {
    /// Returns the new version of an organization with these ways out of its promotion: a content that names
    /// one of them does not lack a way out.
    #[must_use]
    pub fn with_ways_out(mut self, ways_out: &WaysOut) -> Self {
        if self.content.names_way_out(ways_out) {
            let mut assessment = Assessment { score: self.risk_score, issues: self.issues };
            assessment.clear_missing_way_out();
            self.status = TemplateStatus::of_new(&self.content, &assessment);
            (self.risk_score, self.issues) = (assessment.score, assessment.issues);
        }
        self
    }

    /// Returns the approval that the template needs, for the content with that hash, which `editor` wrote;
    /// `None` if it needs none.
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
        // The creator wrote most of the text, even if an editor changed it.
        approval.authors.extend(self.created_by.filter(|maker| *maker != editor));
        Some(approval)
    }
}

impl TemplateText {
    /// Returns it as it is sent on a channel: itself if it is for that channel, else a template for the
    /// channel with its text.
    #[must_use]
    pub fn written_for(&self, channel: Channel) -> Self {
        if self.channel == TemplateChannel::from(channel) {
            return self.clone();
        }
        Self {
            channel: channel.into(),
            subject: self.subject.clone().filter(|_| channel == Channel::Email),
            format: self.format.filter(|_| channel == Channel::Email),
            vendor_template: None,
            ..self.clone()
        }
    }

    /// True if the text is nearly all placeholder.
    pub fn is_open(&self) -> bool {
        self.value_rules.leave_open(self.category, &self.body)
    }

    /// Returns the names of all its placeholders, possibly repeated.
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
    /// Returns the initial status of a content.
    fn of_new(content: &TemplateContent, assessment: &Assessment) -> Self {
        // The template of the vendor differs from the scored text, and belongs to the account of the
        // operator, who must have given it to the organization.
        let needs_approval = content.category.needs_approval() || content.vendor_template.is_some();
        if needs_approval || assessment.requires_approval() {
            Self::PendingApproval
        } else {
            Self::Approved
        }
    }
}

#[cfg(test)]
mod tests;

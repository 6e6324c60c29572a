//! Templates as answers show them.

use domain::{
    content::template::{
        Template, TemplateChannel, TemplateStatus, TemplateVersion, VendorTemplate,
    },
    shared::{id::Id, listed_text, text_format::TextFormat},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    content::issues::IssueView,
    shared::{
        formats::{CategoryName, Names, TextFormatName, Timestamp},
        long_text::LongText,
    },
};

type TemplateChannelName = Names<TemplateChannel>;
type TemplateStatusName = Names<TemplateStatus>;

/// Prepared text with placeholders.
#[derive(Serialize, ToSchema)]
#[schema(as = Template)]
#[serde(rename_all = "camelCase")]
pub(in crate::inbound) struct TemplateView {
    id: Uuid,
    #[schema(example = "Order ready")]
    name: String,
    #[schema(value_type = TemplateChannelName)]
    channel: &'static str,
    #[schema(value_type = CategoryName)]
    category: &'static str,
    #[schema(example = "GH")]
    country_code: String,
    #[schema(example = "en")]
    language: String,
    #[schema(example = json!(null))]
    subject: Option<String>,
    #[schema(example = "Hello {{name}}, your order {{order}} is ready.")]
    body: String,
    /// Extension: true if `body` is cut. Lists show the first 10,000 characters of a text.
    #[schema(example = false)]
    body_truncated: bool,
    /// Extension: format of its text; null if not stated.
    #[schema(value_type = Option<TextFormatName>, example = json!(null))]
    format: Option<&'static str>,
    #[schema(example = json!(["name", "order"]))]
    variables: Vec<String>,
    /// Extension: template of the vendor for `WHATSAPP`.
    vendor_template: Option<VendorTemplateView>,
    /// Extension: placeholders with short values; null if not stated.
    #[schema(example = json!(null))]
    short_variables: Option<Vec<String>>,
    /// Extension: true if values may be long although the category needs approval.
    #[schema(example = false)]
    long_variables: bool,
    #[schema(value_type = TemplateStatusName)]
    status: &'static str,
    /// Risk score, 0 to 100.
    #[schema(example = 0)]
    risk_score: u8,
    /// Extension: issues that were found in it.
    issues: Vec<IssueView>,
    /// Extension: comment of the user who decided about it.
    #[schema(example = json!(null))]
    comment: Option<String>,
    /// Extension: number of its version, from 1.
    #[schema(example = 1)]
    version: i32,
    created_at: Timestamp,
}

/// Template that the vendor has approved and stores.
#[derive(Serialize, ToSchema)]
#[schema(as = VendorTemplate)]
pub(in crate::inbound) struct VendorTemplateView {
    #[schema(example = "order_ready")]
    name: String,
    #[schema(example = "en_US")]
    language: String,
    /// The placeholders that fill `{{1}}`, `{{2}}`, … of its text.
    #[schema(example = json!(["name", "order"]))]
    parameters: Vec<String>,
    /// The placeholder that fills its button.
    #[schema(example = json!(null))]
    button: Option<String>,
}

/// A template with its versions.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplateDetail)]
pub(super) struct TemplateDetailView {
    #[serde(flatten)]
    template: TemplateView,
    /// Versions, newest first, including the current one.
    versions: Vec<VersionView>,
}

/// Version of a template.
#[derive(Serialize, ToSchema)]
#[schema(as = TemplateVersion)]
#[serde(rename_all = "camelCase")]
struct VersionView {
    #[schema(example = 1)]
    version: i32,
    #[schema(value_type = TemplateStatusName)]
    status: &'static str,
    #[schema(example = 0)]
    risk_score: u8,
    #[schema(example = json!(null))]
    subject: Option<String>,
    #[schema(example = "Hello {{name}}, your order {{order}} is ready.")]
    body: String,
    created_at: Timestamp,
    /// The user who wrote it.
    created_by: Option<Uuid>,
}

impl From<Template> for TemplateView {
    fn from(template: Template) -> Self {
        let content = template.content;
        Self {
            id: template.id.uuid(),
            name: template.name,
            channel: content.channel.as_str(),
            category: content.category.as_str(),
            country_code: content.country.as_str().to_owned(),
            language: content.language,
            subject: content.subject,
            body: content.body,
            body_truncated: false,
            format: content.format.map(TextFormat::as_str),
            variables: content.variables,
            vendor_template: content.vendor_template.map(VendorTemplateView::from),
            short_variables: content.value_rules.short,
            long_variables: content.value_rules.allows_long,
            status: template.status.as_str(),
            risk_score: template.risk_score,
            issues: template.issues.into_iter().map(IssueView::from).collect(),
            comment: template.comment,
            version: template.version,
            created_at: template.created_at.into(),
        }
    }
}

impl LongText for TemplateView {
    fn cut_text(&mut self) {
        self.body_truncated = listed_text::cut(&mut self.body);
    }
}

impl From<VendorTemplate> for VendorTemplateView {
    fn from(vendors: VendorTemplate) -> Self {
        let VendorTemplate { name, language, parameters, button } = vendors;
        Self { name, language, parameters, button }
    }
}

impl From<(Template, Vec<TemplateVersion>)> for TemplateDetailView {
    fn from((template, versions): (Template, Vec<TemplateVersion>)) -> Self {
        let versions = versions.into_iter().map(VersionView::from).collect();
        Self { template: template.into(), versions }
    }
}

impl From<TemplateVersion> for VersionView {
    fn from(version: TemplateVersion) -> Self {
        Self {
            version: version.version,
            status: version.status.as_str(),
            risk_score: version.risk_score,
            subject: version.subject,
            body: version.body,
            created_at: version.created_at.into(),
            created_by: version.created_by.map(Id::uuid),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        content::{
            compliance::assess,
            template::{TemplateContent, ValueRules},
        },
        identity::organization::PLATFORM,
        shared::{category::Category, channel::Channel, country::Country},
    };

    use super::*;

    #[test]
    fn the_event_of_a_template_shows_the_same_as_the_api() {
        let now = DateTime::from_timestamp_nanos(1_700_000_000_120_456_789);
        let body = "Send your PIN".to_owned();
        let assessment = assess(&body, Category::Fintech);
        assert!(!assessment.issues.is_empty());
        let template = Template {
            id: Id::new_in(now, PLATFORM),
            organization: PLATFORM,
            name: "Due".into(),
            content: TemplateContent {
                channel: TemplateChannel::Messages(Channel::WhatsApp),
                category: Category::Fintech,
                country: Country::GH,
                language: "en".into(),
                subject: None,
                body,
                format: Some(TextFormat::Text),
                variables: vec!["name".into()],
                vendor_template: Some(VendorTemplate {
                    name: "due".into(),
                    language: "en_US".into(),
                    parameters: vec!["name".into()],
                    button: None,
                }),
                value_rules: ValueRules { short: Some(vec!["name".into()]), allows_long: true },
            },
            version: 2,
            status: TemplateStatus::Rejected,
            risk_score: assessment.score,
            issues: assessment.issues,
            comment: Some("Ask for no secret.".into()),
            created_by: Some(Id::new(now)),
            created_at: now,
        };

        let published = template.to_json();

        assert_eq!(serde_json::to_value(TemplateView::from(template)).unwrap(), published);
    }
}

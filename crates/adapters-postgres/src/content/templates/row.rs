//! Rows of templates.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    content::template::{
        Template, TemplateContent, TemplateStatus, TemplateText, TemplateVersion, ValueRules,
    },
    shared::id::Id,
};
use ports::shared::store::StoreError;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::shared::{
    error::corrupt,
    schema::{template_versions, templates},
};

/// Columns of a template that sending needs.
#[derive(HasQuery)]
#[diesel(table_name = templates)]
pub(super) struct TextRow {
    id: Uuid,
    channel: String,
    category: String,
    subject: Option<String>,
    body: String,
    format: Option<String>,
    status: String,
    vendor_template: Option<Value>,
    value_rules: Option<Value>,
}

#[derive(HasQuery, Insertable)]
#[diesel(table_name = templates)]
pub(super) struct TemplateRow {
    id: Uuid,
    organization_id: Uuid,
    channel: String,
    created_by: Option<Uuid>,
    created_at: DateTime<Utc>,
    #[diesel(embed)]
    edit: EditRow,
}

/// Columns of `templates` that an edit changes, except the hash.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = templates, treat_none_as_null = true)]
pub(super) struct EditRow {
    name: String,
    category: String,
    country_code: String,
    language: String,
    subject: Option<String>,
    body: String,
    format: Option<String>,
    variables: Vec<String>,
    vendor_template: Option<Value>,
    value_rules: Option<Value>,
    version: i32,
    status: String,
    risk_score: i16,
    issues: Value,
    comment: Option<String>,
}

#[derive(HasQuery)]
#[diesel(table_name = template_versions)]
pub(super) struct VersionRow {
    version: i32,
    status: String,
    subject: Option<String>,
    body: String,
    risk_score: i16,
    created_at: DateTime<Utc>,
    created_by: Option<Uuid>,
}

impl TryFrom<TextRow> for TemplateText {
    type Error = StoreError;

    fn try_from(row: TextRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("templates", row.id);
        let vendor_template = row.vendor_template.map(serde_json::from_value).transpose();
        Ok(Self {
            id: row.id.into(),
            channel: row.channel.parse().map_err(|_| corrupt())?,
            category: row.category.parse().map_err(|_| corrupt())?,
            is_approved: row.status == TemplateStatus::Approved.as_str(),
            subject: row.subject,
            body: row.body,
            format: row.format.map(|it| it.parse()).transpose().map_err(|_| corrupt())?,
            vendor_template: vendor_template.map_err(|_| corrupt())?,
            value_rules: value_rules(row.value_rules).ok_or_else(corrupt)?,
        })
    }
}

/// Reads the rules for values. `None` if the column is invalid.
fn value_rules(column: Option<Value>) -> Option<ValueRules> {
    column.map_or_else(|| Some(ValueRules::default()), |value| serde_json::from_value(value).ok())
}

impl TemplateRow {
    /// Columns for a list.
    pub(super) const LISTED: &'static str = "\
        id, organization_id, channel, created_by, created_at, name, category, country_code, language, \
        subject, left(body, ?), format, variables, vendor_template, value_rules, version, status, \
        risk_score, issues, comment";
}

impl From<&Template> for TemplateRow {
    fn from(template: &Template) -> Self {
        Self {
            id: template.id.uuid(),
            organization_id: template.organization.uuid(),
            channel: template.content.channel.as_str().to_owned(),
            created_by: template.created_by.map(Id::uuid),
            created_at: template.created_at,
            edit: template.into(),
        }
    }
}

impl From<&Template> for EditRow {
    fn from(template: &Template) -> Self {
        let content = &template.content;
        Self {
            name: template.name.clone(),
            category: content.category.as_str().to_owned(),
            country_code: content.country.as_str().to_owned(),
            language: content.language.clone(),
            subject: content.subject.clone(),
            body: content.body.clone(),
            format: content.format.map(|it| it.as_str().to_owned()),
            variables: content.variables.clone(),
            vendor_template: content.vendor_template.as_ref().map(|vendors| json!(vendors)),
            value_rules: (content.value_rules != ValueRules::default())
                .then(|| json!(content.value_rules)),
            version: template.version,
            status: template.status.as_str().to_owned(),
            risk_score: template.risk_score.into(),
            issues: json!(template.issues),
            comment: template.comment.clone(),
        }
    }
}

impl TryFrom<TemplateRow> for Template {
    type Error = StoreError;

    fn try_from(row: TemplateRow) -> Result<Self, StoreError> {
        let (corrupt, edit) = (|| corrupt("templates", row.id), row.edit);
        let vendor_template = edit.vendor_template.map(serde_json::from_value).transpose();
        Ok(Self {
            id: row.id.into(),
            organization: row.organization_id.into(),
            name: edit.name,
            content: TemplateContent {
                channel: row.channel.parse().map_err(|_| corrupt())?,
                category: edit.category.parse().map_err(|_| corrupt())?,
                country: edit.country_code.parse().map_err(|_| corrupt())?,
                language: edit.language,
                subject: edit.subject,
                body: edit.body,
                format: edit.format.map(|it| it.parse()).transpose().map_err(|_| corrupt())?,
                variables: edit.variables,
                vendor_template: vendor_template.map_err(|_| corrupt())?,
                value_rules: value_rules(edit.value_rules).ok_or_else(corrupt)?,
            },
            version: edit.version,
            status: edit.status.parse().map_err(|_| corrupt())?,
            risk_score: edit.risk_score.try_into().map_err(|_| corrupt())?,
            issues: serde_json::from_value(edit.issues).map_err(|_| corrupt())?,
            comment: edit.comment,
            created_by: row.created_by.map(Id::of),
            created_at: row.created_at,
        })
    }
}

impl VersionRow {
    pub(super) fn version(self, template: Id<Template>) -> Result<TemplateVersion, StoreError> {
        let corrupt = || corrupt("template_versions", template);
        Ok(TemplateVersion {
            version: self.version,
            status: self.status.parse().map_err(|_| corrupt())?,
            subject: self.subject,
            body: self.body,
            risk_score: self.risk_score.try_into().map_err(|_| corrupt())?,
            created_at: self.created_at,
            created_by: self.created_by.map(Id::of),
        })
    }
}

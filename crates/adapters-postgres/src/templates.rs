//! Templates.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::{
    approval::{Approval, Decision},
    id::Id,
    organization::Organization,
    template::Template,
};
use ports::{store::StoreError, templates::TemplateRepository};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    connection::Connection,
    error::{corrupt, store_error},
    schema::{template_versions, templates},
    session::PgStore,
};

const APPROVED: &str = "APPROVED";

#[derive(HasQuery)]
#[diesel(table_name = templates)]
struct TemplateRow {
    id: Uuid,
    channel: String,
    category: String,
    subject: Option<String>,
    body: String,
    status: String,
    vendor_template: Option<Value>,
}

#[async_trait]
impl TemplateRepository for PgStore {
    async fn find_all(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<Template>, StoreError> {
        let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
        let query = TemplateRow::query()
            .filter(templates::organization_id.eq(organization.uuid()))
            .filter(templates::id.eq_any(ids));
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        rows.into_iter().map(Template::try_from).collect()
    }
}

/// Gives a template the status that was decided; false if it has another content by now.
pub(crate) async fn settle(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<bool, StoreError> {
    let status = decision.verdict.as_str();
    let same = templates::table
        .find((approval.organization.uuid(), approval.resource))
        .filter(templates::content_hash.eq(approval.hash.as_slice()));
    let settle = diesel::update(same)
        .set((templates::status.eq(status), templates::comment.eq(decision.comment.as_deref())))
        .returning(templates::version);
    let version: Option<i32> = settle.get_result(conn).await.optional().map_err(store_error)?;
    let Some(version) = version else { return Ok(false) };
    let key = (approval.organization.uuid(), approval.resource, version);
    let settle = diesel::update(template_versions::table.find(key))
        .set(template_versions::status.eq(status));
    settle.execute(conn).await.map_err(store_error)?;
    Ok(true)
}

impl TryFrom<TemplateRow> for Template {
    type Error = StoreError;

    fn try_from(row: TemplateRow) -> Result<Self, StoreError> {
        let corrupt = || corrupt("templates", row.id);
        let vendor_template = row.vendor_template.map(serde_json::from_value).transpose();
        Ok(Self {
            id: row.id.into(),
            channel: row.channel.parse().map_err(|_| corrupt())?,
            category: row.category.parse().map_err(|_| corrupt())?,
            is_approved: row.status == APPROVED,
            subject: row.subject,
            body: row.body,
            vendor_template: vendor_template.map_err(|_| corrupt())?,
        })
    }
}

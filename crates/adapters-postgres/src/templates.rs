//! Templates.

use async_trait::async_trait;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::{id::Id, organization::Organization, template::Template};
use ports::{store::StoreError, templates::TemplateRepository};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    error::{corrupt, store_error},
    schema::templates,
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

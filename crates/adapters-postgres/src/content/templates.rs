//! Templates.

mod deletion;
mod row;
mod search;

use async_trait::async_trait;
use diesel::prelude::*;
use domain::{
    content::{
        approval::{Approval, ApprovalKind, Decision},
        template::{
            MAX_VERSIONS, Template, TemplateFilter, TemplateStatus, TemplateText, TemplateVersion,
        },
    },
    identity::organization::Organization,
    platform::audit::AuditEntry,
    shared::{
        id::Id,
        page::{MOST_FOUND, Page, Paged},
    },
};
use ports::{
    content::templates::{Deleted, TemplateRepository, Written},
    shared::store::StoreError,
};
use uuid::Uuid;

pub(crate) use self::deletion::hold;
use self::row::{EditRow, TemplateRow, TextRow, VersionRow};
use crate::{
    content::approval_requests,
    shared::{
        database::{connection::Connection, session::PgStore},
        error::store_error,
        query::{listed::Listed, run_query::RunQueryDsl, sql::sql},
        schema::{template_counts, template_versions, templates},
    },
};

#[async_trait]
impl TemplateRepository for PgStore {
    async fn find_all(
        &self,
        organization: Id<Organization>,
        ids: &[Id<Template>],
    ) -> Result<Vec<TemplateText>, StoreError> {
        let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
        let query = TextRow::query()
            .filter(templates::organization_id.eq(organization.uuid()))
            .filter(templates::id.eq_any(ids))
            .filter(templates::deleted_at.is_null());
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        rows.into_iter().map(TemplateText::try_from).collect()
    }

    async fn page(
        &self,
        organization: Id<Organization>,
        filter: &TemplateFilter,
        page: Page,
    ) -> Result<Paged<Template>, StoreError> {
        let mut session = self.session().await?;
        if !filter.is_empty() {
            let ids = search::passing(session.conn(), organization, filter).await?;
            let found = ids.len() as u64;
            let ids: Vec<Id<Template>> = page.cut(ids).into_iter().map(Id::of).collect();
            let items = find_listed(session.conn(), organization, &ids).await?;
            return Ok(Paged::counted_up_to(MOST_FOUND as u64, items, page, found));
        }
        // Stored, not counted.
        let total = template_counts::table.find(organization.uuid());
        let total: Option<i64> = total
            .select(template_counts::templates)
            .first(session.conn())
            .await
            .optional()
            .map_err(store_error)?;
        let query = TemplateRow::query()
            .filter(templates::organization_id.eq(organization.uuid()))
            .filter(templates::deleted_at.is_null())
            .order(templates::id.desc())
            .offset(i64::try_from(page.offset()).unwrap_or(i64::MAX))
            .limit(page.limit().into());
        let listed = Listed::new(TemplateRow::LISTED, query);
        let rows: Vec<TemplateRow> = listed.load(session.conn()).await.map_err(store_error)?;
        let items: Result<_, _> = rows.into_iter().map(Template::try_from).collect();
        Ok(Paged::counted(items?, page, total.unwrap_or_default().unsigned_abs()))
    }

    async fn find(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Option<Template>, StoreError> {
        let query = TemplateRow::query()
            .filter(templates::organization_id.eq(organization.uuid()))
            .filter(templates::id.eq(id.uuid()))
            .filter(templates::deleted_at.is_null());
        let row =
            query.first(self.session().await?.conn()).await.optional().map_err(store_error)?;
        row.map(Template::try_from).transpose()
    }

    async fn versions(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
    ) -> Result<Vec<TemplateVersion>, StoreError> {
        let query = VersionRow::query()
            .filter(template_versions::organization_id.eq(organization.uuid()))
            .filter(template_versions::template_id.eq(id.uuid()))
            .order(template_versions::version.desc())
            .limit(MAX_VERSIONS.into());
        let rows = query.load(self.session().await?.conn()).await.map_err(store_error)?;
        rows.into_iter().map(|row| row.version(id)).collect()
    }

    async fn insert(&self, template: &Template, written: &Written) -> Result<(), StoreError> {
        let row = TemplateRow::from(template);
        let row = (row, templates::content_hash.eq(written.hash.as_slice()));
        let mut session = self.transaction().await?;
        let insert = diesel::insert_into(templates::table).values(row);
        insert.execute(session.conn()).await.map_err(store_error)?;
        keep_version(session.conn(), template, written).await?;
        session.commit().await
    }

    async fn update(
        &self,
        present: &Template,
        edited: &Template,
        written: Option<Written>,
    ) -> Result<bool, StoreError> {
        let same = templates::table
            .find((present.organization.uuid(), present.id.uuid()))
            .filter(templates::deleted_at.is_null())
            .filter(templates::version.eq(present.version))
            .filter(templates::name.eq(&present.name));
        let mut session = self.transaction().await?;
        let conn = session.conn();
        let Some(written) = written else {
            let rename = diesel::update(same).set(templates::name.eq(&edited.name));
            if rename.execute(conn).await.map_err(store_error)? == 0 {
                return Ok(false);
            }
            approval_requests::rename(conn, edited.organization, resource(edited), &edited.name)
                .await?;
            session.commit().await?;
            return Ok(true);
        };
        let edit = (EditRow::from(edited), templates::content_hash.eq(written.hash.as_slice()));
        let edit = diesel::update(same).set(edit);
        if edit.execute(conn).await.map_err(store_error)? == 0 {
            return Ok(false);
        }
        close_version(conn, present).await?;
        approval_requests::withdraw(conn, edited.organization, resource(edited), written.at)
            .await?;
        keep_version(conn, edited, &written).await?;
        session.commit().await?;
        Ok(true)
    }

    async fn delete(
        &self,
        organization: Id<Organization>,
        id: Id<Template>,
        entry: &AuditEntry,
    ) -> Result<Deleted, StoreError> {
        let mut session = self.transaction().await?;
        let deleted = deletion::delete(session.conn(), organization, id, entry).await?;
        if deleted == Deleted::Done {
            session.commit().await?;
        }
        Ok(deleted)
    }
}

/// Returns the existing ones of the templates, with texts cut as in a list.
pub(crate) async fn find_listed(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Id<Template>],
) -> Result<Vec<Template>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let query = TemplateRow::query()
        .filter(templates::organization_id.eq(organization.uuid()))
        .filter(templates::id.eq_any(ids))
        .filter(templates::deleted_at.is_null());
    let listed = Listed::new(TemplateRow::LISTED, query);
    let rows: Vec<TemplateRow> = listed.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(Template::try_from).collect()
}

/// Returns the existing ones of the templates.
pub(crate) async fn find_whole(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Id<Template>],
) -> Result<Vec<Template>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let query = TemplateRow::query()
        .filter(templates::organization_id.eq(organization.uuid()))
        .filter(templates::id.eq_any(ids))
        .filter(templates::deleted_at.is_null());
    let rows = query.load(conn).await.map_err(store_error)?;
    rows.into_iter().map(Template::try_from).collect()
}

fn resource(template: &Template) -> (ApprovalKind, Uuid) {
    (ApprovalKind::Template, template.id.uuid())
}

/// Applies a decision to the status of a template; returns false if its content has changed since.
pub(crate) async fn settle(
    conn: &mut Connection,
    approval: &Approval,
    decision: &Decision,
) -> Result<bool, StoreError> {
    let status = decision.verdict.as_str();
    let same = templates::table
        .find((approval.organization.uuid(), approval.resource))
        .filter(templates::deleted_at.is_null())
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

/// Stores the version that was just written, and requests the approval that it needs. The oldest
/// version is deleted.
async fn keep_version(
    conn: &mut Connection,
    template: &Template,
    written: &Written,
) -> Result<(), StoreError> {
    let keep = sql!(
        "INSERT INTO template_versions \
         SELECT organization_id, id, version, status, category, country_code, language, subject, \
            body, variables, vendor_template, risk_score, {at}::timestamptz, {by}::uuid \
         FROM templates WHERE organization_id = {organization} AND id = {template}",
        at = written.at,
        by = written.by,
        organization = template.organization,
        template = template.id,
    );
    keep.execute(conn).await?;
    let purge = sql!(
        "DELETE FROM template_versions \
         WHERE organization_id = {organization} AND template_id = {template} \
            AND version <= {last}",
        organization = template.organization,
        template = template.id,
        last = template.version - MAX_VERSIONS,
    );
    purge.execute(conn).await?;
    match &written.approval {
        Some(approval) => approval_requests::insert(conn, approval).await,
        None => Ok(()),
    }
}

/// Marks a version as no longer to be decided about.
async fn close_version(conn: &mut Connection, template: &Template) -> Result<(), StoreError> {
    let key = (template.organization.uuid(), template.id.uuid(), template.version);
    let pending = template_versions::table
        .find(key)
        .filter(template_versions::status.eq(TemplateStatus::PendingApproval.as_str()));
    let close = diesel::update(pending)
        .set(template_versions::status.eq(TemplateStatus::Withdrawn.as_str()));
    close.execute(conn).await.map_err(store_error)?;
    Ok(())
}

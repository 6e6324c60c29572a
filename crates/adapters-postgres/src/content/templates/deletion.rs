//! Deletion of templates.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    content::{
        approval::ApprovalKind,
        template::{MAX_NAMED_USES, Template, TemplateUse, TemplateUses},
    },
    identity::organization::Organization,
    platform::audit::AuditEntry,
    shared::id::Id,
};
use ports::{content::templates::Deleted, shared::store::StoreError};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    content::approval_requests,
    shared::{
        audit_entries,
        database::connection::Connection,
        error::store_error,
        query::{row::row, run_query::RunQueryDsl, sql::sql},
        schema::{template_versions, templates},
    },
};

row! {
    /// Thing that needs a template.
    struct UseRow {
        id: Uuid,
        name: String,
    }
}

/// Deletes a template in the transaction of `conn`, unless something needs it. The row stays with its
/// name and its status, without texts.
pub(super) async fn delete(
    conn: &mut Connection,
    organization: Id<Organization>,
    id: Id<Template>,
    entry: &AuditEntry,
) -> Result<Deleted, StoreError> {
    // An event or a campaign that is being written with it waits, or was first.
    let locked = templates::table
        .find((organization.uuid(), id.uuid()))
        .filter(templates::deleted_at.is_null())
        .select(templates::id)
        .for_update();
    let locked: Option<Uuid> = locked.first(conn).await.optional().map_err(store_error)?;
    if locked.is_none() {
        return Ok(Deleted::Missing);
    }
    let uses = uses_of(conn, organization, id).await?;
    if !uses.is_empty() {
        return Ok(Deleted::InUse(uses));
    }
    let versions = template_versions::table
        .filter(template_versions::organization_id.eq(organization.uuid()))
        .filter(template_versions::template_id.eq(id.uuid()));
    diesel::delete(versions).execute(conn).await.map_err(store_error)?;
    let template = templates::table.find((organization.uuid(), id.uuid()));
    let erase = diesel::update(template).set((
        templates::deleted_at.eq(entry.at),
        templates::subject.eq(None::<String>),
        templates::body.eq(""),
        templates::variables.eq(Vec::<String>::new()),
        templates::vendor_template.eq(None::<Value>),
        templates::value_rules.eq(None::<Value>),
        templates::issues.eq(json!([])),
        templates::comment.eq(None::<String>),
    ));
    erase.execute(conn).await.map_err(store_error)?;
    let resource = (ApprovalKind::Template, id.uuid());
    approval_requests::withdraw(conn, organization, resource, entry.at).await?;
    audit_entries::insert(conn, entry).await?;
    Ok(Deleted::Done)
}

/// Keeps templates from being deleted before the transaction ends. Returns false if one of them is
/// deleted already.
pub(crate) async fn hold(
    conn: &mut Connection,
    organization: Id<Organization>,
    ids: &[Id<Template>],
) -> Result<bool, StoreError> {
    if ids.is_empty() {
        return Ok(true);
    }
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let held = templates::table
        .filter(templates::organization_id.eq(organization.uuid()))
        .filter(templates::id.eq_any(ids))
        .select(templates::deleted_at)
        .for_key_share();
    let held: Vec<Option<DateTime<Utc>>> = held.load(conn).await.map_err(store_error)?;
    Ok(held.iter().all(Option::is_none))
}

/// Returns the events and campaigns that need a template.
async fn uses_of(
    conn: &mut Connection,
    organization: Id<Organization>,
    template: Id<Template>,
) -> Result<TemplateUses, StoreError> {
    let most = i64::try_from(MAX_NAMED_USES).unwrap_or(i64::MAX);
    let events = sql!(EVENTS, organization, template, most).rows(conn).await?;
    let campaigns = sql!(CAMPAIGNS, organization, template, most).rows(conn).await?;
    Ok(TemplateUses { events: uses(events), campaigns: uses(campaigns) })
}

fn uses(rows: Vec<UseRow>) -> Vec<TemplateUse> {
    rows.into_iter().map(|row| TemplateUse { id: row.id, name: row.name }).collect()
}

/// An organization has some hundred events at most.
const EVENTS: &str = "\
    SELECT event.id, event.name FROM events event, \
        (SELECT {organization}::uuid AS organization_id, {template}::uuid AS template_id) \
            AS wanted \
    WHERE event.organization_id = wanted.organization_id \
        AND (event.template_id = wanted.template_id OR EXISTS ( \
            SELECT FROM jsonb_each_text(event.templates) AS each \
            WHERE each.value = wanted.template_id::text)) \
    ORDER BY event.id DESC LIMIT {most}";

const CAMPAIGNS: &str = "\
    SELECT id, name FROM campaigns \
    WHERE organization_id = {organization} AND template_id = {template} \
        AND status IN ('DRAFT', 'SCHEDULED', 'PENDING_APPROVAL') \
    ORDER BY id DESC LIMIT {most}";

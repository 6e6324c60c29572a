//! Search for the templates that pass a filter. An organization has some thousand templates at most,
//! so all of them are looked at.

use diesel::{prelude::*, sql_types::Text};
use domain::{
    content::template::TemplateFilter,
    identity::organization::Organization,
    shared::{id::Id, page::MOST_FOUND, text::fold},
};
use ports::shared::store::StoreError;
use uuid::Uuid;

use crate::shared::{
    database::connection::Connection,
    error::store_error,
    query::{run_query::RunQueryDsl, search},
    schema::templates,
};

define_sql_function! {
    fn lower(text: Text) -> Text;
}

/// Returns the templates that pass a filter, newest first, at most one more than a search shows.
pub(super) async fn passing(
    conn: &mut Connection,
    organization: Id<Organization>,
    filter: &TemplateFilter,
) -> Result<Vec<Uuid>, StoreError> {
    let mut passing = templates::table
        .filter(templates::organization_id.eq(organization.uuid()))
        .filter(templates::deleted_at.is_null())
        .into_boxed();
    if let Some(text) = &filter.search {
        passing = passing.filter(lower(templates::name).like(search::pattern(&fold(text))));
    }
    if let Some(status) = filter.status {
        passing = passing.filter(templates::status.eq(status.as_str()));
    }
    if let Some(channel) = filter.channel {
        passing = passing.filter(templates::channel.eq(channel.as_str()));
    }
    if let Some(category) = filter.category {
        passing = passing.filter(templates::category.eq(category.as_str()));
    }
    let ids = passing.select(templates::id).order(templates::id.desc());
    ids.limit(search::one_more(MOST_FOUND)).load(conn).await.map_err(store_error)
}

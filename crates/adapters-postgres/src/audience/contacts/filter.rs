//! Filters of contacts as conditions on rows of `contacts`.

use diesel::{
    pg::Pg,
    prelude::*,
    query_builder::AstPass,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use domain::{
    audience::{
        contact::{Contact, ContactFilter},
        segment::{Rule, Segment, TextTest},
    },
    identity::organization::Organization,
    shared::{id::Id, text},
};
use uuid::Uuid;

use crate::{audience::segments::condition::Fitting, shared::query::search};

/// Contacts of an organization that pass a filter. For each row the condition is true or false,
/// never NULL.
pub(crate) struct FilteredContacts {
    organization: Uuid,
    /// Conditions that rules of segments can express.
    fitting: Fitting<'static>,
    pattern: Option<String>,
    suppressed: Option<bool>,
    /// Segment whose frozen members they are.
    frozen: Option<Uuid>,
    among: Option<Vec<Uuid>>,
}

impl FilteredContacts {
    /// Creates the condition of a filter whose texts are [`sought`](ContactFilter::sought).
    /// `segment` is the one that the filter names.
    pub(crate) fn new(
        organization: Id<Organization>,
        filter: &ContactFilter,
        segment: Option<&Segment>,
    ) -> Self {
        let mut rules = Vec::new();
        if let Some(tag) = &filter.tag {
            rules.push(Rule::Tag(TextTest::OneOf(vec![tag.clone()])));
        }
        match filter.is_consented {
            Some(true) => rules.push(Rule::Consented),
            Some(false) => rules.push(Rule::Not(Box::new(Rule::Consented))),
            None => {}
        }
        let mut frozen = None;
        match segment {
            Some(segment) if segment.is_dynamic => rules.push(segment.rules.rule().clone()),
            Some(segment) => frozen = Some(segment.id.uuid()),
            None => {}
        }
        Self {
            organization: organization.uuid(),
            fitting: Fitting::owned(organization, Rule::All(rules)),
            pattern: filter.search.as_deref().map(|text| search::pattern(&text::fold(text))),
            suppressed: filter.suppressed,
            frozen,
            among: None,
        }
    }

    /// Leaves only those of these contacts.
    #[must_use]
    pub(crate) fn among(self, ids: &[Id<Contact>]) -> Self {
        Self { among: Some(ids.iter().map(|id| id.uuid()).collect()), ..self }
    }

    /// Returns the organization that owns the contacts.
    pub(super) fn organization(&self) -> Uuid {
        self.organization
    }

    /// Returns the segment whose frozen members they are; `None` if they are of none.
    pub(super) fn frozen(&self) -> Option<Uuid> {
        self.frozen
    }

    /// Index keys of tags, of which each contact has one; `None` if they need no tag.
    pub(super) fn tag_keys(&self) -> Option<&[String]> {
        self.fitting.tag_keys()
    }

    /// Writes the condition that finds the contacts among those of all organizations.
    pub(crate) fn push<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.fitting.push(out)?;
        self.push_rest(out)
    }

    /// Writes the condition for a query that is limited to some contacts of the organization, and
    /// to the members if they are frozen.
    pub(super) fn push_limited<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.fitting.push_limited(out)?;
        self.push_search(out)?;
        match self.suppressed {
            Some(true) => out.push_sql(" AND "),
            Some(false) => out.push_sql(" AND NOT "),
            None => return Ok(()),
        }
        self.push_looked_up(out)
    }

    /// Writes the conditions that no rule of a segment can express.
    fn push_rest<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if let Some(ids) = &self.among {
            out.push_sql(" AND id = ANY(");
            out.push_bind_param::<Array<SqlUuid>, _>(ids)?;
            out.push_sql(")");
        }
        if let Some(segment) = &self.frozen {
            out.push_sql(
                " AND id IN (SELECT unnest(part.contact_ids) FROM segment_members AS part \
                 WHERE part.organization_id = ",
            );
            out.push_bind_param::<SqlUuid, _>(&self.organization)?;
            out.push_sql(" AND part.segment_id = ");
            out.push_bind_param::<SqlUuid, _>(segment)?;
            out.push_sql(")");
        }
        self.push_search(out)?;
        match self.suppressed {
            Some(true) => out.push_sql(" AND "),
            Some(false) => out.push_sql(" AND NOT "),
            None => return Ok(()),
        }
        self.push_suppressed(out)
    }

    fn push_search<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if let Some(pattern) = &self.pattern {
            out.push_sql(" AND search_text LIKE ");
            out.push_bind_param::<Text, _>(pattern)?;
        }
        Ok(())
    }

    /// Writes the condition that one of the contact's addresses is suppressed.
    fn push_suppressed<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("(EXISTS (SELECT FROM suppressions AS entry WHERE entry.organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(
            " AND entry.phone = contacts.phone) \
             OR EXISTS (SELECT FROM suppressions AS entry WHERE entry.organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        // Devices are in the same column as numbers.
        out.push_sql(
            " AND entry.phone = contacts.fcm_token) \
             OR EXISTS (SELECT FROM suppressions AS entry WHERE entry.organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND lower(entry.email) = contacts.email))");
        Ok(())
    }

    /// Writes the same condition for a few contacts. Comparing with an array leaves no other way
    /// than to look each of them up: the planner would read the whole list of the organization.
    fn push_looked_up<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("(EXISTS (SELECT FROM suppressions AS entry WHERE entry.organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(
            " AND entry.phone = ANY(ARRAY[contacts.phone, contacts.fcm_token])) \
             OR EXISTS (SELECT FROM suppressions AS entry WHERE entry.organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND lower(entry.email) = ANY(ARRAY[contacts.email])))");
        Ok(())
    }
}

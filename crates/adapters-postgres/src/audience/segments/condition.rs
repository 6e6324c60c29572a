//! Rules as conditions on rows of `contacts`.

mod campaign_outcomes;

use std::borrow::Cow;

use diesel::{
    pg::Pg,
    prelude::*,
    query_builder::AstPass,
    sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid},
};
use domain::{
    audience::segment::{DateOrder, Rule, TextField, TextTest},
    identity::organization::Organization,
    shared::id::Id,
};
use uuid::Uuid;

/// Contacts of an organization that match a rule. Everything that users wrote is bound, never part
/// of the statement.
///
/// For each row a condition is true or false, never NULL, so that `NOT` selects all others.
pub(crate) struct Fitting<'r> {
    organization: Uuid,
    rule: Cow<'r, Rule>,
    /// Index keys for each condition on tags that must hold.
    tag_keys: Vec<Vec<String>>,
}

impl<'r> Fitting<'r> {
    pub(super) fn new(organization: Id<Organization>, rule: &'r Rule) -> Self {
        Self::of(organization, Cow::Borrowed(rule))
    }

    /// Takes a rule that was made for this one purpose.
    pub(crate) fn owned(organization: Id<Organization>, rule: Rule) -> Self {
        Self::of(organization, Cow::Owned(rule))
    }

    fn of(organization: Id<Organization>, rule: Cow<'r, Rule>) -> Self {
        let organization = organization.uuid();
        let mut tag_keys = Vec::new();
        for tags in required_tags(&rule) {
            tag_keys.push(tags.iter().map(|tag| format!("{organization}{tag}")).collect());
        }
        Self { organization, rule, tag_keys }
    }

    /// True if the contacts are found by their tags, without scanning all contacts.
    pub(super) fn is_found_by_tag(&self) -> bool {
        !self.tag_keys.is_empty()
    }

    /// True if a rule is about a campaign: then all contacts are better read at once than one by one.
    pub(super) fn names_campaign(&self) -> bool {
        names_campaign(&self.rule)
    }

    /// Index keys of tags, of which each contact has one; `None` if contacts need no tag.
    pub(crate) fn tag_keys(&self) -> Option<&[String]> {
        self.tag_keys.as_slice().first().map(Vec::as_slice)
    }

    /// Writes the condition that finds the contacts among those of all organizations.
    pub(crate) fn push<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if self.is_found_by_tag() {
            // The keys begin with the organization. Other indexes by organization would only add
            // all of its contacts to the scan, so this condition is written in a form that they
            // cannot use.
            out.push_sql("(organization_id = ");
            out.push_bind_param::<SqlUuid, _>(&self.organization)?;
            out.push_sql(") IS TRUE");
        } else {
            self.push_organization(out)?;
        }
        for keys in &self.tag_keys {
            out.push_sql(" AND contact_tag_keys(organization_id, tags_folded) && ");
            out.push_bind_param::<Array<Text>, _>(keys)?;
        }
        out.push_sql(" AND ");
        self.push_rule(out)
    }

    /// Writes the condition for a walk over the contacts in the order of their identifiers.
    pub(super) fn push_in_order<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.push_organization(out)?;
        out.push_sql(" AND ");
        self.push_limited(out)
    }

    /// Writes the condition for a query that reads all of the organization's contacts, and no others.
    pub(super) fn push_rule<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        push(&self.rule, Place { organization: &self.organization, is_walk: false }, out)
    }

    /// Writes the condition for a query that is limited to a few of the organization's contacts.
    pub(crate) fn push_limited<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        push(&self.rule, Place { organization: &self.organization, is_walk: true }, out)
    }

    fn push_organization<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("organization_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.organization)
    }
}

fn names_campaign(rule: &Rule) -> bool {
    match rule {
        Rule::All(rules) | Rule::Any(rules) => rules.iter().any(names_campaign),
        Rule::Not(rule) => names_campaign(rule),
        Rule::Campaign(_) => true,
        Rule::Text(..)
        | Rule::Tag(_)
        | Rule::AttributeDate { .. }
        | Rule::CreatedBefore(_)
        | Rule::CreatedFrom(_)
        | Rule::Consented => false,
    }
}

/// Place of a condition.
#[derive(Clone, Copy)]
struct Place<'b> {
    /// Organization that owns the contacts.
    organization: &'b Uuid,
    /// True if few contacts are read, each of which is better looked up by itself.
    is_walk: bool,
}

/// Returns lists of tags; each matching contact has at least one tag of each list.
fn required_tags(rule: &Rule) -> Vec<&[String]> {
    match rule {
        Rule::All(rules) => rules.iter().flat_map(required_tags).collect(),
        Rule::Tag(TextTest::OneOf(tags)) => vec![tags],
        _ => Vec::new(),
    }
}

fn push<'b>(rule: &'b Rule, place: Place<'b>, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    match rule {
        Rule::All(rules) => push_each(rules, place, [" AND ", "TRUE"], out),
        Rule::Any(rules) => push_each(rules, place, [" OR ", "FALSE"], out),
        Rule::Not(rule) => {
            out.push_sql("NOT ");
            push(rule, place, out)
        }
        Rule::Text(TextField::Attribute(key), test) => push_attribute(key, test, out),
        Rule::Text(TextField::CountryCode, test) => push_text("country_code", test, out),
        Rule::Text(TextField::Email, test) => push_text("email", test, out),
        Rule::Text(TextField::Phone, test) => push_text("phone", test, out),
        Rule::Text(TextField::FirstName, test) => push_text("first_name_folded", test, out),
        Rule::Text(TextField::LastName, test) => push_text("last_name_folded", test, out),
        Rule::Tag(test) => push_tag(test, out),
        Rule::AttributeDate { key, order, date } => {
            out.push_sql("coalesce((attributes_folded ->> ");
            out.push_bind_param::<Text, _>(key)?;
            out.push_sql(") ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}' AND left(attributes_folded ->> ");
            out.push_bind_param::<Text, _>(key)?;
            out.push_sql(match order {
                DateOrder::Before => ", 10) COLLATE \"C\" < ",
                DateOrder::After => ", 10) COLLATE \"C\" > ",
            });
            out.push_bind_param::<Text, _>(date)?;
            out.push_sql(", FALSE)");
            Ok(())
        }
        Rule::CreatedBefore(time) => {
            out.push_sql("(created_at < ");
            out.push_bind_param::<Timestamptz, _>(time)?;
            out.push_sql(")");
            Ok(())
        }
        Rule::CreatedFrom(time) => {
            out.push_sql("(created_at >= ");
            out.push_bind_param::<Timestamptz, _>(time)?;
            out.push_sql(")");
            Ok(())
        }
        Rule::Consented => {
            out.push_sql("(consent_at IS NOT NULL)");
            Ok(())
        }
        Rule::Campaign(rule) => campaign_outcomes::push(rule, place, out),
    }
}

/// Writes rules with an operator between them, or the condition that stands for none of them.
fn push_each<'b>(
    rules: &'b [Rule],
    place: Place<'b>,
    [operator, of_none]: [&str; 2],
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    let Some((first, others)) = rules.split_first() else {
        out.push_sql(of_none);
        return Ok(());
    };
    out.push_sql("(");
    push(first, place, out)?;
    for rule in others {
        out.push_sql(operator);
        push(rule, place, out)?;
    }
    out.push_sql(")");
    Ok(())
}

/// Tests a column that may be NULL.
fn push_text<'b>(
    column: &str,
    test: &'b TextTest,
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    out.push_sql("(");
    out.push_sql(column);
    out.push_sql(" IS NOT NULL");
    match test {
        TextTest::Exists => {}
        TextTest::OneOf(values) => {
            out.push_sql(" AND ");
            out.push_sql(column);
            push_is_one_of(values, out)?;
        }
        TextTest::Contains(part) => {
            out.push_sql(" AND strpos(");
            out.push_sql(column);
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(part)?;
            out.push_sql(") > 0");
        }
        TextTest::StartsWith(beginning) => {
            out.push_sql(" AND starts_with(");
            out.push_sql(column);
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(beginning)?;
            out.push_sql(")");
        }
    }
    out.push_sql(")");
    Ok(())
}

fn push_attribute<'b>(
    key: &'b String,
    test: &'b TextTest,
    out: &mut AstPass<'_, 'b, Pg>,
) -> QueryResult<()> {
    out.push_sql(match test {
        TextTest::Exists | TextTest::OneOf(_) => "coalesce((attributes_folded ->> ",
        TextTest::Contains(_) => "coalesce(strpos(attributes_folded ->> ",
        TextTest::StartsWith(_) => "coalesce(starts_with(attributes_folded ->> ",
    });
    out.push_bind_param::<Text, _>(key)?;
    match test {
        TextTest::Exists => out.push_sql(") IS NOT NULL"),
        TextTest::OneOf(values) => {
            out.push_sql(")");
            push_is_one_of(values, out)?;
        }
        TextTest::Contains(part) => {
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(part)?;
            out.push_sql(") > 0");
        }
        TextTest::StartsWith(beginning) => {
            out.push_sql(", ");
            out.push_bind_param::<Text, _>(beginning)?;
            out.push_sql(")");
        }
    }
    out.push_sql(", FALSE)");
    Ok(())
}

/// Comparing with one value takes half as long as with an array of one.
fn push_is_one_of<'b>(values: &'b [String], out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    if let [value] = values {
        out.push_sql(" = ");
        return out.push_bind_param::<Text, _>(value);
    }
    out.push_sql(" = ANY(");
    out.push_bind_param::<Array<Text>, _>(values)?;
    out.push_sql(")");
    Ok(())
}

/// Tests that one of the tags matches.
fn push_tag<'b>(test: &'b TextTest, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    match test {
        TextTest::Exists => out.push_sql("(cardinality(tags_folded) > 0)"),
        TextTest::OneOf(values) => {
            out.push_sql("(tags_folded && ");
            out.push_bind_param::<Array<Text>, _>(values)?;
            out.push_sql(")");
        }
        TextTest::Contains(part) => {
            push_some_tag_has(part, out)?;
            out.push_sql("strpos(tag, ");
            out.push_bind_param::<Text, _>(part)?;
            out.push_sql(") > 0))");
        }
        TextTest::StartsWith(beginning) => {
            push_some_tag_has(beginning, out)?;
            out.push_sql("starts_with(tag, ");
            out.push_bind_param::<Text, _>(beginning)?;
            out.push_sql(")))");
        }
    }
    Ok(())
}

/// Testing the tags one by one takes three times as long as testing all of them in one text, which
/// excludes most contacts.
fn push_some_tag_has<'b>(part: &'b String, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    out.push_sql("(strpos(array_to_string(tags_folded, ' '), ");
    out.push_bind_param::<Text, _>(part)?;
    out.push_sql(") > 0 AND EXISTS (SELECT FROM unnest(tags_folded) AS tag WHERE ");
    Ok(())
}

//! Page on which a segment is written, with those who would belong to it.

use askama::Template;
use domain::audience::segment::{Preview, Rules, Segment};
use domain::shared::fault::Faults;
use domain::shared::id::Id;
use serde_json::Value;
use usecases::Error;

use super::{
    LIST, address,
    conditions::{ALL, ANY, ATTRIBUTES, Condition, Conditions, FIELDS, MATCHING},
    contacts,
    operator::Operator,
    person::Person,
    rule_text::{self, RuleText, RuleWriter},
};
use crate::formats::Formats;
use crate::frame::{Choice, Failure, Form, Frame, Labels, Place, Visit, capitalized};

pub(super) const NAME: &str = "name";
pub(super) const DESCRIPTION: &str = "description";
/// Name of the choice between members that change and members that stay, with its values.
pub(super) const MEMBERSHIP: &str = "isDynamic";
pub(super) const CHANGING: &str = "yes";
pub(super) const FIXED: &str = "no";
pub(super) const LABELS: Labels = &[
    (NAME, "Name"),
    (DESCRIPTION, "Purpose"),
    ("rules", "The conditions"),
    (MEMBERSHIP, "Membership"),
];
/// Maximum number of fields of the organization's own that are offered.
const OFFERED: usize = 100;

#[derive(Clone, Copy)]
pub(super) enum Target {
    New,
    /// One whose conditions may change.
    Changing(Id<Segment>),
    /// One whose members were fixed when it was made.
    Fixed(Id<Segment>),
}

impl Target {
    pub(super) const fn id(self) -> Option<Id<Segment>> {
        match self {
            Self::New => None,
            Self::Changing(id) | Self::Fixed(id) => Some(id),
        }
    }
}

#[derive(Template)]
#[template(path = "segments/editor.html")]
pub(super) struct Editor {
    frame: Frame,
    form: Form,
    /// Identifier of the segment; `None` of a new one.
    id: Option<String>,
    action: String,
    back: String,
    has_conditions: bool,
    matchings: Vec<Choice>,
    memberships: Vec<Choice>,
    rows: Vec<Row>,
    found: Option<Found>,
}

struct Row {
    number: usize,
    /// Name of the field with its value, or its rules.
    name: String,
    /// Rules that the form cannot take apart, in words and as text.
    rules: Option<(Option<RuleText>, String)>,
    fields: Vec<Offer>,
    own_fields: Vec<Offer>,
    operators: Vec<Offer>,
    value: String,
}

struct Offer {
    value: String,
    label: String,
    is_chosen: bool,
}

/// Contacts that meet the conditions.
pub(super) struct Found {
    count: String,
    people: Vec<Person>,
    warnings: Vec<String>,
}

impl Found {
    /// Returns the result of trying conditions.
    pub(super) fn new(preview: &Preview, f: &Formats) -> Self {
        Self {
            count: contacts(&f.count(preview.count)),
            people: preview.sample.iter().map(|contact| Person::new(contact, f)).collect(),
            warnings: preview.warnings.iter().map(|warning| capitalized(warning)).collect(),
        }
    }
}

impl Offer {
    fn new(value: &str, label: &str, chosen: &str) -> Self {
        Self { value: value.to_owned(), label: label.to_owned(), is_chosen: value == chosen }
    }
}

impl Editor {
    /// Returns the page with a form, its conditions, and those who meet them, if they were tried.
    pub(super) async fn new(
        visit: &Visit,
        target: Target,
        form: Form,
        conditions: &Conditions,
        found: Option<Found>,
    ) -> Result<Self, Failure> {
        let own_fields = visit.api().segments.attribute_names(&visit.caller).await?;
        let mut rows = Vec::with_capacity(conditions.list.len());
        for (number, condition) in conditions.list.iter().enumerate() {
            rows.push(match condition {
                Condition::Rules(text) => Row::of_rules(visit, number, text).await?,
                Condition::Test { field, operator, value } => {
                    Row::of_test(number, (field.as_str(), *operator, value.as_str()), &own_fields)
                }
            });
        }
        let id = target.id();
        Ok(Self {
            frame: visit.frame(Place::Segments).refused(form.has_faults()),
            form,
            id: id.map(|id| id.to_string()),
            action: id.map_or_else(|| format!("{LIST}/new"), |id| format!("{}/edit", address(id))),
            back: id.map_or_else(|| LIST.to_owned(), address),
            has_conditions: !matches!(target, Target::Fixed(_)),
            matchings: vec![
                Choice::new(ALL, "Contacts that meet all conditions"),
                Choice::new(ANY, "Contacts that meet at least one condition"),
            ],
            memberships: vec![
                Choice::new(CHANGING, "Contacts join and leave as they meet the conditions"),
                Choice::new(FIXED, "Only those who meet the conditions now, for good"),
            ],
            rows,
            found,
        })
    }
}

impl Row {
    fn of_test(
        number: usize,
        (field, operator, value): (&str, Operator, &str),
        own_fields: &[String],
    ) -> Self {
        let own_field = |name: &String| {
            let key = format!("{ATTRIBUTES}{name}");
            Offer::new(&key, name, field)
        };
        let mut own_fields: Vec<Offer> = own_fields.iter().take(OFFERED).map(own_field).collect();
        let known = field.strip_prefix(ATTRIBUTES);
        if let Some(name) = known.filter(|_| !own_fields.iter().any(|offer| offer.is_chosen)) {
            own_fields.push(Offer::new(field, name, field));
        }
        let offer = |it: Operator| Offer::new(it.as_str(), it.label(), operator.as_str());
        Self {
            number,
            name: format!("value-{number}"),
            rules: None,
            fields: FIELDS.map(|(key, label)| Offer::new(key, label, field)).into(),
            own_fields,
            operators: Operator::ALL.map(offer).into(),
            value: value.to_owned(),
        }
    }

    async fn of_rules(visit: &Visit, number: usize, text: &str) -> Result<Self, Failure> {
        let source: Result<Value, _> = serde_json::from_str(text);
        let in_words = match source.ok().map(Rules::parse) {
            Some(Ok(rules)) => {
                let names = rule_text::names(visit, rules.campaigns()).await?;
                Some(RuleText::new(&rules, &RuleWriter::new(visit.formats(), names)))
            }
            Some(Err(_)) | None => None,
        };
        Ok(Self {
            number,
            name: format!("rules-{number}"),
            rules: Some((in_words, text.to_owned())),
            fields: Vec::new(),
            own_fields: Vec::new(),
            operators: Vec::new(),
            value: String::new(),
        })
    }
}

/// Adds a refusal to the form: the faults of a condition belong to its field.
pub(super) fn refused(
    form: Form,
    conditions: &Conditions,
    refusal: Error,
) -> Result<Form, Failure> {
    let Error::Invalid(faults) = refusal else { return form.refused(refusal) };
    let (mut placed, mut others) = (Vec::new(), Faults::default());
    others.form = faults.form;
    for (path, texts) in faults.fields {
        let place = conditions.place(&path);
        for text in texts {
            match &place {
                Some((name, subject)) => placed.push((name.clone(), format!("{subject} {text}"))),
                None => others.add(path.as_str(), text),
            }
        }
    }
    let with_fault = |form: Form, (name, text): (String, String)| form.with_fault(&name, text);
    Ok(placed.into_iter().fold(form.with_faults(others), with_fault))
}

pub(super) fn blank() -> Form {
    Form::new(LABELS).with(MATCHING, ALL).with(MEMBERSHIP, CHANGING)
}

pub(super) fn filled(segment: &Segment, conditions: &Conditions) -> Form {
    Form::new(LABELS)
        .with(NAME, segment.name.as_str())
        .with(DESCRIPTION, segment.description.as_deref().unwrap_or_default())
        .with(MATCHING, if conditions.is_any { ANY } else { ALL })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_of_conditions_stand_at_their_fields_and_others_where_they_belong() {
        let source = json!({ "all": [{ "tags": "vip" }, { "countryCode": "Ghana" }] });
        let conditions = Conditions::of(&source);
        let mut faults = Rules::parse(source).unwrap_err();
        faults.add("name", "is required");
        faults.add("rules", "take too long");
        let form = refused(blank(), &conditions, faults.into()).unwrap();
        let [name, rules, country] = form.all_faults().try_into().unwrap();
        assert_eq!(name, (NAME, "Name is required"));
        assert_eq!(rules, ("rules", "The conditions take too long"));
        assert_eq!(country.0, "value-1");
        assert!(country.1.starts_with("Condition 2 "), "{}", country.1);
    }

    #[test]
    fn a_field_of_the_organization_that_no_contact_has_is_offered_where_it_is_used() {
        let names = ["City".to_owned(), "Town".to_owned()];
        let offered = |field: &str| {
            let row = Row::of_test(0, (field, Operator::Is, ""), &names);
            row.own_fields.iter().map(|offer| (offer.label.clone(), offer.is_chosen)).collect()
        };
        let offer = |label: &str, is_chosen| (label.to_owned(), is_chosen);
        let all: Vec<(String, bool)> = offered("attributes.Town");
        assert_eq!(all, [offer("City", false), offer("Town", true)]);
        let all: Vec<(String, bool)> = offered("attributes.Shop");
        assert_eq!(all, [offer("City", false), offer("Town", false), offer("Shop", true)]);
        let all: Vec<(String, bool)> = offered("tags");
        assert_eq!(all, [offer("City", false), offer("Town", false)]);
    }
}

//! Conditions of a segment, as a form shows them.

use domain::shared::fault::Faults;
use serde_json::{Map, Value, json};

use super::operator::Operator;
use crate::frame::Posted;

/// Fields that every contact may have, with their labels.
pub(super) const FIELDS: [(&str, &str); 8] = [
    ("tags", "Tag"),
    ("firstName", "First name"),
    ("lastName", "Last name"),
    ("phone", "Phone"),
    ("email", "Email"),
    ("countryCode", "Country"),
    (CREATED, "Added"),
    (CONSENT, "Consent"),
];
/// Beginning of the names of fields of the organization's own.
pub(super) const ATTRIBUTES: &str = "attributes.";
/// Name of the choice between all conditions and one of them, with its values.
pub(super) const MATCHING: &str = "matching";
pub(super) const ALL: &str = "all";
pub(super) const ANY: &str = "any";

const CREATED: &str = "createdAt";
const CONSENT: &str = "consent";
/// Names of buttons that add a condition, and remove the one with their number.
const ADD: &str = "add";
const REMOVE: &str = "remove";
/// Keys of rules that are not fields.
const GROUPS: [&str; 4] = [ALL, ANY, "not", "campaign"];
/// Maximum number of conditions that are read: one more than rules may have.
const MAX_READ: usize = 101;
/// Beginning of the paths of faults that are found here. The number of a condition follows.
const OWN_PATH: &str = "condition.";

/// Conditions, of which all or at least one must hold. Without any, everybody belongs to the segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conditions {
    /// True if one of them is enough.
    pub(super) is_any: bool,
    pub(super) list: Vec<Condition>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Condition {
    /// Comparison of a field with what is written.
    Test {
        /// Key of the rules.
        field: String,
        operator: Operator,
        value: String,
    },
    /// Rules that the form cannot take apart, as JSON.
    Rules(String),
}

impl Conditions {
    /// Returns the conditions of a new segment: an empty one, to begin with.
    pub(super) fn blank() -> Self {
        Self { is_any: false, list: vec![Condition::blank()] }
    }

    /// Returns the conditions that stand for rules.
    pub(super) fn of(source: &Value) -> Self {
        let Value::Object(entries) = source else {
            return Self { is_any: false, list: vec![Condition::rules(source)] };
        };
        let mut keys = entries.iter();
        if let (Some((key, Value::Array(items))), None) = (keys.next(), keys.next())
            && (key == ALL || key == ANY)
        {
            return Self { is_any: key == ANY, list: items.iter().map(Condition::of).collect() };
        }
        let single = |(key, value): (&String, &Value)| {
            Condition::of(&Value::Object(Map::from_iter([(key.clone(), value.clone())])))
        };
        Self { is_any: false, list: entries.iter().map(single).collect() }
    }

    /// Reads the conditions of a form.
    pub(super) fn read(posted: &Posted) -> Self {
        let read = |number: usize| {
            let rules = format!("rules-{number}");
            let field = format!("field-{number}");
            if posted.is_set(&rules) {
                Some(Condition::Rules(posted.raw(&rules).trim().to_owned()))
            } else if posted.is_set(&field) {
                Some(Condition::Test {
                    field: posted.raw(&field).to_owned(),
                    operator: Operator::named(posted.raw(&format!("operator-{number}"))),
                    value: posted.raw(&format!("value-{number}")).trim().to_owned(),
                })
            } else {
                None
            }
        };
        let list = (0..MAX_READ).map_while(read).collect();
        Self { is_any: posted.raw(MATCHING) == ANY, list }
    }

    /// Adds or removes a condition if such a button was pressed. Returns true if one was.
    pub(super) fn rearrange(&mut self, posted: &Posted) -> bool {
        if posted.is_set(ADD) {
            self.list.push(Condition::blank());
            return true;
        }
        if !posted.is_set(REMOVE) {
            return false;
        }
        let removed: Option<usize> = posted.raw(REMOVE).parse().ok();
        if let Some(removed) = removed.filter(|number| *number < self.list.len()) {
            self.list.remove(removed);
        }
        true
    }

    /// Returns the rules, and the faults for which they are not whole.
    pub(super) fn rules(&self) -> (Value, Faults) {
        let (mut items, mut faults) = (Vec::new(), Faults::default());
        for (number, condition) in self.list.iter().enumerate() {
            items.extend(faults.take(&format!("{OWN_PATH}{number}"), condition.source()));
        }
        if !faults.is_empty() {
            return (json!({}), faults);
        }
        let rules = match (items.len(), self.is_any) {
            (0, _) => json!({}),
            // Rules may be nested so deep only.
            (1, _) => items.remove(0),
            (_, true) => json!({ ANY: items }),
            (_, false) => json!({ ALL: items }),
        };
        (rules, faults)
    }

    /// Returns the field of the form to which a fault at a path of the rules belongs, and the subject of
    /// its sentence; `None` if it is about the rules as a whole.
    pub(super) fn place(&self, path: &str) -> Option<(String, String)> {
        let (number, rest) = match path.strip_prefix(OWN_PATH) {
            Some(number) => (number.parse::<usize>().ok()?, ""),
            None => self.numbered(path.strip_prefix("rules.")?)?,
        };
        let subject = format!("Condition {}", number + 1);
        Some(match self.list.get(number)? {
            Condition::Test { .. } => (format!("value-{number}"), subject),
            Condition::Rules(_) if rest.is_empty() => (format!("rules-{number}"), subject),
            Condition::Rules(_) => (format!("rules-{number}"), format!("{subject}: “{rest}”")),
        })
    }

    /// Returns the number of the condition that a path leads to, and the rest of the path.
    fn numbered<'p>(&self, path: &'p str) -> Option<(usize, &'p str)> {
        if self.list.len() == 1 {
            return Some((0, path));
        }
        let (_, path) = path.split_once('.')?;
        let (number, rest) = path.split_once('.').unwrap_or((path, ""));
        Some((number.parse().ok()?, rest))
    }
}

impl Condition {
    fn blank() -> Self {
        Self::Test { field: "tags".to_owned(), operator: Operator::Is, value: String::new() }
    }

    fn of(rules: &Value) -> Self {
        Self::test(rules).unwrap_or_else(|| Self::rules(rules))
    }

    /// Returns the comparison that rules with one key stand for; `None` if they are more than that.
    fn test(rules: &Value) -> Option<Self> {
        let mut entries = rules.as_object()?.iter();
        let (Some((key, condition)), None) = (entries.next(), entries.next()) else { return None };
        if GROUPS.contains(&key.as_str()) {
            return None;
        }
        let field = match FIELDS.iter().find(|(field, _)| field == key) {
            Some(_) => key.clone(),
            None => format!("{ATTRIBUTES}{}", key.strip_prefix(ATTRIBUTES).unwrap_or(key)),
        };
        let (operator, value) = Operator::of(condition)?;
        Some(Self::Test { field, operator, value })
    }

    fn rules(rules: &Value) -> Self {
        Self::Rules(format!("{rules:#}"))
    }

    /// Returns the rules for this condition alone. Fails with the fault of what was written.
    fn source(&self) -> Result<Value, String> {
        match self {
            Self::Rules(text) => {
                serde_json::from_str(text).map_err(|error| format!("is not valid JSON: {error}"))
            }
            Self::Test { field, operator, value } => {
                check(field, *operator)?;
                let condition = operator.condition(value).ok_or("needs a value")?;
                Ok(Value::Object(Map::from_iter([(field.clone(), condition)])))
            }
        }
    }
}

/// Fails unless the field can be compared so.
fn check(field: &str, operator: Operator) -> Result<(), &'static str> {
    let is_about_text =
        matches!(operator, Operator::Contains | Operator::ContainsNot | Operator::StartsWith);
    match field {
        CONSENT if !operator.is_about_presence() => Err("can only be “is there” or “is missing”"),
        CREATED if is_about_text => Err("compares a day: choose “is”, “is before” or “is after”"),
        CREATED => Ok(()),
        field if operator.is_about_days() && !field.starts_with(ATTRIBUTES) => {
            Err("compares days, which this field has not")
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use domain::audience::segment::Rules;

    use super::*;

    fn test(field: &str, operator: Operator, value: &str) -> Condition {
        Condition::Test { field: field.to_owned(), operator, value: value.to_owned() }
    }

    fn posted(fields: &[(&str, &str)]) -> Posted {
        Posted::of_fields(fields)
    }

    /// Checks that conditions mean the same as the rules for which they stand.
    fn assert_kept(source: &Value) -> Conditions {
        let conditions = Conditions::of(source);
        let (rules, faults) = conditions.rules();
        assert!(faults.is_empty(), "{source}: {faults}");
        let meaning = |source: &Value| {
            let Ok(rules) = Rules::parse(source.clone()) else { panic!("{source}") };
            format!("{:?}", rules.rule())
        };
        assert_eq!(meaning(&rules), meaning(source), "{source}");
        conditions
    }

    #[test]
    fn simple_rules_are_shown_condition_by_condition() {
        let source = json!({ "tags": ["vip", "gold"], "Town": { "not": { "contains": "Ho" } } });
        let conditions = assert_kept(&source);
        let expected = [
            test("attributes.Town", Operator::ContainsNot, "Ho"),
            test("tags", Operator::Is, "vip; gold"),
        ];
        assert_eq!((conditions.is_any, conditions.list.as_slice()), (false, &expected[..]));

        let any = json!({ "any": [{ "phone": { "startsWith": "024" } }, { "age": 12 }] });
        let conditions = assert_kept(&any);
        let expected = [
            test("phone", Operator::StartsWith, "024"),
            test("attributes.age", Operator::Is, "12"),
        ];
        assert_eq!((conditions.is_any, conditions.list.as_slice()), (true, &expected[..]));
        assert_eq!(assert_kept(&json!({})).list, []);
    }

    #[test]
    fn rules_that_the_form_cannot_take_apart_are_kept_whole() {
        let campaign = json!({ "campaign": {
            "id": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b", "outcome": "FAILED" } });
        for kept in [
            json!({ "not": { "tags": "vip" } }),
            json!({ "any": [{ "city": "Ho" }, { "all": [{ "tags": "a" }, { "tags": "b" }] }] }),
            json!({ "firstName": { "contains": "a", "startsWith": "K" } }),
            campaign,
        ] {
            let source = json!({ "all": [kept, { "consent": { "exists": true } }] });
            let conditions = assert_kept(&source);
            let [Condition::Rules(_), Condition::Test { .. }] = conditions.list.as_slice() else {
                panic!("{conditions:?}")
            };
            assert_kept(&kept_alone(&source));
        }
    }

    fn kept_alone(source: &Value) -> Value {
        json!({ "all": [source["all"][0]] })
    }

    #[test]
    fn a_form_is_read_in_the_order_of_its_numbers() {
        let posted = posted(&[
            (MATCHING, ANY),
            ("value-0", " vip "),
            ("field-0", "tags"),
            ("operator-0", "is-not"),
            ("rules-1", " {\"not\": {}} "),
            ("field-3", "phone"),
        ]);
        let conditions = Conditions::read(&posted);
        let expected =
            [test("tags", Operator::IsNot, "vip"), Condition::Rules("{\"not\": {}}".to_owned())];
        assert_eq!((conditions.is_any, conditions.list.as_slice()), (true, &expected[..]));
    }

    #[test]
    fn buttons_add_a_condition_and_remove_the_one_with_their_number() {
        let source = json!({ "all": [{ "tags": "a" }, { "tags": "b" }, { "tags": "c" }] });
        let mut conditions = Conditions::of(&source);
        assert!(conditions.rearrange(&posted(&[("remove", "1")])));
        assert!(conditions.rearrange(&posted(&[("add", "")])));
        let expected =
            [test("tags", Operator::Is, "a"), test("tags", Operator::Is, "c"), Condition::blank()];
        assert_eq!(conditions.list, expected);
        assert!(conditions.rearrange(&posted(&[("remove", "9")])));
        assert!(!conditions.rearrange(&posted(&[])));
        assert_eq!(conditions.list, expected);
    }

    #[test]
    fn a_condition_that_is_not_whole_is_a_fault_and_never_everybody() {
        let faulty = |condition: Condition| {
            let conditions = Conditions { is_any: true, list: vec![Condition::blank(), condition] };
            let (rules, faults) = conditions.rules();
            assert_eq!(rules, json!({}));
            faults.fields.into_keys().collect::<Vec<_>>()
        };
        for condition in [
            Condition::blank(),
            Condition::Rules("{".to_owned()),
            test("consent", Operator::Is, "yes"),
            test("createdAt", Operator::StartsWith, "2026"),
            test("firstName", Operator::Before, "2026-01-31"),
        ] {
            assert_eq!(faulty(condition), ["condition.0", "condition.1"]);
        }
        assert_eq!(faulty(test("attributes.born", Operator::Before, "x")), ["condition.0"]);
    }

    #[test]
    fn a_fault_belongs_to_the_field_of_its_condition() {
        let mut conditions = Conditions {
            is_any: false,
            list: vec![Condition::blank(), Condition::Rules("{}".to_owned())],
        };
        let place = |conditions: &Conditions, path: &str| {
            conditions.place(path).map(|(name, subject)| format!("{name}: {subject}"))
        };
        for (path, expected) in [
            ("rules.all.0.countryCode", Some("value-0: Condition 1")),
            ("rules.all.1.any.0.x", Some("rules-1: Condition 2: “any.0.x”")),
            ("condition.1", Some("rules-1: Condition 2")),
            ("rules.all.7.x", None),
            ("rules", None),
            ("name", None),
        ] {
            assert_eq!(place(&conditions, path).as_deref(), expected, "{path}");
        }
        conditions.list.remove(0);
        let alone = place(&conditions, "rules.any.4.x");
        assert_eq!(alone.as_deref(), Some("rules-0: Condition 1: “any.4.x”"));
    }
}

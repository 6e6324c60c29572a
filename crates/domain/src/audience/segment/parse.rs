//! Parsing of rules from JSON.

mod campaign;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    campaign_rule::CampaignReference,
    period::{Period, date},
    rule::{DateOrder, Rule, TextField, TextTest},
};
use crate::shared::{
    address::Address,
    channel::Channel,
    country::Country,
    fault::Faults,
    text::{self, fold},
};

/// Maximum nesting depth of rules.
const MAX_DEPTH: usize = 8;
/// Maximum number of conditions in all.
const MAX_CONDITIONS: usize = 100;
/// Maximum number of values in all.
const MAX_VALUES: usize = 1_000;
/// The longest text to compare with, and the longest name of an attribute, in characters.
const MAX_TEXT: usize = 500;

/// Maximum size of the rules as a whole, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// Path of the rules in a request.
const ROOT: &str = "rules";
const OPERATORS: &str = "contains, startsWith, exists, in, not, before, after";
const NOT_AN_ARRAY: &str = "must be an array";
const EMPTY: &str = "must not be empty";
const EXISTS: &str = "exists";
/// Fault of a condition on the consent that no other operator can express.
const ONLY_EXISTS: &str =
    "must be {\"exists\": true} or {\"exists\": false}; attributes.consent is an attribute";

/// Parsed rules.
pub(super) struct Parsed {
    pub(super) rule: Rule,
    pub(super) campaigns: Vec<CampaignReference>,
}

/// Parses rules.
pub(super) fn parse(source: &Value) -> Result<Parsed, Faults> {
    // Every fault repeats its path, so oversized rules are rejected before parsing.
    if source.to_string().len() > MAX_BYTES {
        return Err(Faults::field(ROOT, format!("must have at most {MAX_BYTES} bytes")));
    }
    let mut parser = Parser::default();
    let rule = parser.rules(source, ROOT, 0);
    if parser.conditions > MAX_CONDITIONS {
        let fault = format!("must have at most {MAX_CONDITIONS} conditions");
        return Err(Faults::field(ROOT, fault));
    }
    if parser.values > MAX_VALUES {
        parser.faults.add(ROOT, format!("must have at most {MAX_VALUES} values"));
    }
    let rule = parser.faults.require(rule)?;
    Ok(Parsed { rule, campaigns: parser.campaigns })
}

/// Subject of a condition.
enum Field {
    Text(TextField),
    Tags,
    CreatedAt,
    Consent,
    Campaign,
}

impl Field {
    /// Returns the field that a key of the rules names.
    fn named(key: &str) -> Self {
        match key {
            "tags" => Self::Tags,
            "createdAt" => Self::CreatedAt,
            "consent" => Self::Consent,
            "campaign" => Self::Campaign,
            "countryCode" => Self::Text(TextField::CountryCode),
            "email" => Self::Text(TextField::Email),
            "phone" => Self::Text(TextField::Phone),
            "firstName" => Self::Text(TextField::FirstName),
            "lastName" => Self::Text(TextField::LastName),
            _ => {
                let attribute = key.strip_prefix("attributes.").unwrap_or(key);
                Self::Text(TextField::Attribute(attribute.to_owned()))
            }
        }
    }
}

/// Parses rules and collects their faults. Unreadable parts are `None`.
#[derive(Default)]
struct Parser {
    faults: Faults,
    campaigns: Vec<CampaignReference>,
    conditions: usize,
    values: usize,
}

impl Parser {
    /// Parses an object of fields and their conditions, all of which must hold.
    fn rules(&mut self, value: &Value, path: &str, depth: usize) -> Option<Rule> {
        let Value::Object(entries) = value else {
            return self.fault(path, "must be an object");
        };
        if depth > MAX_DEPTH {
            return self.fault(path, &format!("must not be nested more than {MAX_DEPTH} deep"));
        }
        let mut rules = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let path = format!("{path}.{key}");
            rules.push(match key.as_str() {
                "all" => self.list(value, &path, depth).map(Rule::all),
                "any" => self.list(value, &path, depth).map(Rule::any),
                "not" => self.rules(value, &path, depth + 1).map(Rule::negated),
                _ => self.field(key, value, &path, depth),
            });
        }
        rules.into_iter().collect::<Option<_>>().map(Rule::all)
    }

    /// Parses the rules in `all` or `any`.
    fn list(&mut self, value: &Value, path: &str, depth: usize) -> Option<Vec<Rule>> {
        let items = self.items(value, path)?;
        let mut rules = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            rules.push(self.rules(item, &format!("{path}.{index}"), depth + 1));
        }
        rules.into_iter().collect()
    }

    /// Returns the items of a non-empty array.
    fn items<'v>(&mut self, value: &'v Value, path: &str) -> Option<&'v Vec<Value>> {
        match value {
            Value::Array(items) if items.is_empty() => self.fault(path, EMPTY),
            Value::Array(items) => Some(items),
            _ => self.fault(path, NOT_AN_ARRAY),
        }
    }

    fn field(&mut self, key: &str, value: &Value, path: &str, depth: usize) -> Option<Rule> {
        let field = Field::named(key);
        if let Field::Text(TextField::Attribute(name)) = &field {
            if name == "attributes" {
                return self.fault(path, "must name an attribute, such as attributes.city");
            }
            self.faults.take(path, text::line(name, MAX_TEXT))?;
        }
        match field {
            Field::Consent => self.consent(value, path),
            Field::Campaign => self.campaign(value, path),
            field => self.condition(&field, value, path, depth),
        }
    }

    /// Parses the condition on the consent, which has one operator.
    fn consent(&mut self, value: &Value, path: &str) -> Option<Rule> {
        let operators = value.as_object().filter(|operators| operators.len() == 1);
        match operators.and_then(|operators| operators.get(EXISTS)) {
            Some(exists) => self.exists(&Field::Consent, exists, &format!("{path}.{EXISTS}")),
            None => self.fault(path, ONLY_EXISTS),
        }
    }

    /// Parses the condition on a field: a value, an array of values, or an object of operators.
    fn condition(
        &mut self,
        field: &Field,
        value: &Value,
        path: &str,
        depth: usize,
    ) -> Option<Rule> {
        if depth > MAX_DEPTH {
            return self.fault(path, &format!("must not be nested more than {MAX_DEPTH} deep"));
        }
        match value {
            Value::Object(operators) => self.operators(field, operators, path, depth),
            Value::Array(_) => self.one_of(field, value, path),
            Value::Null => {
                self.fault(path, "must not be null: {\"exists\": false} finds who does not have it")
            }
            scalar => self.equals(field, std::slice::from_ref(scalar), |_| path.to_owned()),
        }
    }

    fn operators(
        &mut self,
        field: &Field,
        operators: &Map<String, Value>,
        path: &str,
        depth: usize,
    ) -> Option<Rule> {
        if operators.is_empty() {
            return self.fault(path, &format!("must have one of the operators {OPERATORS}"));
        }
        let mut rules = Vec::with_capacity(operators.len());
        for (name, value) in operators {
            let path = format!("{path}.{name}");
            rules.push(match name.as_str() {
                "contains" => self.part(field, value, &path, TextTest::Contains),
                "startsWith" => self.beginning(field, value, &path),
                EXISTS => self.exists(field, value, &path),
                "in" => self.one_of(field, value, &path),
                "not" => self.condition(field, value, &path, depth + 1).map(Rule::negated),
                "before" => self.dated(field, value, &path, DateOrder::Before),
                "after" => self.dated(field, value, &path, DateOrder::After),
                _ => self.fault(&path, &format!("is not an operator; these are {OPERATORS}")),
            });
        }
        rules.into_iter().collect::<Option<_>>().map(Rule::all)
    }

    /// Parses an array of values, one of which must match.
    fn one_of(&mut self, field: &Field, value: &Value, path: &str) -> Option<Rule> {
        let items = self.items(value, path)?;
        self.equals(field, items, |index| format!("{path}.{index}"))
    }

    /// Parses a test for equality with one of the values; `path` returns the path of each.
    fn equals(
        &mut self,
        field: &Field,
        values: &[Value],
        path: impl Fn(usize) -> String,
    ) -> Option<Rule> {
        self.conditions += 1;
        self.values += values.len();
        if self.values > MAX_VALUES {
            return None;
        }
        if let Field::CreatedAt = field {
            let mut rules = Vec::with_capacity(values.len());
            for (index, value) in values.iter().enumerate() {
                rules.push(self.period(value, &path(index)).map(|period| {
                    let Period { from, until } = period;
                    Rule::All(vec![Rule::CreatedFrom(from), Rule::CreatedBefore(until)])
                }));
            }
            return rules.into_iter().collect::<Option<_>>().map(Rule::any);
        }
        let mut texts = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            texts.push(self.value(field, value, &path(index)));
        }
        let texts = texts.into_iter().collect::<Option<_>>()?;
        Some(test(field, TextTest::OneOf(texts)))
    }

    /// Parses a value to compare with a field, in the stored form of that field.
    fn value(&mut self, field: &Field, value: &Value, path: &str) -> Option<String> {
        let text = self.text(value, path)?;
        let address = |channel| {
            let address = Address::parse(channel, Country::GH, &text);
            address.map_or_else(|_| fold(&text), |address| fold(address.as_str()))
        };
        match field {
            Field::Text(TextField::CountryCode) => {
                let country: Country = self.faults.take(path, text.parse())?;
                Some(country.as_str().to_owned())
            }
            Field::Text(TextField::Phone) => Some(address(Channel::Voice)),
            Field::Text(TextField::Email) => Some(address(Channel::Email)),
            _ => Some(fold(&text)),
        }
    }

    fn beginning(&mut self, field: &Field, value: &Value, path: &str) -> Option<Rule> {
        let rule = self.part(field, value, path, TextTest::StartsWith)?;
        match rule {
            Rule::Text(TextField::Phone, TextTest::StartsWith(text)) => {
                let text = international(text);
                Some(Rule::Text(TextField::Phone, TextTest::StartsWith(text)))
            }
            rule => Some(rule),
        }
    }

    /// Parses a test for a part of a text.
    fn part(
        &mut self,
        field: &Field,
        value: &Value,
        path: &str,
        operator: fn(String) -> TextTest,
    ) -> Option<Rule> {
        self.conditions += 1;
        self.values += 1;
        let text = self.text(value, path)?;
        if text.is_empty() {
            return self.fault(path, EMPTY);
        }
        match field {
            Field::CreatedAt => self.fault(path, "is not an operator of createdAt"),
            Field::Text(TextField::CountryCode) => {
                Some(test(field, operator(text.to_ascii_uppercase())))
            }
            _ => Some(test(field, operator(fold(&text)))),
        }
    }

    fn exists(&mut self, field: &Field, value: &Value, path: &str) -> Option<Rule> {
        self.conditions += 1;
        let Value::Bool(exists) = value else {
            return self.fault(path, "must be true or false");
        };
        let rule = match field {
            Field::CreatedAt => Rule::All(Vec::new()),
            Field::Consent => Rule::Consented,
            field => test(field, TextTest::Exists),
        };
        Some(if *exists { rule } else { rule.negated() })
    }

    fn dated(
        &mut self,
        field: &Field,
        value: &Value,
        path: &str,
        order: DateOrder,
    ) -> Option<Rule> {
        self.conditions += 1;
        self.values += 1;
        match field {
            Field::CreatedAt => {
                let period = self.period(value, path)?;
                Some(match order {
                    DateOrder::Before => Rule::CreatedBefore(period.from),
                    DateOrder::After => Rule::CreatedFrom(period.until),
                })
            }
            Field::Text(TextField::Attribute(key)) => match value {
                Value::String(text) if date(text).is_some() => {
                    let (key, date) = (key.clone(), text.clone());
                    Some(Rule::AttributeDate { key, order, date })
                }
                _ => self.fault(path, "must be a date such as 2026-01-31"),
            },
            _ => self.fault(path, "is an operator of createdAt and of attributes only"),
        }
    }

    fn period(&mut self, value: &Value, path: &str) -> Option<Period> {
        let period = value.as_str().and_then(Period::read);
        if period.is_none() {
            self.faults.add(
                path,
                "must be a date such as 2026-01-31, or a date and time with an offset such as \
                 2026-01-31T09:00:00Z",
            );
        }
        period
    }

    /// Reads a text, or a number or boolean as JSON writes it.
    fn text<'v>(&mut self, value: &'v Value, path: &str) -> Option<Cow<'v, str>> {
        let text = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            Value::Number(number) => Cow::Owned(number.to_string()),
            Value::Bool(flag) => Cow::Owned(flag.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                return self.fault(path, "must be a text, a number, true or false");
            }
        };
        self.faults.take(path, text::without_nul(&text))?;
        if text.chars().count() > MAX_TEXT {
            return self.fault(path, &format!("must have at most {MAX_TEXT} characters"));
        }
        Some(text)
    }

    fn fault<T>(&mut self, path: &str, fault: &str) -> Option<T> {
        self.faults.add(path, fault);
        None
    }
}

fn test(field: &Field, test: TextTest) -> Rule {
    match field {
        Field::Text(field) => Rule::Text(field.clone(), test),
        Field::Tags | Field::CreatedAt | Field::Consent | Field::Campaign => Rule::Tag(test),
    }
}

/// Converts the beginning of a number to E.164: `024` is dialled in Ghana, `0044` anywhere.
fn international(beginning: String) -> String {
    match (beginning.strip_prefix("00"), beginning.strip_prefix('0')) {
        (Some(rest), _) => format!("+{rest}"),
        (None, Some(rest)) => format!("+233{rest}"),
        (None, None) => beginning,
    }
}

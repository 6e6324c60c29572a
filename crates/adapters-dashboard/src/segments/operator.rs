//! Operators of conditions: how a field is compared with what is written beside it.

use serde_json::{Value, json};

domain::closed_list! {
    /// Comparison of a field.
    pub(super) enum Operator {
        /// The field is one of the values.
        Is = "is",
        /// The field is none of the values.
        IsNot = "is-not",
        /// The field contains the value.
        Contains = "contains",
        /// The field does not contain the value.
        ContainsNot = "contains-not",
        /// The field begins with the value.
        StartsWith = "starts-with",
        /// The day of the field is earlier.
        Before = "before",
        /// The day of the field is later.
        After = "after",
        /// The contact has the field.
        Exists = "exists",
        /// The contact does not have the field.
        ExistsNot = "exists-not",
    }
}

/// Separator of several values, the same as that of tags in files.
const SEPARATOR: char = ';';

impl Operator {
    /// Returns the words in the form.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Is => "is",
            Self::IsNot => "is not",
            Self::Contains => "contains",
            Self::ContainsNot => "does not contain",
            Self::StartsWith => "begins with",
            Self::Before => "is before the day",
            Self::After => "is after the day",
            Self::Exists => "is there",
            Self::ExistsNot => "is missing",
        }
    }

    /// True if the condition is about being there, not about a value.
    pub(super) const fn is_about_presence(self) -> bool {
        matches!(self, Self::Exists | Self::ExistsNot)
    }

    /// True if it compares days.
    pub(super) const fn is_about_days(self) -> bool {
        matches!(self, Self::Before | Self::After)
    }

    /// Returns the operator with that value in the form; the first one if there is none.
    pub(super) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|operator| operator.as_str() == name).unwrap_or(Self::Is)
    }

    /// Returns the condition of rules that compares with what was written; `None` if a value is needed
    /// and there is none.
    pub(super) fn condition(self, written: &str) -> Option<Value> {
        let written = written.trim();
        let values: Vec<&str> =
            written.split(SEPARATOR).map(str::trim).filter(|value| !value.is_empty()).collect();
        if values.is_empty() && !self.is_about_presence() {
            return None;
        }
        let equal = match values.as_slice() {
            [value] => json!(value),
            values => json!(values),
        };
        Some(match self {
            Self::Is => equal,
            Self::IsNot => json!({ "not": equal }),
            Self::Contains => json!({ "contains": written }),
            Self::ContainsNot => json!({ "not": { "contains": written } }),
            Self::StartsWith => json!({ "startsWith": written }),
            Self::Before => json!({ "before": written }),
            Self::After => json!({ "after": written }),
            Self::Exists => json!({ "exists": true }),
            Self::ExistsNot => json!({ "exists": false }),
        })
    }

    /// Returns the operator and the value that stand for a condition of rules; `None` if the form
    /// cannot show it.
    pub(super) fn of(condition: &Value) -> Option<(Self, String)> {
        let Value::Object(operators) = condition else {
            return Some((Self::Is, values(condition)?));
        };
        let mut operators = operators.iter();
        let (Some((name, value)), None) = (operators.next(), operators.next()) else { return None };
        Some(match (name.as_str(), value) {
            ("in", Value::Array(_)) => (Self::Is, values(value)?),
            ("contains", _) => (Self::Contains, scalar(value)?),
            ("startsWith", _) => (Self::StartsWith, scalar(value)?),
            ("before", _) => (Self::Before, scalar(value)?),
            ("after", _) => (Self::After, scalar(value)?),
            ("exists", Value::Bool(true)) => (Self::Exists, String::new()),
            ("exists", Value::Bool(false)) => (Self::ExistsNot, String::new()),
            ("not", _) => match Self::of(value)? {
                (Self::Is, values) => (Self::IsNot, values),
                (Self::Contains, value) => (Self::ContainsNot, value),
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// Returns one value, or several, as they are written in the form.
fn values(condition: &Value) -> Option<String> {
    let all = match condition {
        Value::Array(items) => items.iter().map(scalar).collect::<Option<Vec<_>>>()?,
        single => vec![scalar(single)?],
    };
    let is_single = |value: &String| !value.contains(SEPARATOR);
    (!all.is_empty() && all.iter().all(is_single)).then(|| all.join("; "))
}

/// Returns a value as it is written in the form; `None` if the form would change it.
fn scalar(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let is_kept = !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control);
    is_kept.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operator_is_read_back_as_it_was_written() {
        for operator in Operator::ALL {
            let written = if operator.is_about_presence() { "" } else { "2026-01-31" };
            let condition = operator.condition(written).unwrap();
            assert_eq!(Operator::of(&condition), Some((operator, written.to_owned())));
            assert_eq!(Operator::named(operator.as_str()), operator);
        }
    }

    #[test]
    fn several_values_are_separated_by_semicolons() {
        assert_eq!(Operator::Is.condition(" vip ;; gold;"), Some(json!(["vip", "gold"])));
        assert_eq!(Operator::IsNot.condition("vip"), Some(json!({ "not": "vip" })));
        assert_eq!(Operator::Contains.condition("a;b"), Some(json!({ "contains": "a;b" })));
        for condition in [json!(["vip", "gold"]), json!({ "in": ["vip", "gold"] })] {
            assert_eq!(Operator::of(&condition), Some((Operator::Is, "vip; gold".to_owned())));
        }
        assert_eq!(Operator::of(&json!(12)), Some((Operator::Is, "12".to_owned())));
    }

    #[test]
    fn a_comparison_needs_a_value() {
        for operator in Operator::ALL {
            let is_needed = operator.condition(" ").is_none();
            assert_eq!(is_needed, !operator.is_about_presence(), "{operator:?}");
        }
        assert_eq!(Operator::Is.condition(" ; "), None);
    }

    #[test]
    fn a_condition_that_the_form_would_change_is_not_shown_by_it() {
        for condition in [
            json!(" vip"),
            json!("a;b"),
            json!("two\nlines"),
            json!({ "not": { "exists": true } }),
            json!({ "not": { "not": "vip" } }),
            json!({ "contains": "a", "startsWith": "b" }),
            json!({ "after": ["2026-01-31"] }),
            json!([]),
            json!({}),
        ] {
            assert_eq!(Operator::of(&condition), None, "{condition}");
        }
    }
}

//! Warnings about attribute keys that look like fields or like other attributes, and about names shared
//! by two segments.

use serde_json::Value;

use super::{Rule, Rules, Segment, SegmentName, TextField};
use crate::shared::text::fold;

/// Fields with the words that people write for them, without case and punctuation. The first word is the
/// field itself.
const FIELDS: [(&str, &[&str]); 9] = [
    ("tags", &["tags", "tag", "label", "labels"]),
    ("countryCode", &["countrycode", "country"]),
    ("email", &["email", "mail", "emailaddress"]),
    ("phone", &["phone", "mobile", "phonenumber", "msisdn", "telephone"]),
    ("firstName", &["firstname", "givenname"]),
    ("lastName", &["lastname", "surname", "familyname"]),
    ("createdAt", &["createdat", "created", "createdon"]),
    ("consent", &["consent", "consented"]),
    ("campaign", &["campaign", "campaigns", "campaignid"]),
];

impl Rules {
    /// Returns warnings about keys that may be mistakes, for people.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        look_through(self.source(), &mut warnings);
        warnings
    }

    /// Returns the names of the attributes that the rules compare.
    pub fn attributes(&self) -> Vec<&str> {
        let mut names = Vec::new();
        collect_attributes(self.rule(), &mut names);
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns warnings about attributes that contacts have in another case only, for people. `known` are
    /// the names of the attributes that contacts have.
    pub fn case_warnings(&self, known: &[String]) -> Vec<String> {
        let mut warnings = Vec::new();
        for name in self.attributes() {
            if known.iter().any(|other| other == name) {
                continue;
            }
            let folded = fold(name);
            if let Some(other) = known.iter().find(|other| fold(other) == folded) {
                warnings.push(format!(
                    "no contact added lately has the attribute `{name}`; did you mean `{other}`? \
                     Names of attributes are compared with their case"
                ));
            }
        }
        warnings
    }
}

fn collect_attributes<'r>(rule: &'r Rule, names: &mut Vec<&'r str>) {
    match rule {
        Rule::All(rules) | Rule::Any(rules) => {
            for rule in rules {
                collect_attributes(rule, names);
            }
        }
        Rule::Not(rule) => collect_attributes(rule, names),
        Rule::Text(TextField::Attribute(name), _) | Rule::AttributeDate { key: name, .. } => {
            names.push(name);
        }
        Rule::Text(..)
        | Rule::Tag(_)
        | Rule::CreatedBefore(_)
        | Rule::CreatedFrom(_)
        | Rule::Consented
        | Rule::Campaign(_) => {}
    }
}

impl Segment {
    /// Returns the warnings of its rules, and one if another segment has the same name, for people. `names`
    /// are the names of the organization's segments.
    pub fn warnings(&self, names: &[SegmentName]) -> Vec<String> {
        let mut warnings = self.rules.warnings();
        let name = fold(&self.name);
        let other = names.iter().find(|other| other.id != self.id && fold(&other.name) == name);
        warnings.extend(other.map(|other| format!("another segment is named `{}`", other.name)));
        warnings
    }
}

fn look_through(rules: &Value, warnings: &mut Vec<String>) {
    for (key, value) in rules.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("all" | "any", Value::Array(items)) => {
                for item in items {
                    look_through(item, warnings);
                }
            }
            ("not", rules) => look_through(rules, warnings),
            (key, _) => {
                if let Some(field) = resembled(key) {
                    let warning = format!(
                        "`{key}` is read as an attribute; did you mean `{field}`? \
                         `attributes.{key}` always means the attribute"
                    );
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
            }
        }
    }
}

/// Returns the field that a key resembles; `None` if the key is a field itself.
fn resembled(key: &str) -> Option<&'static str> {
    if key.starts_with("attributes.") || FIELDS.iter().any(|(field, _)| *field == key) {
        return None;
    }
    let word: String =
        key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let means =
        |(field, words): &(&str, &[&str])| words.contains(&word.as_str()) || is_slip(field, &word);
    FIELDS.iter().find(|it| means(it)).map(|(field, _)| *field)
}

/// True if the word differs from the field's name in one missing, extra, wrong or swapped character.
fn is_slip(field: &str, word: &str) -> bool {
    // Keys may be long, and computing the distance takes the product of the lengths.
    field.len().abs_diff(word.len()) <= 1 && strsim::osa_distance(&field.to_lowercase(), word) <= 1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn warnings(rules: Value) -> Vec<String> {
        Rules::parse(rules).unwrap().warnings()
    }

    #[test]
    fn warns_of_keys_that_look_like_fields() {
        for (key, field) in [
            ("tag", "tags"),
            ("Tags", "tags"),
            ("tgas", "tags"),
            ("first_name", "firstName"),
            ("First Name", "firstName"),
            ("fistName", "firstName"),
            ("phon", "phone"),
            ("phones", "phone"),
            ("e-mail", "email"),
            ("Email ", "email"),
            ("emial", "email"),
            ("contryCode", "countryCode"),
            ("last-nme", "lastName"),
            ("country", "countryCode"),
            ("Surname", "lastName"),
            ("created_at", "createdAt"),
            ("mail", "email"),
            ("Campaign", "campaign"),
            ("campaignId", "campaign"),
        ] {
            let rules = json!({ "any": [{ "not": { "all": [{ key: "x" }] } }, { key: "y" }] });
            let warnings = warnings(rules);
            let [warning] = warnings.as_slice() else { panic!("{key}: {warnings:?}") };
            let beginning = format!("`{key}` is read as an attribute; did you mean `{field}`?");
            assert!(warning.starts_with(&beginning), "{warning}");
        }
    }

    #[test]
    fn does_not_warn_of_fields_and_plain_attributes() {
        let rules = json!({
            "tags": { "not": ["tag"] }, "phone": "0241234567", "createdAt": { "after": "2026-01-31" },
            "town": "Ho", "attributes.tag": "x", "city": "Accra", "shop": "kente", "stage": "lead",
            "age": 7, "points": 12, "name": "Ama", "birthday": "1990-05-17", "___": "x",
        });
        assert_eq!(warnings(rules), Vec::<String>::new());
    }

    #[test]
    fn warns_of_attributes_that_contacts_have_in_another_case_only() {
        let rules = json!({
            "Town": "Ho", "not": { "attributes.SHOP": { "exists": true } }, "city": "Accra",
            "born": { "before": "1990-01-01" },
        });
        let known = ["town", "shop", "Shop", "city", "City"].map(str::to_owned);

        let warnings = Rules::parse(rules).unwrap().case_warnings(&known);

        let [shop, town] = &warnings[..] else { panic!("{warnings:?}") };
        assert!(shop.contains("`SHOP`; did you mean `shop`?"), "{shop}");
        assert!(town.contains("`Town`; did you mean `town`?"), "{town}");
    }

    #[test]
    fn one_wrong_character_is_a_slip_and_two_are_another_word() {
        for (field, word, expected) in [
            ("tags", "tag", true),
            ("tags", "tagged", false),
            ("phone", "phnoe", true),
            ("phone", "photo", false),
            ("firstName", "fistname", true),
            ("createdAt", "createdby", false),
            ("email", "", false),
        ] {
            assert_eq!(is_slip(field, word), expected, "{field} {word}");
        }
    }
}

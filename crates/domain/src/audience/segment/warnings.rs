//! Keys of rules that are attributes and look like fields.

use serde_json::Value;

use super::Rules;

/// The fields with the words that people write for them, without case and punctuation.
const FIELDS: [(&str, &[&str]); 7] = [
    ("tags", &["tags", "tag", "label", "labels"]),
    ("countryCode", &["countrycode", "country"]),
    ("email", &["email", "mail", "emailaddress"]),
    ("phone", &["phone", "mobile", "phonenumber", "msisdn", "telephone"]),
    ("firstName", &["firstname", "givenname"]),
    ("lastName", &["lastname", "surname", "familyname"]),
    ("createdAt", &["createdat", "created", "createdon"]),
];
/// The fewest letters of a field of which one may be wrong.
const MISSPELT: usize = 5;

impl Rules {
    /// A rule that somebody may not have meant, for people.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        look_through(self.source(), &mut warnings);
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
                        "`{key}` is taken for an attribute; the field is `{field}`, and an attribute of \
                         that name `attributes.{key}`"
                    );
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
            }
        }
    }
}

/// The field that a key may mean which is none.
fn resembled(key: &str) -> Option<&'static str> {
    if key.starts_with("attributes.") || FIELDS.iter().any(|(field, _)| *field == key) {
        return None;
    }
    let word: String =
        key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let resembles = |words: &[&str]| {
        words.contains(&word.as_str())
            || words.first().is_some_and(|name| name.len() >= MISSPELT && is_misspelt(name, &word))
    };
    FIELDS.iter().find(|(_, words)| resembles(words)).map(|(field, _)| *field)
}

/// Returns true if a word is another one with a letter too many, too few or wrong.
fn is_misspelt(name: &str, word: &str) -> bool {
    let (name, word): (Vec<char>, Vec<char>) = (name.chars().collect(), word.chars().collect());
    let same = name.iter().zip(&word).take_while(|(a, b)| a == b).count();
    let (name, word) = (&name[same..], &word[same..]);
    let rest = |letters: &[char], skipped: usize| letters.get(skipped..).map(<[char]>::to_vec);
    rest(name, 1).is_some_and(|it| it == word)
        || rest(word, 1).is_some_and(|it| it == name)
        || rest(name, 1).is_some() && rest(name, 1) == rest(word, 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_looks_like_a_field_is_told() {
        for (key, field) in [
            ("tag", "tags"),
            ("Tags", "tags"),
            ("first_name", "firstName"),
            ("fistName", "firstName"),
            ("phon", "phone"),
            ("phones", "phone"),
            ("e-mail", "email"),
            ("country", "countryCode"),
            ("Surname", "lastName"),
        ] {
            let rules = json!({ "any": [{ "not": { key: "x" } }, { key: "y" }] });
            let warnings = Rules::parse(rules).unwrap().warnings();
            let [warning] = warnings.as_slice() else { panic!("{key}: {warnings:?}") };
            assert!(warning.contains(&format!("the field is `{field}`")), "{warning}");
        }
    }

    #[test]
    fn fields_and_attributes_are_told_of_nowhere() {
        let rules = json!({
            "tags": { "not": ["tag"] }, "phone": "0241234567", "createdAt": { "after": "2026-01-31" },
            "town": "Ho", "attributes.tag": "x", "city": "Accra", "shop": "kente",
        });
        assert_eq!(Rules::parse(rules).unwrap().warnings(), Vec::<String>::new());
    }
}

//! Metadata of messages: what the sender's own systems know them by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::shared::{fault::Faults, text};

/// Maximum number of pairs of a message.
pub const MAX_PAIRS: usize = 20;
/// The longest key, in characters.
pub const MAX_KEY: usize = 40;
/// The longest value, in characters.
pub const MAX_VALUE: usize = 500;

/// Pairs of a key and a value that the sender attached to a message. They are not sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<String, String>);

impl Metadata {
    /// Checks the pairs. The path of a fault begins with the key of its pair.
    pub fn new(pairs: BTreeMap<String, String>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        if pairs.len() > MAX_PAIRS {
            faults.form.push(format!("must have at most {MAX_PAIRS} keys"));
        }
        for (key, value) in pairs.iter().take(MAX_PAIRS) {
            if let Err(fault) = check_key(key) {
                // A path with such a key would be as long, or as unreadable.
                faults.form.push(fault);
            } else if let Err(fault) = text::optional_line(value, MAX_VALUE) {
                faults.add(key.as_str(), fault);
            }
        }
        faults.or(Self(pairs))
    }

    /// True if there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the pairs in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Returns the pairs as a map.
    pub fn into_pairs(self) -> BTreeMap<String, String> {
        self.0
    }
}

/// Checks a key.
fn check_key(key: &str) -> Result<(), String> {
    match text::line(key, MAX_KEY) {
        Ok(trimmed) if trimmed == key => Ok(()),
        Ok(_) => Err("has a key with spaces around it".to_owned()),
        Err(fault) => Err(format!("has a key that {fault}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(count: usize) -> BTreeMap<String, String> {
        (0..count).map(|number| (format!("key-{number}"), number.to_string())).collect()
    }

    fn pair(key: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(key.to_owned(), value.to_owned())])
    }

    #[test]
    fn twenty_pairs_are_the_most() {
        assert_eq!(Metadata::new(pairs(MAX_PAIRS)).unwrap().len(), MAX_PAIRS);
        let faults = Metadata::new(pairs(MAX_PAIRS + 1)).unwrap_err();
        assert_eq!(faults.form, ["must have at most 20 keys"]);
        assert!(faults.fields.is_empty());
    }

    #[test]
    fn a_key_is_one_short_line() {
        let longest = "ɔ".repeat(MAX_KEY);
        for key in ["order", "order.id", "order id", &longest] {
            assert!(Metadata::new(pair(key, "4711")).is_ok(), "{key}");
        }
        let too_long = "ɔ".repeat(MAX_KEY + 1);
        for key in ["", " ", " order", "order\n", "or\0der", &too_long] {
            let faults = Metadata::new(pair(key, "4711")).unwrap_err();
            assert_eq!((faults.form.len(), faults.fields.len()), (1, 0), "{key:?}");
        }
    }

    #[test]
    fn a_value_is_one_line_and_may_be_empty() {
        let longest = "ɔ".repeat(MAX_VALUE);
        for value in ["", " ", "4711", &longest] {
            assert!(Metadata::new(pair("order", value)).is_ok(), "{value}");
        }
        let too_long = "ɔ".repeat(MAX_VALUE + 1);
        for value in ["a\nb", "a\0b", &too_long] {
            let faults = Metadata::new(pair("order", value)).unwrap_err();
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["order"], "{value:?}");
        }
    }
}

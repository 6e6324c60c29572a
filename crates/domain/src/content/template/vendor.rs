//! Templates that a vendor stores under a name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::shared::{
    fault::Faults,
    placeholder::{self, MissingVariables},
    text,
};

/// Template that a vendor has approved and stores. It is referenced by name, and may be sent outside a
/// messaging window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VendorTemplate {
    /// Vendor's name of the template; at Twilio the `ContentSid`.
    pub name: String,
    /// Vendor's code of the language, such as `en_US`. At Twilio the name determines it.
    pub language: String,
    /// Names of our placeholders that fill `{{1}}`, `{{2}}`, … of its text.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// Name of our placeholder that fills its button: the end of the button's address, or the one-time
    /// password that it copies. At Twilio a button takes its values from the parameters.
    #[serde(default)]
    pub button: Option<String>,
}

/// Vendor's template with its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilledTemplate {
    /// Vendor's name of the template.
    pub name: String,
    /// Vendor's code of the language.
    pub language: String,
    /// Values of `{{1}}`, `{{2}}`, … of its text.
    pub values: Vec<String>,
    /// Value of its button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<String>,
}

/// Longest name that `WhatsApp` allows, in characters.
const MAX_NAME: usize = 512;
/// Longest code of a language, in characters.
pub(super) const MAX_LANGUAGE: usize = 35;
/// Maximum number of parameters.
const MAX_PARAMETERS: usize = 50;

/// Request for a vendor's template, not validated yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VendorTemplateRequest {
    /// Vendor's name of the template. Required.
    pub name: Option<String>,
    /// Vendor's code of the language; that of the template if absent.
    pub language: Option<String>,
    /// Names of our placeholders that fill its text.
    pub parameters: Option<Vec<String>>,
    /// Name of our placeholder that fills its button.
    pub button: Option<String>,
}

impl VendorTemplateRequest {
    /// Returns the requested vendor's template. `language` is that of our template.
    pub(super) fn checked(self, language: &str) -> Result<VendorTemplate, Faults> {
        let mut faults = Faults::default();
        let name = self.name.ok_or_else(|| "is required".to_owned());
        let name = faults.take("name", name.and_then(|name| text::line(&name, MAX_NAME)));
        let code = self.language.as_deref().unwrap_or(language);
        let code = faults.take("language", text::line(code, MAX_LANGUAGE));
        let parameters = self.parameters.unwrap_or_default();
        if parameters.len() > MAX_PARAMETERS {
            faults.add("parameters", format!("must have at most {MAX_PARAMETERS} items"));
        }
        let names = parameters.iter().take(MAX_PARAMETERS).enumerate();
        let names = names.map(|(at, name)| (format!("parameters.{at}"), name));
        let button = self.button.iter().map(|name| ("button".to_owned(), name));
        for (path, name) in names.chain(button) {
            if !placeholder::is_name(name) {
                faults.add(path, "must be the name of a placeholder, without braces");
            }
        }
        let meant = name.zip(code).map(|(name, language)| VendorTemplate {
            name,
            language,
            parameters,
            button: self.button,
        });
        faults.require(meant)
    }
}

impl From<VendorTemplate> for VendorTemplateRequest {
    fn from(known: VendorTemplate) -> Self {
        Self {
            name: Some(known.name),
            language: Some(known.language),
            parameters: Some(known.parameters),
            button: known.button,
        }
    }
}

/// The longest value, in characters: the limit of `WhatsApp` for the whole text of a template.
const MAX_VALUE: usize = 1_024;
/// Fewest consecutive spaces that `WhatsApp` rejects.
const TOO_MANY_SPACES: &str = "     ";

/// Error for a value that `WhatsApp` rejects in every template.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "has a value for {{{{{0}}}}} that is not one line of 1 to {MAX_VALUE} characters without five \
     spaces in a row"
)]
struct UnfitValue(String);

impl VendorTemplate {
    /// Replaces the names of placeholders by values. Fails with all that have no value, or one that the
    /// vendor would reject.
    pub fn fill(&self, variables: &BTreeMap<String, String>) -> Result<FilledTemplate, Faults> {
        let mut faults = Faults::default();
        let mut value = |name: &String| {
            let Some(value) = variables.get(name) else {
                faults.add("variables", MissingVariables(vec![name.clone()]));
                return String::new();
            };
            if !is_fit(value) {
                faults.add("variables", UnfitValue(name.clone()));
                return String::new();
            }
            value.clone()
        };
        let filled = FilledTemplate {
            name: self.name.clone(),
            language: self.language.clone(),
            values: self.parameters.iter().map(&mut value).collect(),
            button: self.button.as_ref().map(value),
        };
        faults.or(filled)
    }
}

fn is_fit(value: &str) -> bool {
    let is_blank = value.trim().is_empty();
    let is_long = value.chars().nth(MAX_VALUE).is_some();
    let is_one_line = !value.chars().any(char::is_control);
    is_one_line && !is_blank && !is_long && !value.contains(TOO_MANY_SPACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> VendorTemplate {
        VendorTemplate {
            name: "order_code".into(),
            language: "en_US".into(),
            parameters: vec!["name".into(), "code".into()],
            button: Some("code".into()),
        }
    }

    fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_are_in_the_order_of_the_vendor() {
        let filled = template().fill(&variables(&[("code", "4711"), ("name", "Ama"), ("x", "")]));

        let expected = FilledTemplate {
            name: "order_code".into(),
            language: "en_US".into(),
            values: vec!["Ama".into(), "4711".into()],
            button: Some("4711".into()),
        };
        assert_eq!(filled, Ok(expected));
    }

    #[test]
    fn a_missing_value_is_reported_once_for_the_variables() {
        let faults = template().fill(&BTreeMap::new()).unwrap_err();

        let expected = ["has no value for {{name}}", "has no value for {{code}}"];
        assert_eq!(faults.fields["variables"], expected);
    }

    #[test]
    fn rejects_values_that_the_vendor_would_reject() {
        let at_most = "a".repeat(MAX_VALUE);
        for value in ["a    b", "é", at_most.as_str()] {
            assert!(template().fill(&variables(&[("code", value), ("name", "A")])).is_ok());
        }
        let too_long = "a".repeat(MAX_VALUE + 1);
        for value in ["", " ", "a\nb", "a\tb", "a\r", "a\0", "a     b", too_long.as_str()] {
            let filled = template().fill(&variables(&[("code", value), ("name", "Ama")]));
            let faults = filled.unwrap_err();
            assert_eq!(faults.fields["variables"].len(), 1, "{value:?}");
            assert!(faults.fields["variables"][0].starts_with("has a value for {{code}}"));
        }
    }

    #[test]
    fn a_template_without_parameters_is_read_and_needs_no_values() {
        let read: VendorTemplate =
            serde_json::from_str(r#"{"name": "hello_world", "language": "en_US"}"#).unwrap();

        let filled = read.fill(&BTreeMap::new()).unwrap();

        let kept = r#"{"name":"hello_world","language":"en_US","values":[]}"#;
        assert_eq!(serde_json::to_string(&filled).unwrap(), kept);
        assert_eq!(serde_json::from_str::<FilledTemplate>(kept).unwrap(), filled);
    }
}

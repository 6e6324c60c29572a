//! Rules about the values of placeholders.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    content::compliance,
    shared::{category::Category, fault::Faults, placeholder},
};

/// The longest short value, in characters.
const MAX_SHORT: usize = 40;
/// The longest value, in characters, in a category whose templates need approval: the approver cannot see
/// the content of a longer one.
const MAX_IN_APPROVED: usize = 160;
/// Minimum number of fixed characters in a text that accepts any value.
const MIN_FIXED: usize = 20;

/// Rules about the values of placeholders, in addition to those of the category.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValueRules {
    /// Placeholders with short values: one line of at most 40 characters without a link. `None` means all
    /// placeholders of a text with a code, and none of other texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short: Option<Vec<String>>,
    /// True if values may be long although the category needs approval. The approver sees this.
    pub allows_long: bool,
}

impl ValueRules {
    /// True if a value is unrestricted and the text around it is nearly empty, so that the approved or
    /// scored text is not the one that is sent.
    pub fn leave_open(&self, category: Category, body: &str) -> bool {
        let is_any = |name| !self.is_short(category, name);
        !placeholder::has_fixed(body, MIN_FIXED) && placeholder::names(body).into_iter().any(is_any)
    }

    /// Checks the values of these placeholders.
    pub(crate) fn check<'n>(
        &self,
        category: Category,
        names: impl IntoIterator<Item = &'n str>,
        values: &BTreeMap<String, String>,
    ) -> Result<(), Faults> {
        let mut faults = Faults::default();
        let has_short = self.short.is_some() || category == Category::Otp;
        if !has_short && !category.needs_approval() {
            return Ok(());
        }
        for name in names {
            let Some(value) = values.get(name) else { continue };
            let path = || format!("variables.{name}");
            if self.is_short(category, name) {
                if value.chars().nth(MAX_SHORT).is_some()
                    || value.contains(['\n', '\r'])
                    || compliance::has_link(value)
                {
                    let about = format!(
                        "must be one line of at most {MAX_SHORT} characters without a link, as the \
                         template's short placeholders are"
                    );
                    faults.add(path(), about);
                }
            } else if category.needs_approval()
                && !self.allows_long
                && value.chars().nth(MAX_IN_APPROVED).is_some()
            {
                let about = format!(
                    "must have at most {MAX_IN_APPROVED} characters in a template of {category} without \
                     `longVariables`"
                );
                faults.add(path(), about);
            }
        }
        faults.or(())
    }

    fn is_short(&self, category: Category, name: &str) -> bool {
        match &self.short {
            Some(short) => short.iter().any(|it| it == name),
            None => category == Category::Otp,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(names: &[&str]) -> ValueRules {
        let short = Some(names.iter().map(ToString::to_string).collect());
        ValueRules { short, allows_long: false }
    }

    fn faulty(rules: &ValueRules, category: Category, value: &str) -> bool {
        let values = [("a".to_owned(), value.to_owned())].into();
        rules.check(category, ["a", "b"], &values).is_err()
    }

    #[test]
    fn a_text_of_mostly_placeholders_is_open_unless_they_are_short() {
        let by_default = ValueRules::default();
        for (rules, category, body, is_open) in [
            (&by_default, Category::Transactional, "{{a}}", true),
            (&by_default, Category::Transactional, "Dear customer, your {{a}} {{a}}", true),
            (&by_default, Category::Transactional, "Dear customer, here it is {{a}}", false),
            (&by_default, Category::Transactional, "Hello", false),
            (&by_default, Category::Otp, "{{a}}", false),
            (&short(&[]), Category::Otp, "{{a}}", true),
            (&short(&["a"]), Category::Marketing, "{{a}}", false),
            (&short(&["a"]), Category::Marketing, "{{a}} {{b}}", true),
        ] {
            assert_eq!(rules.leave_open(category, body), is_open, "{category} {body}");
        }
    }

    #[test]
    fn a_short_value_is_one_line_without_a_link() {
        let rules = short(&["a"]);
        for fit in ["482913", "Ama Owusu", &"é".repeat(40)] {
            assert!(!faulty(&rules, Category::Transactional, fit), "{fit}");
        }
        for unfit in
            ["a\nb", "see https://evil.example/x", "evil-shop.com/pay now", &"é".repeat(41)]
        {
            assert!(faulty(&rules, Category::Transactional, unfit), "{unfit}");
            assert!(!faulty(&short(&[]), Category::Transactional, unfit), "{unfit}");
        }
    }

    #[test]
    fn limits_values_if_texts_need_approval_unless_long_are_allowed() {
        let long = "a".repeat(161);
        assert!(faulty(&ValueRules::default(), Category::Fintech, &long));
        assert!(!faulty(&ValueRules::default(), Category::Fintech, &long[1..]));
        assert!(!faulty(&ValueRules::default(), Category::Logistics, &long));
        let allowing = ValueRules { short: None, allows_long: true };
        assert!(!faulty(&allowing, Category::Fintech, &long));
    }
}

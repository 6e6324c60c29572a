//! Texts of requests that accounts need.

use domain::shared::{fault::Faults, text};

/// Returns a required text. A missing or empty one is a fault of the field, unless it has one.
pub(super) fn required(field: &str, value: Option<String>, faults: &mut Faults) -> Option<String> {
    let value = value.filter(|value| !value.is_empty());
    if value.is_none() && !faults.fields.contains_key(field) {
        faults.add(field, "is required");
    }
    refuse_nul(field, value.as_deref(), faults);
    value
}

/// Adds the fault of a text with the character NUL.
pub(super) fn refuse_nul(field: &str, value: Option<&str>, faults: &mut Faults) {
    if let Some(Err(fault)) = value.map(text::without_nul) {
        faults.add(field, fault);
    }
}

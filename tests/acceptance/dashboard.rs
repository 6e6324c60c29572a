//! The dashboard as a program sees it that speaks HTTP like a browser. `tests/browser` uses it like a person.

pub(crate) mod administration;
pub(crate) mod cookies;
pub(crate) mod foreign_items;
pub(crate) mod forms;
pub(crate) mod hostile_items;
pub(crate) mod hostile_texts;
pub(crate) mod origins;
pub(crate) mod platform_rules;
pub(crate) mod previews;
pub(crate) mod repetitions;
pub(crate) mod roles;
pub(crate) mod visitor;

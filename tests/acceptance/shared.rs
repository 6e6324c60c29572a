//! Parts that all subjects use.

pub(crate) mod bodies;
pub(crate) mod body_fields;
pub(crate) mod conventions;
pub(crate) mod document;
pub(crate) mod envelope;
pub(crate) mod fuzz;
pub(crate) mod injection;
pub(crate) mod long_texts;
pub(crate) mod possessions;
pub(crate) mod settings;
pub(crate) mod wire;

//! The parts that all pages share: who asks, forms, navigation, and answers.

pub(crate) mod assets;
pub(crate) mod cookies;
pub(crate) mod failure;
pub(crate) mod form;
pub(crate) mod form_token;
pub(crate) mod guest;
pub(crate) mod navigation;
pub(crate) mod notice;
pub(crate) mod once;
pub(crate) mod origin;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod posted;
pub(crate) mod query;
pub(crate) mod routes;
pub(crate) mod visit;

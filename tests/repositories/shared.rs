//! Parts shared by all subjects.

pub(crate) mod changes;
pub(crate) mod connections;
pub(crate) mod contract;
pub(crate) mod instances;
pub(crate) mod locks;
pub(crate) mod migrations;
pub(crate) mod plans;
pub(crate) mod tls;

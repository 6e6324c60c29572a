//! Providers of channels, and their state.

pub(crate) mod failover;
pub(crate) mod mail_server;
pub(crate) mod odd_vendors;
pub(crate) mod outages;
pub(crate) mod pace;
pub(crate) mod states;
pub(crate) mod vendor;

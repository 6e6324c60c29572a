//! Types that all subjects use.

pub(crate) mod state;
pub(crate) mod store;

//! Neutral implementation of ports.
//!
//! ```
//! use ports::shared::{
//!     nobody::Nobody,
//!     signals::{Change, ChangeBroadcast},
//! };
//!
//! Nobody.broadcast(Change::Prices);
//! ```

/// Implementation of ports that does nothing, for tests and for embedders without that part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Nobody;

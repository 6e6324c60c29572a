//! Operations of the service. One struct per area, one method per operation: the inside of the
//! hexagon that the REST API, the workers, the command line and embedders share.

#![warn(missing_docs)]

pub mod audience;
pub mod content;
pub mod identity;
pub mod messaging;
pub mod money;
pub mod outreach;
pub mod platform;
pub mod providers;
pub mod shared;
pub mod webhooks;

pub use shared::error::{Error, NamedThing, Reason, seconds};

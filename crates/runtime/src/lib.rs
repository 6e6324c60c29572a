//! Parts of a process around the use cases: the workers that deliver messages, background tasks, the
//! system's clock and its randomness.
//!
//! The use cases wait for nothing and repeat nothing by themselves. [`DeliveryPool`](delivery_pool::DeliveryPool)
//! calls them for each job that is due, and the [`Runner`](background::Runner) for everything that is done
//! from time to time. Both need Tokio.

#![warn(missing_docs)]

pub mod background;
pub mod clock;
pub mod delivery_pool;
pub mod random;
pub mod report_relay;
pub mod signals;
pub mod supervisor;

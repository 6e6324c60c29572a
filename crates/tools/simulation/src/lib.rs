//! Runs the use cases in worlds with every kind of fault, and checks that their promises hold
//! nevertheless. `docs/simulation.md` lists what is simulated, and what is not.
//!
//! All events of a world depend on its seed: a run of the same seed takes the same steps.

#![warn(missing_docs)]

mod absent;
pub mod chance;
mod checks;
mod client;
pub mod defects;
mod disturbances;
mod instance;
pub mod many;
pub mod options;
mod orders;
mod own_leases;
pub mod run;
pub mod scenario;
pub mod scheduler;
pub mod trace;
mod unreliable;
pub mod vendor;
mod vendor_line;
pub mod virtual_clock;
pub mod weather;
pub mod witness;
mod world;

//! Runs the use cases in worlds where everything goes wrong that can, and looks whether what is promised
//! holds all the same. `docs/simulation.md` tells what is simulated, and what is not.
//!
//! All that happens in a world is decided by its seed: a run of the same seed takes the same steps.

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

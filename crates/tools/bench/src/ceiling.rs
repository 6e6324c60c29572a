//! Ceiling: a bare program that writes what the service writes for a message, and checks nothing.
//!
//! It takes the same requests over the same HTTP server, answers with as many bytes, and writes the
//! same rows into tables of the same shape with the same durability: a line of the log, a job, a line
//! of the journal, the change of a wallet, and an idempotency key if the request has one. It knows
//! no rule: no prices, limits, suppressions, leases that end, retries or other instances. HTTP and
//! writers share one thread, so nothing is handed from one thread to another. The service cannot be
//! cheaper than this on the same machine, and the distance is what its rules and its structure cost.

mod database;
mod intake;
mod journal;
mod message;
mod server;
mod statements;
mod steps;

pub(crate) use self::server::serve;

//! Those who are written to, and those who do not want it.

pub mod contact;
pub mod import;
pub mod segment;
pub mod suppression;
pub mod unsubscribe;

//! The service as a whole: tenants, audit, figures and limits.

pub mod analytics;
pub mod audit;
pub mod brake;
pub mod policy;
pub mod recommendation;
pub mod signs_of_life;
pub mod tenant;
pub mod traffic;

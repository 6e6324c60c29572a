//! The service as a whole: tenants, audit, figures and limits.

pub mod activity;
pub mod analytics;
pub mod audit;
pub mod closing;
pub mod fraud_guard;
pub mod heartbeat;
pub mod message_figures;
pub mod notice;
pub mod organization_export;
pub mod recommendation;
pub mod reconciliation;
pub mod refused_call;
pub mod tenant;
pub mod user;
pub mod wallet_correction;
pub mod webhook_examples;

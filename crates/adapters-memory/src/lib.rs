//! Ports of the messaging core in memory, until the process ends.
//!
//! For programs that send messages without a database, and for tests that must come out the same each
//! time. All of it is [`MemoryStore`], which implements
//!
//! - `Intake`, `Jobs`, `DeliveryLogRepository` and `AnalyticsRepository`,
//! - `WalletRepository` and `PricingRepository`,
//! - `OrganizationRepository`, `TemplateRepository` and `SuppressionRepository`,
//! - `CallbackRepository`, `ProviderRegistry` and `TriggerRepository`,
//! - `WebhookSubscriptions` and `HeldCampaigns`.
//!
//! What it does is what `adapters-postgres` does; both pass the same tests
//! (`tests/repositories/contract`).
//!
//! It has no clock and no randomness of its own, and nothing waits in it: the same calls in the same
//! order, with the same identifiers and the same times, come to the same.
//!
//! What it leaves out: users, API keys and audit; events (their triggers are there); contacts, but for
//! [what suppressions need of them](MemoryStore::put_contact), and segments; campaigns (their
//! submissions are refused as [overtaken](ports::messaging::messages::IntakeError::Overtaken), as those of a
//! campaign that is not being sent); approvals, sender names and sending windows; payments, invoices,
//! and the pages and the chain of the ledger; calls of webhook endpoints; any limit on memory. Nothing
//! is purged.

#![warn(missing_docs)]

mod audience;
mod content;
mod identity;
mod messaging;
mod money;
mod outreach;
mod platform;
mod providers;
mod shared;
mod webhooks;

pub use self::shared::{state::LedgerEntry, store::MemoryStore};

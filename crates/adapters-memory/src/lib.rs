//! Ports of the messaging core in memory, until the process ends.
//!
//! For programs that send messages without a database, and for tests that must give the same result each
//! time. All of it is [`MemoryStore`], which implements
//!
//! - `Intake`, `Jobs`, `DeliveryLogRepository` and `AnalyticsRepository`,
//! - `WalletRepository` and `PricingRepository`,
//! - `OrganizationRepository`, `TemplateRepository` and `SuppressionRepository`,
//! - `CallbackRepository`, `ProviderRegistry` and `TriggerRepository`,
//! - `WebhookSubscriptions` and `HeldCampaigns`.
//!
//! Its behavior is that of `adapters-postgres`; both pass the same tests (`tests/repositories/contract`).
//!
//! It has no clock and no randomness of its own, and nothing waits in it: the same calls in the same order,
//! with the same identifiers and the same times, give the same result.
//!
//! Not implemented are users, API keys and audit; events (but triggers are); contacts, except for [those
//! that suppressions need](MemoryStore::put_contact), and segments; campaigns (their submissions are
//! refused as [overtaken](ports::messaging::messages::IntakeError::Overtaken), as those of a campaign that
//! is not being sent); approvals, sender names and sending windows; payments, invoices, and the pages and
//! the chain of the ledger; calls of webhook endpoints; any limit on memory. Nothing is purged.

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

//! Data of the store. Nothing here waits or reads a clock.

mod acceptance;
mod contact_book;
mod idempotency_keys;
mod job_queue;
mod message_log;
mod opt_outs;
mod organizations_kept;
mod outbound_events;
mod provider_notes;
mod steps;
mod suppression_list;
mod template_shelf;
mod trigger_states;
mod vendor_notes;
mod versions;
mod wallets;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    identity::organization::Organization,
    messaging::{job::Lease, message::Message},
    money::pricing::{Plan, PricingRule},
    shared::id::Id,
};
use uuid::Uuid;

pub use self::wallets::LedgerEntry;
pub(crate) use self::{acceptance::Acceptance, versions::Begun};
use self::{
    contact_book::ContactBook, idempotency_keys::IdempotencyKeys, job_queue::JobQueue,
    message_log::MessageLog, organizations_kept::KeptOrganizations,
    outbound_events::OutboundEvents, provider_notes::ProviderNotes,
    suppression_list::SuppressionList, template_shelf::TemplateShelf,
    trigger_states::TriggerStates, vendor_notes::VendorNotes, versions::Versions, wallets::Wallets,
};

/// Data of the store.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) organizations: KeptOrganizations,
    pub(crate) wallets: Wallets,
    pub(crate) prices: Versions<PricingRule>,
    pub(crate) plans: Versions<Plan>,
    pub(crate) templates: TemplateShelf,
    pub(crate) contacts: ContactBook,
    pub(crate) suppressions: SuppressionList,
    pub(crate) keys: IdempotencyKeys,
    pub(crate) messages: MessageLog,
    pub(crate) jobs: JobQueue,
    pub(crate) triggers: TriggerStates,
    /// Newest repetition of each failed message that was sent again.
    pub(crate) resends: HashMap<Id<Message>, Id<Message>>,
    pub(crate) providers: ProviderNotes,
    pub(crate) vendors: VendorNotes,
    pub(crate) outbound_events: OutboundEvents,
    /// Number of leases and identifiers created.
    made: u64,
}

/// Number of bits of an identifier that hold its organization's slot.
const SLOT_BITS: u32 = 12;
const SLOT_MASK: u64 = (1 << SLOT_BITS) - 1;

impl State {
    /// Returns a new lease of an instance.
    pub(crate) fn lease(&mut self, instance: u64) -> Lease {
        self.made += 1;
        Lease(Uuid::from_u64_pair(instance, self.made))
    }

    /// Returns a new identifier of an object that is created at `now` and belongs to that organization.
    /// Later ones are greater.
    pub(crate) fn identifier<T>(
        &mut self,
        now: DateTime<Utc>,
        organization: Option<Id<Organization>>,
    ) -> Id<T> {
        self.made += 1;
        let slot = organization.map_or(0, |it| it.uuid().as_u64_pair().1 & SLOT_MASK);
        let millis = u64::try_from(now.timestamp_millis()).unwrap_or_default();
        // Version 7 of variant 1, numbered instead of random.
        Id::of(Uuid::from_u64_pair(
            (millis << 16) | 0x7000,
            (1 << 63) | (self.made << SLOT_BITS) | slot,
        ))
    }
}

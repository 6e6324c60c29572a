//! Vendors: their treatment of messages, and their reports.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    messaging::{
        delivery::{DeliveryEvent, Failure, FailureCode},
        message::Message,
        outcome::{FollowUp, LookUp, Outcome},
    },
    providers::provider::{Provider, Route, WithoutReport},
    shared::{channel::Channel, id::Id},
};
use ports::shared::clock::Clock;

use crate::{chance::Chance, virtual_clock::VirtualClock};

/// Behaviour of a vendor, in thousandths of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    /// The vendor certainly does not take the message.
    pub refuses: u64,
    /// The vendor will never take the message.
    pub rejects: u64,
    /// The vendor does not answer in time; every other time it has taken the message.
    pub times_out: u64,
    /// Our code panics during the call.
    pub panics: u64,
    /// The vendor takes the message, and gives it up later.
    pub fails: u64,
    /// The vendor never reports on the message.
    pub keeps_silent: u64,
    /// The vendor reports more than once, and not always the same.
    pub repeats: u64,
    /// The vendor cannot answer a question about a message.
    pub cannot_be_asked: u64,
}

impl Manners {
    /// Returns the behaviour after the faults have ended: messages may fail, and reports may be
    /// missing.
    #[must_use]
    pub fn once_calm(self) -> Self {
        Self { refuses: 0, times_out: 0, panics: 0, cannot_be_asked: 0, ..self }
    }
}

/// Properties of a vendor that do not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorTraits {
    /// Declaration as a provider.
    pub provider: Provider,
    /// True if it reports under its own name of a message, false if under ours.
    pub names_messages: bool,
    /// True if it takes a message once, however often it is given it.
    pub knows_repetitions: bool,
    /// Most messages in one call.
    pub group_limit: usize,
}

impl VendorTraits {
    /// Returns the traits of a random vendor.
    pub fn new(number: usize, chance: &Chance) -> Self {
        let without_report = match chance.index(8) {
            0 => WithoutReport::Expected,
            1 => WithoutReport::Refunded,
            _ => WithoutReport::Noted,
        };
        let provider = Provider {
            name: format!("vendor-{number}"),
            kind: "simulated",
            channel: Channel::Sms,
            routes: vec![Route { country: None, priority: 1 }],
            report_timeout: TimeDelta::seconds(
                chance.pause(5..=120).as_secs().max(5).cast_signed(),
            ),
            without_report,
        };
        Self {
            provider,
            names_messages: chance.happens(700),
            knows_repetitions: chance.happens(300),
            group_limit: if chance.happens(300) { 10 } else { 1 },
        }
    }
}

/// Vendor, which outlives all processes. Clones share its state.
#[derive(Clone)]
pub struct Vendor {
    pub(crate) traits: Arc<VendorTraits>,
    chance: Chance,
    clock: VirtualClock,
    state: Arc<Mutex<State>>,
}

struct State {
    manners: Manners,
    taken: BTreeMap<Id<Message>, TakenMessage>,
    references: u64,
}

/// Message that the vendor took.
struct TakenMessage {
    /// The vendor's name of the message.
    reference: String,
    /// Event that the vendor can report; `None` if there is none yet.
    known: Option<DeliveryEvent>,
    /// True if the vendor ever confirmed the message.
    is_confirmed: bool,
}

/// Course of a call to a vendor.
#[derive(Debug, Clone)]
pub(crate) struct CallPlan {
    /// Time until the message arrives, if it does; possibly after the caller gave up.
    pub(crate) arrives_after: Option<Duration>,
    /// Time until the call ends.
    pub(crate) ends_after: Duration,
    /// Outcome of the call; `None` is a panic.
    pub(crate) outcome: Option<Outcome>,
}

/// Report that a vendor will make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedReport {
    /// Time after the message was taken.
    pub(crate) after: Duration,
    pub(crate) event: ReportedEvent,
}

domain::closed_list! {
    /// Event that a vendor can report.
    pub(crate) enum ReportedEvent {
        Taken = "taken",
        Delivered = "delivered",
        Failed = "failed",
    }
}

impl ReportedEvent {
    pub(crate) fn at(self, at: DateTime<Utc>) -> DeliveryEvent {
        match self {
            Self::Taken => DeliveryEvent::Accepted { at },
            Self::Delivered => DeliveryEvent::Confirmed { at },
            Self::Failed => DeliveryEvent::Rejected {
                at,
                failure: Failure::new(FailureCode::Undelivered, "the vendor gave it up"),
            },
        }
    }
}

impl Vendor {
    /// Creates a vendor that has no message yet.
    pub fn new(
        traits: VendorTraits,
        manners: Manners,
        chance: Chance,
        clock: VirtualClock,
    ) -> Self {
        let state = State { manners, taken: BTreeMap::new(), references: 0 };
        Self { traits: Arc::new(traits), chance, clock, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the name of the vendor.
    pub fn name(&self) -> &str {
        &self.traits.provider.name
    }

    /// Changes the behaviour.
    pub fn behave(&self, manners: Manners) {
        self.state().manners = manners;
    }

    /// Returns the behaviour.
    pub fn manners(&self) -> Manners {
        self.state().manners
    }

    /// True if the vendor ever confirmed the message.
    pub fn has_confirmed(&self, message: Id<Message>) -> bool {
        self.state().taken.get(&message).is_some_and(|taken| taken.is_confirmed)
    }

    /// Plans a call that begins now.
    pub(crate) fn plan(&self, message: Id<Message>) -> CallPlan {
        let Manners { refuses, rejects, times_out, panics, .. } = self.manners();
        let answer_time = self.chance.pause(5..=2_000);
        let chance = self.chance.within(1..=1_000);
        if chance <= refuses {
            return CallPlan::unheard(answer_time, self.refusal());
        }
        if chance <= refuses + rejects {
            let failure = Failure::new(FailureCode::InvalidRecipient, "no such number");
            return CallPlan::unheard(answer_time, Outcome::Rejected(failure));
        }
        let is_cut_short = chance <= refuses + rejects + times_out + panics;
        let is_panic = is_cut_short && chance > refuses + rejects + times_out;
        let ends_after = if is_cut_short { self.chance.pause(50..=60_000) } else { answer_time };
        let outcome = if is_cut_short { unknown() } else { self.acceptance(message) };
        let arrives_after = if !is_cut_short {
            Some(ends_after.mul_f64(0.5))
        } else if self.chance.happens(500) {
            Some(self.chance.pause(0..=70_000))
        } else {
            None
        };
        CallPlan { arrives_after, ends_after, outcome: Some(outcome).filter(|_| !is_panic) }
    }

    fn acceptance(&self, message: Id<Message>) -> Outcome {
        let is_followed = self.traits.provider.without_report != WithoutReport::Expected;
        let follow_up = if is_followed { FollowUp::Report } else { FollowUp::Nothing };
        let mut state = self.state();
        let known = state.taken.get(&message).filter(|_| self.traits.knows_repetitions);
        let known = known.map(|taken| taken.reference.clone());
        let reference = known.unwrap_or_else(|| state.new_reference(self.name()));
        Outcome::Accepted { reference: Some(reference), follow_up }
    }

    fn refusal(&self) -> Outcome {
        let code = match self.chance.index(3) {
            0 => FailureCode::ProviderUnavailable,
            1 => FailureCode::ProviderRejected,
            _ => FailureCode::ProviderThrottled,
        };
        let failure = Failure::new(code, "not now");
        let retry_after = self.chance.happens(300).then(|| TimeDelta::seconds(10));
        Outcome::NotAccepted { failure, retry_after }
    }

    /// Takes a message. Returns the vendor's name of it, and the planned reports; `None` if the
    /// vendor knows the message and takes none twice.
    pub(crate) fn take(
        &self,
        message: Id<Message>,
        reference: Option<String>,
    ) -> Option<(String, Vec<PlannedReport>)> {
        let mut state = self.state();
        let reference = reference.unwrap_or_else(|| state.new_reference(self.name()));
        let Manners { fails, keeps_silent, repeats, .. } = state.manners;
        if state.taken.contains_key(&message) && self.traits.knows_repetitions {
            return None;
        }
        let taken = TakenMessage { reference: reference.clone(), known: None, is_confirmed: false };
        state.taken.entry(message).or_insert(taken);
        drop(state);
        if self.chance.happens(keeps_silent)
            || self.traits.provider.without_report == WithoutReport::Expected
        {
            return Some((reference, Vec::new()));
        }
        let is_failed = self.chance.happens(fails);
        let event = if is_failed { ReportedEvent::Failed } else { ReportedEvent::Delivered };
        let mut reports = vec![PlannedReport { after: self.chance.pause(0..=90_000), event }];
        while self.chance.happens(repeats) {
            let after = self.chance.pause(0..=120_000);
            let event = *self.chance.pick(&ReportedEvent::ALL).unwrap_or(&event);
            reports.push(PlannedReport { after, event });
        }
        Some((reference, reports))
    }

    /// Records an event of a message that the vendor took, which it can report from now on.
    pub(crate) fn happens(&self, message: Id<Message>, event: ReportedEvent) {
        let now = self.clock.now();
        if let Some(taken) = self.state().taken.get_mut(&message) {
            taken.is_confirmed |= event == ReportedEvent::Delivered;
            let is_first = taken.known.is_none();
            if is_first && event != ReportedEvent::Taken {
                taken.known = Some(event.at(now));
            }
        }
    }

    /// Answers a question about a message.
    pub(crate) fn look_up(&self, message: Id<Message>) -> LookUp {
        let state = self.state();
        if self.chance.happens(state.manners.cannot_be_asked) {
            return LookUp::Unavailable;
        }
        match state.taken.get(&message) {
            None => LookUp::NotFound,
            Some(TakenMessage { known: Some(event), .. }) => LookUp::Found(event.clone()),
            Some(TakenMessage { known: None, .. }) => LookUp::Waiting,
        }
    }

    /// Returns the time of an answer to a question.
    pub(crate) fn look_up_time(&self) -> Duration {
        self.chance.pause(1..=5_000)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new_reference(&mut self, vendor: &str) -> String {
        self.references += 1;
        format!("{vendor}-{}", self.references)
    }
}

impl CallPlan {
    fn unheard(ends_after: Duration, outcome: Outcome) -> Self {
        Self { arrives_after: None, ends_after, outcome: Some(outcome) }
    }
}

pub(crate) fn unknown() -> Outcome {
    Outcome::Unknown(Failure::new(FailureCode::UnknownOutcome, "no answer in time"))
}

//! Vendors: what they do with messages, and what they say of it.

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

/// How a vendor behaves, in thousandths of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    /// It certainly does not take the message.
    pub refuses: u64,
    /// It will never take the message.
    pub rejects: u64,
    /// It does not answer in time; every other time it has taken the message.
    pub times_out: u64,
    /// Our code panics amid the call.
    pub panics: u64,
    /// It gives the message up after it took it.
    pub fails: u64,
    /// It never says what became of the message.
    pub keeps_silent: u64,
    /// It reports more than once, and not always the same.
    pub repeats: u64,
    /// It cannot say what became of a message when it is asked.
    pub cannot_be_asked: u64,
}

impl Manners {
    /// How every vendor behaves once the faults have ended: messages may fail, and it may keep silent.
    #[must_use]
    pub fn once_calm(self) -> Self {
        Self { refuses: 0, times_out: 0, panics: 0, cannot_be_asked: 0, ..self }
    }
}

/// What a vendor is like, whatever happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorTraits {
    /// As what it is declared.
    pub provider: Provider,
    /// Whether it reports under its own name of a message, or under ours.
    pub names_messages: bool,
    /// Whether it takes a message once, however often it is given it.
    pub knows_repetitions: bool,
    /// How many messages it takes in one call.
    pub group_limit: usize,
}

impl VendorTraits {
    /// A vendor that `chance` makes up.
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

/// A vendor, which outlives all processes. Clones are the same.
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

/// A message that the vendor took.
struct TakenMessage {
    /// How the vendor calls it.
    reference: String,
    /// What it can tell of it.
    known: Option<DeliveryEvent>,
    /// Whether it ever confirmed it.
    is_confirmed: bool,
}

/// What a vendor makes of a call.
#[derive(Debug, Clone)]
pub(crate) struct CallPlan {
    /// When the message gets there, if it does; also after whoever sent it gave up.
    pub(crate) arrives_after: Option<Duration>,
    /// When the call ends.
    pub(crate) ends_after: Duration,
    /// What it comes to; `None` is a panic.
    pub(crate) outcome: Option<Outcome>,
}

/// A report that a vendor makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedReport {
    /// How long after the message was taken.
    pub(crate) after: Duration,
    pub(crate) event: ReportedEvent,
}

/// What a vendor can report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportedEvent {
    Taken,
    Delivered,
    Failed,
}

impl ReportedEvent {
    pub(crate) const ALL: [Self; 3] = [Self::Taken, Self::Delivered, Self::Failed];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

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
    /// A vendor that has no message yet.
    pub fn new(
        traits: VendorTraits,
        manners: Manners,
        chance: Chance,
        clock: VirtualClock,
    ) -> Self {
        let state = State { manners, taken: BTreeMap::new(), references: 0 };
        Self { traits: Arc::new(traits), chance, clock, state: Arc::new(Mutex::new(state)) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.traits.provider.name
    }

    /// Behaves like that from now on.
    pub fn behave(&self, manners: Manners) {
        self.state().manners = manners;
    }

    /// How it behaves.
    pub fn manners(&self) -> Manners {
        self.state().manners
    }

    /// Whether it ever confirmed a message.
    pub fn has_confirmed(&self, message: Id<Message>) -> bool {
        self.state().taken.get(&message).is_some_and(|taken| taken.is_confirmed)
    }

    /// What it makes of a call that begins now.
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

    /// A message gets there. Returns how the vendor calls it, and what it will report; nothing if it
    /// knows the message and takes none twice.
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

    /// Something becomes of a message that the vendor took: it can tell from now on.
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

    /// What it answers when it is asked for a message.
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

    /// How long it takes to answer when it is asked.
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

//! What a provider does with messages.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// What a provider does at present.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Manner {
    /// It takes each after a moment, but refuses some numbers and is out of order for some at first.
    #[default]
    Honest,
    /// The same, after that time.
    Slow(Duration),
    /// It takes each, and answers and reports what it likes.
    Lying,
}

/// How a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Taken,
    /// Such a number does not exist.
    Refused,
    /// 503: it did not take the message.
    OutOfOrder,
    Lie(Lie),
}

/// How a call is answered by a provider that lies. It has taken the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lie {
    /// 200 with something that is no answer.
    Nonsense,
    /// Headers, and then the connection breaks.
    CutOff,
    /// A body without end.
    Endless,
    /// Nothing at all.
    Silence,
    /// 500.
    Broken,
    /// An identifier with a zero byte in it.
    OddIdentifier,
    /// Everything is reported twice.
    ReportsTwice,
    /// A failure is reported after the delivery.
    ReportsFailureAfterDelivery,
}

const LIES: [Lie; 8] = [
    Lie::Nonsense,
    Lie::CutOff,
    Lie::Endless,
    Lie::Silence,
    Lie::Broken,
    Lie::OddIdentifier,
    Lie::ReportsTwice,
    Lie::ReportsFailureAfterDelivery,
];
/// Nobody has numbers that end so.
const UNKNOWN_NUMBERS: &str = "77";
/// The first call for a number that ends so finds it out of order.
const UNLUCKY_NUMBERS: &str = "55";
/// Of so many messages some are reported to have failed, some are never reported on.
const OF: u64 = 10;
const FAILED: u64 = 1;
const UNREPORTED: u64 = 2;

impl Manner {
    pub(crate) fn reply(self, id: &str, to: &str, is_first: bool) -> Reply {
        match self {
            Self::Lying => Reply::Lie(lie(id)),
            _ if to.ends_with(UNKNOWN_NUMBERS) => Reply::Refused,
            _ if to.ends_with(UNLUCKY_NUMBERS) && is_first => Reply::OutOfOrder,
            _ => Reply::Taken,
        }
    }

    pub(crate) const fn delay(self) -> Duration {
        match self {
            Self::Slow(delay) => delay,
            Self::Honest | Self::Lying => Duration::from_millis(5),
        }
    }
}

impl Lie {
    /// Whether the service cannot know that the message was taken, so that it may be sent again.
    pub(crate) const fn is_unclear(self) -> bool {
        matches!(self, Self::CutOff | Self::Endless | Self::Silence | Self::Broken)
    }
}

/// What is reported of a message, in this order.
pub(crate) fn reports(id: &str, reply: Reply) -> &'static [&'static str] {
    match reply {
        Reply::Refused | Reply::OutOfOrder => &[],
        Reply::Lie(Lie::ReportsTwice) => &["DELIVERED", "DELIVERED"],
        Reply::Lie(Lie::ReportsFailureAfterDelivery) => &["DELIVERED", "FAILED"],
        // Without a report a message in doubt would wait for minutes.
        Reply::Lie(_) => &["DELIVERED"],
        Reply::Taken => match digest(id) % OF {
            number if number < FAILED => &["FAILED"],
            number if number < FAILED + UNREPORTED => &[],
            _ => &["DELIVERED"],
        },
    }
}

fn lie(id: &str) -> Lie {
    let number = digest(id) % LIES.len() as u64;
    usize::try_from(number).map_or(Lie::Nonsense, |number| LIES[number])
}

/// The same number for the same message.
fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

//! Behaviour of a provider.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// Behaviour of a provider at present.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Manner {
    /// Takes each message after a moment, but refuses some numbers, and is out of order for some at
    /// first.
    #[default]
    Honest,
    /// Behaves like [`Honest`](Self::Honest), after this time.
    Slow(Duration),
    /// Takes each message, and gives false answers and reports.
    Lying,
}

/// Answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Taken,
    /// The number does not exist.
    Refused,
    /// 503: the message was not taken.
    OutOfOrder,
    Lie(Lie),
}

/// Answer to a call by a provider that lies. It has taken the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lie {
    /// 200 with a text that is no answer.
    Nonsense,
    /// Headers, and then a broken connection.
    CutOff,
    /// A body without end.
    Endless,
    /// No answer.
    Silence,
    /// 500.
    Broken,
    /// An identifier with a zero byte in it.
    OddIdentifier,
    /// An answer, and two reports of each status.
    ReportsTwice,
    /// An answer, and the report of a failure after that of the delivery.
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
/// Ending of numbers that do not exist.
const UNKNOWN_NUMBERS: &str = "77";
/// Ending of numbers whose first call finds the provider out of order.
const UNLUCKY_NUMBERS: &str = "55";
/// Divisor of the shares of messages that are reported as failed, or never reported.
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
    /// True if the service cannot know that the message was taken, so that it may be sent again.
    pub(crate) const fn is_unclear(self) -> bool {
        matches!(self, Self::CutOff | Self::Endless | Self::Silence | Self::Broken)
    }
}

/// Returns the reported statuses of a message, in this order.
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

/// Returns the same number for the same message.
fn digest(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

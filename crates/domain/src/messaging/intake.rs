//! How much may be accepted, when, and in which order: delivery has the right of way.

mod queue;

pub use self::queue::{IntakeLimits, IntakeQueue, Size};
use crate::messaging::lane::{Lane, TURNS_OF_THE_LAST};

/// How many messages wait in the memory of an instance that could go now, by lane. Those that could
/// not, such as messages whose provider is away or at its limit, count nothing: accepting more slowly
/// would help none of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog([usize; Lane::ALL.len()]);

impl Backlog {
    /// How many messages may be ahead of one that is accepted: as many as keep the workers busy while the
    /// next batch is written, and no more. A provider that takes fewer in a second is what its messages
    /// wait for, and not this instance.
    pub const MOST: usize = 2_048;

    /// Adds messages of a lane.
    pub fn add(&mut self, lane: Lane, messages: usize) {
        self.0[Self::place(lane)] += messages;
    }

    /// Whether messages of `lane` may be accepted: not while too many are ahead of them.
    pub fn admits(&self, lane: Lane) -> bool {
        self.ahead_of(lane) < Self::MOST
    }

    /// How many messages go before one of `lane` that comes now: those of its lane and of more urgent
    /// ones. The last lane has turns of its own.
    fn ahead_of(&self, lane: Lane) -> usize {
        let ahead = self.0[..=Self::place(lane)].iter().sum();
        match lane {
            Lane::Sandbox => self.0[Self::place(lane)].saturating_mul(TURNS_OF_THE_LAST).min(ahead),
            _ => ahead,
        }
    }

    fn place(lane: Lane) -> usize {
        usize::from(lane.rank().unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(waiting: &[(Lane, usize)]) -> Backlog {
        let mut backlog = Backlog::default();
        for (lane, messages) in waiting {
            backlog.add(*lane, *messages);
        }
        backlog
    }

    fn admitted(backlog: Backlog) -> Vec<Lane> {
        Lane::ALL.into_iter().filter(|lane| backlog.admits(*lane)).collect()
    }

    #[test]
    fn what_is_behind_in_a_lane_holds_that_lane_and_less_urgent_ones() {
        assert_eq!(admitted(Backlog::default()), Lane::ALL);
        let bulk = backlog(&[(Lane::Bulk, Backlog::MOST)]);
        assert_eq!(admitted(bulk), [Lane::Otp, Lane::Alert, Lane::Single, Lane::Sandbox]);
        let singles = backlog(&[(Lane::Single, Backlog::MOST)]);
        assert_eq!(admitted(singles), [Lane::Otp, Lane::Alert, Lane::Sandbox]);
        let codes = backlog(&[(Lane::Otp, Backlog::MOST)]);
        assert_eq!(admitted(codes), [Lane::Sandbox]);
    }

    #[test]
    fn lanes_are_behind_together() {
        let half = Backlog::MOST / 2;
        let waiting = backlog(&[(Lane::Single, half), (Lane::Bulk, half - 1)]);
        assert!(waiting.admits(Lane::Bulk));
        let waiting = backlog(&[(Lane::Single, half), (Lane::Bulk, half)]);
        assert!(waiting.admits(Lane::Single) && !waiting.admits(Lane::Bulk));
    }

    #[test]
    fn the_sandbox_is_held_by_its_own_and_by_no_more_than_go_before_it() {
        let share = Backlog::MOST / TURNS_OF_THE_LAST;
        assert!(backlog(&[(Lane::Sandbox, Backlog::MOST - 1)]).admits(Lane::Sandbox));
        let busy = |own| backlog(&[(Lane::Single, 9 * Backlog::MOST), (Lane::Sandbox, own)]);
        assert!(busy(share - 1).admits(Lane::Sandbox));
        assert!(!busy(share).admits(Lane::Sandbox));
    }
}

//! How much may be accepted, when, and in which order: delivery has the right of way.

mod queue;

pub use self::queue::{IntakeLimits, IntakeQueue, Size};
use crate::messaging::priority::{Priority, TURNS_OF_THE_LAST};

/// How many messages wait in the memory of an instance that could go now, by priority. Those that could
/// not, such as messages whose provider is away or at its limit, count nothing: accepting more slowly
/// would help none of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog([usize; Priority::ALL.len()]);

impl Backlog {
    /// How many messages may be ahead of one that is accepted: as many as keep the workers busy while the
    /// next batch is written, and no more. A provider that takes fewer in a second is what its messages
    /// wait for, and not this instance.
    pub const MOST: usize = 2_048;

    /// Adds messages of a priority.
    pub fn add(&mut self, priority: Priority, messages: usize) {
        self.0[Self::place(priority)] += messages;
    }

    /// Whether messages of `priority` may be accepted: not while too many are ahead of them.
    pub fn admits(&self, priority: Priority) -> bool {
        self.ahead_of(priority) < Self::MOST
    }

    /// How many messages go before one of `priority` that comes now: those of its priority and of more urgent
    /// ones. The last priority has turns of its own.
    fn ahead_of(&self, priority: Priority) -> usize {
        let ahead = self.0[..=Self::place(priority)].iter().sum();
        match priority {
            Priority::Sandbox => {
                self.0[Self::place(priority)].saturating_mul(TURNS_OF_THE_LAST).min(ahead)
            }
            _ => ahead,
        }
    }

    fn place(priority: Priority) -> usize {
        usize::from(priority.rank().unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backlog(waiting: &[(Priority, usize)]) -> Backlog {
        let mut backlog = Backlog::default();
        for (priority, messages) in waiting {
            backlog.add(*priority, *messages);
        }
        backlog
    }

    fn admitted(backlog: Backlog) -> Vec<Priority> {
        Priority::ALL.into_iter().filter(|priority| backlog.admits(*priority)).collect()
    }

    #[test]
    fn what_is_behind_in_a_lane_holds_that_lane_and_less_urgent_ones() {
        assert_eq!(admitted(Backlog::default()), Priority::ALL);
        let bulk = backlog(&[(Priority::Bulk, Backlog::MOST)]);
        assert_eq!(
            admitted(bulk),
            [Priority::Otp, Priority::Alert, Priority::Single, Priority::Sandbox]
        );
        let singles = backlog(&[(Priority::Single, Backlog::MOST)]);
        assert_eq!(admitted(singles), [Priority::Otp, Priority::Alert, Priority::Sandbox]);
        let codes = backlog(&[(Priority::Otp, Backlog::MOST)]);
        assert_eq!(admitted(codes), [Priority::Sandbox]);
    }

    #[test]
    fn lanes_are_behind_together() {
        let half = Backlog::MOST / 2;
        let waiting = backlog(&[(Priority::Single, half), (Priority::Bulk, half - 1)]);
        assert!(waiting.admits(Priority::Bulk));
        let waiting = backlog(&[(Priority::Single, half), (Priority::Bulk, half)]);
        assert!(waiting.admits(Priority::Single) && !waiting.admits(Priority::Bulk));
    }

    #[test]
    fn the_sandbox_is_held_by_its_own_and_by_no_more_than_go_before_it() {
        let share = Backlog::MOST / TURNS_OF_THE_LAST;
        assert!(backlog(&[(Priority::Sandbox, Backlog::MOST - 1)]).admits(Priority::Sandbox));
        let busy =
            |own| backlog(&[(Priority::Single, 9 * Backlog::MOST), (Priority::Sandbox, own)]);
        assert!(busy(share - 1).admits(Priority::Sandbox));
        assert!(!busy(share).admits(Priority::Sandbox));
    }
}

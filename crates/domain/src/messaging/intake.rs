//! Acceptance of messages: its amount, time and order. Delivery has the right of way.
//!
//! ```
//! use domain::messaging::{intake::Backlog, priority::Priority};
//!
//! let mut backlog = Backlog::default();
//! assert!(backlog.admits(Priority::Bulk));
//! backlog.add(Priority::Otp, 1_000_000);
//! assert!(!backlog.admits(Priority::Bulk));
//! ```

mod queue;

pub use self::queue::{IntakeLimits, IntakeQueue, Size};
use crate::messaging::priority::{Priority, TURNS_OF_THE_LAST};

/// Number of messages in the memory of an instance that could go now, by priority. Those that could
/// not, for example because their provider is unavailable or at its limit, do not count: slower
/// acceptance would help none of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog([usize; Priority::ALL.len()]);

impl Backlog {
    /// Maximum number of messages ahead of an accepted one: as many as keep the workers busy while
    /// the next batch is written. Messages of a provider that takes fewer per second wait for the
    /// provider, and not for this instance.
    pub const MOST: usize = 2_048;

    /// Adds messages of a priority.
    pub fn add(&mut self, priority: Priority, messages: usize) {
        self.0[Self::place(priority)] += messages;
    }

    /// True if messages of `priority` may be accepted, because not too many are ahead of them.
    pub fn admits(&self, priority: Priority) -> bool {
        self.ahead_of(priority) < Self::MOST
    }

    /// Number of messages that go before a new one of `priority`: those of its priority and of more
    /// urgent ones. The last priority has turns of its own.
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
    fn a_backlog_blocks_its_priority_and_less_urgent_ones() {
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
    fn backlogs_of_several_priorities_add_up() {
        let half = Backlog::MOST / 2;
        let waiting = backlog(&[(Priority::Single, half), (Priority::Bulk, half - 1)]);
        assert!(waiting.admits(Priority::Bulk));
        let waiting = backlog(&[(Priority::Single, half), (Priority::Bulk, half)]);
        assert!(waiting.admits(Priority::Single) && !waiting.admits(Priority::Bulk));
    }

    #[test]
    fn the_sandbox_is_blocked_only_by_what_goes_before_it() {
        let share = Backlog::MOST / TURNS_OF_THE_LAST;
        assert!(backlog(&[(Priority::Sandbox, Backlog::MOST - 1)]).admits(Priority::Sandbox));
        let busy =
            |own| backlog(&[(Priority::Single, 9 * Backlog::MOST), (Priority::Sandbox, own)]);
        assert!(busy(share - 1).admits(Priority::Sandbox));
        assert!(!busy(share).admits(Priority::Sandbox));
    }
}

//! Share of the workers that one provider may occupy.

/// Returns the most messages in flight per provider with that number of workers: a quarter of them is left for
/// other providers while it hangs. Without workers only senders hand messages over, and each waits only for
/// itself.
pub fn most_in_flight(workers: usize) -> usize {
    match workers {
        0 => usize::MAX,
        _ => (workers - workers / 4).max(1),
    }
}

//! Room that a campaign has in a turn.

/// Number of batches of a campaign that has its turn alone.
const BATCHES: usize = 8;
/// Size of text after which a batch of such a campaign ends early, in bytes.
const BATCH_BYTES: usize = 4 << 20;

/// Room of a campaign in a turn. Campaigns that have their turns at once divide it, so that a turn takes
/// no longer, and no more memory, the more there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// Number of batches.
    pub(super) batches: usize,
    /// Size of text after which a batch ends early, in bytes.
    pub(super) batch_bytes: usize,
}

impl Room {
    /// Returns the room of each of that number of campaigns.
    pub(super) fn shared_by(campaigns: usize) -> Self {
        let campaigns = campaigns.max(1);
        Self { batches: (BATCHES / campaigns).max(1), batch_bytes: BATCH_BYTES / campaigns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn campaigns_that_have_their_turns_at_once_divide_the_room_of_one() {
        let rooms = [1, 3, 8, 20].map(Room::shared_by);
        assert_eq!(rooms.map(|room| room.batches), [8, 2, 1, 1]);
        assert_eq!(rooms[2].batch_bytes, rooms[0].batch_bytes / 8);
    }
}

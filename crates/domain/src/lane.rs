//! Lanes: what is delivered before what, and whose turn it is.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::{category::Category, id::Id, organization::Organization};

/// A class of urgency. Lower lanes are served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// One-time passwords.
    Otp,
    /// Alerts.
    Alert,
    /// Single messages.
    Single,
    /// Messages of a bulk request.
    Bulk,
    /// Messages of a campaign.
    Campaign,
}

/// How a message came to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// On its own.
    Single,
    /// In a bulk request.
    Bulk,
    /// From a campaign.
    Campaign,
}

impl Lane {
    /// Every lane, most urgent first.
    pub const ALL: [Self; 5] = [Self::Otp, Self::Alert, Self::Single, Self::Bulk, Self::Campaign];

    /// The lane of a message of `category` that came by `origin`.
    pub const fn of(category: Category, origin: Origin) -> Self {
        match (category, origin) {
            (Category::Otp, _) => Self::Otp,
            (Category::Alert, _) => Self::Alert,
            (_, Origin::Single) => Self::Single,
            (_, Origin::Bulk) => Self::Bulk,
            (_, Origin::Campaign) => Self::Campaign,
        }
    }

    /// The place in the order of urgency, as the database keeps it.
    pub const fn rank(self) -> i16 {
        match self {
            Self::Otp => 0,
            Self::Alert => 1,
            Self::Single => 2,
            Self::Bulk => 3,
            Self::Campaign => 4,
        }
    }

    /// The lane of that rank.
    pub fn ranked(rank: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|lane| lane.rank() == rank)
    }
}

/// A bounded queue that serves urgent lanes first and, inside a lane, one organization after the
/// other, so that nobody waits behind another's many.
#[derive(Debug)]
pub struct LaneQueue<T> {
    lanes: BTreeMap<Lane, Turns<T>>,
    capacity_per_lane: usize,
}

#[derive(Debug)]
struct Turns<T> {
    waiting: HashMap<Id<Organization>, VecDeque<T>>,
    turn: VecDeque<Id<Organization>>,
    len: usize,
}

impl<T> LaneQueue<T> {
    /// An empty queue that holds at most `capacity_per_lane` items in each lane.
    pub fn new(capacity_per_lane: usize) -> Self {
        Self { lanes: BTreeMap::new(), capacity_per_lane }
    }

    /// How many more items `lane` takes.
    pub fn room(&self, lane: Lane) -> usize {
        let len = self.lanes.get(&lane).map_or(0, |turns| turns.len);
        self.capacity_per_lane.saturating_sub(len)
    }

    /// Puts an item at the end of its organization's line, or gives it back when the lane is full.
    pub fn push(&mut self, lane: Lane, organization: Id<Organization>, item: T) -> Result<(), T> {
        if self.room(lane) == 0 {
            return Err(item);
        }
        let turns = self.lanes.entry(lane).or_insert_with(Turns::empty);
        let waiting = turns.waiting.entry(organization).or_default();
        if waiting.is_empty() {
            turns.turn.push_back(organization);
        }
        waiting.push_back(item);
        turns.len += 1;
        Ok(())
    }

    /// Takes the item whose turn it is.
    pub fn pop(&mut self) -> Option<T> {
        self.pop_group(|_| 1, |_, _| false).pop()
    }

    /// Takes the item whose turn it is, with those right behind it in the same line that belong to
    /// it: as many as `limit` allows for it at the most. Together they take one turn.
    pub fn pop_group(
        &mut self,
        limit: impl Fn(&T) -> usize,
        belongs: impl Fn(&T, &T) -> bool,
    ) -> Vec<T> {
        let lanes = self.lanes.values_mut();
        let mut groups = lanes.filter_map(|turns| turns.pop_group(&limit, &belongs));
        groups.next().unwrap_or_default()
    }

    /// How many items wait.
    pub fn len(&self) -> usize {
        self.lanes.values().map(|turns| turns.len).sum()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> Turns<T> {
    fn empty() -> Self {
        Self { waiting: HashMap::new(), turn: VecDeque::new(), len: 0 }
    }

    fn pop_group(
        &mut self,
        limit: &impl Fn(&T) -> usize,
        belongs: &impl Fn(&T, &T) -> bool,
    ) -> Option<Vec<T>> {
        let organization = self.turn.pop_front()?;
        let waiting = self.waiting.get_mut(&organization)?;
        let first = waiting.pop_front()?;
        let limit = limit(&first);
        let mut group = vec![first];
        while group.len() < limit
            && waiting.front().is_some_and(|next| belongs(&group[0], next))
            && let Some(next) = waiting.pop_front()
        {
            group.push(next);
        }
        if waiting.is_empty() {
            self.waiting.remove(&organization);
        } else {
            self.turn.push_back(organization);
        }
        self.len -= group.len();
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn organization(number: u128) -> Id<Organization> {
        Id::of(Uuid::from_u128(number))
    }

    #[test]
    fn a_code_overtakes_everything_that_waits() {
        let mut queue = LaneQueue::new(10);
        queue.push(Lane::Bulk, organization(1), "bulk").unwrap();
        queue.push(Lane::Single, organization(1), "single").unwrap();
        queue.push(Lane::Otp, organization(2), "code").unwrap();

        assert_eq!(
            std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(),
            ["code", "single", "bulk"]
        );
    }

    #[test]
    fn organizations_take_turns_inside_a_lane() {
        let mut queue = LaneQueue::new(10);
        for item in ["a1", "a2", "a3"] {
            queue.push(Lane::Bulk, organization(1), item).unwrap();
        }
        queue.push(Lane::Bulk, organization(2), "b1").unwrap();

        assert_eq!(
            std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(),
            ["a1", "b1", "a2", "a3"]
        );
    }

    #[test]
    fn items_that_belong_together_take_one_turn() {
        let mut queue = LaneQueue::new(10);
        for item in ["a1", "a2", "a3", "x1", "a4"] {
            queue.push(Lane::Bulk, organization(1), item).unwrap();
        }
        queue.push(Lane::Bulk, organization(2), "b1").unwrap();
        let mut pop = || queue.pop_group(|_| 2, |first, next| first[..1] == next[..1]);

        let groups: Vec<_> = std::iter::repeat_with(&mut pop).take(5).collect();

        assert_eq!(groups, [vec!["a1", "a2"], vec!["b1"], vec!["a3"], vec!["x1"], vec!["a4"]]);
        assert!(queue.is_empty());
    }

    #[test]
    fn a_full_lane_gives_back_and_leaves_the_others_open() {
        let mut queue = LaneQueue::new(1);
        queue.push(Lane::Bulk, organization(1), 1).unwrap();

        assert_eq!(queue.push(Lane::Bulk, organization(2), 2), Err(2));
        assert_eq!(queue.push(Lane::Otp, organization(2), 3), Ok(()));
    }

    proptest! {
        #[test]
        fn everything_comes_out_once_and_in_order_for_each_organization(
            pushes in prop::collection::vec((0..5_i16, 0..4_u128), 0..200),
        ) {
            let mut queue = LaneQueue::new(1_000);
            for (number, (lane, owner)) in pushes.iter().enumerate() {
                let lane = Lane::ranked(*lane).unwrap();
                queue.push(lane, organization(*owner), (lane, *owner, number)).unwrap();
            }
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();

            prop_assert_eq!(popped.len(), pushes.len());
            prop_assert!(queue.is_empty());
            prop_assert!(popped.is_sorted_by_key(|(lane, ..)| *lane));
            for lane in Lane::ALL {
                for owner in 0..4 {
                    let mut own = popped.iter().filter(|item| item.0 == lane && item.1 == owner);
                    prop_assert!(own.by_ref().map(|item| item.2).is_sorted());
                }
            }
        }
    }
}

//! Pages of lists.
//!
//! ```
//! use domain::shared::page::Page;
//!
//! let second = Page::new(Some(2), Some(10)).unwrap();
//! assert_eq!((second.number(), second.limit(), second.offset()), (2, 10, 10));
//! ```

use crate::shared::fault::Faults;

/// Page of a list to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    number: u32,
    limit: u32,
}

/// Page of a list with its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paged<T> {
    /// Items of this page.
    pub items: Vec<T>,
    /// Number and limit of this page.
    pub page: Page,
    /// Number of items in all; a lower bound if [`is_lower_bound`](Self::is_lower_bound) is set.
    pub total: u64,
    /// True if there are more than `total`. Those beyond it are on no page.
    pub is_lower_bound: bool,
}

impl<T> Paged<T> {
    /// Returns a page of a list of known length.
    pub const fn counted(items: Vec<T>, page: Page, total: u64) -> Self {
        Self { items, page, total, is_lower_bound: false }
    }

    /// Returns a page of a list that is counted up to `most` only: `found` is the number of items,
    /// or at least so many if it is more than `most`.
    pub fn counted_up_to(most: u64, items: Vec<T>, page: Page, found: u64) -> Self {
        Self { items, page, total: found.min(most), is_lower_bound: found > most }
    }
}

/// Maximum number of items that a search counts and shows.
pub const MOST_FOUND: usize = 1_000;

const MAX_LIMIT: i64 = 100;
const DEFAULT_LIMIT: i64 = 20;

impl Page {
    /// Returns page `number` (from 1; absent is 1) of `limit` items (1 to 100; absent is 20).
    pub fn new(number: Option<i64>, limit: Option<i64>) -> Result<Self, Faults> {
        let (number, limit) = (number.unwrap_or(1), limit.unwrap_or(DEFAULT_LIMIT));
        let mut faults = Faults::default();
        let number = u32::try_from(number).ok().filter(|number| *number >= 1);
        if number.is_none() {
            faults.add("page", format!("must be between 1 and {}", u32::MAX));
        }
        let limit = u32::try_from(limit).ok().filter(|_| (1..=MAX_LIMIT).contains(&limit));
        if limit.is_none() {
            faults.add("limit", format!("must be between 1 and {MAX_LIMIT}"));
        }
        faults.require(number.zip(limit).map(|(number, limit)| Self { number, limit }))
    }

    /// Returns page `number` of a short list: an absent `limit` is the largest one.
    pub fn of_short_list(number: Option<i64>, limit: Option<i64>) -> Result<Self, Faults> {
        Self::new(number, limit.or(Some(MAX_LIMIT)))
    }

    /// Returns the first page of a single item.
    pub const fn of_one() -> Self {
        Self { number: 1, limit: 1 }
    }

    /// Returns the items of this page, out of all.
    pub fn cut<T>(self, all: Vec<T>) -> Vec<T> {
        let offset = usize::try_from(self.offset()).unwrap_or(usize::MAX);
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        all.into_iter().skip(offset).take(limit).collect()
    }

    /// Returns this page of a list that is given as a whole.
    pub fn part<T>(self, all: Vec<T>) -> Paged<T> {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        Paged::counted(self.cut(all), self, total)
    }

    /// Number of this page, from 1.
    pub const fn number(self) -> u32 {
        self.number
    }

    /// Maximum number of items on this page.
    pub const fn limit(self) -> u32 {
        self.limit
    }

    /// Number of items before this page.
    pub const fn offset(self) -> u64 {
        (self.number as u64 - 1) * self.limit as u64
    }

    /// Number of pages that `total` items fill.
    pub const fn of(self, total: u64) -> u64 {
        total.div_ceil(self.limit as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_after_those_before_it() {
        let page = Page::new(Some(3), Some(50)).unwrap();
        assert_eq!((page.offset(), page.of(101)), (100, 3));
        assert_eq!(Page::new(None, None).unwrap().limit(), 20);
    }

    #[test]
    fn a_short_list_is_cut_into_pages_of_a_hundred() {
        let all: Vec<u32> = (0..250).collect();
        let page = |number| Page::of_short_list(number, None).unwrap().cut(all.clone());
        assert_eq!((page(None).len(), page(Some(3))[0], page(Some(3)).len()), (100, 200, 50));
        assert!(page(Some(4)).is_empty());
        let part = Page::of_short_list(Some(2), Some(1)).unwrap().part(all);
        assert_eq!((part.items, part.total), (vec![1], 250));
    }

    #[test]
    fn numbers_out_of_range_are_faults() {
        let faults = Page::new(Some(0), Some(101)).unwrap_err();
        assert_eq!(faults.fields.keys().collect::<Vec<_>>(), ["limit", "page"]);
        assert!(Page::new(Some(i64::MAX), Some(i64::MIN)).is_err());
    }
}

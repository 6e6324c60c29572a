//! Pages of a list.

use crate::{formats::count, frame::query::Query};

/// Links to the pages before and after, and a line on this one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pages {
    /// Address of the page before.
    pub(crate) previous: Option<String>,
    /// Address of the page after.
    pub(crate) next: Option<String>,
    /// A line such as `1 to 50 of 203`.
    pub(crate) summary: String,
}

impl Pages {
    /// Returns the links of a list that is read by page numbers. `path` is its address; `total` may be
    /// a lower bound, in words, when the list has more than was counted.
    pub(crate) fn numbered(
        path: &str,
        query: &Query,
        Numbered { limit, shown, total, is_lower_bound }: Numbered,
    ) -> Self {
        let page = u64::from(query.page());
        let limit = u64::from(limit);
        let before = (page - 1) * limit;
        let link = |page: u64| query.address(path, "page", &page.to_string());
        let of = if is_lower_bound { "of more than" } else { "of" };
        let summary = match shown {
            0 => String::new(),
            shown => {
                format!("{} to {} {of} {}", count(before + 1), count(before + shown), count(total))
            }
        };
        Self {
            previous: (page > 1).then(|| link(page - 1)),
            next: (before + shown < total).then(|| link(page + 1)),
            summary,
        }
    }

    /// Returns the links of a list that is read by a cursor, which leads on only. The first part has
    /// no way back; others lead to it.
    pub(crate) fn by_cursor(path: &str, query: &Query, next: Option<&str>) -> Self {
        Self {
            previous: query.get("after").map(|_| query.address(path, "after", "")),
            next: next.map(|cursor| query.address(path, "after", cursor)),
            summary: String::new(),
        }
    }
}

/// Size of a list, and of its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbered {
    /// Maximum number of entries on a page.
    pub(crate) limit: u32,
    /// Number of entries on this page.
    pub(crate) shown: u64,
    /// Number of entries of the list.
    pub(crate) total: u64,
    /// True if the list may have more.
    pub(crate) is_lower_bound: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_link_to_those_beside_them() {
        let query = Query::parse("status=FAILED&page=2");
        let list = Numbered { limit: 50, shown: 50, total: 1_203, is_lower_bound: false };
        let pages = Pages::numbered("/app/messages", &query, list);
        assert_eq!(pages.previous.as_deref(), Some("/app/messages?status=FAILED&page=1"));
        assert_eq!(pages.next.as_deref(), Some("/app/messages?status=FAILED&page=3"));
        assert_eq!(pages.summary, "51 to 100 of 1,203");
        let last = Numbered { shown: 3, total: 53, ..list };
        assert_eq!(Pages::numbered("/app", &query, last).next, None);
    }

    #[test]
    fn a_cursor_leads_on_and_back_to_the_beginning() {
        let first = Pages::by_cursor("/app", &Query::parse("tag=vip"), Some("x1"));
        assert_eq!((first.previous, first.next.as_deref()), (None, Some("/app?tag=vip&after=x1")));
        let last = Pages::by_cursor("/app", &Query::parse("tag=vip&after=x1"), None);
        assert_eq!((last.previous.as_deref(), last.next), (Some("/app?tag=vip"), None));
    }
}

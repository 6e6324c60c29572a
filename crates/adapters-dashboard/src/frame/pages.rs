//! Pages of a list.

use domain::shared::page::{Page, Paged};
use usecases::Error;

use crate::formats::count;
use crate::frame::{Failure, Form, Query};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pages {
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// A line such as `1 to 50 of 203`.
    pub(crate) summary: String,
}

impl Pages {
    /// Returns the links of a page that a use case returned. `path` is the address of the list.
    pub(crate) fn of<T>(path: &str, query: &Query, found: &Paged<T>) -> Self {
        let shown = u64::try_from(found.items.len()).unwrap_or(u64::MAX);
        let before = found.page.offset();
        let link = |number: u32| query.address(path, "page", &number.to_string());
        let number = found.page.number();
        let (first, last) = (count(before + 1), count(before + shown));
        let of = if found.is_lower_bound { "of more than" } else { "of" };
        let summary = format!("{first} to {last} {of} {}", count(found.total));
        Self {
            previous: (number > 1).then(|| link(number - 1)),
            next: (before + shown < found.total).then(|| link(number.saturating_add(1))),
            summary: if shown == 0 { String::new() } else { summary },
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

/// Returns what the filters in a form found. If they were refused, that is nothing, and the form says why.
pub(crate) fn found_or_refused<T>(
    found: Result<Paged<T>, Error>,
    page: Page,
    form: Form,
) -> Result<(Paged<T>, Form), Failure> {
    match found {
        Ok(found) => Ok((found, form)),
        Err(refusal) => Ok((Paged::counted(Vec::new(), page, 0), form.refused(refusal)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_link_to_those_beside_them() {
        let query = Query::parse("status=FAILED&page=2");
        let pages = |shown, total| {
            let page = query.page_of(50).unwrap();
            Pages::of("/app/messages", &query, &Paged::counted(vec![(); shown], page, total))
        };
        let middle = pages(50, 1_203);
        assert_eq!(middle.previous.as_deref(), Some("/app/messages?status=FAILED&page=1"));
        assert_eq!(middle.next.as_deref(), Some("/app/messages?status=FAILED&page=3"));
        assert_eq!(middle.summary, "51 to 100 of 1,203");
        assert_eq!(pages(3, 53).next, None);
    }

    #[test]
    fn a_cursor_leads_on_and_back_to_the_beginning() {
        let first = Pages::by_cursor("/app", &Query::parse("tag=vip"), Some("x1"));
        assert_eq!((first.previous, first.next.as_deref()), (None, Some("/app?tag=vip&after=x1")));
        let last = Pages::by_cursor("/app", &Query::parse("tag=vip&after=x1"), None);
        assert_eq!((last.previous.as_deref(), last.next), (Some("/app?tag=vip"), None));
    }
}

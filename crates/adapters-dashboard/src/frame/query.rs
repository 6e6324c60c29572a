//! The part of an address after the question mark: filters, search and page.

use std::fmt::Display;
use std::future::{Ready, ready};
use std::str::FromStr;

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::shared::{fault::Faults, page::Page};
use form_urlencoded::{Serializer, parse};

use crate::frame::Failure;

/// Maximum number of names and values that are read: no link has as many.
const MAX: usize = 100;

/// Names and values in the order of the address. Blank values are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the text after the question mark.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = parse(text.as_bytes()).into_owned();
        Self(pairs.filter(|(_, value)| !value.trim().is_empty()).take(MAX).collect())
    }

    /// Returns the first value of a name, without blanks around it.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().find(|(known, _)| known == name);
        pair.map(|(_, value)| value.trim())
    }

    /// Returns the first value of a name as a `T`; `None` if it is blank. A text that is none is a fault.
    pub(crate) fn parsed<T>(&self, name: &str, faults: &mut Faults) -> Option<T>
    where
        T: FromStr<Err: Display>,
    {
        faults.take(name, self.get(name)?.parse())
    }

    pub(crate) fn pairs(&self) -> &[(String, String)] {
        &self.0
    }

    /// Returns the number of the page, from one on.
    pub(crate) fn page(&self) -> u32 {
        self.get("page").and_then(|page| page.parse().ok()).filter(|page| *page > 0).unwrap_or(1)
    }

    /// Returns the page of a list that the address names.
    pub(crate) fn page_of(&self, limit: i64) -> Result<Page, Faults> {
        Page::new(Some(self.page().into()), Some(limit))
    }

    /// Returns `path` with these names and values, but `name` as `value`; without it if `value` is
    /// blank. The page is left out unless it is the name.
    pub(crate) fn address(&self, path: &str, name: &str, value: &str) -> String {
        let mut text = Serializer::new(String::new());
        for (known, value) in &self.0 {
            if known != name && known != "page" {
                text.append_pair(known, value);
            }
        }
        if !value.is_empty() {
            text.append_pair(name, value);
        }
        match text.finish() {
            text if text.is_empty() => path.to_owned(),
            text => format!("{path}?{text}"),
        }
    }
}

impl FromRequest for Query {
    type Error = Failure;
    type Future = Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::parse(request.query_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_the_filters_and_changes_one() {
        let query = Query::parse("status=FAILED&search=%2B233+24&page=3&tag=");
        assert_eq!(
            (query.get("search"), query.get("tag"), query.page()),
            (Some("+233 24"), None, 3)
        );
        let next = query.address("/app/messages", "page", "4");
        assert_eq!(next, "/app/messages?status=FAILED&search=%2B233+24&page=4");
        let other = query.address("/app/messages", "status", "");
        assert_eq!(other, "/app/messages?search=%2B233+24");
        assert_eq!(Query::parse("page=0").page(), 1);
        assert_eq!(Query::default().address("/app", "tag", ""), "/app");
    }
}

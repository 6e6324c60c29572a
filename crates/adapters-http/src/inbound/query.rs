//! Query strings.

use std::{collections::HashMap, fmt, num::IntErrorKind, str::FromStr};

use actix_web::HttpRequest;
use domain::{
    delivery_log::{LogFilter, Page},
    fault::Faults,
};

use super::error::Failure;

/// The parameters of a request. Unknown ones are ignored, empty ones count as missing.
pub(super) struct Query {
    values: HashMap<String, String>,
    faults: Faults,
}

/// The text is not an integer.
#[derive(Debug, thiserror::Error)]
#[error("must be an integer")]
struct NotAnInteger;

struct Integer(i64);

impl FromStr for Integer {
    type Err = NotAnInteger;

    fn from_str(text: &str) -> Result<Self, NotAnInteger> {
        match text.parse() {
            Ok(number) => Ok(Self(number)),
            // The range is checked elsewhere; these are outside any.
            Err(error) => match error.kind() {
                IntErrorKind::PosOverflow => Ok(Self(i64::MAX)),
                IntErrorKind::NegOverflow => Ok(Self(i64::MIN)),
                _ => Err(NotAnInteger),
            },
        }
    }
}

impl Query {
    /// The parameters of `request`.
    pub(super) fn of(request: &HttpRequest) -> Self {
        let values = actix_web::web::Query::<HashMap<_, _>>::from_query(request.query_string());
        let values = values.map(actix_web::web::Query::into_inner).unwrap_or_default();
        Self { values, faults: Faults::default() }
    }

    fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, name: &str) -> Option<T> {
        let text = self.values.get(name).filter(|text| !text.is_empty())?;
        self.faults.take(name, text.parse())
    }

    /// `status` and `channel`.
    pub(super) fn filter(&mut self) -> LogFilter {
        LogFilter { status: self.parsed("status"), channel: self.parsed("channel") }
    }

    /// `page` and `limit`, if nothing is wrong with these and all that was read before.
    pub(super) fn page(mut self) -> Result<Page, Failure> {
        let number = self.parsed("page").map(|Integer(number)| number);
        let limit = self.parsed("limit").map(|Integer(limit)| limit);
        let page = Page::new(number, limit);
        let page = page.map_err(|faults| self.faults.merge("", faults)).ok();
        Ok(self.faults.require(page)?)
    }

    /// Fails if anything is wrong with what was read.
    pub(super) fn finish(self) -> Result<(), Failure> {
        Ok(self.faults.or(())?)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn query(text: &str) -> Query {
        Query::of(&TestRequest::with_uri(&format!("/?{text}")).to_http_request())
    }

    fn faulty(text: &str) -> Vec<String> {
        let mut query = query(text);
        let _ = query.filter();
        let Err(Failure::Refused(usecases::Error::Invalid(faults))) = query.page() else {
            return Vec::new();
        };
        faults.fields.into_keys().collect()
    }

    #[test]
    fn every_bad_parameter_is_named() {
        assert_eq!(
            faulty("page=abc&limit=101&status=sent&channel=FAX"),
            ["channel", "limit", "page", "status"]
        );
        assert_eq!(faulty("page=99999999999999999999"), ["page"]);
        assert_eq!(faulty("page=-1&limit=1.5"), ["limit", "page"]);
    }

    #[test]
    fn what_is_unknown_or_empty_is_ignored() {
        assert!(faulty("page=2&sort=up&status=&channel=SMS&%ff=%zz&&=").is_empty());
        assert_eq!(query("").page().unwrap().limit(), 20);
    }
}

//! Query strings.

use std::{collections::HashMap, fmt, num::IntErrorKind, str::FromStr, sync::LazyLock};

use actix_web::{HttpRequest, http::Method};
use domain::{
    delivery_log::{LogFilter, Page},
    fault::Faults,
};
use utoipa::openapi::{
    PathItem, RefOr,
    path::{Operation, ParameterIn},
};

use super::{error::Failure, openapi::openapi};

/// The parameters that each operation documents, by its address and method.
static DOCUMENTED: LazyLock<HashMap<String, Operations>> = LazyLock::new(|| {
    let paths = openapi().paths.paths;
    paths.into_iter().map(|(path, item)| (path, operations(item))).collect()
});

type Operations = Vec<(Method, Vec<String>)>;

fn operations(item: PathItem) -> Operations {
    let PathItem { get, put, post, delete, patch, .. } = item;
    let found = [
        (Method::GET, get),
        (Method::PUT, put),
        (Method::POST, post),
        (Method::DELETE, delete),
        (Method::PATCH, patch),
    ];
    let found = found.into_iter().filter_map(|(method, operation)| Some((method, operation?)));
    found.map(|(method, operation)| (method, parameters(operation))).collect()
}

fn parameters(operation: Operation) -> Vec<String> {
    let parameters = operation.parameters.into_iter().flatten();
    let of_query = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query => Some(parameter.name),
        _ => None,
    });
    of_query.collect()
}

/// The parameters that the operation knows, if it is documented.
fn known(request: &HttpRequest) -> Option<&'static [String]> {
    let operations = request.match_pattern().and_then(|path| DOCUMENTED.get(&path));
    let mut operations = operations.into_iter().flatten();
    let operation = operations.find(|(method, _)| method == request.method());
    operation.map(|(_, known)| known.as_slice())
}

/// Which parameters the operation does not know: one that was misspelt would else show more than was
/// asked for.
fn unknown<'v>(request: &HttpRequest, given: impl Iterator<Item = &'v String>) -> Faults {
    let mut faults = Faults::default();
    let Some(known) = known(request) else { return faults };
    for name in given.filter(|name| !name.is_empty() && !known.contains(name)) {
        faults.add(name, "is not a known parameter");
    }
    faults
}

/// Fails if the request has a parameter although its operation has none. Operations that have some
/// read them with [`Query`], which tells all faults at once.
pub(super) fn refuse_needless(request: &HttpRequest) -> Result<(), Failure> {
    let is_read = known(request).is_some_and(|known| !known.is_empty());
    if request.query_string().is_empty() || is_read { Ok(()) } else { Query::of(request).finish() }
}

/// The parameters of a request. Empty ones count as missing.
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
        let values: HashMap<_, _> =
            values.map(actix_web::web::Query::into_inner).unwrap_or_default();
        let faults = unknown(request, values.keys());
        Self { values, faults }
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

    /// `page` and `limit` of a short list.
    pub(super) fn short_page(mut self) -> Result<Page, Failure> {
        let number = self.parsed("page").map(|Integer(number)| number);
        let limit = self.parsed("limit").map(|Integer(limit)| limit);
        let page = Page::of_short_list(number, limit);
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
    fn what_is_empty_is_ignored() {
        assert!(faulty("page=2&status=&channel=SMS&%ff=%zz&&=").is_empty());
        assert_eq!(query("").page().unwrap().limit(), 20);
    }
}

//! Query strings.

use std::{
    collections::{BTreeMap, HashMap},
    convert::Infallible,
    fmt,
    future::Ready,
    marker::PhantomData,
    num::IntErrorKind,
    str::FromStr,
};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::shared::{fault::Faults, id::Id, page::Page};
use serde_json::json;

use crate::inbound::shared::{
    cursor::Cursor,
    endpoint::{
        ReadsQuery,
        describe::{Describe, Description},
    },
    error::ApiError,
    json_fields::JsonSchema,
};

/// Type that is read from the parameters of a query.
pub(crate) trait FromQuery: Sized {
    /// Takes all the parameters it knows, whatever their values, and records faults. Returns `None`
    /// if a fault leaves no usable value.
    fn from_query(parameters: &mut Parameters) -> Option<Self>;
}

/// Query string of a request. Errors come from [`read`](Self::read), so that an unauthenticated
/// caller learns nothing from them.
pub(crate) struct Query<T> {
    values: HashMap<String, String>,
    /// Parameters that occur more than once.
    repeated: Vec<String>,
    of: PhantomData<fn() -> T>,
}

/// Fails if the request has a parameter although its handler reads none: a misplaced one would
/// otherwise show more than was requested.
pub(crate) fn refuse_needless(request: &HttpRequest) -> Result<(), ApiError> {
    let is_read = request.app_data().is_none_or(|ReadsQuery(reads)| *reads);
    if request.query_string().is_empty() || is_read {
        return Ok(());
    }
    Query::<()>::of(request).read()
}

impl<T: FromQuery> Query<T> {
    fn of(request: &HttpRequest) -> Self {
        type Pairs = Vec<(String, String)>;
        let pairs = actix_web::web::Query::<Pairs>::from_query(request.query_string());
        let (mut values, mut repeated) = (HashMap::new(), Vec::new());
        for (name, value) in pairs.map(actix_web::web::Query::into_inner).unwrap_or_default() {
            if values.insert(name.clone(), value).is_some() && !name.is_empty() {
                repeated.push(name);
            }
        }
        Self { values, repeated, of: PhantomData }
    }

    /// Reads the parameters. Unknown ones are faults, and so are repeated ones: programs differ in
    /// which of the two they read.
    pub(crate) fn read(self) -> Result<T, ApiError> {
        let mut parameters = Parameters { values: self.values, ..Parameters::default() };
        let read = T::from_query(&mut parameters);
        let Parameters { values, mut faults, .. } = parameters;
        for name in values.keys().filter(|name| !name.is_empty()) {
            faults.add(name, "is not a known parameter");
        }
        for name in &self.repeated {
            faults.add(name, "is there more than once");
        }
        Ok(faults.require(read)?)
    }
}

impl<T: FromQuery> FromRequest for Query<T> {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

impl<T: FromQuery> Describe for Query<T> {
    const READS_QUERY: bool = true;

    fn describe(description: &mut Description) {
        let mut parameters =
            Parameters { description: Some(std::mem::take(description)), ..Parameters::default() };
        T::from_query(&mut parameters);
        *description = parameters.description.unwrap_or_default();
    }
}

/// Parameters that have not been taken yet. Empty ones count as missing.
#[derive(Default)]
pub(crate) struct Parameters {
    values: HashMap<String, String>,
    faults: Faults,
    /// Collects the schema; `None` except while the document is written.
    description: Option<Description>,
}

impl Parameters {
    /// Takes an optional parameter.
    pub(crate) fn optional<T>(&mut self, name: &str, about: &str) -> Option<T>
    where
        T: FromStr<Err: fmt::Display> + JsonSchema,
    {
        if let Some(description) = &mut self.description {
            let schema = T::schema(&mut description.schemas);
            description.has_query_parameter(name, about, &schema);
        }
        self.parsed(name)
    }

    /// Takes `page` and `limit` of a list with 20 items in a page by default.
    pub(crate) fn page(&mut self) -> Option<Page> {
        self.paging("The number of items in a page, 1 to 100; 20 if absent.", Page::new)
    }

    /// Takes `page` and `limit` of a list with 100 items in a page by default.
    pub(crate) fn short_page(&mut self) -> Option<Page> {
        self.paging("The number of items in a page, 1 to 100; 100 if absent.", Page::of_short_list)
    }

    /// Takes `page`, `limit` and `after` of a list that has pages and parts, with 20 items in each
    /// by default.
    pub(crate) fn place<T>(&mut self) -> Option<Place<T>> {
        self.placed(Self::page)
    }

    /// Takes `page`, `limit` and `after` of a list that has pages and parts, with 100 items in each
    /// by default.
    pub(crate) fn short_place<T>(&mut self) -> Option<Place<T>> {
        self.placed(Self::short_page)
    }

    fn placed<T>(&mut self, page: fn(&mut Self) -> Option<Page>) -> Option<Place<T>> {
        let has_page = self.values.get("page").is_some_and(|text| !text.is_empty());
        let has_after = self.values.contains_key("after");
        let page = page(self);
        let after = self.optional(
            "after",
            "The `pagination.nextCursor` of the part before; the beginning of the list if empty. \
             The answer has no totals then. Not together with `page`.",
        );
        if has_page && has_after {
            self.faults.add("after", "cannot be together with `page`");
        }
        let page = page?;
        Some(match (has_page, has_after) {
            (true, _) => Place::Page(page),
            (false, false) => Place::Beginning(page),
            (false, true) => Place::After(after.map(|Cursor(after)| after), page.limit()),
        })
    }

    /// Takes the parameters `name[key]`, for any keys.
    pub(crate) fn pairs(&mut self, name: &str, about: &str) -> BTreeMap<String, String> {
        if let Some(description) = &mut self.description {
            description.has_query_pairs(name, about);
        }
        let key_of = |parameter: &str| {
            let rest = parameter.strip_prefix(name)?.strip_prefix('[')?;
            rest.strip_suffix(']').map(str::to_owned)
        };
        let keys: Vec<String> = self.values.keys().filter_map(|it| key_of(it)).collect();
        let mut pairs = BTreeMap::new();
        for key in keys {
            if let Some(value) = self.values.remove(&format!("{name}[{key}]")) {
                pairs.insert(key, value);
            }
        }
        pairs
    }

    /// Takes `limit` of a list in parts, with 20 items in a part by default.
    pub(crate) fn limit(&mut self) -> Option<u32> {
        self.part_of("The number of items in a part, 1 to 100; 20 if absent.", Page::new)
    }

    /// Takes `limit` of a list in parts, with 100 items in a part by default.
    pub(crate) fn short_limit(&mut self) -> Option<u32> {
        let about = "The number of items in a part, 1 to 100; 100 if absent.";
        self.part_of(about, Page::of_short_list)
    }

    fn part_of(
        &mut self,
        about: &str,
        page: fn(Option<i64>, Option<i64>) -> Result<Page, Faults>,
    ) -> Option<u32> {
        if let Some(description) = &mut self.description {
            let schema = json!({ "type": "integer", "minimum": 1, "maximum": 100 });
            description.has_query_parameter("limit", about, &schema);
        }
        let limit = self.parsed("limit").map(|Integer(limit)| limit);
        match page(None, limit) {
            Ok(page) => Some(page.limit()),
            Err(faults) => {
                self.faults.merge("", faults);
                None
            }
        }
    }

    fn paging(
        &mut self,
        about_limit: &str,
        page: fn(Option<i64>, Option<i64>) -> Result<Page, Faults>,
    ) -> Option<Page> {
        if let Some(description) = &mut self.description {
            let schema = json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX });
            description.has_query_parameter(
                "page",
                "The number of the page, from 1; 1 if absent.",
                &schema,
            );
            let schema = json!({ "type": "integer", "minimum": 1, "maximum": 100 });
            description.has_query_parameter("limit", about_limit, &schema);
        }
        let number = self.parsed("page").map(|Integer(number)| number);
        let limit = self.parsed("limit").map(|Integer(limit)| limit);
        match page(number, limit) {
            Ok(page) => Some(page),
            Err(faults) => {
                self.faults.merge("", faults);
                None
            }
        }
    }

    fn parsed<T: FromStr<Err: fmt::Display>>(&mut self, name: &str) -> Option<T> {
        let text = self.values.remove(name).filter(|text| !text.is_empty())?;
        self.faults.take(name, text.parse())
    }
}

/// Place in a list that has pages and parts.
pub(crate) enum Place<T> {
    /// A page.
    Page(Page),
    /// The first page, from which the list can be read on in parts.
    Beginning(Page),
    /// The part after an item, or the first one, with its maximum number of items.
    After(Option<Id<T>>, u32),
}

/// Error for a text that is not an integer.
#[derive(Debug, thiserror::Error)]
#[error("must be an integer")]
struct NotAnInteger;

/// Integer of any size: one outside of `i64` is read as the nearest end of it.
struct Integer(i64);

impl FromStr for Integer {
    type Err = NotAnInteger;

    fn from_str(text: &str) -> Result<Self, NotAnInteger> {
        match text.parse() {
            Ok(number) => Ok(Self(number)),
            Err(error) => match error.kind() {
                IntErrorKind::PosOverflow => Ok(Self(i64::MAX)),
                IntErrorKind::NegOverflow => Ok(Self(i64::MIN)),
                _ => Err(NotAnInteger),
            },
        }
    }
}

impl FromQuery for () {
    fn from_query(_: &mut Parameters) -> Option<Self> {
        Some(())
    }
}

/// Page of a list with 100 items in a page by default.
pub(crate) struct ShortPage(pub(crate) Page);

impl FromQuery for ShortPage {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        parameters.short_page().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use domain::{messaging::delivery::Status, shared::channel::Channel};

    use super::*;

    /// Filters and page.
    struct Filtered(Page);

    impl FromQuery for Filtered {
        fn from_query(parameters: &mut Parameters) -> Option<Self> {
            parameters.optional::<Status>("status", "");
            parameters.optional::<Channel>("channel", "");
            parameters.page().map(Self)
        }
    }

    fn query(text: &str) -> Query<Filtered> {
        Query::of(&TestRequest::with_uri(&format!("/?{text}")).to_http_request())
    }

    fn faulty(text: &str) -> Vec<String> {
        let Err(ApiError::Refused(usecases::Error::Invalid(faults))) = query(text).read() else {
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
    fn a_parameter_that_is_there_twice_is_named() {
        assert_eq!(faulty("page=2&status=SENT&page=2&status="), ["page", "status"]);
    }

    #[test]
    fn ignores_empty_parameters() {
        assert!(faulty("page=2&status=&channel=SMS&&=").is_empty());
        assert_eq!(query("").read().unwrap().0.limit(), 20);
    }
}

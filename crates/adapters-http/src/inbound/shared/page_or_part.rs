//! Lists that have pages, and that can be read in parts as well.

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody};
use domain::shared::{id::Id, page::Paged};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::inbound::shared::{
    answers,
    endpoint::{
        describe::{Describe, Description},
        schemas::MARK,
    },
    long_text::LongText,
};

/// Page or part of a list: 200.
pub(crate) struct PageOrPart<T> {
    items: Vec<T>,
    pagination: PlaceView,
}

/// Position of a page or part in its list.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlaceView {
    #[serde(flatten)]
    page: Option<PageView>,
    limit: u32,
    /// `None` for a page that was asked for by its number; else a text, or null at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageView {
    page: u32,
    total: u64,
    total_pages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_lower_bound: Option<bool>,
}

impl<T> PageOrPart<T> {
    /// Creates a page of items whose texts are short.
    pub(crate) fn page_of_short(paged: Paged<impl Into<T>>) -> Self {
        let page = PageView {
            page: paged.page.number(),
            total: paged.total,
            total_pages: paged.page.of(paged.total),
            is_lower_bound: paged.is_lower_bound.then_some(true),
        };
        let limit = paged.page.limit();
        let pagination = PlaceView { page: Some(page), limit, next_cursor: None };
        Self { items: paged.items.into_iter().map(Into::into).collect(), pagination }
    }

    /// Creates the first page of items whose texts are short. The list can be read on after `next`.
    pub(crate) fn beginning_of_short<I>(paged: Paged<impl Into<T>>, next: Option<Id<I>>) -> Self {
        let mut beginning = Self::page_of_short(paged);
        beginning.pagination.next_cursor = Some(cursor(next));
        beginning
    }

    /// Creates a part of items whose texts are short. The list can be read on after `next`.
    pub(crate) fn part_of_short<I>(
        items: Vec<impl Into<T>>,
        limit: u32,
        next: Option<Id<I>>,
    ) -> Self {
        let pagination = PlaceView { page: None, limit, next_cursor: Some(cursor(next)) };
        Self { items: items.into_iter().map(Into::into).collect(), pagination }
    }
}

impl<T: LongText> PageOrPart<T> {
    /// Creates a page of items with long texts, which are cut.
    pub(crate) fn page(paged: Paged<impl Into<T>>) -> Self {
        Self::page_of_short(paged).cut()
    }

    /// Creates the first page of items with long texts, which are cut. The list can be read on
    /// after `next`.
    pub(crate) fn beginning<I>(paged: Paged<impl Into<T>>, next: Option<Id<I>>) -> Self {
        Self::beginning_of_short(paged, next).cut()
    }

    /// Creates a part of items with long texts, which are cut. The list can be read on after
    /// `next`.
    pub(crate) fn part<I>(items: Vec<impl Into<T>>, limit: u32, next: Option<Id<I>>) -> Self {
        Self::part_of_short(items, limit, next).cut()
    }

    fn cut(mut self) -> Self {
        self.items.iter_mut().for_each(T::cut_text);
        self
    }
}

fn cursor<I>(next: Option<Id<I>>) -> Value {
    next.map_or(Value::Null, |next| json!(next.to_string()))
}

impl<T: Serialize> Responder for PageOrPart<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        answers::items(self.items, self.pagination)
    }
}

impl<T: ToSchema> Describe for PageOrPart<T> {
    fn describe(description: &mut Description) {
        let schemas = &mut description.schemas;
        let pagination = schemas.add("PageOrPartPagination", pagination());
        let schema = answers::schema_of_items::<T>(schemas, "Page", &pagination);
        description.answers_json(200, schema);
    }
}

/// Returns the schema of a [`PlaceView`].
fn pagination() -> Value {
    let number = |about: &str, example: u32| json!({ "type": "integer", "minimum": 0, "description": about, "example": example });
    json!({
        "type": "object",
        "description": "Position of a page in its list, or of a part if the request has `after`.",
        "properties": {
            "page": number("Number of the page, from 1. Absent with `after`.", 1),
            "limit": number("Maximum number of items in a page or part.", 20),
            "total": number(
                "Number of items in all; a lower bound, if `isLowerBound`. Absent with `after`.",
                1,
            ),
            "totalPages": number("Number of pages. Absent with `after`.", 1),
            "isLowerBound": {
                "type": "boolean", MARK: true,
                "description": "True if there may be more items than `total`, which no page shows. \
                                Absent if `total` is exact.",
            },
            "nextCursor": {
                "type": ["string", "null"], MARK: true,
                "description": "Value of `after` for the next part; null at the end. Absent with \
                                `page`.",
                "example": "019a5b8e-6c2f-7d10-a4c3-e5f708192a3b",
            },
        },
        "required": ["limit"],
    })
}

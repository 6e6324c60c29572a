//! `/segments`

use actix_web::web::Data;
use domain::audience::segment::{
    CountedSegment, Preview, PreviewRequest, Segment, SegmentRequest, SegmentUpdate,
};
use serde::Serialize;
use serde_json::{Value, json};
use usecases::{
    Error,
    audience::segments::{SEGMENT_IN_USE, segment_limit_reached},
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    audience::contacts::{ContactView, lists},
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, patch, post, post_once, schemas::Schemas},
        error::ApiError,
        formats::Timestamp,
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Segments",
        about: "Parts of the contacts, described by rules.",
        endpoints: vec![
            get("/segments", "listSegments", list)
                .summary("List segments.")
                .description(
                    "Newest first, each with the number of its contacts. The number is current; \
                     with more than 100,000 contacts it may be up to a minute old, or older if \
                     counting takes more than two seconds. `countedAt` is the time of the count.",
                )
                .answers("The segments."),
            post_once("/segments", "createSegment", create)
                .summary("Create a segment.")
                .description(
                    "A dynamic segment always contains the contacts that match the rules. With \
                     `isDynamic` false, the contacts that match now are its members until they are \
                     deleted. A key of the rules that looks like a field but is none, an attribute \
                     that contacts have in another letter case only, and a name that another \
                     segment has are accepted and reported in `warnings`.",
                )
                .answers("The segment.")
                .refuses(segment_limit_reached()),
            post("/segments/preview", "previewSegment", preview)
                .summary("Preview rules.")
                .description(
                    "Returns the number of contacts that match, and the newest ten of them. Rules \
                     that cannot be evaluated within five seconds are a fault of the field \
                     `rules`.",
                )
                .answers("The matching contacts."),
            get("/segments/{id}", "getSegment", show)
                .extension()
                .summary("Get a segment.")
                .answers("The segment."),
            get("/segments/{id}/contacts", "listSegmentContacts", lists::members)
                .extension()
                .summary("List the contacts of a segment.")
                .description(MEMBERS)
                .answers("A part of the contacts."),
            patch("/segments/{id}", "updateSegment", update)
                .extension()
                .summary("Change a segment.")
                .description(
                    "Absent fields keep their values; null clears the description. The rules of a \
                     segment that is not dynamic cannot be changed.",
                )
                .answers("The changed segment."),
            delete("/segments/{id}", "deleteSegment", remove)
                .extension()
                .summary("Delete a segment.")
                .description("The contacts are kept.")
                .answers("The segment is deleted.")
                .refuses(Error::Conflict(SEGMENT_IN_USE)),
        ],
    }
}

const MEMBERS: &str = "Newest first, in parts. A part comes of a look at 100,000 contacts, and may have \
     fewer contacts than `limit`, even none, although `nextCursor` leads to more. Rare tags and the \
     members of a segment that is not dynamic are found at once.";

impl Identified for Segment {
    const NAME: &'static str = "segment";
}

const NAME: Field = field("name").limits(&[("maxLength", 200)]);
const DESCRIPTION: Field =
    field("description").about("The purpose of the segment.").limits(&[("maxLength", 1_000)]);
const RULES: Field = field("rules").documented_as(rules_schema);

const RULES_SYNTAX: &str = "\
Each key is a field of a contact with a condition; all conditions must be met. `{}` matches all contacts.

**Keys**: `tags`, `countryCode`, `email`, `phone`, `firstName`, `lastName`, `createdAt`, `consent` (with \
`exists` only), `campaign`; any other is a key of the contact's `attributes`, in the same spelling \
(`city`). `attributes.x` is the attribute `x`, whatever its name. `all` and `any` take an array of rules, \
of which all or at least one must match; `not` takes rules that must not match.

**Values**: a text, a number or a boolean must equal the field (a number or boolean as JSON writes it: `12`, \
`true`); for an array, one of its values must; an object has operators, all of which must match:
- `contains`, `startsWith`: a part or the beginning of the text: `{\"email\": {\"contains\": \
\"@example\"}}`
- `exists`: true if the contact must have the field, or any tag, false if not: `{\"email\": {\"exists\": \
false}}`
- `in`: the same as an array: `{\"countryCode\": {\"in\": [\"GH\", \"NG\"]}}`
- `not`: a value, an array or operators that must not match: `{\"tags\": {\"not\": [\"vip\", \"gold\"]}}`
- `before`, `after`: for `createdAt` and attributes: `{\"createdAt\": {\"after\": \"2026-01-31\"}}`

**Campaigns**: `{\"campaign\": {\"id\": \"…\", \"outcome\": \"FAILED\"}}` matches by what became of a \
campaign of the organization. `SENT`: a provider has accepted a message of it to the contact, which did not \
fail since. `FAILED`: its message failed. `SKIPPED`: it was passed over, is suppressed, or lacks a value that the text needs. An array \
stands for any of its outcomes.

Null, empty arrays, empty objects of operators and empty texts to search for are refused.

**Comparison**: texts are compared without letter case, names of attributes with it. `tags` match if one of \
them does. A missing field matches no condition, and therefore matches `not`. `countryCode` is an ISO 3166-1 \
code. A `phone` is compared in E.164: `0241234567` is `+233241234567`, and `startsWith` with `024` means \
`+23324`; `contains` searches for a part of E.164. A date is the whole day in UTC: `after` begins on the \
next day. A time has an offset (`2026-01-31T09:00:00Z`) and a precision of milliseconds. An attribute is \
`before` or `after` a date (not a time) if it begins with a date written as `2026-01-31`.

At most 100 conditions, 1,000 values of at most 500 characters, 8 levels and 64 KiB.";

fn rules_schema(schemas: &mut Schemas) -> Value {
    let rules = json!({
        "type": "object",
        "description": RULES_SYNTAX,
        "additionalProperties": true,
        "example": {
            "tags": ["vip", "gold"],
            "countryCode": "GH",
            "any": [{ "city": "Kumasi" }, { "email": { "exists": true } }],
            "createdAt": { "after": "2026-01-31" },
        },
    });
    schemas.add("SegmentRules", rules)
}

impl FromFields for SegmentRequest {
    const NAME: &'static str = "CreateSegmentRequest";
    const ABOUT: &'static str = "A segment to create.";

    fn from_fields(fields: &mut Fields) -> Self {
        let is_dynamic = field("isDynamic").about(
            "True if contacts join and leave as they match the rules; false for fixed members. \
             True if absent.",
        );
        Self {
            name: fields.required(NAME),
            description: fields.optional(DESCRIPTION),
            rules: fields.required(RULES),
            is_dynamic: fields.optional(is_dynamic),
        }
    }

    fn example() -> Value {
        json!({ "name": "VIPs in Ghana", "rules": { "tags": "vip", "countryCode": "GH" } })
    }
}

impl FromFields for SegmentUpdate {
    const NAME: &'static str = "UpdateSegmentRequest";
    const ABOUT: &'static str = "Changes to a segment.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            name: fields.optional(NAME),
            description: fields.change(DESCRIPTION),
            rules: fields.optional(RULES),
        }
    }

    fn example() -> Value {
        json!({ "name": "VIPs", "description": null })
    }
}

impl FromFields for PreviewRequest {
    const NAME: &'static str = "PreviewSegmentRequest";
    const ABOUT: &'static str = "Rules to preview.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { rules: fields.required(RULES) }
    }

    fn example() -> Value {
        json!({ "rules": { "tags": "vip" } })
    }
}

/// Subset of the contacts.
#[derive(Serialize, ToSchema)]
#[schema(as = Segment)]
#[serde(rename_all = "camelCase")]
struct SegmentView {
    id: Uuid,
    #[schema(example = "VIPs in Ghana")]
    name: String,
    description: Option<String>,
    /// Rules of membership, as they were written.
    #[schema(value_type = Object, example = json!({ "tags": "vip", "countryCode": "GH" }))]
    rules: Value,
    /// True if contacts join and leave as they fit the rules; if false, the members are those that
    /// fitted at its creation.
    is_dynamic: bool,
    /// Number of members.
    contact_count: u64,
    /// Extension: time at which the members were counted.
    counted_at: Timestamp,
    /// Extension: keys of the rules that are attributes and look like fields; except in lists also
    /// attributes that contacts have in another case only; after a creation or change also another
    /// segment that has the same name in any case.
    #[schema(example = json!([]))]
    warnings: Vec<String>,
    created_at: Timestamp,
}

/// Result of evaluating rules.
#[derive(Serialize, ToSchema)]
#[schema(as = SegmentPreview)]
struct PreviewView {
    /// Number of contacts that fit.
    count: u64,
    /// Newest contacts that fit, ten at most.
    sample: Vec<ContactView>,
    /// Extension: keys of the rules that are attributes and look like fields, and attributes that
    /// contacts have in another case only.
    #[schema(example = json!([]))]
    warnings: Vec<String>,
}

/// Deleted segment.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletedSegment)]
struct DeletedSegmentView {
    id: Uuid,
    /// Always true.
    deleted: bool,
}

impl From<CountedSegment> for SegmentView {
    fn from(counted: CountedSegment) -> Self {
        let CountedSegment { segment, contacts, counted_at } = counted;
        Self {
            id: segment.id.uuid(),
            name: segment.name,
            description: segment.description,
            warnings: segment.rules.warnings(),
            rules: segment.rules.source().clone(),
            is_dynamic: segment.is_dynamic,
            contact_count: contacts,
            counted_at: counted_at.into(),
            created_at: segment.created_at.into(),
        }
    }
}

impl From<(CountedSegment, Vec<String>)> for SegmentView {
    fn from((counted, warnings): (CountedSegment, Vec<String>)) -> Self {
        Self { warnings, ..counted.into() }
    }
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<SegmentView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.segments.page(&caller, page).await?))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<SegmentRequest>,
) -> Result<Created<SegmentView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.segments.create(&caller, request, faults).await?))
}

async fn preview(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<PreviewRequest>,
) -> Result<Answer<PreviewView>, ApiError> {
    let (request, faults) = body.read()?;
    let Preview { count, sample, warnings } =
        api.segments.preview(&caller, request, faults).await?;
    let sample = api.contacts.shown(&caller, sample).await?;
    let sample = sample.into_iter().map(ContactView::from).collect();
    Ok(Answer::new(PreviewView { count, sample, warnings }))
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Segment>,
) -> Result<Answer<SegmentView>, ApiError> {
    Ok(Answer::new(api.segments.get(&caller, id.read()?).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Segment>,
    body: Body<SegmentUpdate>,
) -> Result<Answer<SegmentView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.segments.update(&caller, id.or_unknown(), update, faults).await?))
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Segment>,
) -> Result<Answer<DeletedSegmentView>, ApiError> {
    let id = id.read()?;
    api.segments.delete(&caller, id).await?;
    Ok(Answer::new(DeletedSegmentView { id: id.uuid(), deleted: true }))
}

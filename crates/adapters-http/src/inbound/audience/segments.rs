//! `/segments`

use actix_web::web::Data;
use domain::audience::segment::{
    CountedSegment, Preview, PreviewRequest, Segment, SegmentRequest, SegmentUpdate,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    audience::contacts::ContactView,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        caller::Member,
        endpoint::{Area, delete, get, patch, post, schemas::Schemas},
        error::ApiError,
        formats::Timestamp,
        json_fields::{Field, Fields, FromFields, field},
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    let missing = "There is no such segment: `NOT_FOUND`.";
    Area {
        name: "Segments",
        about: "Parts of the contacts, described by rules.",
        endpoints: vec![
            get("/segments", "listSegments", list)
                .summary("List segments.")
                .description(
                    "Newest first, each with the number of its contacts. That is as of now, or, with \
                     more than 100,000 contacts, at most a minute old, unless it takes more than two \
                     seconds to count; `countedAt` tells.",
                )
                .answers("The segments."),
            post("/segments", "createSegment", create)
                .summary("Create a segment.")
                .description(
                    "Whoever fits the rules belongs to a dynamic segment at any time. With `isDynamic` \
                     false, whoever fits now is a member from then on, until the contact is deleted. A key \
                     of the rules that looks like a field and is none, and a name that another segment \
                     has, are taken and told in `warnings`.",
                )
                .answers("The segment.")
                .fails(409, "There are 100 segments already: `SEGMENT_LIMIT_REACHED`."),
            post("/segments/preview", "previewSegment", preview)
                .summary("Try rules.")
                .description(
                    "How many contacts fit, and the newest ten of them. Rules that cannot be evaluated \
                     within five seconds are a fault of the field `rules`.",
                )
                .answers("What the rules come to."),
            get("/segments/{id}", "getSegment", show)
                .extension()
                .summary("Show a segment.")
                .answers("The segment.")
                .fails(404, missing),
            patch("/segments/{id}", "updateSegment", update)
                .extension()
                .summary("Change a segment.")
                .description(
                    "What is absent stays as it is; null clears the description. The rules of a \
                     segment that is not dynamic cannot change.",
                )
                .answers("The segment as it is now.")
                .fails(404, missing),
            delete("/segments/{id}", "deleteSegment", remove)
                .extension()
                .summary("Delete a segment.")
                .description("The contacts stay.")
                .answers("The segment is gone.")
                .fails(404, missing)
                .fails(409, "A campaign that has not ended is for it: `SEGMENT_IN_USE`."),
        ],
    }
}

impl Identified for Segment {
    const NAME: &'static str = "segment";
}

const NAME: Field = field("name").limits(&[("maxLength", 200)]);
const DESCRIPTION: Field =
    field("description").about("What the segment is for.").limits(&[("maxLength", 1_000)]);
const RULES: Field = field("rules").documented_as(rules_schema);

const RULES_SYNTAX: &str = "\
Each key is a field of a contact and says what must be so of it; all of them must be so. `{}` is all \
contacts.

**Keys**: `tags`, `countryCode`, `email`, `phone`, `firstName`, `lastName`, `createdAt`; any other is a key \
of the contact's `attributes`, in the same spelling (`city`). `attributes.x` is the attribute `x`, whatever \
its name. `all` and `any` take an array of rules, of which all or at least one must fit; `not` takes rules \
that must not fit.

**Values**: a text, a number or a truth value is what the field is equal to (a number or truth value as \
JSON writes it: `12`, `true`); an array is any of its values; an object has operators, all of which must \
be so:
- `contains`, `startsWith`: a part or the beginning of the text: `{\"email\": {\"contains\": \"@example\"}}`
- `exists`: whether the contact has the field, or any tag: `{\"email\": {\"exists\": false}}`
- `in`: the same as an array: `{\"countryCode\": {\"in\": [\"GH\", \"NG\"]}}`
- `not`: a value, an array or operators that must not be so: `{\"tags\": {\"not\": [\"vip\", \"gold\"]}}`
- `before`, `after`: of `createdAt` and of attributes: `{\"createdAt\": {\"after\": \"2026-01-31\"}}`

Null, empty arrays, empty objects of operators and empty texts to look for are refused.

**Comparison**: case does not matter in texts; it does in the names of attributes. `tags` are as asked for \
if one of them is. Of a contact without the field nothing is so, and therefore `not` is. `countryCode` is \
an ISO 3166-1 code. A `phone` is compared in E.164: `0241234567` is `+233241234567`, and what \
`startsWith` `024` is, `+23324`; `contains` looks for a part of E.164. A date is the whole day in UTC: \
`after` it is from the next day on. A time has an offset (`2026-01-31T09:00:00Z`) and is a \
millisecond. An attribute is `before` or `after` a date (not a time) if it begins with a date written as \
`2026-01-31`.

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
    const ABOUT: &'static str = "A segment to make.";

    fn from_fields(fields: &mut Fields) -> Self {
        let is_dynamic = field("isDynamic").about("Whether members come and go; true if absent.");
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
    const ABOUT: &'static str = "Rules to try.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self { rules: fields.required(RULES) }
    }

    fn example() -> Value {
        json!({ "rules": { "tags": "vip" } })
    }
}

/// A part of the contacts.
#[derive(Serialize, ToSchema)]
#[schema(as = Segment)]
#[serde(rename_all = "camelCase")]
struct SegmentView {
    id: Uuid,
    #[schema(example = "VIPs in Ghana")]
    name: String,
    description: Option<String>,
    /// Who belongs to it, as it was written.
    #[schema(value_type = Object, example = json!({ "tags": "vip", "countryCode": "GH" }))]
    rules: Value,
    /// Whether members come and go. If not, they are those who fitted when it was made.
    is_dynamic: bool,
    /// How many contacts belong to it.
    contact_count: u64,
    /// Extension: when they were counted.
    counted_at: Timestamp,
    /// Extension: keys of the rules that are attributes and look like fields; after a segment is made or
    /// changed also another segment that has its name, whatever the case.
    #[schema(example = json!([]))]
    warnings: Vec<String>,
    created_at: Timestamp,
}

/// What rules come to.
#[derive(Serialize, ToSchema)]
#[schema(as = SegmentPreview)]
struct PreviewView {
    /// How many contacts fit.
    count: u64,
    /// The newest of them, ten at the most.
    sample: Vec<ContactView>,
    /// Extension: keys of the rules that are attributes and look like fields.
    #[schema(example = json!([]))]
    warnings: Vec<String>,
}

/// A segment that is gone.
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

impl From<Preview> for PreviewView {
    fn from(preview: Preview) -> Self {
        Self {
            count: preview.count,
            warnings: preview.warnings,
            sample: preview.sample.into_iter().map(ContactView::from).collect(),
        }
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
    Ok(Answer::new(api.segments.preview(&caller, request, faults).await?))
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

//! `/admin/sending-windows`

use actix_web::web::Data;
use domain::{
    messaging::sending_window::{
        SendingWindow, SendingWindowRequest, TimeOfDay, UtcOffset, Weekday, WeeklyHours,
    },
    shared::fault::Faults,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    Api,
    shared::{
        answers::{Answer, Created, Paginated},
        body::Body,
        endpoint::{Area, delete, get, patch, post_once, schemas::Schemas},
        error::ApiError,
        formats::{CategoryName, Names, Timestamp, Vocabulary},
        json_fields::{Field, Fields, FromFields, FromJson, JsonSchema, field},
        path_id::{Identified, PathId},
        platform_admin::PlatformAdmin,
        query::{Query, ShortPage},
    },
};

pub(super) fn area() -> Area {
    Area {
        name: "Sending windows",
        about: "The hours in which messages of a category may be sent to a country, for platform \
                administrators.",
        endpoints: vec![
            get("/admin/sending-windows", "listSendingWindows", list)
                .extension()
                .summary("List sending windows.")
                .description("Newest first.")
                .answers("The windows."),
            post_once("/admin/sending-windows", "createSendingWindow", create)
                .extension()
                .summary("Create a sending window.")
                .description(
                    "If windows of a country and category are active, messages are sent in one of \
                     them only. A message at another time is not refused: it waits, `QUEUED`, \
                     until the next window opens, and its validity begins then. Without an active \
                     window messages are sent at once. Windows do not apply to the sandbox. A \
                     window takes effect on every instance within seconds, and is recorded in the \
                     audit log.",
                )
                .answers("The window."),
            patch("/admin/sending-windows/{id}", "updateSendingWindow", update)
                .extension()
                .summary("Change a sending window.")
                .description(
                    "A message that is already waiting is checked again at the time at which the \
                     window would have opened before the change.",
                )
                .answers("The changed window."),
            delete("/admin/sending-windows/{id}", "deleteSendingWindow", remove)
                .extension()
                .summary("Delete a sending window.")
                .answers("The window is deleted."),
        ],
    }
}

impl Identified for SendingWindow {
    const NAME: &'static str = "sending window";
}

type WeekdayName = Names<Weekday>;

impl Vocabulary for Weekday {
    const TITLE: &'static str = "Weekday";
    const DESCRIPTION: &'static str = "A day of the week.";

    fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::as_str).into()
    }
}

impl JsonSchema for TimeOfDay {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$" })
    }
}

impl FromJson for TimeOfDay {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let text = String::from_json(value, path, faults)?;
        faults.take(path, text.parse())
    }
}

impl JsonSchema for UtcOffset {
    fn schema(_: &mut Schemas) -> Value {
        json!({ "type": "string", "pattern": "^[+-][0-9]{2}:[0-5][0-9]$" })
    }
}

impl FromJson for UtcOffset {
    fn from_json(value: Value, path: &str, faults: &mut Faults) -> Option<Self> {
        let text = String::from_json(value, path, faults)?;
        faults.take(path, text.parse())
    }
}

const COUNTRY: Field = field("countryCode").about("The recipients' country.");
const CATEGORY: Field =
    field("category").about("The category of the messages; not `OTP` or `ALERT`.");
const WEEKDAYS: Field = field("weekdays")
    .about("The days on which it opens. It is closed on all others.")
    .limits(&[("minItems", 1)]);
const OPENS: Field = field("opens").about("The opening time, such as `08:00`.");
const CLOSES: Field = field("closes")
    .about("The closing time, such as `19:00`: on the next day, if it is not after `opens`.");
const UTC_OFFSET: Field = field("utcOffset").about(
    "The country's offset from UTC, such as `+01:00`. For countries with daylight saving time or \
     several time zones, choose hours that suit all of them.",
);
const SOURCE: Field =
    field("source").about("The regulation on which it is based.").limits(&[("maxLength", 500)]);
const IS_ACTIVE: Field = field("isActive").about("True if it is in force.");

impl FromFields for SendingWindowRequest {
    const NAME: &'static str = "CreateSendingWindowRequest";
    const ABOUT: &'static str = "Hours in which messages of a category may be sent to a country.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self {
            country: fields.required(COUNTRY),
            category: fields.required(CATEGORY),
            weekdays: fields.required(WEEKDAYS),
            opens: fields.required(OPENS),
            closes: fields.required(CLOSES),
            utc_offset: fields.optional(UTC_OFFSET),
            source: fields.required(SOURCE),
            is_active: fields.optional(IS_ACTIVE),
        }
    }

    fn example() -> Value {
        json!({
            "countryCode": "NG", "category": "MARKETING", "weekdays": ["MONDAY", "TUESDAY"],
            "opens": "08:00", "closes": "20:00", "utcOffset": "+01:00",
            "source": "what our operator asks for",
        })
    }
}

/// Changes of a window.
struct Changes(SendingWindowRequest);

impl FromFields for Changes {
    const NAME: &'static str = "UpdateSendingWindowRequest";
    const ABOUT: &'static str = "Changes to a sending window. Absent fields keep their values.";

    fn from_fields(fields: &mut Fields) -> Self {
        Self(SendingWindowRequest {
            country: fields.optional(COUNTRY),
            category: fields.optional(CATEGORY),
            weekdays: fields.optional(WEEKDAYS),
            opens: fields.optional(OPENS),
            closes: fields.optional(CLOSES),
            utc_offset: fields.optional(UTC_OFFSET),
            source: fields.optional(SOURCE),
            is_active: fields.optional(IS_ACTIVE),
        })
    }

    fn example() -> Value {
        json!({ "isActive": false })
    }
}

/// Hours in which messages of a category may go to a country.
#[derive(Serialize, ToSchema)]
#[schema(as = SendingWindow)]
#[serde(rename_all = "camelCase")]
struct SendingWindowView {
    id: Uuid,
    #[schema(example = "GH")]
    country_code: String,
    #[schema(value_type = CategoryName)]
    category: &'static str,
    /// Days on which it opens.
    #[schema(value_type = Vec<WeekdayName>)]
    weekdays: Vec<&'static str>,
    #[schema(example = "08:00")]
    opens: String,
    /// Closing time; on the next day, if it is not after `opens`.
    #[schema(example = "19:00")]
    closes: String,
    #[schema(example = "+00:00")]
    utc_offset: String,
    /// The rule that it follows.
    #[schema(example = "what our operator asks for")]
    source: String,
    /// True if it is in force.
    is_active: bool,
    created_at: Timestamp,
}

/// Deleted window.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletedSendingWindow)]
struct DeletedSendingWindowView {
    id: Uuid,
    /// Always true.
    deleted: bool,
}

impl From<SendingWindow> for SendingWindowView {
    fn from(window: SendingWindow) -> Self {
        let WeeklyHours { weekdays, opens, closes, utc_offset } = window.hours;
        Self {
            id: window.id.uuid(),
            country_code: window.country.to_string(),
            category: window.category.as_str(),
            weekdays: weekdays.into_iter().map(Weekday::as_str).collect(),
            opens: opens.to_string(),
            closes: closes.to_string(),
            utc_offset: utc_offset.to_string(),
            source: window.source,
            is_active: window.is_active,
            created_at: window.created_at.into(),
        }
    }
}

async fn list(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<SendingWindowView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::new(api.sending_windows.page(&admin, page).await?))
}

async fn create(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    body: Body<SendingWindowRequest>,
) -> Result<Created<SendingWindowView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.sending_windows.create(&admin, request, faults).await?))
}

async fn update(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<SendingWindow>,
    body: Body<Changes>,
) -> Result<Answer<SendingWindowView>, ApiError> {
    let (Changes(changes), faults) = body.read_some()?;
    let id = id.or_unknown();
    Ok(Answer::new(api.sending_windows.update(&admin, id, changes, faults).await?))
}

async fn remove(
    PlatformAdmin(admin): PlatformAdmin,
    api: Data<Api>,
    id: PathId<SendingWindow>,
) -> Result<Answer<DeletedSendingWindowView>, ApiError> {
    let id = id.read()?;
    api.sending_windows.delete(&admin, id).await?;
    Ok(Answer::new(DeletedSendingWindowView { id: id.uuid(), deleted: true }))
}

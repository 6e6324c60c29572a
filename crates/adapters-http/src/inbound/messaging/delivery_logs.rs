//! `/delivery-logs`

use actix_web::{
    HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::messaging::{
    delivery_log::{LogRequest, csv},
    message::Message,
};
use futures_util::{StreamExt, stream};
use usecases::messaging::delivery_logs::Export;

use self::query::LogQuery;
use crate::inbound::{
    Api,
    messaging::messages::view::MessageView,
    shared::{
        caller::Member,
        endpoint::{Area, describe::Description, get},
        error::ApiError,
        page_or_part::PageOrPart,
        query::{Place, Query},
    },
};

mod query;

/// Description of the list.
const LIST: &str = "\
    Newest first. Filters can be combined. With other filters than `recipient`, `campaignId`, \
    `status` and `channel`, 31 days are searched: those from `from`, else those until `to`, or the \
    last ones. With other filters than `status` and `channel`, `total` counts up to 1,000 messages \
    (`isLowerBound`), and an answer comes of a look at about 10,000 messages: a page may have fewer \
    messages than `limit`, even none, although `nextCursor` leads to more. A recipient, a failure or \
    rare metadata is found at once. An API key with the scope `delivery-logs:read` sees the messages \
    of its own mode.";

pub(super) fn area() -> Area {
    Area {
        name: "Delivery logs",
        about: "Logs of sent messages.",
        endpoints: vec![
            get("/delivery-logs", "listDeliveryLogs", list)
                .summary("List delivery logs.")
                .description(LIST)
                .answers("A page, or a part with `after`."),
            get("/delivery-logs/export", "exportDeliveryLogs", export)
                .summary("Download delivery logs.")
                .description(
                    "CSV, newest first, at most 10,000 rows, with the filters of the list. A cell \
                     that a spreadsheet would read as a formula begins with an apostrophe, except phone \
                     numbers: a plus and digits are no formula. A text has its first 10,000 \
                     characters; `bodyTruncated` is `true` if there are more.",
                )
                .answers("A header, and a row for each log.")
                .with(answers_csv),
        ],
    }
}

fn answers_csv(description: &mut Description) {
    description.answers_text(200, "text/csv", &csv::header());
}

async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<LogQuery>,
) -> Result<PageOrPart<MessageView>, ApiError> {
    let LogQuery { filter, place } = query.read()?;
    let logs = &api.delivery_logs;
    Ok(match place {
        Place::Page(page) => PageOrPart::page(logs.page(&caller, &filter, page).await?),
        Place::Beginning(page) => {
            let beginning = logs.beginning(&caller, &filter, page).await?;
            PageOrPart::beginning(beginning.page, beginning.next)
        }
        Place::After(after, limit) => {
            let part = logs.part(&caller, &filter, after, limit).await?;
            PageOrPart::part(part.messages, limit, part.next)
        }
    })
}

async fn export(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<LogRequest>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.read()?;
    let mut export = api.delivery_logs.export(&caller, &filter)?;
    // Read before the answer begins, so that an unavailable store is reported by the status.
    let first = Bytes::from(csv::header() + &rows(export.next().await?));
    let rest = stream::try_unfold(export, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"delivery-logs.csv\""))
        .streaming(stream::iter([Ok(first)]).chain(rest)))
}

/// Returns the next part. An error cuts the response off, so that a client does not mistake a part
/// for the whole.
async fn next_part(mut export: Export) -> Result<Option<(Bytes, Export)>, ApiError> {
    let part = export.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    Ok(Some((rows(part).into(), export)))
}

fn rows(messages: Vec<Message>) -> String {
    messages.into_iter().map(csv::line).collect()
}

//! `/delivery-logs`

use actix_web::{
    HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{messaging::delivery_log::LogFilter, shared::page::Page};
use futures_util::{StreamExt, stream};
use usecases::messaging::delivery_logs::Export;

use crate::inbound::{
    Api,
    messaging::messages::view::MessageView,
    shared::{
        answers::Paginated,
        caller::Member,
        endpoint::{Area, describe::Description, get},
        error::ApiError,
        query::Query,
    },
};

mod csv;

pub(super) fn area() -> Area {
    Area {
        name: "Delivery logs",
        about: "Logs of sent messages.",
        endpoints: vec![
            get("/delivery-logs", "listDeliveryLogs", list)
                .summary("List delivery logs.")
                .description("Newest first.")
                .answers("A page."),
            get("/delivery-logs/export", "exportDeliveryLogs", export)
                .summary("Download delivery logs.")
                .description(
                    "CSV, newest first, at most 10,000 rows. A cell that a spreadsheet would read \
                     as a formula begins with an apostrophe, except phone numbers: a plus and \
                     digits are no formula. A text has its first 10,000 characters; \
                     `bodyTruncated` is `true` if there are more.",
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
    query: Query<(LogFilter, Page)>,
) -> Result<Paginated<MessageView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::with_cut_texts(api.delivery_logs.page(&caller, filter, page).await?))
}

async fn export(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<LogFilter>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.read()?;
    let mut export = api.delivery_logs.export(&caller, filter)?;
    // Read before the answer begins, so that an unavailable store is reported by the status.
    let first = csv::beginning(export.next().await?)?;
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
    Ok(Some((csv::rows(part)?, export)))
}

//! `/delivery-logs`

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use futures_util::{StreamExt, stream};
use usecases::delivery_logs::Export;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    Api,
    caller::Member,
    envelope::{self, Listing},
    error::Failure,
    messages::view::MessageView,
    query::Query,
    wire::{ChannelName, StatusName},
};

mod sheet;

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list).service(download);
}

/// List delivery logs.
///
/// Newest first.
#[utoipa::path(
    operation_id = "listDeliveryLogs",
    tag = "Delivery logs",
    params(
        Member,
        ("page" = Option<i64>, Query, minimum = 1, maximum = 4_294_967_295_i64,
         description = "Which page, from 1; 1 if absent."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 100,
         description = "How many, 1 to 100; 20 if absent."),
        ("status" = Option<StatusName>, Query, description = "Only those in this state."),
        ("channel" = Option<ChannelName>, Query, description = "Only those of this channel."),
    ),
    security(("bearer" = [])),
    responses((status = 200, description = "A page.", body = Listing<MessageView>)),
)]
#[get("/delivery-logs")]
async fn list(
    Member(caller): Member,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let mut query = Query::of(&request);
    let filter = query.filter();
    let page = api.delivery_logs.page(&caller, filter, query.page()?).await?;
    Ok(envelope::listing(page, MessageView::from))
}

/// Download delivery logs.
///
/// As CSV, newest first, 10,000 rows at the most. A cell that a spreadsheet would take for a
/// formula begins with an apostrophe. Phone numbers do not: a plus and digits are none.
#[utoipa::path(
    operation_id = "exportDeliveryLogs",
    tag = "Delivery logs",
    params(
        Member,
        ("status" = Option<StatusName>, Query, description = "Only those in this state."),
        ("channel" = Option<ChannelName>, Query, description = "Only those of this channel."),
    ),
    security(("bearer" = [])),
    responses((
        status = 200, description = "A header and a row for each log.", body = String,
        content_type = "text/csv",
    )),
)]
#[get("/delivery-logs/export")]
async fn download(
    Member(caller): Member,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let mut query = Query::of(&request);
    let filter = query.filter();
    query.finish()?;
    let mut export = api.delivery_logs.export(&caller, filter)?;
    // Read before the answer begins, so that a store that is away is told with a status.
    let first = sheet::beginning(export.next().await?)?;
    let rest = stream::try_unfold(export, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"delivery-logs.csv\""))
        .streaming(stream::iter([Ok(first)]).chain(rest)))
}

/// An error ends the answer without its proper end, so that nobody takes it for the whole.
async fn next_part(mut export: Export) -> Result<Option<(Bytes, Export)>, Failure> {
    let part = export.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    Ok(Some((sheet::rows(part)?, export)))
}

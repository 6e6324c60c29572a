//! `/callbacks/providers/{name}`: what vendors tell us on their own.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::StatusCode,
    post,
    web::{Bytes, Data, Query},
};
use domain::callback::{Callback, CallbackAnswer, CallbackMethod};
use serde::Serialize;
use usecases::Error as Refusal;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    Api,
    body::RawBody,
    caller,
    envelope::{self, FailureView, Success},
    error::Failure,
};

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(receive).service(handshake);
}

/// A callback that was taken in.
#[derive(Serialize, ToSchema)]
struct ReceivedView {
    /// Always true.
    received: bool,
}

/// Take a provider's callback in.
///
/// Extension: for vendors alone. Every callback is verified by the vendor's signature, or by a
/// token in the address where the vendor does not sign, before anything in it is believed.
#[utoipa::path(
    operation_id = "receiveCallback",
    tag = "Callbacks",
    params(("name" = String, Path, description = "The provider's name.")),
    request_body(content = String, description = "As the vendor has it.", content_type = "*/*"),
    responses(
        (status = 200, description = "Taken in, answered as the vendor wants it.",
         body = Success<ReceivedView>),
        (status = 401, description = "`INVALID_SIGNATURE`.", body = FailureView),
        (status = 404, description = "There is no such provider.", body = FailureView),
    ),
)]
#[post("/callbacks/providers/{name}")]
async fn receive(
    api: Data<Api>,
    request: HttpRequest,
    body: RawBody,
) -> Result<HttpResponse, Failure> {
    take(&api, &request, CallbackMethod::Post, body.bytes()?).await
}

/// Answer a vendor's handshake, or take a callback in that comes as `GET`.
///
/// Extension: for vendors alone.
#[utoipa::path(
    operation_id = "answerCallbackHandshake",
    tag = "Callbacks",
    params(("name" = String, Path, description = "The provider's name.")),
    responses(
        (status = 200, description = "Answered as the vendor wants it.",
         body = Success<ReceivedView>),
        (status = 401, description = "`INVALID_SIGNATURE`.", body = FailureView),
        (status = 404, description = "There is no such provider.", body = FailureView),
    ),
)]
#[get("/callbacks/providers/{name}")]
async fn handshake(api: Data<Api>, request: HttpRequest) -> Result<HttpResponse, Failure> {
    take(&api, &request, CallbackMethod::Get, Bytes::new()).await
}

async fn take(
    api: &Api,
    request: &HttpRequest,
    method: CallbackMethod,
    body: Bytes,
) -> Result<HttpResponse, Failure> {
    let query = Query::<Vec<(String, String)>>::from_query(request.query_string());
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = request.headers().iter();
    let callback = Callback {
        method,
        url: format!("{}{}", api.public_url, request.uri()),
        query: query.map(Query::into_inner).unwrap_or_default(),
        headers: headers.map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect(),
        body: body.to_vec(),
    };
    let name = request.match_info().query("name");
    let answer = match api.callbacks.receive(name, &callback).await {
        Err(Refusal::InvalidSignature) => return Err(caller::wrong_proof(api, request)),
        answer => answer?,
    };
    Ok(match answer {
        CallbackAnswer::Acknowledged => envelope::ok(ReceivedView { received: true }),
        CallbackAnswer::Text(media_type, text) => {
            HttpResponse::build(StatusCode::OK).content_type(media_type).body(text)
        }
    })
}

//! `/messages`

use std::panic::resume_unwind;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Data};
use domain::id::Id;
use usecases::{
    Error as Refusal,
    messages::{SendBulk, SendMessage},
};
use utoipa_actix_web::service_config::ServiceConfig;

use super::{
    Api, BackgroundWork,
    body::Body,
    caller::{ApiCaller, Sender},
    envelope::{self, FailureView, Success},
    error::Failure,
};

mod idempotency;
mod request;
pub(super) mod view;

use idempotency::{IdempotencyKey, marked};
use request::{SendBulkRequest, SendMessageRequest};
use view::MessageView;

/// Adds the routes of this module.
pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(send).service(send_bulk).service(get);
}

/// Send a message.
///
/// With `async` the answer comes as soon as the message is accepted, else with the outcome of the
/// first try. For owners, administrators, campaign managers and developers, and for API keys with
/// the scope `messages:send`.
#[utoipa::path(
    operation_id = "sendMessage",
    tag = "Messages",
    params(ApiCaller, IdempotencyKey),
    security(("apiKey" = []), ("bearer" = [])),
    request_body = SendMessageRequest,
    responses(
        (status = 201, description = "The delivery log.", body = Success<MessageView>,
         headers(("Idempotent-Replayed" = String, description = "`true` if it is a replay."))),
        (status = 202, description = "The delivery log, `QUEUED`.", body = Success<MessageView>,
         headers(("Idempotent-Replayed" = String, description = "`true` if it is a replay."))),
        (status = 402, description = "The wallet cannot pay: `INSUFFICIENT_BALANCE`.",
         body = FailureView),
        (status = 404, description = "`TEMPLATE_NOT_FOUND`.", body = FailureView),
        (status = 409, description = "`TEMPLATE_NOT_APPROVED`, or `IDEMPOTENCY_IN_PROGRESS`.",
         body = FailureView),
        (status = 422, description = "`IDEMPOTENCY_KEY_REUSED`.", body = FailureView),
    ),
)]
#[post("/messages/send")]
async fn send(
    Sender(caller): Sender,
    api: Data<Api>,
    request: HttpRequest,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (body, mut found) = body.read::<SendMessageRequest>()?;
    let key = idempotency::key(&request, body.idempotency_key.clone(), &mut found);
    let command = SendMessage { idempotency_key: key, ..body.command(found) };
    let status = accepted_or_done(command.is_async);
    let (messages, is_async) = (api.messages.clone(), command.is_async);
    let sending = async move { messages.send(&caller, command).await };
    let sent = delivered_or_accepted(&api, is_async, sending).await?;
    let answer = envelope::answer(status, MessageView::from(sent.accepted));
    Ok(marked(answer, sent.is_replay))
}

/// Send up to 100 messages.
///
/// All are accepted, or none. The answer lists them in their order. A repetition under the same
/// idempotency key sends nothing and is answered with the first logs.
#[utoipa::path(
    operation_id = "sendBulk",
    tag = "Messages",
    params(ApiCaller, IdempotencyKey),
    security(("apiKey" = []), ("bearer" = [])),
    request_body = SendBulkRequest,
    responses(
        (status = 201, description = "The delivery logs.", body = Success<Vec<MessageView>>,
         headers(("Idempotent-Replayed" = String, description = "`true` if it is a replay."))),
        (status = 202, description = "The delivery logs, `QUEUED`.",
         body = Success<Vec<MessageView>>,
         headers(("Idempotent-Replayed" = String, description = "`true` if it is a replay."))),
        (status = 402, description = "The wallet cannot pay for all: `INSUFFICIENT_BALANCE`.",
         body = FailureView),
        (status = 404, description = "`TEMPLATE_NOT_FOUND`.", body = FailureView),
        (status = 409, description = "`TEMPLATE_NOT_APPROVED`, or `IDEMPOTENCY_IN_PROGRESS`.",
         body = FailureView),
        (status = 422, description = "`IDEMPOTENCY_KEY_REUSED`.", body = FailureView),
    ),
)]
#[post("/messages/bulk")]
async fn send_bulk(
    Sender(caller): Sender,
    api: Data<Api>,
    request: HttpRequest,
    body: Body,
) -> Result<HttpResponse, Failure> {
    let (body, mut found) = body.read::<SendBulkRequest>()?;
    let key = idempotency::key(&request, body.idempotency_key.clone(), &mut found);
    let command = SendBulk { idempotency_key: key, ..body.command(found) };
    let status = accepted_or_done(command.is_async);
    let (messages, is_async) = (api.messages.clone(), command.is_async);
    let sending = async move { messages.send_bulk(&caller, command).await };
    let sent = delivered_or_accepted(&api, is_async, sending).await?;
    let shown: Vec<_> = sent.accepted.into_iter().map(MessageView::from).collect();
    Ok(marked(envelope::answer(status, shown), sent.is_replay))
}

/// Look a message up.
#[utoipa::path(
    operation_id = "getMessage",
    tag = "Messages",
    params(
        ApiCaller,
        ("id" = String, Path, description = "The `id` or the `internalMessageId`."),
    ),
    security(("apiKey" = []), ("bearer" = [])),
    responses(
        (status = 200, description = "The delivery log.", body = Success<MessageView>),
        (status = 404, description = "There is no such message.", body = FailureView),
    ),
)]
#[get("/messages/{id}")]
async fn get(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let id = Id::parse_either(request.match_info().query("id"));
    let id = id.map_err(|_| Refusal::NotFound("message"))?;
    Ok(envelope::ok(MessageView::from(api.messages.get(&caller, id).await?)))
}

fn accepted_or_done(is_async: bool) -> StatusCode {
    if is_async { StatusCode::ACCEPTED } else { StatusCode::CREATED }
}

/// Waits for messages to be sent. Who waits for their delivery carries it out, so that goes on when
/// the client goes away; what is only accepted is in other hands from the start.
async fn delivered_or_accepted<T: Send + 'static>(
    api: &Api,
    is_async: bool,
    sending: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Failure> {
    if is_async { Ok(sending.await?) } else { to_its_end(&api.background, sending).await }
}

/// Runs `work` to its end, even if the client goes away meanwhile, or the server is stopped.
async fn to_its_end<T: Send + 'static>(
    background: &BackgroundWork,
    work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Failure> {
    match background.spawn(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(Failure::Broken),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    #[actix_web::test]
    async fn work_goes_on_when_its_client_goes_away() {
        let (provider, answer) = oneshot::channel::<()>();
        let (done, is_done) = oneshot::channel();
        let background = BackgroundWork::new(tokio::runtime::Handle::current());
        let work = to_its_end(&background, async move {
            let _ = answer.await;
            Ok(done.send(()).is_ok())
        });

        assert!(timeout(Duration::from_millis(10), work).await.is_err(), "the client waited");
        provider.send(()).unwrap();

        assert!(timeout(Duration::from_secs(5), is_done).await.unwrap().is_ok());
    }
}

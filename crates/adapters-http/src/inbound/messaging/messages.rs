//! `/messages`

use std::panic::resume_unwind;

use actix_web::{HttpRequest, HttpResponse, Responder, body::BoxBody, http::StatusCode, web::Data};
use domain::{messaging::message::Message, shared::id::Id};
use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use usecases::{
    Error,
    messaging::messages::{IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, SendBulk, SendMessage},
};

use crate::inbound::{
    Api, BackgroundWork,
    shared::{
        answers::{self, Answer, schema_of_one},
        body::Body,
        caller::{ApiCaller, Sender},
        endpoint::{
            Area,
            describe::{Describe, Description},
            get, post,
        },
        error::ApiError,
        idempotency::{self, IdempotencyKey},
        path_id::{Identified, PathId},
    },
};

mod bulk;
pub(crate) mod request;
mod resends;
mod scheduled;
mod timeline;
pub(crate) mod view;

use bulk::PlaceView;
pub(crate) use resends::ResentMany;
use timeline::MessageDetailView;
pub(crate) use view::MessageView;

pub(super) fn area() -> Area {
    Area {
        name: "Messages",
        about: "Sending messages and following them.",
        endpoints: vec![
            post("/messages/send", "sendMessage", send)
                .summary("Send a message.")
                .description(
                    "With `async` the answer comes as soon as the message is accepted, else with \
                     the outcome of the first attempt. For owners, administrators, campaign \
                     managers and developers, and for API keys with the scope `messages:send`.",
                )
                .costs_money()
                .sends_messages()
                .sends_template()
                .refuses(Error::InProgress(IDEMPOTENCY_IN_PROGRESS))
                .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED)),
            post("/messages/bulk", "sendBulk", send_bulk)
                .summary("Send up to 100 messages.")
                .description(
                    "Either all messages are accepted, or none. With `partial` the valid ones are \
                     accepted: the place of a wrong one is `FAILED` with `VALIDATION_ERROR`, and a \
                     balance that does not pay for all of the others refuses all. The answer lists \
                     them in the same order. A repetition with the same idempotency key sends \
                     nothing and returns the first logs.",
                )
                .costs_money()
                .sends_messages()
                .sends_template()
                .refuses(Error::InProgress(IDEMPOTENCY_IN_PROGRESS))
                .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED)),
            get("/messages/{id}", "getMessage", show)
                .summary("Get a message.")
                .answers("The delivery log, with its timeline."),
            scheduled::cancellation(),
            scheduled::postponement(),
            resends::one(),
            resends::many(),
            resends::progress(),
        ],
    }
}

impl Identified for Message {
    const NAME: &'static str = "message";
    const FORMS: &'static str = "The `id` or the `internalMessageId`.";

    fn parse(text: &str) -> Option<Id<Self>> {
        Id::parse_either(text).ok()
    }
}

/// Accepted messages: 202 if nobody waited for their outcome, else 201.
pub(crate) struct Sent<T> {
    pub(crate) view: T,
    pub(crate) is_async: bool,
    pub(crate) is_replay: bool,
}

impl<T: Serialize> Responder for Sent<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let status = if self.is_async { StatusCode::ACCEPTED } else { StatusCode::CREATED };
        idempotency::marked(answers::success(status, self.view), self.is_replay)
    }
}

impl Describe for Sent<MessageView> {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<MessageView>(&mut description.schemas);
        describe_sent(description, &schema, ["The delivery log.", "The delivery log, `QUEUED`."]);
    }
}

/// Documents accepted messages: the texts of 201 and of 202.
pub(crate) fn describe_sent(
    description: &mut Description,
    schema: &Value,
    texts: [&'static str; 2],
) {
    for (status, text) in [201, 202].into_iter().zip(texts) {
        let response = description.answers_json(status, schema.clone());
        response.description = text;
        idempotency::describe_marked(response);
    }
}

async fn send(
    Sender(caller, rate_limit): Sender,
    api: Data<Api>,
    key: IdempotencyKey,
    body: Body<SendMessage>,
) -> Result<Sent<MessageView>, ApiError> {
    let (mut command, mut faults) = body.read()?;
    command.idempotency_key = key.or(command.idempotency_key, &mut faults);
    command.faults = faults;
    command.rate_limit = rate_limit;
    let is_async = command.is_async;
    let messages = api.messages.clone();
    // Boxed, or each of the functions that it passes through keeps room for it, and with all of that the
    // handler is moved.
    let sending = Box::pin(async move { messages.send(&caller, command).await });
    let sent = delivered_or_accepted(&api, is_async, sending).await?;
    Ok(Sent { view: sent.accepted.into(), is_async, is_replay: sent.is_replay })
}

async fn send_bulk(
    Sender(caller, rate_limit): Sender,
    api: Data<Api>,
    key: IdempotencyKey,
    body: Body<SendBulk>,
) -> Result<Sent<Vec<PlaceView>>, ApiError> {
    let (mut command, mut faults) = body.read()?;
    command.idempotency_key = key.or(command.idempotency_key, &mut faults);
    command.faults = faults;
    command.rate_limit = rate_limit;
    let is_async = command.is_async;
    let messages = api.messages.clone();
    let sending = Box::pin(async move { messages.send_places(&caller, command).await });
    let sent = delivered_or_accepted(&api, is_async, sending).await?;
    let view = sent.accepted.into_iter().map(PlaceView::from).collect();
    Ok(Sent { view, is_async, is_replay: sent.is_replay })
}

async fn show(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    id: PathId<Message>,
) -> Result<Answer<MessageDetailView>, ApiError> {
    let message = api.messages.get(&caller, id.read()?).await?;
    let timeline = api.timelines.of(&caller, &message).await?;
    Ok(Answer::new(MessageDetailView::of(message, timeline)))
}

/// Waits for messages to be sent. If the client waits for their delivery, this request delivers
/// them, so it must continue when the client disconnects. Others are delivered by the workers.
///
/// `sending` is boxed: this function and its callers would each reserve room for all of it, three
/// times in every request that waits.
pub(crate) async fn delivered_or_accepted<T: Send + 'static>(
    api: &Api,
    is_async: bool,
    sending: BoxFuture<'static, Result<T, Error>>,
) -> Result<T, ApiError> {
    if is_async { Ok(sending.await?) } else { to_its_end(&api.background, sending).await }
}

/// Runs `work` to its end, even if the client disconnects or the server is stopped.
async fn to_its_end<T: Send + 'static>(
    background: &BackgroundWork,
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, ApiError> {
    match background.spawn(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(ApiError::Broken),
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

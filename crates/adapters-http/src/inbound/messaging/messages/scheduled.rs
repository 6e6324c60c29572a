//! Messages that wait: they are cancelled or moved.

use actix_web::web::Data;
use domain::messaging::message::Message;
use usecases::{
    Error,
    messaging::scheduled_messages::{MESSAGE_NOT_CANCELLABLE, MESSAGE_NOT_SCHEDULED, MoveMessage},
};

use super::MessageView;
use crate::inbound::{
    Api,
    shared::{
        answers::Answer,
        body::Body,
        caller::ApiCaller,
        endpoint::{Endpoint, patch, post},
        error::ApiError,
        path_id::PathId,
    },
};

/// Returns the endpoint that cancels a message.
pub(super) fn cancellation() -> Endpoint {
    post("/messages/{id}/cancel", "cancelMessage", cancel)
        .extension()
        .summary("Cancel a message.")
        .description(
            "Possible until a provider is given the message: while it is scheduled, held back or waits \
             for another attempt. It fails with `CANCELLED` and is refunded, and no other channel of its \
             event is tried. A repetition has the same answer.",
        )
        .answers("The delivery log, `FAILED`.")
        .refuses(Error::Conflict(MESSAGE_NOT_CANCELLABLE))
}

/// Returns the endpoint that moves a scheduled message.
pub(super) fn postponement() -> Endpoint {
    patch("/messages/{id}", "moveMessage", reschedule)
        .extension()
        .summary("Move a scheduled message to another time.")
        .description("The price stays as it was. Its validity counts from the new time.")
        .answers("The delivery log.")
        .refuses(Error::Conflict(MESSAGE_NOT_SCHEDULED))
}

async fn cancel(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    id: PathId<Message>,
) -> Result<Answer<MessageView>, ApiError> {
    Ok(Answer::new(api.scheduled_messages.cancel(&caller, id.read()?).await?))
}

async fn reschedule(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    id: PathId<Message>,
    body: Body<MoveMessage>,
) -> Result<Answer<MessageView>, ApiError> {
    let (mut command, faults) = body.read_some()?;
    command.faults = faults;
    let id = id.or_unknown();
    Ok(Answer::new(api.scheduled_messages.reschedule(&caller, id, command).await?))
}

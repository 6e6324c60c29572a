//! Backpressure on the bodies of requests and answers.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::{Payload, ServiceRequest},
    error::PayloadError,
    web::Bytes,
};
use futures_util::Stream;

use crate::server::pace::{Answering, Pace};

/// Number of bytes written to the buffer of a connection at a time.
const PIECE: usize = 16 * 1_024;

/// Body of a request, which notifies the connection when it is awaited.
struct Awaited {
    payload: Payload,
    pace: Pace,
}

impl Stream for Awaited {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.payload).poll_next(cx);
        self.pace.want_body(polled.is_pending());
        polled
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.pace.want_body(false);
    }
}

/// Makes the body of the request be read on demand only.
pub(crate) fn read_as_asked(request: &mut ServiceRequest, pace: &Pace) {
    match actix_web::HttpMessage::take_payload(request) {
        Payload::None => {}
        payload => {
            let awaited = Awaited { payload, pace: pace.clone() };
            request.set_payload(Payload::Stream { payload: Box::pin(awaited) });
        }
    }
}

/// Makes an answer be written piece by piece: all that is written at once stays in memory until the
/// client takes it.
pub(crate) fn in_pieces(body: BoxBody, answering: Option<Answering>) -> BoxBody {
    match body.try_into_bytes() {
        Ok(bytes) if bytes.len() <= PIECE => BoxBody::new(bytes),
        Ok(bytes) => BoxBody::new(Pieces(bytes)),
        Err(body) => BoxBody::new(Streamed { body, _answering: answering }),
    }
}

/// A long body.
struct Pieces(Bytes);

impl MessageBody for Pieces {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let length = self.0.len().min(PIECE);
        let piece = self.0.split_to(length);
        Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
    }
}

/// Body that is created while it is written: until its end the request counts as being answered.
struct Streamed {
    body: BoxBody,
    _answering: Option<Answering>,
}

impl MessageBody for Streamed {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}

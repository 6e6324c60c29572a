//! The bodies of requests.

use std::{convert::Infallible, time::Duration};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::Payload,
    http::header::CONTENT_ENCODING,
    web::{Bytes, BytesMut},
};
use domain::fault::Faults;
use futures_util::{StreamExt, future::LocalBoxFuture};
use serde_json::{Map, Value};

use super::{
    error::Failure,
    form::{Fields, FromFields},
};

/// The most bytes in a body.
pub(super) const MAX_BODY: usize = 1 << 20;
/// How much of a body that is too large is read all the same: a client that still sends when the
/// answer comes would not see it.
const MAX_READ: usize = 8 << 20;
/// How long a client may take to send a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// The body of a request. What is wrong with it is told by [`read`](Self::read), so that nothing is
/// told of it before the caller is known.
pub(super) struct Body(Result<Bytes, Failure>);

impl FromRequest for Body {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_json = is_json(request);
        let encoding = refused_encoding(request);
        let payload = payload.take();
        Box::pin(async move {
            Ok(Self(match arrived(payload, encoding).await {
                Ok(bytes) if !is_json && !bytes.is_empty() => {
                    Err(unreadable("must be JSON, with the content type application/json"))
                }
                bytes => bytes,
            }))
        })
    }
}

/// The body of a request of any type, byte for byte.
pub(super) struct RawBody(Result<Bytes, Failure>);

impl FromRequest for RawBody {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let encoding = refused_encoding(request);
        let payload = payload.take();
        Box::pin(async move { Ok(Self(arrived(payload, encoding).await)) })
    }
}

impl RawBody {
    /// The bytes, unless they are too many or did not come.
    pub(super) fn bytes(self) -> Result<Bytes, Failure> {
        self.0
    }
}

impl Body {
    /// Like [`read`](Self::read), of a request that means nothing without a body.
    pub(super) fn read_some<T: FromFields>(self) -> Result<(T, Faults), Failure> {
        if self.0.as_ref().is_ok_and(Bytes::is_empty) {
            return Err(unreadable("is required"));
        }
        self.read()
    }

    /// Reads a JSON object, and notes everything that is wrong with its fields.
    pub(super) fn read<T: FromFields>(self) -> Result<(T, Faults), Failure> {
        let bytes = self.0?;
        let object = if bytes.is_empty() {
            Map::new()
        } else {
            match serde_json::from_slice(&bytes) {
                Ok(Value::Object(object)) => object,
                Ok(_) => return Err(unreadable("must be a JSON object")),
                Err(fault) => return Err(unreadable(&format!("is not JSON: {fault}"))),
            }
        };
        Ok(Fields::read(object))
    }
}

fn unreadable(fault: &str) -> Failure {
    Faults::form(format!("the body {fault}")).into()
}

/// A body without a type is taken for what it ought to be.
fn is_json(request: &HttpRequest) -> bool {
    let essence = request.content_type().trim().to_ascii_lowercase();
    essence.is_empty() || essence == "application/json" || essence.ends_with("+json")
}

/// How the body is encoded, if in a way that is not read. It may still be empty.
fn refused_encoding(request: &HttpRequest) -> Option<String> {
    let encoding = request.headers().get(CONTENT_ENCODING)?;
    let encoding = String::from_utf8_lossy(encoding.as_bytes()).trim().to_ascii_lowercase();
    (encoding != "identity" && !encoding.is_empty()).then_some(encoding)
}

async fn arrived(payload: Payload, refused_encoding: Option<String>) -> Result<Bytes, Failure> {
    let collected = tokio::time::timeout(PATIENCE, collect(payload)).await;
    let bytes = collected.unwrap_or_else(|_| Err(unreadable("did not arrive in time")))?;
    match refused_encoding {
        Some(encoding) if !bytes.is_empty() => Err(Failure::UnsupportedEncoding(encoding)),
        _ => Ok(bytes),
    }
}

async fn collect(mut payload: Payload) -> Result<Bytes, Failure> {
    let mut bytes = BytesMut::new();
    let mut read = 0;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| unreadable("could not be read"))?;
        read += chunk.len();
        if read > MAX_READ {
            break;
        }
        if read <= MAX_BODY {
            bytes.extend_from_slice(&chunk);
        }
    }
    if read > MAX_BODY { Err(Failure::BodyTooLarge) } else { Ok(bytes.freeze()) }
}

//! The bodies of requests.

use std::{convert::Infallible, marker::PhantomData, time::Duration};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::Payload,
    http::header::CONTENT_ENCODING,
    web::{Bytes, BytesMut},
};
use domain::shared::fault::Faults;
use futures_util::{StreamExt, future::LocalBoxFuture};
use serde_json::{Map, Value, json};

use crate::inbound::shared::{
    endpoint::describe::{Describe, Description},
    error::ApiError,
    json_fields::{Fields, FromFields},
    unique_json,
};

/// Maximum size of a body, in bytes.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// Number of bytes that are read of a body that is too large: a client that still sends when the
/// answer comes would not see it.
pub(crate) const MAX_READ: usize = 8 << 20;
/// Time within which a client must send a body.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// JSON body of a request. Errors come from [`read`](Self::read), so that an unauthenticated caller
/// learns nothing from them.
pub(crate) struct Body<T> {
    bytes: Result<Bytes, ApiError>,
    of: PhantomData<fn() -> T>,
}

impl<T> FromRequest for Body<T> {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let is_json = is_json(request);
        let encoding = refused_encoding(request);
        let payload = payload.take();
        Box::pin(async move {
            let bytes = match receive(payload, encoding).await {
                Ok(bytes) if !is_json && !bytes.is_empty() => {
                    Err(unreadable("must be JSON, with the content type application/json"))
                }
                bytes => bytes,
            };
            Ok(Self { bytes, of: PhantomData })
        })
    }
}

/// Body of a request of any type, byte for byte.
pub(crate) struct RawBody(Result<Bytes, ApiError>);

impl FromRequest for RawBody {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let encoding = refused_encoding(request);
        let payload = payload.take();
        Box::pin(async move { Ok(Self(receive(payload, encoding).await)) })
    }
}

impl RawBody {
    /// Returns the bytes. Fails if they are too many or did not arrive.
    pub(crate) fn bytes(self) -> Result<Bytes, ApiError> {
        self.0
    }
}

impl<T: FromFields> Body<T> {
    /// Like [`read`](Self::read), for a request that must have a body.
    pub(crate) fn read_some(self) -> Result<(T, Faults), ApiError> {
        if self.bytes.as_ref().is_ok_and(Bytes::is_empty) {
            return Err(unreadable("is required"));
        }
        self.read()
    }

    /// Reads a JSON object, and collects all faults of its fields.
    pub(crate) fn read(self) -> Result<(T, Faults), ApiError> {
        let bytes = self.bytes?;
        let object = if bytes.is_empty() {
            Map::new()
        } else {
            match unique_json::read(&bytes) {
                Ok(Value::Object(object)) => object,
                Ok(_) => return Err(unreadable("must be a JSON object")),
                Err(fault) if fault.is_data() => {
                    return Err(unreadable(&format!("is ambiguous: {fault}")));
                }
                Err(fault) => return Err(unreadable(&format!("is not JSON: {fault}"))),
            }
        };
        Ok(Fields::read(object))
    }
}

impl<T: FromFields> Describe for Body<T> {
    fn describe(description: &mut Description) {
        let schema = Fields::schema_of::<T>(&mut description.schemas);
        description.body = Some(json!({
            "required": true, "content": { "application/json": { "schema": schema } },
        }));
    }
}

/// Documents that the body may be absent.
pub(crate) fn may_be_absent(description: &mut Description) {
    if let Some(body) = &mut description.body {
        body["required"] = json!(false);
    }
}

impl Describe for RawBody {
    fn describe(description: &mut Description) {
        description.body = Some(json!({
            "required": true, "description": "The body in the vendor's format.",
            "content": {
                "application/json": { "schema": {} },
                "application/x-www-form-urlencoded": {
                    "schema": { "type": "object", "additionalProperties": true },
                },
            },
        }));
    }
}

pub(crate) fn unreadable(fault: &str) -> ApiError {
    Faults::form(format!("the body {fault}")).into()
}

/// True if the body is JSON, as it is taken to be without a content type.
fn is_json(request: &HttpRequest) -> bool {
    let essence = request.content_type().trim().to_ascii_lowercase();
    essence.is_empty() || essence == "application/json" || essence.ends_with("+json")
}

/// Returns the encoding of the body, if it is not supported. The body may still be empty.
pub(crate) fn refused_encoding(request: &HttpRequest) -> Option<String> {
    let encoding = request.headers().get(CONTENT_ENCODING)?;
    let encoding = String::from_utf8_lossy(encoding.as_bytes()).trim().to_ascii_lowercase();
    (encoding != "identity" && !encoding.is_empty()).then_some(encoding)
}

async fn receive(payload: Payload, refused_encoding: Option<String>) -> Result<Bytes, ApiError> {
    let collected = tokio::time::timeout(BODY_TIMEOUT, collect(payload)).await;
    let bytes = collected.unwrap_or_else(|_| Err(unreadable("did not arrive in time")))?;
    match refused_encoding {
        Some(encoding) if !bytes.is_empty() => Err(ApiError::UnsupportedEncoding(encoding)),
        _ => Ok(bytes),
    }
}

async fn collect(mut payload: Payload) -> Result<Bytes, ApiError> {
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
    if read > MAX_BODY {
        Err(ApiError::BodyTooLarge { limit: MAX_BODY })
    } else {
        Ok(bytes.freeze())
    }
}

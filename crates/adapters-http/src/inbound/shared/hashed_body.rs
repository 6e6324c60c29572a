//! Bodies of requests that are hashed while they are read.

use std::{
    cell::RefCell,
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_web::{
    HttpRequest, dev::Payload, error::PayloadError, http::header::CONTENT_TYPE, web::Bytes,
};
use futures_util::Stream;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::inbound::shared::{
    body::{BODY_TIMEOUT, MAX_BODY, unreadable},
    error::ApiError,
    upload::{DURATION, MAX_FORM},
};

/// Maximum length of the boundary between the parts of a form, in bytes (RFC 2046). It is compared at
/// each place of a body, so that a long one would take long.
const MAX_BOUNDARY: usize = 70;

/// Body of a request that is hashed while its handler reads it. Clones share it.
///
/// The boundary between the parts of a form is left out of the hash: clients choose another one for
/// each repetition.
#[derive(Clone)]
pub(crate) struct HashedBody(Rc<RefCell<Hashing>>);

struct Hashing {
    payload: Payload,
    hash: BodyHash,
    read: usize,
    is_complete: bool,
}

/// Hash of a body without the boundaries of its parts.
#[derive(Clone)]
struct BodyHash {
    hash: Sha256,
    boundary: Option<Vec<u8>>,
    /// Last bytes, which may be the beginning of a boundary.
    pending: Vec<u8>,
}

impl HashedBody {
    /// Puts itself in the place of the body of a request.
    pub(crate) fn replace(request: &HttpRequest, payload: &mut Payload) -> Self {
        // With its parameters, which `request.content_type()` leaves out.
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let boundary = boundary(content_type.unwrap_or_default());
        // With its dashes, since a short boundary may be a part of a word.
        let hash = BodyHash::new(boundary.map(|boundary| [b"--", boundary.as_slice()].concat()));
        let hashing = Hashing { payload: payload.take(), hash, read: 0, is_complete: false };
        let body = Self(Rc::new(RefCell::new(hashing)));
        *payload = Payload::Stream { payload: Box::pin(body.clone()) };
        body
    }

    /// True if it is a form, whose handler reads it while it works.
    pub(crate) fn is_form(&self) -> bool {
        self.0.borrow().hash.boundary.is_some()
    }

    /// Reads all that was not read yet, and returns the hash of the whole body.
    pub(crate) async fn hash(&self) -> Result<[u8; 32], ApiError> {
        let (limit, time) =
            if self.is_form() { (MAX_FORM, DURATION) } else { (MAX_BODY, BODY_TIMEOUT) };
        let reading = timeout(time, self.read_on(limit)).await;
        reading.unwrap_or_else(|_| Err(unreadable("did not arrive in time")))?;
        Ok(self.0.borrow().hash.clone().finish())
    }

    async fn read_on(&self, limit: usize) -> Result<(), ApiError> {
        while self.has_more(limit)? {
            if let Some(Err(_)) = poll_fn(|cx| self.poll(cx)).await {
                return Err(unreadable("could not be read"));
            }
        }
        Ok(())
    }

    fn has_more(&self, limit: usize) -> Result<bool, ApiError> {
        let hashing = self.0.borrow();
        if hashing.read > limit {
            return Err(ApiError::BodyTooLarge { limit });
        }
        Ok(!hashing.is_complete)
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let mut hashing = self.0.borrow_mut();
        if hashing.is_complete {
            return Poll::Ready(None);
        }
        let polled = Pin::new(&mut hashing.payload).poll_next(cx);
        match &polled {
            Poll::Ready(Some(Ok(bytes))) => {
                hashing.read += bytes.len();
                hashing.hash.add(bytes);
            }
            Poll::Ready(None) => hashing.is_complete = true,
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }
}

impl Stream for HashedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(cx)
    }
}

impl BodyHash {
    fn new(boundary: Option<Vec<u8>>) -> Self {
        Self { hash: Sha256::new(), boundary, pending: Vec::new() }
    }

    fn add(&mut self, bytes: &[u8]) {
        let Some(boundary) = &self.boundary else {
            self.hash.update(bytes);
            return;
        };
        self.pending.extend_from_slice(bytes);
        let mut rest = self.pending.as_slice();
        while let Some(start) = position(rest, boundary) {
            self.hash.update(&rest[..start]);
            rest = &rest[start + boundary.len()..];
        }
        let certain = rest.len().saturating_sub(boundary.len() - 1);
        self.hash.update(&rest[..certain]);
        self.pending = rest[certain..].to_vec();
    }

    fn finish(mut self) -> [u8; 32] {
        self.hash.update(&self.pending);
        self.hash.finalize().into()
    }
}

/// Returns the place of the first `part` in `bytes`.
fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let first = *part.first()?;
    let mut from = 0;
    while let Some(found) = bytes[from..].iter().position(|byte| *byte == first) {
        let start = from + found;
        if bytes[start..].starts_with(part) {
            return Some(start);
        }
        from = start + 1;
    }
    None
}

/// Returns the boundary between the parts of a form; `None` for other types of content, and for a
/// boundary that is empty or too long.
fn boundary(content_type: &str) -> Option<Vec<u8>> {
    let mut parameters = content_type.split(';').map(str::trim);
    let is_form = parameters.next()?.to_ascii_lowercase().starts_with("multipart/");
    let boundary = parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim().trim_matches('"'))
    });
    match boundary {
        Some(text) if is_form && (1..=MAX_BOUNDARY).contains(&text.len()) => Some(text.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use futures_util::{StreamExt, stream};

    use super::*;

    /// Returns the hash of a body that arrives in pieces of that size.
    fn hash_of(text: &str, boundary: Option<&str>, size: usize) -> [u8; 32] {
        let mut hash = BodyHash::new(boundary.map(|text| text.as_bytes().to_vec()));
        for piece in text.as_bytes().chunks(size) {
            hash.add(piece);
        }
        hash.finish()
    }

    #[test]
    fn a_form_with_another_boundary_is_the_same_body() {
        let form = |boundary: &str, file: &str| {
            format!("--{boundary}\r\nname=file\r\n\r\n{file}\r\n--{boundary}--\r\n")
        };
        let first = hash_of(&form("xyxyz", "phone\n0241234567"), Some("xyxyz"), 1_000);

        for size in 1..70 {
            let again = hash_of(&form("abc", "phone\n0241234567"), Some("abc"), size);
            assert_eq!(again, first, "{size}");
            let other = hash_of(&form("abc", "phone\n0241234568"), Some("abc"), size);
            assert_ne!(other, first, "{size}");
        }
        assert_eq!(hash_of("xyxyxyz!", Some("xyxyz"), 3), hash_of("xy!", None, 1));
    }

    #[test]
    fn only_a_form_has_a_boundary() {
        let longest = "-".repeat(MAX_BOUNDARY);
        for (content_type, expected) in [
            (&*format!("multipart/form-data; boundary={longest}"), Some(longest.as_str())),
            (&*format!("multipart/form-data; boundary={longest}-"), None),
            ("multipart/form-data; boundary=abc", Some("abc")),
            ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", Some("a b")),
            ("multipart/form-data; boundary=", None),
            ("application/json; boundary=abc", None),
            ("", None),
        ] {
            let expected = expected.map(|text| text.as_bytes().to_vec());
            assert_eq!(boundary(content_type), expected, "{content_type}");
        }
    }

    #[actix_web::test]
    async fn what_the_handler_left_is_read_for_the_hash() {
        let request = TestRequest::default().to_http_request();
        let pieces = [b"a", b"b", b"c"].map(|piece| Ok(Bytes::from_static(piece)));
        let pieces: [Result<Bytes, PayloadError>; 3] = pieces;
        let pieces: Pin<Box<dyn Stream<Item = _>>> = Box::pin(stream::iter(pieces));
        let mut payload = Payload::Stream { payload: pieces };
        let body = HashedBody::replace(&request, &mut payload);

        let first = payload.next().await.unwrap().unwrap();

        assert_eq!(first, "a");
        assert_eq!(body.hash().await.unwrap(), hash_of("abc", None, 3));
        assert!(payload.next().await.is_none());
    }
}

//! Compression of long answers.

use actix_http::{ResponseHead, encoding::Encoder, header::from_comma_delimited};
use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::ServiceRequest,
    http::header::{ACCEPT_ENCODING, AcceptEncoding, ContentEncoding, Encoding, HeaderValue},
};

/// Size below which an answer is not compressed, in bytes: it fits into a few packets as it is.
const SHORT: u64 = 4 * 1_024;

/// Encodings that the client of a request reads, as it wrote them.
pub(crate) struct Compression(Option<HeaderValue>);

impl Compression {
    pub(crate) fn of(request: &ServiceRequest) -> Self {
        Self(request.headers().get(ACCEPT_ENCODING).cloned())
    }

    /// Compresses the body of an answer, if it is long. The encodings are read only then: most answers
    /// are short.
    pub(crate) fn apply(&self, head: &mut ResponseHead, body: BoxBody) -> BoxBody {
        let is_short = match body.size() {
            BodySize::None => true,
            BodySize::Sized(size) => size < SHORT,
            BodySize::Stream => false,
        };
        if is_short {
            return body;
        }
        match self.encoding() {
            ContentEncoding::Identity => body,
            encoding => Encoder::response(encoding, head, body).boxed(),
        }
    }

    fn encoding(&self) -> ContentEncoding {
        let supported = [Encoding::gzip(), Encoding::identity()];
        let accepted = from_comma_delimited(self.0.iter()).ok().map(AcceptEncoding);
        match accepted.and_then(|accepted| accepted.negotiate(supported.iter())) {
            Some(Encoding::Known(encoding)) => encoding,
            _ => ContentEncoding::Identity,
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{body::to_bytes, http::StatusCode, test::TestRequest};

    use super::*;

    fn compression(accepted: &str) -> Compression {
        let request = TestRequest::default().insert_header((ACCEPT_ENCODING, accepted));
        Compression::of(&request.to_srv_request())
    }

    #[test]
    fn a_client_gets_what_it_reads() {
        assert_eq!(compression("gzip, br").encoding(), ContentEncoding::Gzip);
        for without in ["", "br", "identity", "gzip;q=0"] {
            assert_eq!(compression(without).encoding(), ContentEncoding::Identity, "{without}");
        }
    }

    #[actix_web::test]
    async fn only_long_answers_are_compressed() {
        for (length, is_shorter) in [(100, false), (100_000, true)] {
            let mut head = ResponseHead::new(StatusCode::OK);
            let body = BoxBody::new("word ".repeat(length / 5));
            let body = compression("gzip").apply(&mut head, body);
            let sent = to_bytes(body).await.unwrap().len();
            assert_eq!(sent < length, is_shorter, "{length}: {sent}");
            assert_eq!(head.headers().contains_key("content-encoding"), is_shorter, "{length}");
        }
    }
}

//! The header `Idempotency-Key`, and the marking of replays.

use std::{collections::BTreeSet, convert::Infallible, future::Ready};

use actix_web::{
    FromRequest, HttpRequest, HttpResponse,
    dev::Payload,
    http::header::{HeaderName, HeaderValue},
};
use domain::shared::fault::Faults;
use serde_json::json;

use crate::inbound::shared::endpoint::describe::{Describe, Description, Response};

const KEY: &str = "Idempotency-Key";
const FIELD: &str = "idempotencyKey";
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Values of the header `Idempotency-Key`; `None` if one of them is not ASCII.
pub(in crate::inbound) struct IdempotencyKey(Option<BTreeSet<String>>);

impl IdempotencyKey {
    /// True if a request has the header.
    pub(in crate::inbound) fn is_given(request: &HttpRequest) -> bool {
        request.headers().contains_key(KEY)
    }

    /// Returns the values of a request.
    pub(in crate::inbound) fn of(request: &HttpRequest) -> Self {
        let values = request.headers().get_all(KEY);
        let keys = values.map(|value| value.to_str().map(str::to_owned)).collect();
        Self(Result::ok(keys))
    }

    /// Returns the key of the request, from the header or the equivalent field.
    pub(in crate::inbound) fn or(
        self,
        field: Option<String>,
        faults: &mut Faults,
    ) -> Option<String> {
        let Some(mut keys) = self.0 else {
            faults.add(FIELD, format!("must be ASCII in the header {KEY}"));
            return None;
        };
        keys.extend(field);
        if keys.len() > 1 {
            faults.add(FIELD, format!("is not the same as in the header {KEY}"));
            return None;
        }
        keys.pop_first()
    }
}

impl FromRequest for IdempotencyKey {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self::of(request)))
    }
}

impl Describe for IdempotencyKey {
    fn describe(description: &mut Description) {
        describe_header(description, "The same as the field `idempotencyKey`.");
    }
}

/// Documents the header.
pub(in crate::inbound) fn describe_header(description: &mut Description, about: &str) {
    description.parameters.push(json!({
        "name": KEY, "in": "header", "required": false,
        "description": about,
        "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
    }));
}

/// Documents that an answer may be marked as a replay.
pub(in crate::inbound) fn describe_marked(response: &mut Response) {
    let header = json!({
        "description": "`true` if it is a replay; absent otherwise.",
        "schema": { "type": "string", "const": "true" },
    });
    response.headers.insert("Idempotent-Replayed".to_owned(), header);
}

/// Returns the answer, marked if it is a replay.
pub(in crate::inbound) fn marked(mut answer: HttpResponse, is_replay: bool) -> HttpResponse {
    if is_replay {
        answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    answer
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn read(headers: &[&str], field: Option<&str>) -> Result<Option<String>, Faults> {
        let request = headers.iter().fold(TestRequest::default(), |request, value| {
            request.append_header((KEY, HeaderValue::from_bytes(value.as_bytes()).unwrap()))
        });
        let mut faults = Faults::default();
        let mut payload = Payload::None;
        let key = IdempotencyKey::from_request(&request.to_http_request(), &mut payload);
        let key = key.into_inner().unwrap().or(field.map(str::to_owned), &mut faults);
        faults.or(key)
    }

    #[test]
    fn header_and_field_name_the_same_key() {
        let key = Some("order-1".to_owned());
        assert_eq!(read(&[], None), Ok(None));
        assert_eq!(read(&["order-1"], None), Ok(key.clone()));
        assert_eq!(read(&[], Some("order-1")), Ok(key.clone()));
        assert_eq!(read(&["order-1", "order-1"], Some("order-1")), Ok(key));
    }

    #[test]
    fn two_keys_are_a_fault() {
        for (headers, field) in [
            (&["order-1"][..], Some("order-2")),
            (&["order-1", "order-2"], None),
            (&["ɔ"], None),
            (&[""], Some("order-1")),
        ] {
            let faults = read(headers, field).unwrap_err();
            assert_eq!(faults.fields.keys().collect::<Vec<_>>(), [FIELD], "{headers:?}");
        }
    }
}

//! The header `Idempotency-Key`, and how a replay is told.

use std::collections::BTreeSet;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{HeaderName, HeaderValue},
};
use domain::fault::Faults;
use utoipa::{
    IntoParams,
    openapi::{
        ObjectBuilder, RefOr, Required, Schema,
        path::{Parameter, ParameterBuilder, ParameterIn},
        schema::Type,
    },
};

const KEY: &str = "Idempotency-Key";
const FIELD: &str = "idempotencyKey";
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Documents the header `Idempotency-Key`.
pub(super) struct IdempotencyKey;

/// The key of a request, from the header or from the field of the same meaning.
pub(super) fn key(
    request: &HttpRequest,
    field: Option<String>,
    faults: &mut Faults,
) -> Option<String> {
    let values = request.headers().get_all(KEY).map(HeaderValue::to_str);
    let Ok(given) = values.collect::<Result<BTreeSet<_>, _>>() else {
        faults.add(FIELD, format!("must be ASCII in the header {KEY}"));
        return None;
    };
    let mut keys: BTreeSet<_> = given.into_iter().map(str::to_owned).collect();
    keys.extend(field);
    if keys.len() > 1 {
        faults.add(FIELD, format!("is not the same as in the header {KEY}"));
        return None;
    }
    keys.pop_first()
}

/// The answer, marked if it is a replay.
pub(super) fn marked(mut answer: HttpResponse, is_replay: bool) -> HttpResponse {
    if is_replay {
        answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    answer
}

impl IntoParams for IdempotencyKey {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let key: RefOr<Schema> = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(255))
            .into();
        let parameter = ParameterBuilder::new()
            .name(KEY)
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("The same as the field `idempotencyKey`."))
            .schema(Some(key));
        vec![parameter.build()]
    }
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
        let key = key(&request.to_http_request(), field.map(str::to_owned), &mut faults);
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

//! Bodies that programs send as JSON, and pages as a form.

use std::convert::Infallible;

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload, web::Query};
use domain::shared::fault::Faults;
use futures_util::future::LocalBoxFuture;
use serde_json::{Map, Value};

use crate::inbound::shared::{
    body::{Body, RawBody},
    endpoint::describe::{Describe, Description},
    error::ApiError,
    json_fields::{Fields, FromFields},
};

const FORM: &str = "application/x-www-form-urlencoded";

/// Body as JSON, or as the form of a page. Documented as JSON.
pub(crate) enum JsonOrForm<T> {
    /// JSON of a program.
    Json(Body<T>),
    /// Form of a page.
    Form(RawBody),
}

impl<T: 'static> FromRequest for JsonOrForm<T> {
    type Error = Infallible;
    type Future = LocalBoxFuture<'static, Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        if request.content_type().eq_ignore_ascii_case(FORM) {
            let form = RawBody::from_request(request, payload);
            return Box::pin(async move { form.await.map(Self::Form) });
        }
        let json = Body::<T>::from_request(request, payload);
        Box::pin(async move { json.await.map(Self::Json) })
    }
}

impl<T: FromFields> Describe for JsonOrForm<T> {
    fn describe(description: &mut Description) {
        Body::<T>::describe(description);
    }
}

impl<T: FromFields> JsonOrForm<T> {
    /// Reads the fields, and collects all of their faults.
    pub(crate) fn read(self) -> Result<(T, Faults), ApiError> {
        let bytes = match self {
            Self::Json(body) => return body.read(),
            Self::Form(body) => body.bytes()?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let pairs = Query::<Vec<(String, String)>>::from_query(&text);
        let pairs = pairs.map(Query::into_inner).unwrap_or_default();
        let fields = pairs.into_iter().map(|(name, value)| (name, Value::String(value)));
        Ok(Fields::read(fields.collect::<Map<_, _>>()))
    }
}

//! Identifiers in paths.

use std::{convert::Infallible, future::Ready, marker::PhantomData};

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::shared::id::Id;
use serde_json::json;
use usecases::Error;
use uuid::Uuid;

use crate::inbound::shared::{
    endpoint::describe::{Describe, Description},
    error::ApiError,
};

/// The `{id}`, or another part, in the path of a request. A malformed one fails in
/// [`read`](Self::read), so that an unauthenticated caller learns nothing from it.
pub(crate) struct PathId<T> {
    text: String,
    of: PhantomData<fn() -> T>,
}

/// An entity that paths identify.
pub(crate) trait Identified: Sized {
    /// Name in error messages.
    const NAME: &'static str;
    /// Description of its formats, if it has several.
    const FORMS: &'static str = "";
    /// Name of the parameter in the path.
    const PARAMETER: &'static str = "id";

    /// Parses the identifier.
    fn parse(text: &str) -> Option<Id<Self>> {
        text.parse().ok()
    }
}

impl<T: Identified> PathId<T> {
    /// Returns the identifier. Fails if it is malformed: there is no such `T`.
    pub(crate) fn read(self) -> Result<Id<T>, ApiError> {
        T::parse(&self.text).ok_or_else(|| Error::NotFound(T::NAME).into())
    }

    /// Returns the identifier for operations that report faults of a body first: a malformed
    /// identifier is replaced by one that nothing has.
    pub(crate) fn or_unknown(self) -> Id<T> {
        T::parse(&self.text).unwrap_or(Id::of(Uuid::nil()))
    }
}

impl<T: Identified> FromRequest for PathId<T> {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let text = request.match_info().query(T::PARAMETER).to_owned();
        std::future::ready(Ok(Self { text, of: PhantomData }))
    }
}

impl<T: Identified> Describe for PathId<T> {
    fn describe(description: &mut Description) {
        description.identified.push(T::NAME);
        if T::FORMS.is_empty() {
            let schema = json!({ "type": "string", "format": "uuid" });
            description.has_path_parameter(
                T::PARAMETER,
                &format!("Identifier of the {}.", T::NAME),
                &schema,
            );
        } else {
            description.has_path_parameter(T::PARAMETER, T::FORMS, &json!({ "type": "string" }));
        }
    }
}

//! Identifier of a request, as `X-Request-Id` of its answer has it.

use std::future::{Ready, ready};

use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload};
use domain::identity::actor::RequestId;

use crate::inbound::shared::{
    endpoint::describe::{Describe, Description},
    error::ApiError,
};

/// Identifier of the request, for the audit log.
pub(crate) struct ThisRequest(pub(crate) RequestId);

impl FromRequest for ThisRequest {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(id_of(request).map(Self))
    }
}

impl Describe for ThisRequest {
    fn describe(_: &mut Description) {}
}

/// Returns the identifier that a request was given.
pub(crate) fn id_of(request: &HttpRequest) -> Result<RequestId, ApiError> {
    request.extensions().get().cloned().ok_or(ApiError::Broken)
}

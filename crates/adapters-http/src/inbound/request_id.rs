//! The identifier of a request, as `X-Request-Id` of its answer says it.

use actix_web::{HttpMessage, HttpRequest};
use domain::audit::RequestId;

use super::error::ApiError;

/// The identifier that a request was given.
pub(super) fn id_of(request: &HttpRequest) -> Result<RequestId, ApiError> {
    request.extensions().get().cloned().ok_or(ApiError::Broken)
}

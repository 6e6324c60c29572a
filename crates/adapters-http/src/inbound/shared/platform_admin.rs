//! The platform's administrators as callers.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::identity::caller::Administrator;
use futures_util::future::LocalBoxFuture;

use crate::inbound::shared::{
    caller::{AnyBearer, Bearer},
    endpoint::describe::{Describe, Description},
    error::ApiError,
    request_id,
};

/// A user with a session who administers the platform. All others are refused with 403, also an
/// administrator who acts as an organization.
pub(crate) struct PlatformAdmin(pub(crate) Administrator);

impl FromRequest for PlatformAdmin {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (bearer, id) = (AnyBearer::from_request(request, payload), request_id::id_of(request));
        Box::pin(async move {
            let AnyBearer(session) = bearer.await?;
            Ok(Self(session.administrator(id?)?))
        })
    }
}

impl Describe for PlatformAdmin {
    fn describe(description: &mut Description) {
        Bearer::describe(description);
    }
}

//! The platform's administrators as callers.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::caller::Administrator;
use futures_util::future::LocalBoxFuture;
use usecases::Error;

use super::{
    caller::Bearer,
    endpoint::describe::{Describe, Description},
    error::ApiError,
    telemetry,
};

/// A user with a session who administers the platform. Everybody else is refused with 403.
pub(super) struct PlatformAdmin(pub(super) Administrator);

impl FromRequest for PlatformAdmin {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (bearer, id) = (Bearer::from_request(request, payload), telemetry::id_of(request));
        Box::pin(async move {
            let Bearer(user) = bearer.await?;
            Ok(Self(Administrator::of(&user, id?).map_err(Error::from)?))
        })
    }
}

impl Describe for PlatformAdmin {
    fn describe(description: &mut Description) {
        Bearer::describe(description);
    }
}

//! The platform's administrators as callers.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::{caller::authorize_administrator, user::User};
use futures_util::future::LocalBoxFuture;
use usecases::Error;

use super::{
    caller::Bearer,
    endpoint::describe::{Describe, Description},
    error::ApiError,
};

/// A user with a session who administers the platform. Everybody else is refused with 403.
pub(super) struct PlatformAdmin(pub(super) User);

impl FromRequest for PlatformAdmin {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bearer = Bearer::from_request(request, payload);
        Box::pin(async move {
            let Bearer(user) = bearer.await?;
            authorize_administrator(&user).map_err(Error::from)?;
            Ok(Self(user))
        })
    }
}

impl Describe for PlatformAdmin {
    fn describe(description: &mut Description) {
        Bearer::describe(description);
    }
}

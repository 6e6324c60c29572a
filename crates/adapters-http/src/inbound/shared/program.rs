//! Programs as the only callers of an operation.

use actix_web::{FromRequest, HttpRequest, dev::Payload};
use domain::identity::caller::Caller;
use futures_util::future::LocalBoxFuture;

use crate::inbound::shared::{
    caller,
    endpoint::{
        callers::API_KEY,
        describe::{Describe, Description},
    },
    error::ApiError,
};

/// A program with an API key, whatever its scopes.
pub(crate) struct Program(pub(crate) Caller);

impl FromRequest for Program {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Ok(Self(caller::program(&request).await?)) })
    }
}

impl Describe for Program {
    fn describe(description: &mut Description) {
        description.security = &[&[API_KEY]];
        description.is_counted = true;
    }
}

//! Callers who may request a top-up.

use actix_web::{FromRequest, HttpRequest, dev::Payload, web::Data};
use domain::{
    identity::{caller::Administrator, organization::Organization},
    shared::id::Id,
};
use futures_util::future::LocalBoxFuture;
use usecases::{Error, identity::auth::NOT_A_MEMBER, money::top_ups::Payer};

use crate::inbound::{
    Api,
    shared::{
        caller::{Bearer, Member, ORGANIZATION},
        endpoint::describe::{Describe, Description},
        error::ApiError,
        known_caller, request_id,
    },
};

/// A user with a session, for the organization that the request names: a member of it, or a platform
/// administrator.
pub(super) struct TopUpPayer(pub(super) Payer);

impl FromRequest for TopUpPayer {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let bearer = Bearer::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let Bearer(user) = bearer.await?;
            let api = request.app_data::<Data<Api>>().ok_or(ApiError::Broken)?;
            let named = request.headers().get(ORGANIZATION);
            let named = named.ok_or(ApiError::OrganizationRequired)?;
            let organization = named.to_str().ok().and_then(|text| text.parse().ok());
            let organization: Id<Organization> =
                organization.ok_or(Error::Forbidden(NOT_A_MEMBER))?;
            let administrator = Administrator::of(&user, request_id::id_of(&request)?).ok();
            let member = match api.auth.member(&user, organization).await {
                Ok(member) => {
                    known_caller::remember(&request, &member);
                    Some(member)
                }
                Err(Error::Forbidden(_)) if administrator.is_some() => None,
                Err(error) => return Err(error.into()),
            };
            Ok(Self(Payer { user, organization, member, administrator }))
        })
    }
}

impl Describe for TopUpPayer {
    fn describe(description: &mut Description) {
        Member::describe(description);
    }
}

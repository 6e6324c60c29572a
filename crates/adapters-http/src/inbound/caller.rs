//! Who is calling, and how often they may.

use std::time::Duration;

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::header::AUTHORIZATION, web::Data};
use domain::{caller::Caller, user::User};
use futures_util::future::LocalBoxFuture;
use ports::rate_limits::Quota;
use usecases::Error as Refusal;
use utoipa::{
    IntoParams,
    openapi::{
        ObjectBuilder, RefOr, Required, Schema, SchemaFormat,
        path::{Parameter, ParameterBuilder, ParameterIn},
        schema::{KnownFormat, Type},
    },
};

use super::{Api, error::Failure};

const API_KEY: &str = "X-API-Key";
/// The header that names the organization in which a session acts.
pub(super) const ORGANIZATION: &str = "X-Organization-Id";
/// How often one address may call without credentials.
const GUESTS: Quota = Quota { hits: 600, window: Duration::from_secs(60) };
/// How often one organization, or one user outside any, may call.
const CALLERS: Quota = Quota { hits: 2_000, window: Duration::from_secs(10) };

/// Somebody without credentials, known by their network address.
pub(super) struct Guest;

/// A user with a session.
pub(super) struct Bearer(pub(super) User);

/// A user with a session, as a member of the organization that the request names.
pub(super) struct Member(pub(super) Caller);

/// A program with an API key, or else a [`Member`]. When there is a key it decides.
pub(super) struct ApiCaller(pub(super) Caller);

impl Guest {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let address = request.peer_addr().map(|address| address.ip().to_string());
        let address = address.as_deref().unwrap_or("unknown");
        count(api(request)?, &format!("guest:{address}"), GUESTS).await?;
        Ok(Self)
    }
}

impl Bearer {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let api = api(request)?;
        let user = user(api, request).await?;
        count(api, &format!("user:{}", user.id), CALLERS).await?;
        Ok(Self(user))
    }
}

impl Member {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let api = api(request)?;
        let user = user(api, request).await?;
        let organization = header(request, ORGANIZATION).ok_or(Failure::OrganizationRequired)?;
        let organization = organization.parse().map_err(|_| Refusal::NotAMember)?;
        let caller = api.auth.member(&user, organization).await?;
        count_caller(api, &caller).await?;
        Ok(Self(caller))
    }
}

impl ApiCaller {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let Some(key) = header(request, API_KEY) else {
            let Member(caller) = Member::of(request).await?;
            return Ok(Self(caller));
        };
        let api = api(request)?;
        let caller = api.api_keys.authenticate(key).await?;
        count_caller(api, &caller).await?;
        Ok(Self(caller))
    }
}

/// The user whose session the request carries. An API key in its place is refused, even beside a
/// session, for it is the key that decides.
async fn user(api: &Api, request: &HttpRequest) -> Result<User, Failure> {
    if request.headers().contains_key(API_KEY) {
        return Err(Refusal::Unauthorized.into());
    }
    let credentials = header(request, AUTHORIZATION.as_str()).and_then(|it| it.split_once(' '));
    match credentials {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            Ok(api.auth.authenticate(token.trim()).await?)
        }
        _ => Err(Refusal::Unauthorized.into()),
    }
}

/// A header's value. One that is not text is there, but matches nothing.
fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name).map(|value| value.to_str().unwrap_or_default())
}

fn api(request: &HttpRequest) -> Result<&Api, Failure> {
    let api = request.app_data::<Data<Api>>();
    api.map(|api| api.as_ref()).ok_or(Failure::Broken)
}

async fn count_caller(api: &Api, caller: &Caller) -> Result<(), Failure> {
    count(api, &format!("organization:{}", caller.organization), CALLERS).await
}

async fn count(api: &Api, key: &str, quota: Quota) -> Result<(), Failure> {
    if let Some(limits) = &api.rate_limits {
        limits.hit(key, quota).await?;
    }
    Ok(())
}

/// Who calls, once that is known.
type Identified<T> = LocalBoxFuture<'static, Result<T, Failure>>;

impl FromRequest for Guest {
    type Error = Failure;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for Bearer {
    type Error = Failure;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for Member {
    type Error = Failure;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for ApiCaller {
    type Error = Failure;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl IntoParams for Member {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![organization_header(Required::True, "The organization to act in.")]
    }
}

impl IntoParams for ApiCaller {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "The organization to act in. Required with a session; an API key has its \
                           own organization.";
        vec![organization_header(Required::False, description)]
    }
}

fn organization_header(required: Required, description: &str) -> Parameter {
    let id: RefOr<Schema> = ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
        .into();
    ParameterBuilder::new()
        .name(ORGANIZATION)
        .parameter_in(ParameterIn::Header)
        .required(required)
        .description(Some(description))
        .schema(Some(id))
        .build()
}

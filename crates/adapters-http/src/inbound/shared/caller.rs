//! Who is calling, and how often they may.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::header::{AUTHORIZATION, FORWARDED, X_FORWARDED_FOR},
    web::Data,
};
use domain::{
    identity::{caller::Caller, organization::Organization, user::User},
    platform::audit::Actor,
    shared::id::Id,
};
use futures_util::future::LocalBoxFuture;
use usecases::{
    Error,
    identity::auth::{
        Act, MISPLACED_API_KEY, NO_CREDENTIALS, NOT_A_MEMBER, SESSION_REQUIRED, SignedIn,
        UNAUTHORIZED,
    },
    messaging::callbacks::INVALID_SIGNATURE,
    platform::limits::RateLimitSlot,
};

use crate::inbound::{
    Api,
    shared::{error::ApiError, query, rate_limits::tally_of, request_id},
};
use crate::{
    client_address::{network, of_forwarded, of_x_forwarded_for},
    log_throttle::LogThrottle,
};

const API_KEY: &str = "X-API-Key";
/// What the text of every API key begins with.
const KEY_PREFIX: &str = "ak_";
/// How much is written down of the path of a request.
const MAX_NOTED_PATH: usize = 255;
/// The header that names the organization in which a session acts.
pub(crate) const ORGANIZATION: &str = "X-Organization-Id";

/// Somebody without credentials, known by their [network address](client_network), and what the request
/// is counted against.
pub(crate) struct Guest(pub(crate) IpAddr, pub(crate) RateLimitSlot);

/// A user with a session of their own.
pub(crate) struct Bearer(pub(crate) User);

/// Anybody with a session, also an administrator who acts as an organization.
pub(crate) struct AnyBearer(pub(crate) SignedIn);

/// A user with a session, as a member of the organization that the request names, or an administrator
/// who acts as that organization.
pub(crate) struct Member(pub(crate) Caller);

/// A program with an API key, or else a [`Member`]. When there is a key it decides.
pub(crate) struct ApiCaller(pub(crate) Caller);

/// An [`ApiCaller`] who sends messages. Those are counted instead of requests: the first one here,
/// the others, in the same tally, when it is known how many there are.
pub(crate) struct Sender(pub(crate) Caller, pub(crate) RateLimitSlot);

impl Guest {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let address = client_network(api, request);
        let tally = tally_of(request);
        api.limits.guest(address, &tally).await?;
        Ok(Self(address, tally))
    }
}

impl Bearer {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let AnyBearer(session) = AnyBearer::of(request).await?;
        Ok(Self(session.into_own()?))
    }
}

impl AnyBearer {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let session = session(request).await?;
        if let Some(organization) = session.impersonated() {
            note_act(api, request, organization, session.user.id).await?;
        }
        Ok(Self(session))
    }
}

impl Member {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let caller = member(api, request).await?;
        api.limits.request(&caller, &tally_of(request)).await?;
        query::refuse_needless(request)?;
        note_impersonation(api, request, &caller).await?;
        Ok(Self(caller))
    }
}

impl ApiCaller {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let caller = program_or_member(api, request).await?;
        api.limits.request(&caller, &tally_of(request)).await?;
        query::refuse_needless(request)?;
        note_impersonation(api, request, &caller).await?;
        Ok(Self(caller))
    }
}

impl Sender {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let caller = program_or_member(api, request).await?;
        let tally = tally_of(request);
        api.limits.messages(&caller, 1, &tally).await?;
        query::refuse_needless(request)?;
        note_impersonation(api, request, &caller).await?;
        Ok(Self(caller, tally))
    }
}

async fn program_or_member(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
    let Some(key) = header(request, API_KEY) else { return member(api, request).await };
    let authenticate = api.api_keys.authenticate(key);
    if !api.limits.are_on() {
        return Ok(authenticate.await?);
    }
    Ok(api.credentials.check(key, client_network(api, request), authenticate).await?)
}

async fn member(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
    let session = signed_in(api, request).await?;
    let named = header(request, ORGANIZATION).map(str::parse::<Id<Organization>>);
    let named = named.transpose().map_err(|_| Error::Forbidden(NOT_A_MEMBER))?;
    // The token of an administrator who acts as an organization names it.
    let organization = named.or(session.impersonated()).ok_or(ApiError::OrganizationRequired)?;
    Ok(api.auth.caller(&session, organization).await?)
}

/// Has it written down what is asked for, if an administrator asks who acts as the organization.
async fn note_impersonation(
    api: &Api,
    request: &HttpRequest,
    caller: &Caller,
) -> Result<(), ApiError> {
    match caller.impersonator() {
        Some(user) => note_act(api, request, caller.organization, user).await,
        None => Ok(()),
    }
}

async fn note_act(
    api: &Api,
    request: &HttpRequest,
    organization: Id<Organization>,
    user: Id<User>,
) -> Result<(), ApiError> {
    let actor = Actor { user, request: request_id::id_of(request)?, is_impersonating: true };
    let path = request.path().chars().take(MAX_NOTED_PATH).collect();
    let act = Act { method: request.method().to_string(), path };
    Ok(api.auth.note_act(organization, actor, act).await?)
}

/// The session of a request that is made in no organization.
pub(crate) async fn session(request: &HttpRequest) -> Result<SignedIn, ApiError> {
    let api = api(request)?;
    let session = signed_in(api, request).await?;
    api.limits.user(session.user.id, &tally_of(request)).await?;
    query::refuse_needless(request)?;
    Ok(session)
}

/// The session that the request carries. An API key in its place is refused, even beside a session,
/// for it is the key that decides.
async fn signed_in(api: &Api, request: &HttpRequest) -> Result<SignedIn, ApiError> {
    if request.headers().contains_key(API_KEY) {
        return Err(Error::Unauthenticated(SESSION_REQUIRED).into());
    }
    let credentials =
        header(request, AUTHORIZATION.as_str()).ok_or(Error::Unauthenticated(NO_CREDENTIALS))?;
    let token = match credentials.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => return Err(Error::Unauthenticated(UNAUTHORIZED).into()),
    };
    if token.starts_with(KEY_PREFIX) {
        return Err(Error::Unauthenticated(MISPLACED_API_KEY).into());
    }
    let authenticate = api.auth.authenticate(token);
    if !api.limits.are_on() {
        return Ok(authenticate.await?);
    }
    Ok(api.credentials.check(token, client_network(api, request), authenticate).await?)
}

/// Counts a callback whose proof is wrong, and tells why it is refused.
pub(crate) fn wrong_proof(api: &Api, request: &HttpRequest) -> ApiError {
    static REFUSED: LogThrottle = LogThrottle::new();

    let address = client_network(api, request);
    if let Some(times) = REFUSED.count() {
        tracing::warn!(times, %address, "refused callbacks with a wrong proof");
    }
    if !api.limits.are_on() {
        return Error::Unauthenticated(INVALID_SIGNATURE).into();
    }
    api.credentials
        .wrong_proof(address)
        .err()
        .unwrap_or(Error::Unauthenticated(INVALID_SIGNATURE))
        .into()
}

/// What the client is counted by: its IPv4 address, or the /64 of its IPv6 address.
fn client_network(api: &Api, request: &HttpRequest) -> IpAddr {
    network(client_address(api, request))
}

/// The address of the client, for whom a trusted proxy may speak.
pub(crate) fn client_address(api: &Api, request: &HttpRequest) -> IpAddr {
    let peer = request.peer_addr().map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.ip());
    if !api.trusted_proxies.trusts(peer) {
        return peer.to_canonical();
    }
    let texts = |name| {
        let values = request.headers().get_all(name);
        values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect::<Vec<_>>().join(",")
    };
    let (added, standard) = (texts(X_FORWARDED_FOR), texts(FORWARDED));
    let forwarded: Vec<&str> = if request.headers().contains_key(X_FORWARDED_FOR) {
        of_x_forwarded_for(&added).collect()
    } else {
        of_forwarded(&standard).collect()
    };
    api.trusted_proxies.client(peer, &forwarded)
}

/// A header's value. One that is not text is there, but matches nothing.
fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name).map(|value| value.to_str().unwrap_or_default())
}

fn api(request: &HttpRequest) -> Result<&Api, ApiError> {
    let api = request.app_data::<Data<Api>>();
    api.map(|api| api.as_ref()).ok_or(ApiError::Broken)
}

/// Who calls, once that is known.
type Identified<T> = LocalBoxFuture<'static, Result<T, ApiError>>;

impl FromRequest for Guest {
    type Error = ApiError;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for Bearer {
    type Error = ApiError;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for AnyBearer {
    type Error = ApiError;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for Member {
    type Error = ApiError;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for ApiCaller {
    type Error = ApiError;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

impl FromRequest for Sender {
    type Error = ApiError;
    type Future = Identified<Self>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

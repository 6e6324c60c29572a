//! Callers, and their rate limits.

use std::net::{IpAddr, Ipv4Addr};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::header::{AUTHORIZATION, FORWARDED, USER_AGENT, X_FORWARDED_FOR},
    web::Data,
};
use domain::{
    identity::{
        actor::Actor, caller::Caller, open_session::Client, organization::Organization,
        scope::Scope, user::User,
    },
    shared::id::Id,
};
use futures_util::future::LocalBoxFuture;
use usecases::{
    Error,
    identity::{
        api_keys::{self, KEY_REQUIRED},
        auth::{
            Act, MISPLACED_API_KEY, NO_CREDENTIALS, NOT_A_MEMBER, SESSION_REQUIRED, SignedIn,
            UNAUTHORIZED,
        },
    },
    shared::{limits::RateLimitSlot, refusals::INVALID_SIGNATURE},
};

use crate::inbound::{
    Api,
    shared::{
        endpoint::scopes::OpenedBy, error::ApiError, key_owner, known_caller, query,
        rate_limits::rate_limit_of, request_id, request_span::head_of,
    },
};
use crate::{
    client_address::{network, of_forwarded, of_x_forwarded_for},
    log_throttle::LogThrottle,
};

const API_KEY: &str = "X-API-Key";
/// Prefix of every API key.
const KEY_PREFIX: &str = "ak_";
/// Paths that a platform administrator reaches without a second factor where one is required.
const WITHOUT_SECOND_FACTOR: [&str; 10] = [
    "/auth/totp",
    "/auth/totp/confirm",
    "/auth/totp/remove",
    "/auth/me",
    "/auth/logout",
    "/app/account",
    "/app/account/second-factor",
    "/app/account/second-factor/confirm",
    "/app/account/second-factor/remove",
    "/app/sign-out",
];
/// Maximum number of characters recorded of the path of a request.
const MAX_NOTED_PATH: usize = 255;
/// The header that names the organization in which a session acts.
pub(crate) const ORGANIZATION: &str = "X-Organization-Id";

/// Caller without credentials, identified by the [network address](client_network), with the rate
/// limit slot of the request.
pub(crate) struct Guest(pub(crate) IpAddr, pub(crate) RateLimitSlot);

/// A user with a session of their own.
pub(crate) struct Bearer(pub(crate) User);

/// A user with a session, possibly an administrator who acts as an organization.
pub(crate) struct AnyBearer(pub(crate) SignedIn);

/// A user with a session, as a member of the organization that the request names, or an administrator
/// who acts as that organization; or a program whose key has the scope of the endpoint. A key takes
/// precedence.
pub(crate) struct Member(pub(crate) Caller);

/// A program with an API key, or else a user with a session as a [`Member`]. A key takes precedence.
pub(crate) struct ApiCaller(pub(crate) Caller);

/// An [`ApiCaller`] who sends messages. Messages are counted instead of requests: the first one
/// here, the others in the same rate limit slot when their number is known.
pub(crate) struct Sender(pub(crate) Caller, pub(crate) RateLimitSlot);

impl Guest {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let address = client_network(api, request);
        let rate_limit = rate_limit_of(request);
        api.limits.guest(address, &rate_limit).await?;
        Ok(Self(address, rate_limit))
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
        key_owner::remember_user(request, &session.user);
        Ok(Self(session))
    }
}

impl Member {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let caller = match header(request, API_KEY) {
            Some(key) => holder_among_sessions(api, request, key).await?,
            None => member(api, request).await?,
        };
        api.limits.request(&caller, &rate_limit_of(request)).await?;
        let caller = api_keys::open(caller, opening_scope(request))?;
        query::refuse_needless(request)?;
        note_impersonation(api, request, &caller).await?;
        key_owner::remember_caller(request, &caller);
        Ok(Self(caller))
    }
}

impl ApiCaller {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let caller = program_or_member(api, request).await?;
        api.limits.request(&caller, &rate_limit_of(request)).await?;
        query::refuse_needless(request)?;
        note_impersonation(api, request, &caller).await?;
        key_owner::remember_caller(request, &caller);
        Ok(Self(caller))
    }
}

impl Sender {
    async fn of(request: &HttpRequest) -> Result<Self, ApiError> {
        let api = api(request)?;
        let caller = program_or_member(api, request).await?;
        let rate_limit = rate_limit_of(request);
        api.limits.messages(&caller, 1, &rate_limit).await?;
        query::refuse_needless(request)?;
        note_impersonation(api, request, &caller).await?;
        Ok(Self(caller, rate_limit))
    }
}

async fn program_or_member(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
    let Some(key) = header(request, API_KEY) else { return member(api, request).await };
    holder(api, request, key).await
}

/// Returns the program that calls an endpoint for programs only.
pub(crate) async fn program(request: &HttpRequest) -> Result<Caller, ApiError> {
    let api = api(request)?;
    let key = header(request, API_KEY).ok_or(Error::Unauthenticated(KEY_REQUIRED))?;
    let caller = holder(api, request, key).await?;
    api.limits.request(&caller, &rate_limit_of(request)).await?;
    query::refuse_needless(request)?;
    Ok(caller)
}

/// Returns the program that has the key.
async fn holder(api: &Api, request: &HttpRequest, key: &str) -> Result<Caller, ApiError> {
    let authenticate = api.api_keys.authenticate(key);
    let caller = if api.limits.are_on() {
        api.credentials.check(key, client_network(api, request), authenticate).await?
    } else {
        authenticate.await?
    };
    known_caller::remember(request, &caller);
    Ok(Caller { trace: head_of(request), ..caller })
}

/// Returns the scope by which keys may call the endpoint; `None` if no key may.
fn opening_scope(request: &HttpRequest) -> Option<Scope> {
    let OpenedBy(scope) = request.app_data::<OpenedBy>().copied().unwrap_or_default();
    scope
}

async fn member(api: &Api, request: &HttpRequest) -> Result<Caller, ApiError> {
    let session = signed_in(api, request).await?;
    let named = header(request, ORGANIZATION).map(str::parse::<Id<Organization>>);
    let named = named.transpose().map_err(|_| Error::Forbidden(NOT_A_MEMBER))?;
    // The token of an administrator who acts as an organization names the organization.
    let organization = named.or(session.impersonated()).ok_or(ApiError::OrganizationRequired)?;
    let caller = api.auth.caller(&session, organization).await?;
    known_caller::remember(request, &caller);
    Ok(Caller { trace: head_of(request), ..caller })
}

/// Records the request in the audit log, if the caller is an administrator who acts as the organization.
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
    let act = Act { method: request.method().to_string(), path: noted_path(request) };
    Ok(api.auth.note_act(organization, actor, act).await?)
}

/// Returns the path of a request, as the audit log records it.
pub(crate) fn noted_path(request: &HttpRequest) -> String {
    request.path().chars().take(MAX_NOTED_PATH).collect()
}

/// Returns the session of a request outside of any organization.
pub(crate) async fn session(request: &HttpRequest) -> Result<SignedIn, ApiError> {
    let api = api(request)?;
    let session = signed_in(api, request).await?;
    api.limits.user(session.user.id, &rate_limit_of(request)).await?;
    query::refuse_needless(request)?;
    Ok(session)
}

/// Returns the program that has the key, at an endpoint for sessions.
async fn holder_among_sessions(
    api: &Api,
    request: &HttpRequest,
    key: &str,
) -> Result<Caller, ApiError> {
    if key.starts_with(KEY_PREFIX) {
        return holder(api, request, key).await;
    }
    Err(Error::Unauthenticated(SESSION_REQUIRED).into())
}

/// Returns the session of the request. An API key in its place is refused, even beside a session,
/// because a key takes precedence.
async fn signed_in(api: &Api, request: &HttpRequest) -> Result<SignedIn, ApiError> {
    if let Some(key) = header(request, API_KEY) {
        api_keys::open(holder_among_sessions(api, request, key).await?, None)?;
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
    Ok(signed_in_by(api, request, token).await?)
}

/// Returns the session of a token.
pub(crate) async fn signed_in_by(
    api: &Api,
    request: &HttpRequest,
    token: &str,
) -> Result<SignedIn, Error> {
    let authenticate = api.auth.authenticate(token);
    let session = if api.limits.are_on() {
        api.credentials.check(token, client_network(api, request), authenticate).await?
    } else {
        authenticate.await?
    };
    if !WITHOUT_SECOND_FACTOR.contains(&request.path()) {
        api.auth.second_factors().require(&session.user)?;
    }
    Ok(session)
}

/// Counts a callback with a wrong proof, and returns the refusal.
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

/// Returns the address by which the client is counted: its IPv4 address, or the /64 of its IPv6 address.
pub(crate) fn client_network(api: &Api, request: &HttpRequest) -> IpAddr {
    network(client_address(api, request))
}

/// Returns the client of a request, with the name that its program gives.
pub(crate) fn client(api: &Api, request: &HttpRequest) -> Client {
    let address = client_address(api, request);
    Client::new(address, network(address), header(request, USER_AGENT.as_str()))
}

/// Returns the address of the client, which a trusted proxy may report.
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

/// Returns the value of a header. One that is not text counts as present, but matches nothing.
pub(crate) fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.headers().get(name).map(|value| value.to_str().unwrap_or_default())
}

fn api(request: &HttpRequest) -> Result<&Api, ApiError> {
    let api = request.app_data::<Data<Api>>();
    api.map(|api| api.as_ref()).ok_or(ApiError::Broken)
}

/// Future of the identified caller.
type Identified<T> = LocalBoxFuture<'static, Result<T, ApiError>>;

/// Reads callers from requests.
macro_rules! read_from_requests {
    ($($caller:ident)*) => {$(
        impl FromRequest for $caller {
            type Error = ApiError;
            type Future = Identified<Self>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                let request = request.clone();
                Box::pin(async move { Self::of(&request).await })
            }
        }
    )*};
}

read_from_requests!(Guest Bearer AnyBearer Member ApiCaller Sender);

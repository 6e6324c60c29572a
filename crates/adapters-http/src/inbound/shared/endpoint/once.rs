//! Handlers that do their work once for each idempotency key.

use std::panic::{AssertUnwindSafe, resume_unwind};

use actix_web::{
    Error, FromRequest, Handler, HttpRequest, HttpResponse, Responder,
    body::{BoxBody, MessageBody},
    dev::Payload,
    http::{StatusCode, header::ContentType},
    rt,
    web::{Bytes, Data},
};
use domain::shared::fault::Faults;
use futures_util::{FutureExt, future::LocalBoxFuture};
use sha2::{Digest, Sha256};
use tracing::Instrument;
use usecases::platform::request_keys::{Begun, FirstAnswer, FirstRequest, KeyedRequest};

use super::describe::Description;
use crate::inbound::{
    Api,
    shared::{
        error::ApiError,
        hashed_body::HashedBody,
        idempotency::{self, IdempotencyKey},
        key_owner::{KeyOwnerSlot, KnownOwner},
    },
};

const ABOUT: &str = "A key of the client's choice, for 24 hours. A repetition of the request with \
                     the same key gets the first answer, and makes nothing.";

/// Handler that does its work once for each key. Without a key it is the handler inside.
#[derive(Clone)]
pub(super) struct Once<F>(pub(super) F);

/// Arguments of a [`Once`].
pub(super) struct OnceArguments<A> {
    arguments: A,
    request: HttpRequest,
    /// Parts of the request that its key needs; `None` without a key.
    keyed: Option<KeyedCall>,
}

/// Parts of a request with a key.
struct KeyedCall {
    key: IdempotencyKey,
    body: HashedBody,
    owner: KeyOwnerSlot,
}

/// First request with its key, which is being worked on.
struct WorkedOn {
    api: Data<Api>,
    request: HttpRequest,
    first: FirstRequest,
    owner: KnownOwner,
    body: HashedBody,
}

/// Documents the key and the marking of replays.
pub(super) fn describe(description: &mut Description) {
    idempotency::describe_header(description, ABOUT);
    for (status, response) in &mut description.responses {
        if (200..300).contains(status) {
            idempotency::describe_marked(response);
        }
    }
}

impl<A: FromRequest + 'static> FromRequest for OnceArguments<A> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self, Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let keyed = IdempotencyKey::is_given(request).then(|| KeyedCall {
            key: IdempotencyKey::of(request),
            body: HashedBody::replace(request, payload),
            owner: KeyOwnerSlot::begin(request),
        });
        let request = request.clone();
        let arguments = A::from_request(&request, payload);
        Box::pin(async move {
            let arguments = arguments.await.map_err(Into::<Error>::into)?;
            Ok(Self { arguments, request, keyed })
        })
    }
}

impl<F, A> Handler<OnceArguments<A>> for Once<F>
where
    F: Handler<A, Output: Responder>,
    A: 'static,
{
    type Output = HttpResponse;
    type Future = LocalBoxFuture<'static, HttpResponse>;

    fn call(&self, arguments: OnceArguments<A>) -> Self::Future {
        let handler = self.0.clone();
        Box::pin(async move {
            let OnceArguments { arguments, request, keyed } = arguments;
            match keyed {
                None => work(handler, arguments, &request).await,
                Some(call) => match work_once(handler, arguments, request, call).await {
                    Ok(answer) => answer,
                    Err(refusal) => HttpResponse::from_error(refusal),
                },
            }
        })
    }
}

async fn work<F, A>(handler: F, arguments: A, request: &HttpRequest) -> HttpResponse
where
    F: Handler<A, Output: Responder>,
{
    handler.call(arguments).await.respond_to(request).map_into_boxed_body()
}

/// Returns the answer of the handler, or that of the first request with the same key.
async fn work_once<F, A>(
    handler: F,
    arguments: A,
    request: HttpRequest,
    call: KeyedCall,
) -> Result<HttpResponse, ApiError>
where
    F: Handler<A, Output: Responder>,
    A: 'static,
{
    let KeyedCall { key, body, owner } = call;
    let api = request.app_data::<Data<Api>>().cloned().ok_or(ApiError::Broken)?;
    let owner = owner.get().ok_or(ApiError::Broken)?;
    let mut faults = Faults::default();
    let key = key.or(None, &mut faults);
    // A form arrives while it is worked on, so its hash comes after that.
    let fingerprint = if body.is_form() {
        None
    } else {
        Some(request_hash(&request, &owner, body.hash().await?))
    };
    let keyed = KeyedRequest { owner: owner.owner, key, fingerprint, faults };
    match api.request_keys.begin(keyed).await? {
        Begun::First(first) => {
            let worked_on = WorkedOn { api, request, first, owner, body };
            // A client that hangs up will repeat the request, so the key has to be finished.
            let task = rt::spawn(worked_on.run(handler, arguments).in_current_span());
            match task.await {
                Ok(answer) => Ok(answer),
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    Err(_) => Err(ApiError::Broken),
                },
            }
        }
        Begun::Repeated(repeated) => {
            drop(arguments);
            let fingerprint = request_hash(&request, &owner, body.hash().await?);
            again(api.request_keys.answer_again(&repeated, fingerprint)?)
        }
    }
}

impl WorkedOn {
    /// Returns the answer of the handler, and finishes or frees the key.
    async fn run<F, A>(self, handler: F, arguments: A) -> HttpResponse
    where
        F: Handler<A, Output: Responder>,
    {
        let working = work(handler, arguments, &self.request);
        let worked = AssertUnwindSafe(working).catch_unwind().await;
        match worked {
            Ok(answer) if answer.status().is_success() => self.finish(answer).await,
            Ok(answer) => {
                self.api.request_keys.release(&self.first).await;
                answer
            }
            Err(panic) => {
                self.api.request_keys.release(&self.first).await;
                resume_unwind(panic)
            }
        }
    }

    async fn finish(self, answer: HttpResponse) -> HttpResponse {
        let Ok(hash) = self.body.hash().await else {
            // Not all of the body was needed, nor did all of it arrive. The lease of the key ends.
            return answer;
        };
        let (head, body) = answer.into_parts();
        let bytes = match body.try_into_bytes() {
            Ok(bytes) => bytes,
            // An answer that is created while it is written.
            Err(body) => return head.set_body(body),
        };
        let kept = FirstAnswer { status: head.status().as_u16(), body: bytes.to_vec() };
        let fingerprint = request_hash(&self.request, &self.owner, hash);
        self.api.request_keys.finish(&self.first, fingerprint, &kept).await;
        head.set_body(boxed(bytes))
    }
}

/// Returns the hash by which a repetition of a request is recognized.
fn request_hash(request: &HttpRequest, owner: &KnownOwner, body: [u8; 32]) -> [u8; 32] {
    let caller = owner.caller.as_str();
    let mut hash = Sha256::new();
    for part in [request.method().as_str(), request.path(), request.query_string(), caller] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.update(body);
    hash.finalize().into()
}

/// Returns the first answer to a repeated request.
fn again(first: FirstAnswer) -> Result<HttpResponse, ApiError> {
    let status = StatusCode::from_u16(first.status).map_err(|_| ApiError::Broken)?;
    let mut answer = HttpResponse::build(status);
    if !first.body.is_empty() {
        answer.insert_header(ContentType::json());
    }
    let answer = answer.finish().set_body(boxed(first.body.into()));
    Ok(idempotency::marked(answer, true))
}

fn boxed(bytes: Bytes) -> BoxBody {
    if bytes.is_empty() { actix_web::body::None::new().boxed() } else { bytes.boxed() }
}

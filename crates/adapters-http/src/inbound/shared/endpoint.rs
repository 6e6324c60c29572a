//! Endpoints: the routes of the API with their documentation.

use actix_web::{
    Handler, Resource, Responder, guard,
    http::Method,
    web::{self, ServiceConfig},
};
use domain::identity::scope::Scope;
use usecases::{
    Error,
    identity::api_keys::LIVE_KEY_REQUIRED,
    messaging::messages::{IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED},
    platform::request_keys::ANSWER_NOT_KEPT,
};

pub(crate) mod callers;
pub(crate) mod describe;
mod once;
pub(crate) mod refusals;
pub(crate) mod schemas;
pub(crate) mod scopes;

use callers::{BEARER, MEMBER, MEMBER_OR_KEY};
use describe::{Arguments, Describe, Description};
use once::{Once, OnceArguments};
use refusals::Refusal;
use scopes::OpenedBy;

/// A group of endpoints that the document shows together.
pub(crate) struct Area {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) endpoints: Vec<Endpoint>,
}

/// A method at an address, with its handler and its documentation. Parameters, bodies, credentials
/// and answers are described by the types in the handler's signature.
pub(crate) struct Endpoint {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) id: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) description: &'static str,
    pub(crate) is_extension: bool,
    /// Description of the successful answer.
    pub(crate) answer: &'static str,
    /// Statuses that all endpoints have, but for this one with another description: codes are in back
    /// quotes.
    pub(crate) failures: Vec<(u16, &'static str)>,
    /// Refusals of this endpoint only.
    pub(crate) refusals: Vec<Refusal>,
    /// Documentation that no type in the signature gives.
    pub(crate) additions: Vec<fn(&mut Description)>,
    describe: fn(&mut Description),
    mount: Box<dyn Fn(Resource) -> Resource>,
}

/// True if a handler reads the query string. Requests find it in the data of their resource.
pub(crate) struct ReadsQuery(pub(crate) bool);

/// `GET path`, answered by `handler`; `id` names it in generated clients.
pub(crate) fn get<F, A>(path: &'static str, id: &'static str, handler: F) -> Endpoint
where
    F: Handler<A, Output: Responder + Describe>,
    A: Arguments,
{
    Endpoint::new(Method::GET, path, id, handler)
}

/// `POST path`, answered by `handler`; `id` names it in generated clients.
pub(crate) fn post<F, A>(path: &'static str, id: &'static str, handler: F) -> Endpoint
where
    F: Handler<A, Output: Responder + Describe>,
    A: Arguments,
{
    Endpoint::new(Method::POST, path, id, handler)
}

/// `POST path` that makes something: once for each `Idempotency-Key`. Answers other than successes
/// leave the key free.
pub(crate) fn post_once<F, A>(path: &'static str, id: &'static str, handler: F) -> Endpoint
where
    F: Handler<A, Output: Responder + Describe>,
    A: Arguments,
{
    let mut endpoint = Endpoint::new(Method::POST, path, id, handler.clone());
    endpoint.mount = Box::new(move |resource| {
        let resource = resource.app_data(ReadsQuery(A::READS_QUERY));
        resource.to::<_, OnceArguments<A>>(Once(handler.clone()))
    });
    endpoint
        .with(once::describe)
        .refuses(Error::InProgress(IDEMPOTENCY_IN_PROGRESS))
        .refuses(Error::Conflict(ANSWER_NOT_KEPT))
        .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED))
}

/// `PATCH path`, answered by `handler`; `id` names it in generated clients.
pub(crate) fn patch<F, A>(path: &'static str, id: &'static str, handler: F) -> Endpoint
where
    F: Handler<A, Output: Responder + Describe>,
    A: Arguments,
{
    Endpoint::new(Method::PATCH, path, id, handler)
}

/// `DELETE path`, answered by `handler`; `id` names it in generated clients.
pub(crate) fn delete<F, A>(path: &'static str, id: &'static str, handler: F) -> Endpoint
where
    F: Handler<A, Output: Responder + Describe>,
    A: Arguments,
{
    Endpoint::new(Method::DELETE, path, id, handler)
}

impl Endpoint {
    fn new<F, A>(method: Method, path: &'static str, id: &'static str, handler: F) -> Self
    where
        F: Handler<A, Output: Responder + Describe>,
        A: Arguments,
    {
        let writes = scopes::opening(&method, path).is_some_and(Scope::writes_live_data);
        let endpoint = Self {
            method,
            path,
            id,
            summary: "",
            description: "",
            is_extension: false,
            answer: "",
            failures: Vec::new(),
            refusals: Vec::new(),
            additions: Vec::new(),
            describe: |description| {
                A::describe(description);
                F::Output::describe(description);
            },
            mount: Box::new(move |resource| {
                resource.app_data(ReadsQuery(A::READS_QUERY)).to(handler.clone())
            }),
        };
        if writes { endpoint.refuses(Error::Forbidden(LIVE_KEY_REQUIRED)) } else { endpoint }
    }

    /// Sets the summary, which has one line.
    pub(crate) fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Sets the description.
    pub(crate) fn description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Marks it as an extension of the specification.
    pub(crate) fn extension(mut self) -> Self {
        self.is_extension = true;
        self
    }

    /// Sets the description of the successful answer.
    pub(crate) fn answers(mut self, answer: &'static str) -> Self {
        self.answer = answer;
        self
    }

    /// Describes a status otherwise than for all endpoints. `description` names the codes in back
    /// quotes.
    pub(crate) fn fails(mut self, status: u16, description: &'static str) -> Self {
        self.failures.push((status, description));
        self
    }

    /// Adds documentation that no type in the signature gives.
    pub(crate) fn with(mut self, addition: fn(&mut Description)) -> Self {
        self.additions.push(addition);
        self
    }

    /// Adds it to the service.
    pub(crate) fn mount(&self, config: &mut ServiceConfig) {
        let resource = web::resource(self.path)
            .guard(guard::Method(self.method.clone()))
            .app_data(OpenedBy(scopes::opening(&self.method, self.path)));
        config.service((self.mount)(resource));
    }

    /// Adds the documentation of its signature and its additions.
    pub(crate) fn describe(&self, description: &mut Description) {
        (self.describe)(description);
        for addition in &self.additions {
            addition(description);
        }
        self.describe_scope(description);
    }

    /// Adds the scope by which keys may call it, if sessions may.
    fn describe_scope(&self, description: &mut Description) {
        description.takes_session =
            description.security.iter().any(|schemes| schemes.contains(&BEARER));
        if !description.takes_session {
            return;
        }
        description.scope = scopes::opening(&self.method, self.path);
        if description.scope.is_some() && description.security == MEMBER {
            description.security = MEMBER_OR_KEY;
        }
    }
}

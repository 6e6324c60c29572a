//! Routes of pages.

use actix_web::{
    FromRequest, Handler, Resource, Responder, guard,
    http::{
        Method,
        header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY},
    },
    middleware::DefaultHeaders,
    web::{self, ServiceConfig},
};
use domain::shared::id::Id;

use crate::frame::{Failure, assets, failure};

/// Address under which all pages are.
const ROOT: &str = "/app";
/// Pages load their own style and script, and nothing else. Nobody may frame them. Scripts write HTML
/// by one policy only.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'; \
                      trusted-types atumpan";

/// Page or act with its handler.
pub(crate) struct Route {
    method: Method,
    /// Whole path, with variable parts in braces.
    pub(crate) path: &'static str,
    mount: Box<dyn Fn(Resource) -> Resource>,
}

impl Route {
    fn new<F, A>(method: Method, path: &'static str, handler: F) -> Self
    where
        F: Handler<A, Output: Responder + 'static>,
        A: FromRequest + 'static,
    {
        Self { method, path, mount: Box::new(move |resource| resource.to(handler.clone())) }
    }

    /// True if it takes a form.
    pub(crate) fn is_post(&self) -> bool {
        self.method == Method::POST
    }
}

/// Page at `path`.
pub(crate) fn get<F, A>(path: &'static str, handler: F) -> Route
where
    F: Handler<A, Output: Responder + 'static>,
    A: FromRequest + 'static,
{
    Route::new(Method::GET, path, handler)
}

/// Act behind a form that is sent to `path`.
pub(crate) fn post<F, A>(path: &'static str, handler: F) -> Route
where
    F: Handler<A, Output: Responder + 'static>,
    A: FromRequest + 'static,
{
    Route::new(Method::POST, path, handler)
}

/// Returns the identifier in an address. A text that is none names no page.
pub(crate) fn id_of<T>(text: &str) -> Result<Id<T>, Failure> {
    text.parse().map_err(|_| Failure::UnknownPage)
}

/// Adds routes to the application. Those with variable parts come last, so that `/app/contacts/import`
/// is no contact.
pub(crate) fn mount(routes: Vec<Route>, config: &mut ServiceConfig) {
    let headers = DefaultHeaders::new()
        .add((CONTENT_SECURITY_POLICY, POLICY))
        // With a stricter one, browsers say `Origin: null` of forms.
        .add((REFERRER_POLICY, "same-origin"));
    let (variable, literal): (Vec<_>, Vec<_>) =
        routes.into_iter().partition(|route| route.path.contains('{'));
    let mut scope = web::scope(ROOT).wrap(headers);
    for Route { method, path, mount } in literal.into_iter().chain(variable) {
        let path = path.strip_prefix(ROOT).unwrap_or(path);
        scope = scope.service(mount(web::resource(path).guard(guard::Method(method))));
    }
    config.service(scope.configure(assets::mount).default_service(web::to(failure::unknown_page)));
    config.service(web::redirect("/", ROOT).see_other());
}

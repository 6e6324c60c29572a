//! Cookies of the pages.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use domain::identity::organization::Organization;
use domain::shared::id::Id;

/// Cookies that a browser may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CookieName {
    /// Token of the session, the same as that of the REST API.
    Session,
    /// Secret of a browser without a session, to which its forms are bound.
    Guest,
    /// Organization that the user chose.
    Organization,
    /// Notice that the next page shows.
    Notice,
}

/// Maker of cookies: over HTTPS they are bound to this host and sent over HTTPS only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cookies {
    is_https: bool,
}

impl Cookies {
    /// Returns the maker for a service with that public address.
    pub(crate) fn of(public_url: &str) -> Self {
        Self { is_https: public_url.starts_with("https://") }
    }

    pub(crate) fn read(self, request: &HttpRequest, name: CookieName) -> Option<String> {
        let cookie = request.cookie(self.full_name(name))?;
        (!cookie.value().is_empty()).then(|| cookie.value().to_owned())
    }

    /// Returns the organization that the browser of the request names.
    pub(crate) fn organization(self, request: &HttpRequest) -> Option<Id<Organization>> {
        self.read(request, CookieName::Organization)?.parse().ok()
    }

    /// Returns a cookie that ends with the browser's session, or after `lifetime`.
    pub(crate) fn make(
        self,
        name: CookieName,
        value: String,
        lifetime: Option<Duration>,
    ) -> Cookie<'static> {
        let mut cookie = Cookie::build(self.full_name(name), value)
            .path("/")
            .http_only(true)
            .secure(self.is_https)
            .same_site(SameSite::Lax);
        if let Some(lifetime) = lifetime {
            cookie = cookie.max_age(lifetime);
        }
        cookie.finish()
    }

    pub(crate) fn forget(self, name: CookieName) -> Cookie<'static> {
        self.make(name, String::new(), Some(Duration::ZERO))
    }

    const fn full_name(self, name: CookieName) -> &'static str {
        match (name, self.is_https) {
            (CookieName::Session, true) => "__Host-atumpan",
            (CookieName::Session, false) => "atumpan",
            (CookieName::Guest, true) => "__Host-atumpan-guest",
            (CookieName::Guest, false) => "atumpan-guest",
            (CookieName::Organization, true) => "__Host-atumpan-organization",
            (CookieName::Organization, false) => "atumpan-organization",
            (CookieName::Notice, true) => "__Host-atumpan-notice",
            (CookieName::Notice, false) => "atumpan-notice",
        }
    }
}

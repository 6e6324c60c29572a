//! Frames of pages: what is around their content.

use actix_web::HttpResponse;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::ContentType;
use adapters_http::outbound::random::SystemRandom;
use askama::Template;
use ports::shared::random::Random;

use crate::frame::Notice;
use crate::frame::assets::{CSS, ICON, JS, hex};
use crate::frame::form_token::FormSecret;
use crate::frame::navigation::Group;

/// A page could not be written. The log has the cause.
pub(super) struct Unwritable;

/// Beginning of the title of a page that refuses a form.
const ERROR: &str = "Error: ";

/// Sentence that every page of a demonstration says.
const DEMO: &str =
    "This is a demo: its people and messages are invented, and nothing reaches anybody.";

/// Frame of the pages of a signed-in user. Templates read it.
pub(crate) struct Frame {
    pub(super) is_refused: bool,
    pub(super) navigation: Vec<Group>,
    pub(super) organization: String,
    pub(super) has_several_organizations: bool,
    pub(super) person: String,
    pub(super) secret: FormSecret,
    /// Key of the form that is shown again; `None` if each form gets a new one.
    pub(super) once: Option<String>,
    pub(super) notice: Option<Notice>,
    pub(super) banner: Option<Banner>,
}

/// Sentence that every page says at present.
pub(crate) struct Banner {
    pub(crate) text: String,
    /// True if an administrator acts as the organization, which a button beside it ends.
    pub(crate) is_impersonation: bool,
}

impl Banner {
    /// Returns the banner of a demonstration.
    pub(super) fn of_demo() -> Self {
        Self { text: DEMO.to_owned(), is_impersonation: false }
    }
}

#[expect(clippy::unused_self, reason = "templates call all of them on the frame")]
impl Frame {
    /// Returns the frame for a form with faults.
    #[must_use]
    pub(crate) fn refused(mut self, is_refused: bool) -> Self {
        self.is_refused = is_refused;
        self
    }

    pub(crate) fn title_prefix(&self) -> &'static str {
        if self.is_refused { ERROR } else { "" }
    }

    pub(crate) fn navigation(&self) -> &[Group] {
        &self.navigation
    }

    pub(crate) fn organization(&self) -> &str {
        &self.organization
    }

    /// True if the user belongs to others, too.
    pub(crate) fn has_several_organizations(&self) -> bool {
        self.has_several_organizations
    }

    pub(crate) fn person(&self) -> &str {
        &self.person
    }

    /// Returns a token for a form of the page.
    pub(crate) fn form_token(&self) -> String {
        self.secret.token(SystemRandom.secret())
    }

    /// Returns a key by which a form of the page acts once.
    pub(crate) fn once(&self) -> String {
        self.once.clone().unwrap_or_else(once)
    }

    pub(crate) fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// True if an administrator acts as the organization, who leaves their own account alone meanwhile.
    pub(crate) fn is_impersonation(&self) -> bool {
        self.banner.as_ref().is_some_and(|banner| banner.is_impersonation)
    }

    pub(crate) fn banner(&self) -> Option<&Banner> {
        self.banner.as_ref()
    }

    pub(crate) fn css(&self) -> &'static str {
        &CSS.address
    }

    pub(crate) fn js(&self) -> &'static str {
        &JS.address
    }

    pub(crate) fn icon(&self) -> &'static str {
        &ICON.address
    }
}

/// Frame of the pages without a user. Templates read it.
#[derive(Clone)]
pub(crate) struct Bare {
    is_refused: bool,
    secret: Option<FormSecret>,
    once: Option<String>,
    /// Sentence that every page says at present.
    banner: Option<&'static str>,
}

#[expect(clippy::unused_self, reason = "templates call all of them on the frame")]
impl Bare {
    /// Returns the frame of a page with a form.
    pub(crate) const fn new(secret: FormSecret, is_refused: bool) -> Self {
        Self { is_refused, secret: Some(secret), once: None, banner: None }
    }

    /// Returns the frame whose form has that key, if it is one that is shown again.
    #[must_use]
    pub(super) fn keeping(self, once: Option<String>) -> Self {
        Self { once, ..self }
    }

    /// Returns the frame of a page of this installation, which may be a demonstration.
    #[must_use]
    pub(super) fn of_demo(self, is_demo: bool) -> Self {
        Self { banner: is_demo.then_some(DEMO), ..self }
    }

    /// Returns the frame of a page that says what went wrong.
    pub(crate) const fn refused() -> Self {
        Self { is_refused: true, secret: None, once: None, banner: None }
    }

    pub(crate) fn title_prefix(&self) -> &'static str {
        if self.is_refused { ERROR } else { "" }
    }

    /// Returns a token for a form of the page.
    pub(crate) fn form_token(&self) -> String {
        self.secret.as_ref().map(|secret| secret.token(SystemRandom.secret())).unwrap_or_default()
    }

    /// Returns a key by which a form of the page acts once.
    pub(crate) fn once(&self) -> String {
        self.once.clone().unwrap_or_else(once)
    }

    pub(crate) fn banner(&self) -> Option<&'static str> {
        self.banner
    }

    pub(crate) fn css(&self) -> &'static str {
        &CSS.address
    }

    pub(crate) fn js(&self) -> &'static str {
        &JS.address
    }

    pub(crate) fn icon(&self) -> &'static str {
        &ICON.address
    }
}

/// Returns the answer with a page, and the cookies that it sets.
pub(super) fn show(
    page: &impl Template,
    status: StatusCode,
    cookies: Vec<Cookie<'_>>,
) -> Result<HttpResponse, Unwritable> {
    let html = page.render().map_err(|error| {
        tracing::error!(%error, "failed to write a page");
        Unwritable
    })?;
    let mut answer = HttpResponse::build(status);
    for cookie in cookies {
        answer.cookie(cookie);
    }
    Ok(answer.content_type(ContentType::html()).body(html))
}

fn once() -> String {
    let secret = SystemRandom.secret();
    hex(secret.iter().take(16))
}

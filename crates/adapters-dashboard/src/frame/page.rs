//! Frames of pages: what is around their content.

use actix_web::{
    HttpResponse,
    cookie::Cookie,
    http::{StatusCode, header::ContentType},
};
use adapters_http::outbound::random::SystemRandom;
use askama::Template;
use ports::shared::random::Random;

use crate::frame::{
    assets::{CSS, ICON, JS, hex},
    form_token::FormSecret,
    navigation::Group,
    notice::Notice,
};

/// A page could not be written. The log has the cause.
pub(super) struct Unwritable;

/// Beginning of the title of a page that refuses a form.
const ERROR: &str = "Error: ";

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
    pub(super) banner: Option<String>,
}

#[expect(clippy::unused_self, reason = "templates call all of them on the frame")]
impl Frame {
    /// Returns the frame for a form with faults.
    #[must_use]
    pub(crate) fn refused(mut self, is_refused: bool) -> Self {
        self.is_refused = is_refused;
        self
    }

    /// Returns the beginning of the page's title.
    pub(crate) fn title_prefix(&self) -> &'static str {
        if self.is_refused { ERROR } else { "" }
    }

    /// Returns the groups of links to other pages.
    pub(crate) fn navigation(&self) -> &[Group] {
        &self.navigation
    }

    /// Returns the name of the organization.
    pub(crate) fn organization(&self) -> &str {
        &self.organization
    }

    /// True if the user belongs to others, too.
    pub(crate) fn has_several_organizations(&self) -> bool {
        self.has_several_organizations
    }

    /// Returns the name of the user.
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

    /// Returns what the page says first.
    pub(crate) fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    /// Returns what every page says at present.
    pub(crate) fn banner(&self) -> Option<&str> {
        self.banner.as_deref()
    }

    /// Returns the address of the style.
    pub(crate) fn css(&self) -> &'static str {
        &CSS.address
    }

    /// Returns the address of the script.
    pub(crate) fn js(&self) -> &'static str {
        &JS.address
    }

    /// Returns the address of the picture in the tab.
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
}

#[expect(clippy::unused_self, reason = "templates call all of them on the frame")]
impl Bare {
    /// Returns the frame of a page with a form.
    pub(crate) const fn new(secret: FormSecret, is_refused: bool) -> Self {
        Self { is_refused, secret: Some(secret), once: None }
    }

    /// Returns the frame whose form has that key, if it is one that is shown again.
    #[must_use]
    pub(super) fn keeping(self, once: Option<String>) -> Self {
        Self { once, ..self }
    }

    /// Returns the frame of a page that says what went wrong.
    pub(crate) const fn refused() -> Self {
        Self { is_refused: true, secret: None, once: None }
    }

    /// Returns the beginning of the page's title.
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

    /// Returns the address of the style.
    pub(crate) fn css(&self) -> &'static str {
        &CSS.address
    }

    /// Returns the address of the script.
    pub(crate) fn js(&self) -> &'static str {
        &JS.address
    }

    /// Returns the address of the picture in the tab.
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

//! Pages that say what went wrong.

use std::{fmt, fmt::Write};

use actix_web::http::StatusCode;
use actix_web::http::header::{ContentType, LOCATION, RETRY_AFTER};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use domain::{identity::caller::Denied, shared::fault::Faults};
use form_urlencoded::Serializer;
use ports::shared::store::StoreError;
use usecases::{Error, Reason, seconds};

use crate::frame::Bare;
use crate::frame::page::Unwritable;
use crate::words::naming_roles;

/// Answer of a handler.
pub(crate) type Shown = Result<HttpResponse, Failure>;

/// Reason for which a page is not shown, or an act not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody is signed in. Afterwards the browser goes to that address; `""` is the first page.
    SignIn(String),
    /// Nobody is signed in any more, and a form was sent.
    SignedOut,
    NoOrganization {
        /// True if the user administers the platform, and so has pages elsewhere.
        is_administrator: bool,
    },
    /// The platform administrator needs a second factor, and has none.
    NoSecondFactor,
    Forged,
    /// The form's page belongs to a session that is over, or to another organization.
    StaleForm(Box<StaleForm>),
    /// The form is too large, or did not arrive.
    TooLarge,
    UnknownPage,
    Refused(Error),
    Unwritable,
}

/// Form whose page belongs to a session that is over, as its sender may send it again.
#[derive(Debug)]
pub(crate) struct StaleForm {
    pub(crate) action: String,
    /// Its fields, without secrets.
    pub(crate) fields: Vec<(String, String)>,
    /// Key by which it acts once.
    pub(crate) once: Option<String>,
    /// Token for the present session.
    pub(crate) token: String,
}

#[derive(Template)]
#[template(path = "frame/failure.html")]
struct FailurePage<'f> {
    frame: Bare,
    title: &'static str,
    text: &'f str,
    form: Option<&'f StaleForm>,
    is_signed_out: bool,
}

impl Failure {
    fn title(&self) -> &'static str {
        match self {
            Self::SignIn(_) => "Sign in",
            Self::SignedOut => "You are signed out",
            Self::NoOrganization { .. } => "No organization",
            Self::NoSecondFactor => "No second factor",
            Self::Forged => "Not done: the form came from elsewhere",
            Self::StaleForm(_) => "Look at this again",
            Self::TooLarge => "This is too large",
            Self::UnknownPage | Self::Refused(Error::NotFound(_)) => "Page not found",
            Self::Unwritable => "Something went wrong",
            Self::Refused(error) => match error {
                Error::Forbidden(_) => "You may not do this",
                Error::RateLimited(_) => "Too many requests",
                _ if self.status_code() == StatusCode::SERVICE_UNAVAILABLE => {
                    "Try again in a moment"
                }
                _ if self.status_code() == StatusCode::INTERNAL_SERVER_ERROR => {
                    "Something went wrong"
                }
                _ => "This was not done",
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Self::SignIn(_) => "You are not signed in.".to_owned(),
            Self::SignedOut => {
                "Your session is over. Nothing was changed, and what you wrote is not lost: sign in in \
                 another tab, come back to this one, and reload it."
                    .to_owned()
            }
            Self::NoOrganization { .. } => "You belong to no organization.".to_owned(),
            Self::NoSecondFactor => "Set up a second factor first.".to_owned(),
            Self::Forged => {
                "Nothing was changed. Open the page in this browser and send it from there."
                    .to_owned()
            }
            Self::StaleForm(_) => {
                "Your session or organization changed while this page was open. Nothing was \
                 changed yet. Look at what you wrote, and send it again."
                    .to_owned()
            }
            Self::TooLarge => "Nothing was changed. Send less at a time.".to_owned(),
            Self::UnknownPage => "Check the address, or begin at the first page.".to_owned(),
            Self::Refused(Error::NotFound(thing)) => {
                format!("There is no such {thing}, or it belongs to another organization.")
            }
            Self::Refused(Error::RateLimited(wait)) => {
                format!("You may go on in {} seconds.", seconds(*wait))
            }
            Self::Refused(_) | Self::Unwritable
                if self.status_code() == StatusCode::INTERNAL_SERVER_ERROR =>
            {
                "The fault is ours, and it was recorded. Try again later.".to_owned()
            }
            Self::Refused(error) => capitalized(&naming_roles(&error.to_string())),
            Self::Unwritable => String::new(),
        }
    }

    /// Returns the address to which the browser goes instead.
    fn elsewhere(&self) -> Option<String> {
        match self {
            Self::SignIn(next) if next.is_empty() => Some("/app/sign-in".to_owned()),
            Self::SignIn(next) => {
                let query = Serializer::new(String::new()).append_pair("next", next).finish();
                Some(format!("/app/sign-in?{query}"))
            }
            Self::NoOrganization { is_administrator: true } => Some("/app/admin".to_owned()),
            Self::NoOrganization { .. } => Some("/app/organizations/new".to_owned()),
            Self::NoSecondFactor => Some("/app/account/second-factor".to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::SignIn(_) | Self::NoOrganization { .. } | Self::NoSecondFactor => {
                StatusCode::SEE_OTHER
            }
            Self::SignedOut | Self::Forged => StatusCode::FORBIDDEN,
            Self::StaleForm(_) => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnknownPage => StatusCode::NOT_FOUND,
            Self::Unwritable => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Refused(error) => status_of(error),
        }
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status_code());
        if let Some(address) = self.elsewhere() {
            return answer.insert_header((LOCATION, address)).finish();
        }
        if let Self::Refused(Error::RateLimited(wait)) = self {
            answer.insert_header((RETRY_AFTER, seconds(*wait).to_string()));
        }
        let form = match self {
            Self::StaleForm(form) => Some(&**form),
            _ => None,
        };
        let text = self.text();
        let page = FailurePage {
            frame: Bare::refused(),
            title: self.title(),
            text: &text,
            form,
            is_signed_out: matches!(self, Self::SignedOut),
        };
        let html = page.render().unwrap_or(text.clone());
        answer.content_type(ContentType::html()).body(html)
    }
}

impl From<Error> for Failure {
    /// Logs internal errors: the page hides their cause.
    fn from(error: Error) -> Self {
        if let Error::Unauthenticated(_) = error {
            return Self::SignIn(String::new());
        }
        match status_of(&error) {
            StatusCode::INTERNAL_SERVER_ERROR => {
                tracing::error!(error = %chain(&error), "failed to show a page");
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                tracing::debug!(error = %chain(&error), "refused to show a page");
            }
            _ => {}
        }
        Self::Refused(error)
    }
}

impl From<Unwritable> for Failure {
    fn from(_: Unwritable) -> Self {
        Self::Unwritable
    }
}

impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        Error::from(denied).into()
    }
}

impl From<Faults> for Failure {
    fn from(faults: Faults) -> Self {
        Error::from(faults).into()
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Error::BadRequest(reason).into()
    }
}

/// Answers an address that names no page.
pub(crate) async fn unknown_page() -> Shown {
    Err(Failure::UnknownPage)
}

fn status_of(error: &Error) -> StatusCode {
    match error {
        Error::Invalid(_) | Error::BadRequest(_) | Error::UnknownReference(_) => {
            StatusCode::BAD_REQUEST
        }
        Error::Unauthenticated(_) => StatusCode::SEE_OTHER,
        Error::InsufficientBalance(_) | Error::SpendingLimitReached(_) => {
            StatusCode::PAYMENT_REQUIRED
        }
        Error::Forbidden(_) => StatusCode::FORBIDDEN,
        Error::NotFound(_) => StatusCode::NOT_FOUND,
        Error::Conflict(_) | Error::InProgress(_) | Error::Contradiction(_) => StatusCode::CONFLICT,
        Error::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
        Error::Away(_)
        | Error::Overloaded
        | Error::Unavailable(_)
        | Error::Store(StoreError::Unavailable(_)) => StatusCode::SERVICE_UNAVAILABLE,
        Error::Internal(_)
        | Error::Store(StoreError::Conflict { .. } | StoreError::Internal(_)) => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// Returns an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a `String` cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

/// Returns a text as a sentence.
pub(crate) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    let text: String = first.chain(characters).collect();
    if text.ends_with(['.', '?', '!']) { text } else { text + "." }
}

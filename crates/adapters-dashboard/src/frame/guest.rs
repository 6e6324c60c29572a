//! Pages without a session, and those of users outside of any organization.

use std::cell::OnceCell;

use actix_web::{
    HttpRequest, HttpResponse,
    cookie::{Cookie, time::Duration},
    http::{Method, StatusCode, header::LOCATION},
};
use adapters_http::{Api, edge::Edge, outbound::random::SystemRandom};
use askama::Template;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use domain::identity::organization::{Membership, Organization};
use domain::identity::user::User;
use domain::shared::id::Id;
use ports::shared::random::Random;
use usecases::Error;
use usecases::identity::auth::{Session, SignedIn};
use usecases::identity::second_factors::SECOND_FACTOR_MISSING;

use crate::frame::cookies::{CookieName, Cookies};
use crate::frame::form_token::FormSecret;
use crate::frame::navigation::Group;
use crate::frame::page::Banner;
use crate::frame::{Bare, Failure, Frame, Notice, Shown, page};

/// Request of somebody whose session does not matter.
pub(crate) struct Guest {
    /// The edge of the service.
    pub(crate) edge: Edge,
    cookies: Cookies,
    /// Value of the cookie to which the forms of the browser are bound.
    secret: String,
    /// Organization that the browser names.
    organization: Option<Id<Organization>>,
    is_new: bool,
}

impl Guest {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let edge = Edge::of(request)?;
        edge.count_guest().await?;
        let cookies = Cookies::of(&edge.api().public_url);
        let known = cookies
            .read(request, CookieName::Session)
            .or_else(|| cookies.read(request, CookieName::Guest));
        let is_new = known.is_none();
        let secret = known.unwrap_or_else(|| URL_SAFE_NO_PAD.encode(SystemRandom.secret()));
        let organization = cookies.organization(request);
        Ok(Self { edge, cookies, secret, organization, is_new })
    }

    /// Returns the use cases and settings.
    pub(crate) fn api(&self) -> &Api {
        self.edge.api()
    }

    /// Returns the frame of a page; `is_refused` if it shows a form with faults.
    pub(crate) fn frame(&self, is_refused: bool) -> Bare {
        let secret = FormSecret::of(&self.secret, self.organization);
        Bare::new(secret, is_refused).of_demo(self.api().is_demo)
    }

    /// Answers with a page; its status is that of a refusal if its form has faults.
    pub(crate) fn show(&self, page: &impl Template, is_refused: bool) -> Shown {
        let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        let cookie = self.cookies.make(CookieName::Guest, self.secret.clone(), None);
        let cookies = if self.is_new { vec![cookie] } else { Vec::new() };
        Ok(page::show(page, status, cookies)?)
    }

    /// Goes to a page without beginning a session.
    pub(crate) fn go(&self, address: &str, notice: Option<Notice>) -> HttpResponse {
        redirect(address, notice_cookie(self.cookies, notice).into_iter().collect())
    }

    /// Begins a session in the browser, and goes to a page.
    pub(crate) fn begin(
        &self,
        session: &Session,
        organization: Option<Id<Organization>>,
        address: &str,
        notice: Option<Notice>,
    ) -> HttpResponse {
        let lifetime = session.expires_at - self.api().clock.now();
        let lifetime = Duration::seconds(lifetime.num_seconds());
        let mut cookies = vec![
            self.cookies.make(CookieName::Session, session.token.clone(), Some(lifetime)),
            self.cookies.forget(CookieName::Guest),
        ];
        if let Some(organization) = organization {
            let id = organization.to_string();
            cookies.push(self.cookies.make(CookieName::Organization, id, Some(lifetime)));
        }
        cookies.extend(notice_cookie(self.cookies, notice));
        redirect(address, cookies)
    }
}

from_request!(Guest);

/// User with a session, outside of any organization.
pub(crate) struct Person {
    /// The edge of the service.
    pub(crate) edge: Edge,
    /// The session.
    pub(crate) session: SignedIn,
    cookies: Cookies,
    token: String,
    notice: Option<Notice>,
    /// Organization that the browser names.
    pub(super) chosen: Option<Id<Organization>>,
    /// Organization that it names from the page on that is shown; `None` if that does not change.
    pub(super) entered: Option<Id<Organization>>,
    /// Key by which the form that is shown again acts once; unset if it gets a new one.
    once: OnceCell<String>,
}

impl Person {
    pub(super) async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let edge = Edge::of(request)?;
        let cookies = Cookies::of(&edge.api().public_url);
        let Some(token) = cookies.read(request, CookieName::Session) else {
            return Err(signed_out(request));
        };
        let session = match edge.session(&token).await {
            Ok(session) => session,
            Err(Error::Unauthenticated(_)) => return Err(signed_out(request)),
            Err(Error::Forbidden(reason)) if reason == SECOND_FACTOR_MISSING => {
                return Err(Failure::NoSecondFactor);
            }
            Err(error) => return Err(error.into()),
        };
        let notice = cookies.read(request, CookieName::Notice);
        let notice = notice.and_then(|value| Notice::from_cookie(&value));
        let (chosen, once) = (cookies.organization(request), OnceCell::new());
        Ok(Self { edge, session, cookies, token, notice, chosen, entered: None, once })
    }

    /// Returns the use cases and settings.
    pub(crate) fn api(&self) -> &Api {
        self.edge.api()
    }

    pub(crate) fn user(&self) -> &User {
        &self.session.user
    }

    /// True if the user administers the platform, and acts as nobody else.
    pub(crate) fn is_administrator(&self) -> bool {
        self.session.user.platform_role.is_some() && self.session.impersonated().is_none()
    }

    pub(crate) async fn memberships(&self) -> Result<Vec<Membership>, Failure> {
        Ok(self.api().auth.memberships(&self.session).await?)
    }

    /// Returns the frame of a page outside of organizations.
    pub(crate) fn frame(&self, is_refused: bool) -> Bare {
        let frame = Bare::new(self.form_secret(), is_refused).keeping(self.kept_once());
        frame.of_demo(self.api().is_demo)
    }

    /// Keeps the key of a form that is shown again.
    pub(super) fn keep_once(&self, key: &str) {
        self.once.get_or_init(|| key.to_owned());
    }

    fn kept_once(&self) -> Option<String> {
        self.once.get().cloned()
    }

    fn form_secret(&self) -> FormSecret {
        FormSecret::of(&self.token, self.entered.or(self.chosen))
    }

    /// Returns the frame of a page with links to others, below the name of an organization.
    pub(super) fn frame_with(&self, navigation: Vec<Group>, organization: &str) -> Frame {
        let user = self.user();
        Frame {
            is_refused: false,
            navigation,
            organization: organization.to_owned(),
            has_several_organizations: false,
            person: format!("{} {}", user.first_name, user.last_name),
            secret: self.form_secret(),
            once: self.kept_once(),
            notice: self.notice.clone(),
            banner: self.banner(),
        }
    }

    /// Returns what every page of this installation says.
    pub(super) fn banner(&self) -> Option<Banner> {
        self.api().is_demo.then(Banner::of_demo)
    }

    /// Answers with a page; its status is that of a refusal if its form has faults.
    pub(crate) fn show(&self, page: &impl Template, is_refused: bool) -> Shown {
        let status = if is_refused { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        let notice = self.notice.iter().map(|_| self.cookies.forget(CookieName::Notice));
        let entered = self.entered.map(|id| self.organization_cookie(id));
        Ok(page::show(page, status, notice.chain(entered).collect())?)
    }

    /// Goes to a page, which shows a notice.
    pub(crate) fn go(&self, address: &str, notice: Option<Notice>) -> HttpResponse {
        redirect(address, notice_cookie(self.cookies, notice).into_iter().collect())
    }

    /// Goes to a page of an organization from now on, which may say something.
    pub(crate) fn enter(
        &self,
        organization: Id<Organization>,
        address: &str,
        notice: Option<Notice>,
    ) -> HttpResponse {
        let cookie = self.organization_cookie(organization);
        let cookies = notice_cookie(self.cookies, notice).into_iter().chain([cookie]).collect();
        redirect(address, cookies)
    }

    /// Goes on with another session of the user, and goes to a page, which may say something.
    pub(crate) fn change_session(
        &self,
        (token, expires_at): (String, DateTime<Utc>),
        address: &str,
        notice: Option<Notice>,
    ) -> HttpResponse {
        let lifetime = Duration::seconds((expires_at - self.api().clock.now()).num_seconds());
        let cookie = self.cookies.make(CookieName::Session, token, Some(lifetime));
        redirect(address, notice_cookie(self.cookies, notice).into_iter().chain([cookie]).collect())
    }

    /// Makes the browser forget the session, and goes to a page.
    pub(crate) fn leave(&self, address: &str) -> HttpResponse {
        let names = [CookieName::Session, CookieName::Organization, CookieName::Notice];
        redirect(address, names.map(|name| self.cookies.forget(name)).into())
    }

    fn organization_cookie(&self, organization: Id<Organization>) -> Cookie<'static> {
        self.cookies.make(CookieName::Organization, organization.to_string(), None)
    }
}

from_request!(Person);

/// Returns the failure of a request of nobody. A page is opened after signing in; a form would be lost
/// on the way.
fn signed_out(request: &HttpRequest) -> Failure {
    if request.method() == Method::POST {
        return Failure::SignedOut;
    }
    let address = request.uri().path_and_query().map(ToString::to_string);
    Failure::SignIn(address.unwrap_or_default())
}

fn notice_cookie(cookies: Cookies, notice: Option<Notice>) -> Option<Cookie<'static>> {
    let minute = Duration::minutes(1);
    notice.map(|it| cookies.make(CookieName::Notice, it.to_cookie(), Some(minute)))
}

fn redirect(address: &str, cookies: Vec<Cookie<'_>>) -> HttpResponse {
    let mut answer = HttpResponse::SeeOther();
    for cookie in cookies {
        answer.cookie(cookie);
    }
    answer.insert_header((LOCATION, address)).finish()
}

//! Requests of users about their own account.

use actix_web::{HttpRequest, HttpResponse};
use adapters_http::Api;
use askama::Template;
use domain::shared::country::Country;

use crate::formats::Formats;
use crate::frame::{Failure, Frame, Notice, Person, Place, Shown, Visit, navigation};

/// Request of a user about their own account.
pub(crate) enum Account {
    /// The user belongs to an organization.
    Member(Box<Visit>),
    /// The user belongs to none, as most platform administrators.
    Outsider(Box<Person>),
}

impl Account {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let person = Person::of(request).await?;
        person.session.own_claims()?;
        let memberships = person.memberships().await?;
        if memberships.is_empty() {
            return Ok(Self::Outsider(Box::new(person)));
        }
        let visit = Visit::within(person, &memberships, request).await?;
        Ok(Self::Member(Box::new(visit)))
    }

    pub(crate) fn person(&self) -> &Person {
        match self {
            Self::Member(visit) => visit.person(),
            Self::Outsider(person) => person,
        }
    }

    /// Returns the use cases and settings.
    pub(crate) fn api(&self) -> &Api {
        self.person().api()
    }

    pub(crate) fn formats(&self) -> Formats {
        match self {
            Self::Member(visit) => visit.formats(),
            Self::Outsider(person) => Formats::new("UTC", Country::GH, person.api().clock.now()),
        }
    }

    pub(crate) fn frame(&self) -> Frame {
        let person = match self {
            Self::Member(visit) => return visit.frame(Place::Account),
            Self::Outsider(person) => person,
        };
        let platform = person.is_administrator().then(|| navigation::platform(Place::Account));
        person.frame_with(platform.into_iter().collect(), "Your account")
    }

    /// Answers with a page; its status is that of a refusal if its form has faults.
    pub(crate) fn show(&self, page: &impl Template, is_refused: bool) -> Shown {
        self.person().show(page, is_refused)
    }

    /// Goes to a page after an act, which says what was done.
    pub(crate) fn done(&self, address: &str, text: &str) -> HttpResponse {
        self.person().go(address, Some(Notice::done(text)))
    }
}

from_request!(Account);

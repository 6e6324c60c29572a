//! Requests of platform administrators.

use actix_web::{HttpRequest, HttpResponse};
use adapters_http::Api;
use askama::Template;
use domain::{identity::caller::Administrator, shared::country::Country};

use crate::formats::Formats;
use crate::frame::navigation::Group;
use crate::frame::{Entry, Failure, Frame, Notice, Person, Place, Shown, navigation};

/// Time zone of what concerns the platform.
const ZONE: &str = "UTC";

pub(crate) struct Administration {
    pub(crate) administrator: Administrator,
    person: Person,
}

impl Administration {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let person = Person::of(request).await?;
        let administrator = person.session.administrator(person.edge.request_id()?)?;
        Ok(Self { administrator, person })
    }

    /// Returns the use cases and settings.
    pub(crate) fn api(&self) -> &Api {
        self.person.api()
    }

    pub(crate) fn person(&self) -> &Person {
        &self.person
    }

    /// Returns the formats of times, money and numbers: the time zone is UTC.
    pub(crate) fn formats(&self) -> Formats {
        Formats::new(ZONE, Country::GH, self.api().clock.now())
    }

    pub(crate) fn frame(&self, place: Place) -> Frame {
        let back = Entry { href: "/app".to_owned(), label: "Your organization", is_current: false };
        let own = Group { name: "Messages", entries: vec![back] };
        self.person.frame_with(vec![navigation::platform(place), own], "Platform")
    }

    pub(crate) fn show(&self, page: &impl Template) -> Shown {
        self.person.show(page, false)
    }

    /// Answers with a page; its status is that of a refusal if its form has faults.
    pub(crate) fn answer(&self, page: &impl Template, is_refused: bool) -> Shown {
        self.person.show(page, is_refused)
    }

    /// Goes to a page after an act, which says what was done.
    pub(crate) fn done(&self, address: &str, text: impl Into<String>) -> HttpResponse {
        self.person.go(address, Some(Notice::done(text)))
    }
}

from_request!(Administration);

//! Visits: requests of a member inside an organization.

use actix_web::{HttpRequest, HttpResponse, http::Method};
use adapters_http::{Api, edge::Edge};
use askama::Template;
use domain::identity::actor::RequestId;
use domain::identity::caller::Caller;
use domain::identity::organization::{Membership, Organization};
use domain::identity::permission::Permission;
use domain::shared::country::Country;
use usecases::{Error, identity::auth::NOT_A_MEMBER};

use crate::formats::Formats;
use crate::frame::navigation::Group;
use crate::frame::page::Banner;
use crate::frame::{Failure, Frame, Notice, Person, Place, Shown, navigation};

/// Request of a member inside an organization, or of an administrator who acts as that organization.
pub(crate) struct Visit {
    /// The member in the organization.
    pub(crate) caller: Caller,
    pub(crate) organization: Organization,
    person: Person,
    has_several_organizations: bool,
}

impl Visit {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let person = Person::of(request).await?;
        let memberships = person.memberships().await?;
        Self::within(person, &memberships, request).await
    }

    /// Returns the visit of a person to the organization that the browser names, or else to their first
    /// one, which the browser names from now on. Fails if a form was sent to one that they have left.
    pub(super) async fn within(
        mut person: Person,
        memberships: &[Membership],
        request: &HttpRequest,
    ) -> Result<Self, Failure> {
        let chosen = person.chosen;
        let is_chosen = |it: &&Membership| Some(it.organization) == chosen;
        let found = memberships.iter().find(is_chosen);
        let Some(membership) = found.or_else(|| memberships.first()) else {
            let is_administrator = person.is_administrator();
            return Err(Failure::NoOrganization { is_administrator });
        };
        let organization = membership.organization;
        if found.is_none() && person.session.impersonated().is_none() {
            // In another organization, the form would do what nobody asked for.
            if chosen.is_some() && request.method() == Method::POST {
                return Err(Error::Forbidden(NOT_A_MEMBER).into());
            }
            person.entered = Some(organization);
        }
        let caller = person.edge.caller(&person.session, organization).await?;
        let organization = person.api().organizations.find(&caller).await?;
        let has_several_organizations = memberships.len() > 1;
        Ok(Self { caller, organization, person, has_several_organizations })
    }

    /// Returns the use cases and settings.
    pub(crate) fn api(&self) -> &Api {
        self.person.api()
    }

    pub(crate) fn edge(&self) -> &Edge {
        &self.person.edge
    }

    /// Returns the identifier of the request, for the audit log.
    pub(crate) fn request_id(&self) -> Result<RequestId, Failure> {
        Ok(self.person.edge.request_id()?)
    }

    pub(crate) fn person(&self) -> &Person {
        &self.person
    }

    /// True if the member may do that: what one may not do is not shown.
    pub(crate) fn may(&self, permission: Permission) -> bool {
        self.caller.authorize(permission).is_ok()
    }

    /// Returns the formats of times, money and numbers.
    pub(crate) fn formats(&self) -> Formats {
        Formats::new(self.organization.time_zone(), Country::GH, self.api().clock.now())
    }

    pub(crate) fn frame(&self, place: Place) -> Frame {
        let name = &self.organization.name;
        Frame {
            has_several_organizations: self.has_several_organizations,
            banner: self.banner(),
            ..self.person.frame_with(self.navigation(place), name)
        }
    }

    fn navigation(&self, place: Place) -> Vec<Group> {
        let mut groups = navigation::groups(&self.caller, place);
        if self.person.is_administrator() {
            groups.push(navigation::platform(place));
        }
        groups
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

    /// Goes to a page, which may say something.
    pub(crate) fn go(&self, address: &str, notice: Option<Notice>) -> HttpResponse {
        self.person.go(address, notice)
    }

    fn banner(&self) -> Option<Banner> {
        let settings = &self.caller.policy.settings;
        let is_impersonation = self.caller.impersonator().is_some();
        let text = if is_impersonation {
            let until = self.formats().time(self.person.session.claims.expires_at).text;
            let name = Notice::named(&self.organization.name);
            format!("You see {name} with the eyes of its owner, until {until}.")
        } else if settings.closed_at.is_some() {
            "This organization is closed. Nothing can be sent or changed.".to_owned()
        } else if settings.suspension.is_some() {
            "This organization is suspended: it sends nothing until an administrator lifts that."
                .to_owned()
        } else {
            return self.person.banner();
        };
        let text = match self.person.banner() {
            Some(demo) => format!("{text} {}", demo.text),
            None => text,
        };
        Some(Banner { text, is_impersonation })
    }
}

from_request!(Visit);

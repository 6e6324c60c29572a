//! Visits: requests of a member inside an organization.

use actix_web::{FromRequest, HttpRequest, HttpResponse, dev::Payload};
use adapters_http::{Api, edge::Edge};
use askama::Template;
use domain::{
    identity::{
        actor::RequestId,
        caller::Caller,
        organization::{Membership, Organization},
        permission::Permission,
    },
    shared::country::Country,
};
use futures_util::future::LocalBoxFuture;

use crate::{
    formats::Formats,
    frame::{
        failure::{Failure, Shown},
        guest::Person,
        navigation::{self, Place},
        notice::Notice,
        page::Frame,
    },
};

/// Request of a member inside an organization, or of an administrator who acts as that organization.
pub(crate) struct Visit {
    /// The member in the organization.
    pub(crate) caller: Caller,
    /// The organization.
    pub(crate) organization: Organization,
    person: Person,
    has_several_organizations: bool,
}

impl Visit {
    async fn of(request: &HttpRequest) -> Result<Self, Failure> {
        let person = Person::of(request).await?;
        let memberships = person.memberships().await?;
        let chosen = person.chosen(request);
        let is_chosen = |it: &&Membership| Some(it.organization) == chosen;
        let membership = memberships.iter().find(is_chosen).or_else(|| memberships.first());
        let organization = membership.ok_or(Failure::NoOrganization)?.organization;
        let caller = person.edge.caller(&person.session, organization).await?;
        let organization = person.api().organizations.find(&caller).await?;
        let has_several_organizations = memberships.len() > 1;
        Ok(Self { caller, organization, person, has_several_organizations })
    }

    /// Returns the use cases and settings.
    pub(crate) fn api(&self) -> &Api {
        self.person.api()
    }

    /// Returns the edge of the service.
    pub(crate) fn edge(&self) -> &Edge {
        &self.person.edge
    }

    /// Returns the identifier of the request, for the audit log.
    pub(crate) fn request_id(&self) -> Result<RequestId, Failure> {
        Ok(self.person.edge.request_id()?)
    }

    /// Returns the user who visits.
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

    /// Returns the frame of a page.
    pub(crate) fn frame(&self, place: Place) -> Frame {
        let user = self.person.user();
        Frame {
            is_refused: false,
            navigation: navigation::groups(&self.caller, place),
            organization: self.organization.name.clone(),
            has_several_organizations: self.has_several_organizations,
            person: format!("{} {}", user.first_name, user.last_name),
            secret: self.person.form_secret(),
            once: self.person.kept_once(),
            notice: self.person.notice(),
            banner: self.banner(),
        }
    }

    /// Answers with a page.
    pub(crate) fn show(&self, page: &impl Template) -> Shown {
        self.person.show(page, false)
    }

    /// Answers with a page whose form has faults.
    pub(crate) fn show_refused(&self, page: &impl Template) -> Shown {
        self.person.show(page, true)
    }

    /// Goes to a page after an act, which says what was done.
    pub(crate) fn done(&self, address: &str, text: impl Into<String>) -> HttpResponse {
        self.person.go(address, Some(Notice::done(text)))
    }

    /// Goes to a page, which may say something.
    pub(crate) fn go(&self, address: &str, notice: Option<Notice>) -> HttpResponse {
        self.person.go(address, notice)
    }

    fn banner(&self) -> Option<String> {
        let settings = &self.caller.policy.settings;
        if self.caller.impersonator().is_some() {
            let name = Notice::named(&self.organization.name);
            return Some(format!("You see {name} with the eyes of its owner."));
        }
        if settings.closed_at.is_some() {
            return Some("This organization is closed. Nothing can be sent or changed.".to_owned());
        }
        let suspended = "This organization is suspended: it sends nothing until an administrator \
                         lifts that.";
        settings.suspension.as_ref().map(|_| suspended.to_owned())
    }
}

impl FromRequest for Visit {
    type Error = Failure;
    type Future = LocalBoxFuture<'static, Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { Self::of(&request).await })
    }
}

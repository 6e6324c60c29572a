//! `/app/join`: the page behind the link of an invitation.

use actix_web::HttpResponse;
use askama::Template;
use domain::shared::fault::Faults;
use form_urlencoded::Serializer;
use usecases::Error;
use usecases::identity::auth::EMAIL_EXISTS;
use usecases::identity::members::{Acceptance, INVITED_OTHER_ADDRESS};

use super::HOME;
use crate::frame::{Bare, Form, Guest, Labels, Notice, Person, Posted, Query, Shown};

pub(super) const PATH: &str = "/app/join";
const LABELS: Labels =
    &[("firstName", "First name"), ("lastName", "Last name"), ("password", "Password")];

#[derive(Template)]
#[template(path = "access/join.html")]
struct JoinPage {
    frame: Bare,
    form: Form,
    /// Address of the signed-in user, if any.
    user: Option<String>,
    /// Address of the page for signing in, which leads back here.
    sign_in: String,
    /// True if the link is of no use.
    is_over: bool,
}

impl JoinPage {
    fn new(frame: Bare, form: Form, person: Option<&Person>, is_over: bool) -> Self {
        let user = person.map(|person| person.user().email.clone());
        let sign_in = sign_in(form.value("token"));
        Self { frame, form, user, sign_in, is_over }
    }
}

pub(super) async fn show(guest: Guest, person: Option<Person>, query: Query) -> Shown {
    let token = query.get("token");
    let is_over = token.is_none();
    let form = Form::new(LABELS).with("token", token.unwrap_or_default());
    let page = JoinPage::new(guest.frame(is_over), form, person.as_ref(), is_over);
    guest.show(&page, is_over)
}

pub(super) async fn join(guest: Guest, person: Option<Person>, posted: Posted) -> Shown {
    let joined = match &person {
        Some(person) => accept(person, &posted).await,
        None => register(&guest, &posted).await,
    };
    let refusal = match joined {
        Ok(answer) => return Ok(answer),
        Err(refusal) => refusal,
    };
    let is_over = super::is_link_over(&refusal);
    let form = posted.form(LABELS);
    let form = match &refusal {
        Error::Forbidden(reason) if *reason == INVITED_OTHER_ADDRESS => {
            let text = "The invitation is for another email address. Sign out, and open the link in \
                        the mail again.";
            form.with_fault("", text)
        }
        Error::Conflict(reason) if *reason == EMAIL_EXISTS => {
            form.with_fault("", "You have an account with this address. Sign in with it.")
        }
        _ => form.refused(refusal)?,
    };
    guest.show(&JoinPage::new(guest.frame(true), form, person.as_ref(), is_over), true)
}

/// Accepts the invitation as the signed-in user.
async fn accept(person: &Person, posted: &Posted) -> Result<HttpResponse, Error> {
    person.session.own_claims()?;
    let acceptance = Acceptance { token: posted.text("token"), ..Acceptance::default() };
    let request = person.edge.request_id()?;
    let members = &person.api().members;
    let accepted =
        members.accept(person.user().clone(), acceptance, request, Faults::default()).await?;
    let notice = joined(&accepted.membership.name);
    Ok(person.enter(accepted.membership.organization, HOME, Some(notice)))
}

/// Creates an account for the invited address, and signs in.
async fn register(guest: &Guest, posted: &Posted) -> Result<HttpResponse, Error> {
    let acceptance = Acceptance {
        token: posted.text("token"),
        email: None,
        password: posted.password("password"),
        first_name: posted.text("firstName"),
        last_name: posted.text("lastName"),
    };
    let request = guest.edge.request_id()?;
    guest.edge.count_registration().await?;
    let accepted = guest.api().members.register(acceptance, request, Faults::default()).await?;
    let session = guest.api().auth.begin(accepted.user, &guest.edge.client()).await?;
    let notice = joined(&accepted.membership.name);
    Ok(guest.begin(&session, Some(accepted.membership.organization), HOME, Some(notice)))
}

fn joined(organization: &str) -> Notice {
    Notice::done(format!("You belong to {} now.", Notice::named(organization)))
}

/// Returns the address of the page for signing in, from which the user comes back with the token.
fn sign_in(token: &str) -> String {
    let query = Serializer::new(String::new()).append_pair("token", token).finish();
    let next = format!("{PATH}?{query}");
    let query = Serializer::new(String::new()).append_pair("next", &next).finish();
    format!("/app/sign-in?{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_back_to_the_invitation() {
        assert_eq!(sign_in("5e88"), "/app/sign-in?next=%2Fapp%2Fjoin%3Ftoken%3D5e88");
        let hostile = sign_in("a&next=//example.com");
        let query = Query::parse(hostile.split_once('?').unwrap().1);
        assert_eq!(query.pairs().iter().filter(|(name, _)| name == "next").count(), 1);
    }
}

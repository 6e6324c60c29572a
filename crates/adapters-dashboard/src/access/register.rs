//! `/app/register`

use actix_web::HttpResponse;
use askama::Template;
use domain::identity::user::{Registration, RegistrationRule};
use domain::shared::fault::Faults;
use usecases::{Error, identity::auth::EMAIL_EXISTS};

use super::HOME;
use crate::frame::{Bare, Form, Guest, Labels, Notice, Posted, Shown};

const LABELS: Labels = &[
    ("firstName", "First name"),
    ("lastName", "Last name"),
    ("email", "Email"),
    ("password", "Password"),
    ("organizationName", "Organization"),
];

#[derive(Template)]
#[template(path = "access/register.html")]
struct RegisterPage {
    frame: Bare,
    form: Form,
    rule: RegistrationRule,
}

pub(super) async fn show(guest: Guest) -> Shown {
    let rule = guest.api().auth.registration();
    let page = RegisterPage { frame: guest.frame(false), form: Form::new(LABELS), rule };
    guest.show(&page, false)
}

pub(super) async fn register(guest: Guest, posted: Posted) -> Shown {
    let refusal = match begin(&guest, &posted).await {
        Ok(answer) => return Ok(answer),
        Err(refusal) => refusal,
    };
    let form = posted.form(LABELS);
    let form = match &refusal {
        Error::Conflict(reason) if *reason == EMAIL_EXISTS => {
            form.with_fault("email", "An account has this email address already")
        }
        _ => form.refused(refusal)?,
    };
    let rule = guest.api().auth.registration();
    guest.show(&RegisterPage { frame: guest.frame(true), form, rule }, true)
}

async fn begin(guest: &Guest, posted: &Posted) -> Result<HttpResponse, Error> {
    let registration = Registration {
        email: posted.text("email"),
        password: posted.password("password"),
        first_name: posted.text("firstName"),
        last_name: posted.text("lastName"),
        organization_name: posted.text("organizationName"),
    };
    let faults = match registration.organization_name {
        Some(_) => Faults::default(),
        None => Faults::field("organizationName", "is required"),
    };
    guest.edge.count_registration().await?;
    let auth = &guest.api().auth;
    let (session, organization) = auth.register(registration, guest.edge.client(), faults).await?;
    let notice = if guest.api().verifies_emails {
        guest.edge.mail_verification(session.user.clone());
        let email = &session.user.email;
        format!(
            "Your account is ready. We mailed a link to {email}: open it to verify the address."
        )
    } else {
        "Your account is ready.".to_owned()
    };
    let organization = organization.map(|organization| organization.id);
    Ok(guest.begin(&session, organization, HOME, Some(Notice::done(notice))))
}

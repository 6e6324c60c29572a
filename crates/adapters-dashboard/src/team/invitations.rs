//! `/app/team/invite` and `/app/team/invitations/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::{
    identity::{invitation::InvitationRequest, organization::Role, permission::Permission},
    shared::fault::Faults,
};

use super::{LABELS, PATH, given_roles};
use crate::frame::{Choice, Form, Frame, Place, Posted, Shown, Visit, id_of, once};

#[derive(Template)]
#[template(path = "team/invite.html")]
struct InvitePage {
    frame: Frame,
    form: Form,
    roles: Vec<Choice>,
}

pub(super) async fn offer(visit: Visit) -> Shown {
    visit.caller.authorize(Permission::ManageMembers)?;
    page(&visit, Form::new(LABELS).with("role", Role::default().as_str()))
}

pub(super) async fn invite(visit: Visit, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let role = posted.parsed("role", &mut faults).unwrap_or_default();
    let invitation = InvitationRequest { email: posted.text("email"), role };
    let link = visit.edge().invitation_page();
    let invited = once(&visit, &posted, async {
        let (members, request) = (&visit.api().members, visit.edge().request_id()?);
        Ok(members.invite(&visit.caller, &invitation, &link, request, faults).await?.email)
    });
    match invited.await {
        Ok(email) => Ok(visit.done(PATH, format!("A link is on its way to {email}."))),
        Err(refusal) => page(&visit, posted.form(LABELS).refused(refusal)?),
    }
}

fn page(visit: &Visit, form: Form) -> Shown {
    let is_refused = form.has_faults();
    let frame = visit.frame(Place::Team).refused(is_refused);
    visit.answer(&InvitePage { frame, form, roles: given_roles(visit) }, is_refused)
}

pub(super) async fn resend(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let id = id_of(&id)?;
    let link = visit.edge().invitation_page();
    let sent = once(&visit, &posted, async {
        let (members, request) = (&visit.api().members, visit.edge().request_id()?);
        Ok(members.resend(&visit.caller, id, &link, request).await?.email)
    });
    let email = sent.await?;
    Ok(visit.done(PATH, format!("Another link is on its way to {email}. The earlier one ended.")))
}

pub(super) async fn withdraw(visit: Visit, id: Path<String>, _: Posted) -> Shown {
    let id = id_of(&id)?;
    visit.api().members.withdraw(&visit.caller, id, visit.request_id()?).await?;
    Ok(visit.done(PATH, "The invitation is withdrawn. Its link leads nowhere."))
}

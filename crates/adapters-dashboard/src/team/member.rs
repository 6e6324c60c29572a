//! `/app/team/members/{id}`

use actix_web::web::Path;
use askama::Template;
use domain::{identity::permission::Permission, shared::fault::Faults};
use usecases::Error;

use super::{LABELS, PATH, given_roles, is_self, may_give, name_of};
use crate::frame::{Choice, Form, Frame, Notice, Place, Posted, Shown, Visit, id_of};

#[derive(Template)]
#[template(path = "team/member.html")]
struct MemberPage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
    email: String,
    /// Roles that the visitor may give to the member; empty if none.
    roles: Vec<Choice>,
    /// True if the member is the visitor, who leaves.
    is_self: bool,
}

pub(super) async fn show(visit: Visit, id: Path<String>) -> Shown {
    page(&visit, &id, Form::new(LABELS)).await
}

pub(super) async fn save(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let mut faults = Faults::default();
    let role = posted.parsed("role", &mut faults);
    let (members, request) = (&visit.api().members, visit.request_id()?);
    match members.update(&visit.caller, id_of(&id)?, role, request, faults).await {
        Ok(_) => Ok(visit.done(PATH, "The role is changed.")),
        Err(refusal) => page(&visit, &id, posted.form(LABELS).refused(refusal)?).await,
    }
}

pub(super) async fn remove(visit: Visit, id: Path<String>, posted: Posted) -> Shown {
    let (user, members) = (id_of(&id)?, &visit.api().members);
    let request = visit.request_id()?;
    let leaves = user == visit.person().user().id;
    let removed = if leaves {
        members.leave(&visit.caller, request).await
    } else {
        members.remove(&visit.caller, user, request).await
    };
    match removed {
        Ok(()) if leaves => {
            let name = Notice::named(&visit.organization.name);
            Ok(visit.done("/app", format!("You have left {name}.")))
        }
        Ok(()) => Ok(visit.done(PATH, "The member is removed.")),
        Err(refusal) => page(&visit, &id, posted.form(LABELS).refused(refusal)?).await,
    }
}

async fn page(visit: &Visit, id: &str, form: Form) -> Shown {
    let user = id_of(id)?;
    let members = visit.api().organizations.members(&visit.caller).await?;
    let member = members.into_iter().find(|member| member.user == user);
    let member = member.ok_or(Error::NotFound("member"))?;
    let is_self = is_self(visit, &member);
    if !is_self {
        visit.caller.authorize(Permission::ManageMembers)?;
    }
    let is_refused = form.has_faults();
    let roles = if may_give(visit, member.role) { given_roles(visit) } else { Vec::new() };
    let page = MemberPage {
        frame: visit.frame(Place::Team).refused(is_refused),
        form: if is_refused { form } else { form.with("role", member.role.as_str()) },
        href: format!("{PATH}/members/{user}"),
        name: name_of(&member),
        email: member.email,
        roles,
        is_self,
    };
    visit.answer(&page, is_refused)
}

//! `/app/admin/tenants/{id}/impersonate` and `/app/leave-impersonation`

use actix_web::web::Path;
use askama::Template;
use domain::{identity::organization::Organization, shared::id::Id};
use usecases::{Error, identity::auth::NOT_IMPERSONATING};

use super::tenants::address;
use crate::frame::{
    Administration, Form, Frame, Labels, Notice, Person, Place, Posted, Shown, id_of,
};

const LABELS: Labels = &[("reason", "Reason")];

#[derive(Template)]
#[template(path = "admin/impersonate.html")]
struct ImpersonatePage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
}

pub(super) async fn ask(of: Administration, path: Path<String>) -> Shown {
    page(&of, id_of(&path)?, Form::new(LABELS)).await
}

pub(super) async fn begin(of: Administration, path: Path<String>, posted: Posted) -> Shown {
    let (id, person) = (id_of(&path)?, of.person());
    let form = posted.form(LABELS);
    let Some(reason) = posted.text("reason") else {
        let form = form.with_fault("reason", "Write why you look into this organization");
        return page(&of, id, form).await;
    };
    let request = of.administrator.request.clone();
    match of.api().auth.impersonate(&person.session, request, (id, Some(reason))).await {
        Ok(begun) => Ok(person.change_session((begun.token, begun.expires_at), "/app", None)),
        Err(refusal) => page(&of, id, form.refused(refusal)?).await,
    }
}

/// Goes back to the session of the administrator.
pub(super) async fn leave(person: Person, _: Posted) -> Shown {
    let id = person.session.impersonated().ok_or(Error::BadRequest(NOT_IMPERSONATING))?;
    let request = person.edge.request_id()?;
    let own = person.api().auth.exit_impersonation(person.session.clone(), request).await?;
    let notice = Notice::done("You act for yourself again.");
    Ok(person.change_session((own.token, own.expires_at), &address(id, ""), Some(notice)))
}

async fn page(of: &Administration, id: Id<Organization>, form: Form) -> Shown {
    let tenant = of.api().tenants.get(&of.administrator, id).await?;
    let page = ImpersonatePage {
        frame: of.frame(Place::Tenants).refused(form.has_faults()),
        form,
        href: address(id, ""),
        name: tenant.organization.name,
    };
    of.answer(&page, page.form.has_faults())
}

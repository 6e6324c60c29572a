//! `/app/admin/tenants/{id}/suspend` and `…/restore`

use actix_web::web::Path;
use askama::Template;
use domain::identity::organization::Organization;
use domain::shared::fault::Faults;
use domain::shared::id::Id;

use super::address;
use crate::frame::{Administration, Form, Frame, Labels, Place, Posted, Shown, id_of};

const LABELS: Labels = &[("reason", "Reason")];

#[derive(Template)]
#[template(path = "admin/tenants/suspend.html")]
struct SuspendPage {
    frame: Frame,
    form: Form,
    href: String,
    name: String,
}

pub(super) async fn ask(of: Administration, path: Path<String>) -> Shown {
    page(&of, id_of(&path)?, Form::new(LABELS)).await
}

pub(super) async fn suspend(of: Administration, path: Path<String>, posted: Posted) -> Shown {
    let (id, reason) = (id_of(&path)?, posted.text("reason"));
    match of.api().tenants.suspend(&of.administrator, id, reason, Faults::default()).await {
        Ok(_) => {
            Ok(of.done(&address(id, ""), "It sends nothing now. Its owners are told by mail."))
        }
        Err(refusal) => page(&of, id, posted.form(LABELS).refused(refusal)?).await,
    }
}

pub(super) async fn restore(of: Administration, path: Path<String>, _: Posted) -> Shown {
    let id = id_of(&path)?;
    of.api().tenants.restore(&of.administrator, id).await?;
    Ok(of.done(&address(id, ""), "It may send again. Its owners are told by mail."))
}

async fn page(of: &Administration, id: Id<Organization>, form: Form) -> Shown {
    let tenant = of.api().tenants.get(&of.administrator, id).await?;
    let page = SuspendPage {
        frame: of.frame(Place::Tenants).refused(form.has_faults()),
        form,
        href: address(id, ""),
        name: tenant.organization.name,
    };
    of.answer(&page, page.form.has_faults())
}

//! Deletion of templates.

use std::collections::BTreeMap;

use domain::{
    content::{
        approval::ApprovalKind,
        template::{Template, TemplateUse, TemplateUses},
    },
    identity::{
        actor::{Actor, RequestId},
        caller::Caller,
        permission::Permission,
    },
    platform::audit::{AuditAction, AuditEntry},
    shared::id::Id,
};
use ports::content::templates::Deleted;

use super::Templates;
use crate::{Error, NamedThing, Reason};

/// Events or campaigns that are not sent yet need the template.
pub fn template_in_use(uses: TemplateUses) -> Error {
    let message = "events, or campaigns that are not sent yet, need the template";
    let reason = Reason::with_message("TEMPLATE_IN_USE", message);
    let reason = reason.naming("events", things(uses.events));
    Error::Conflict(reason.naming("campaigns", things(uses.campaigns)))
}

fn things(uses: Vec<TemplateUse>) -> Vec<NamedThing> {
    let things = uses.into_iter();
    things.map(|it| NamedThing { id: it.id.to_string(), name: it.name }).collect()
}

impl Templates {
    /// Deletes a template with its versions, unless an event or a campaign that is not sent yet needs it.
    /// Its pending approval is withdrawn.
    pub async fn delete(
        &self,
        caller: &Caller,
        id: Id<Template>,
        request: RequestId,
    ) -> Result<(), Error> {
        caller.authorize(Permission::WriteAudience)?;
        let user = caller.user()?;
        let template = self.find(caller, id).await?;
        let now = self.clock.now();
        let is_impersonating = caller.impersonator().is_some();
        let entry = AuditEntry {
            id: Id::new_in(now, caller.organization),
            organization: caller.organization,
            at: now,
            actor: Actor { user, request, is_impersonating },
            action: AuditAction::TemplateDeleted,
            resource_type: ApprovalKind::Template.as_str(),
            resource: id.uuid(),
            details: BTreeMap::from([("name", template.name)]),
        };
        match self.repository.delete(caller.organization, id, &entry).await? {
            Deleted::Done => {
                self.edits.note_edit(caller.organization);
                Ok(())
            }
            Deleted::Missing => Err(Error::NotFound("template")),
            Deleted::InUse(uses) => Err(template_in_use(uses)),
        }
    }
}

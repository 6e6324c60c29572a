//! Previews of templates as messages.

use std::collections::BTreeMap;

use domain::{
    content::template::Template,
    identity::{caller::Caller, permission::Permission},
    messaging::message::Rendering,
    shared::{channel::Channel, fault::Faults, id::Id},
};

use super::Messages;
use crate::Error;

/// Command that fills the texts of a template without sending them.
#[derive(Debug, Clone, Default)]
pub struct RenderTemplate {
    /// Channel to show; only for templates that are sent on several.
    pub channel: Option<Channel>,
    /// Values of placeholders.
    pub variables: BTreeMap<String, String>,
    /// Faults found in the request so far.
    pub faults: Faults,
}

impl Messages {
    /// Returns the texts of a template filled as for a message, approved or not.
    pub async fn render(
        &self,
        caller: &Caller,
        id: Id<Template>,
        command: RenderTemplate,
    ) -> Result<Rendering, Error> {
        caller.authorize(Permission::Read)?;
        let found = self.deps.templates.find_all(caller.organization, &[id]).await?;
        let template = found.first().ok_or(Error::NotFound("template"))?;
        let rendered = Rendering::of(template, command.channel, command.variables);
        Ok(command.faults.check(rendered)?)
    }
}

//! Uses of a template.

use uuid::Uuid;

/// Maximum number of events, and of campaigns, that are named as uses of a template.
pub const MAX_NAMED_USES: usize = 10;

/// Events and unsent campaigns that need a template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TemplateUses {
    /// Events that take texts from it, newest first; at most [`MAX_NAMED_USES`].
    pub events: Vec<TemplateUse>,
    /// Campaigns that are not sent yet, newest first; at most [`MAX_NAMED_USES`].
    pub campaigns: Vec<TemplateUse>,
}

/// Event or campaign that needs a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateUse {
    /// Identifier of the event or campaign.
    pub id: Uuid,
    /// Name for people.
    pub name: String,
}

impl TemplateUses {
    /// True if nothing needs the template.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.campaigns.is_empty()
    }
}

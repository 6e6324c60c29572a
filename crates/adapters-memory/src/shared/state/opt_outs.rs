//! Opt-outs of recipients and vendors, and the events published about them.

use domain::{
    audience::{contact::Contact, suppression::OptOut},
    shared::{channel::Channel, id::Id, webhook_event::WebhookEvent},
    webhooks::outbound_event::OutboundEvent,
};
use serde_json::json;

use super::{State, suppression_list::entry_of};

impl State {
    /// Puts an address on a suppression list and publishes an event, unless the same entry exists. Returns
    /// true if it was added.
    pub(crate) fn opt_out(&mut self, opt_out: &OptOut) -> bool {
        let (organization, at) = (opt_out.organization, opt_out.at);
        let id = self.identifier(at, Some(organization));
        let (entry, is_new) = self.suppressions.insert(entry_of(opt_out, id));
        if is_new {
            let contacts = self.contacts.with(organization, opt_out.channel, &opt_out.address);
            let data = data(opt_out, contacts.first().map(|contact| contact.id));
            let event = OutboundEvent {
                id: self.identifier(at, Some(organization)),
                organization,
                event: WebhookEvent::ContactOptedOut,
                subject: entry.id.uuid(),
                data,
                at,
            };
            self.outbound_events.publish(&event);
        }
        is_new
    }
}

/// Returns the event data of an opt-out. A device token is not shown.
fn data(opt_out: &OptOut, contact: Option<Id<Contact>>) -> String {
    let mut data = json!({
        "contactId": contact.map(|it| it.to_string()),
        "channel": opt_out.channel,
        "source": opt_out.source.as_str(),
    });
    let field = match opt_out.channel {
        Channel::Email => Some("email"),
        Channel::Push => None,
        Channel::Sms | Channel::WhatsApp | Channel::Voice => Some("phone"),
    };
    if let Some(field) = field {
        data[field] = json!(opt_out.address.as_str());
    }
    data.to_string()
}

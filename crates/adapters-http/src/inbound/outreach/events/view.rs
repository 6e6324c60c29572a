//! Events as answers show them.

use std::collections::BTreeMap;

use domain::{
    messaging::delivery::{FailureCode, Status},
    outreach::event::{Event, LinkedEvent},
    shared::{channel::Channel, id::Id},
};
use serde::Serialize;
use serde_json::Value;
use usecases::outreach::events::{Triggered, TriggeredChannel};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::inbound::{
    content::templates::view::TemplateView,
    messaging::messages::view::MessageView,
    shared::{
        formats::{ChannelName, FailureCodeName, StatusName, Timestamp},
        long_text::LongText,
    },
};

/// Event that an organization notifies people of.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventView {
    id: Uuid,
    #[schema(example = "Parcel arrived")]
    name: String,
    #[schema(example = "parcel.arrived")]
    slug: String,
    description: Option<String>,
    /// The channels in the order in which they are tried.
    #[schema(value_type = Vec<ChannelName>)]
    channel_priority: Vec<&'static str>,
    template_id: Option<Uuid>,
    /// Template with the identifier `templateId`.
    template: Option<TemplateView>,
    /// Extension: the templates of single channels.
    #[schema(value_type = Object, example = json!({}))]
    templates: BTreeMap<&'static str, Uuid>,
    /// Extension: those templates, by channel.
    linked_templates: BTreeMap<&'static str, TemplateView>,
    /// Rules as they were written.
    #[schema(value_type = Option<Object>, example = json!({ "maxAttempts": 3 }))]
    retry_rules: Option<Value>,
    /// Rules as they were written.
    #[schema(value_type = Option<Object>, example = json!({ "channels": ["VOICE"] }))]
    fallback_rules: Option<Value>,
    /// Extension: sender of its messages on the channels that can have it.
    #[schema(example = "KENTE")]
    sender_id: Option<String>,
    /// Extension: country of phone numbers without a calling code; null for `GH`.
    #[schema(example = "GH")]
    country_code: Option<String>,
    /// True if it may be triggered.
    is_active: bool,
    created_at: Timestamp,
}

/// Deleted event.
#[derive(Serialize, ToSchema)]
#[schema(as = DeletedEvent)]
pub(super) struct DeletedEventView {
    id: Uuid,
    /// Always true.
    deleted: bool,
}

/// Result of a triggered event: the delivery log of the message that is current.
#[derive(Serialize, ToSchema)]
#[schema(as = TriggeredEvent)]
#[serde(rename_all = "camelCase")]
pub(super) struct TriggeredView {
    #[serde(flatten)]
    message: MessageView,
    /// The slug of the event.
    #[schema(example = "parcel.arrived")]
    event: String,
    /// Channels of the event, in their order.
    channels: Vec<TriggeredChannelView>,
}

/// State of one channel of a triggered event.
#[derive(Serialize, ToSchema)]
#[schema(as = TriggeredChannel)]
#[serde(rename_all = "camelCase")]
struct TriggeredChannelView {
    #[schema(value_type = ChannelName)]
    channel: &'static str,
    /// Identifier of its message; null until the channel is tried.
    message_id: Option<Uuid>,
    /// The status of its message.
    #[schema(value_type = Option<StatusName>)]
    status: Option<&'static str>,
    /// Reason for which its message failed or is delayed; without a message, the reason for which
    /// the channel is skipped.
    #[schema(value_type = Option<FailureCodeName>)]
    error_code: Option<&'static str>,
}

impl From<LinkedEvent> for EventView {
    fn from(LinkedEvent { event, templates }: LinkedEvent) -> Self {
        let find = |id: Id<_>| templates.iter().find(|it| it.id == id).cloned();
        let linked = event.templates.iter();
        let linked = linked.filter_map(|(channel, id)| Some((channel.as_str(), find(*id)?.into())));
        Self {
            id: event.id.uuid(),
            template: event.template.and_then(find).map(TemplateView::from),
            linked_templates: linked.collect(),
            name: event.name,
            slug: event.slug,
            description: event.description,
            channel_priority: event.channel_priority.into_iter().map(Channel::as_str).collect(),
            template_id: event.template.map(Id::uuid),
            templates: event.templates.iter().map(|(it, id)| (it.as_str(), id.uuid())).collect(),
            retry_rules: event.retry_rules.map(|rules| rules.source().clone()),
            fallback_rules: event.fallback_rules.map(|rules| rules.source().clone()),
            sender_id: event.sender,
            country_code: event.country.map(|country| country.to_string()),
            is_active: event.is_active,
            created_at: event.created_at.into(),
        }
    }
}

impl LongText for EventView {
    fn cut_text(&mut self) {
        let linked = self.linked_templates.values_mut();
        self.template.iter_mut().chain(linked).for_each(TemplateView::cut_text);
    }
}

impl DeletedEventView {
    pub(super) fn of(id: Id<Event>) -> Self {
        Self { id: id.uuid(), deleted: true }
    }
}

impl From<Triggered> for TriggeredView {
    fn from(triggered: Triggered) -> Self {
        Self {
            message: triggered.message.into(),
            event: triggered.event,
            channels: triggered.channels.into_iter().map(TriggeredChannelView::from).collect(),
        }
    }
}

impl From<TriggeredChannel> for TriggeredChannelView {
    fn from(it: TriggeredChannel) -> Self {
        Self {
            channel: it.channel.as_str(),
            message_id: it.message.map(Id::uuid),
            status: it.status.map(Status::as_str),
            error_code: it.failure.map(FailureCode::as_str),
        }
    }
}

//! `/events`

use actix_web::web::Data;
use domain::{
    outreach::event::{Event, EventFilter, EventRequest, EventUpdate},
    shared::page::Page,
};
use usecases::{
    Error,
    messaging::messages::{IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED},
    outreach::events::{
        CONTACT_NOT_FOUND, EVENT_CHANGED, TriggerEvent, event_inactive, event_limit_reached,
        event_not_found, slug_exists,
    },
};

use self::view::{DeletedEventView, EventView, TriggeredView};
use crate::inbound::{
    Api,
    messaging::messages::{Sent, delivered_or_accepted, describe_sent},
    shared::{
        answers::{Answer, Created, Paginated, schema_of_one},
        body::Body,
        caller::{ApiCaller, Member, Sender},
        endpoint::{
            Area, delete,
            describe::{Describe, Description},
            get, patch, post, post_once,
            refusals::SLUG,
        },
        error::ApiError,
        idempotency::IdempotencyKey,
        path_id::{Identified, PathId},
        query::{FromQuery, Parameters, Query},
    },
};

mod request;
mod view;

pub(super) fn area() -> Area {
    Area {
        name: "Events",
        about: "Events that organizations notify people of, with their channels.",
        endpoints: vec![
            get("/events", "listEvents", list)
                .summary("List events.")
                .description(
                    "Newest first, each with its templates. For members, and for API keys with the \
                     scope `events:read`.",
                )
                .answers("The events."),
            post_once("/events", "createEvent", create)
                .summary("Create an event.")
                .answers("The event.")
                .refuses_when("There is already an event with the slug.", slug_exists(SLUG))
                .refuses(event_limit_reached())
                .refuses_when(
                    "Its templates were deleted at the same time.",
                    Error::Conflict(EVENT_CHANGED),
                ),
            post("/events/trigger", "triggerEvent", trigger)
                .summary("Trigger an event.")
                .description(TRIGGER)
                .costs_money()
                .sends_messages()
                .refuses_when("There is no such event.", event_not_found(SLUG))
                .refuses(Error::UnknownReference(CONTACT_NOT_FOUND))
                .sends_template()
                .refuses_when("The event is not active.", event_inactive(SLUG))
                .refuses(Error::InProgress(IDEMPOTENCY_IN_PROGRESS))
                .refuses(Error::Contradiction(IDEMPOTENCY_KEY_REUSED)),
            get("/events/{id}", "getEvent", show)
                .extension()
                .summary("Get an event.")
                .answers("The event."),
            patch("/events/{id}", "updateEvent", update)
                .extension()
                .summary("Change an event.")
                .description(
                    "Absent fields keep their values; null clears a value. The slug does not \
                     change. Notifications that were triggered before continue unchanged.",
                )
                .answers("The changed event.")
                .refuses(Error::Conflict(EVENT_CHANGED)),
            delete("/events/{id}", "deleteEvent", remove)
                .extension()
                .summary("Delete an event.")
                .description("Notifications that were triggered before continue unchanged.")
                .answers("The event is deleted."),
        ],
    }
}

const TRIGGER: &str = "\
The channels of `channelPriority` are tried in their order, then those of `fallbackRules.channels`. The next \
one is tried if a channel has no usable address or no route, if its message fails, at once or later, and if \
its message has not reached `untilStatus` within `afterSeconds`. Each channel sends its own message at its \
own cost; an empty wallet ends the notification. A message that arrives after the next channel was tried \
does not undo the message of that channel.

With `to`, channels that cannot use such an address are skipped. With `contactId` the contact provides the \
addresses and, for placeholders that `variables` do not name, its fields (`firstName`, `lastName`, `phone`, \
`email`, `countryCode`) and attributes; beside `to`, only the latter two. The texts of all channels are \
filled at once: a placeholder without a value is a fault on any channel.

With `async` the answer comes as soon as the first message is accepted, else as soon as a channel does not \
fail in its first attempt. It is the delivery log of the current message. With a repeated `idempotencyKey` \
it is the first log, with the present state of the channels. API keys without `messages:read` and \
`contacts:read` do not see the recipient and the texts of a message to a contact. For owners, \
administrators, campaign managers and developers, and for API keys with the scope `events:trigger`.";

impl Identified for Event {
    const NAME: &'static str = "event";
}

impl FromQuery for (EventFilter, Page) {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let about = "Only events whose name or slug contains this text, in any letter case.";
        let search = parameters.optional("search", about);
        Some((EventFilter { search }, parameters.short_page()?))
    }
}

impl Describe for Sent<TriggeredView> {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<TriggeredView>(&mut description.schemas);
        let texts = [
            "The delivery log of the current message.",
            "The delivery log of the first message, `QUEUED`.",
        ];
        describe_sent(description, &schema, texts);
    }
}

async fn list(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    query: Query<(EventFilter, Page)>,
) -> Result<Paginated<EventView>, ApiError> {
    let (filter, page) = query.read()?;
    Ok(Paginated::with_cut_texts(api.events.page(&caller, filter, page).await?))
}

async fn create(
    Member(caller): Member,
    api: Data<Api>,
    body: Body<EventRequest>,
) -> Result<Created<EventView>, ApiError> {
    let (request, faults) = body.read()?;
    Ok(Created::new(api.events.create(&caller, request, faults).await?))
}

async fn trigger(
    Sender(caller, rate_limit): Sender,
    api: Data<Api>,
    key: IdempotencyKey,
    body: Body<TriggerEvent>,
) -> Result<Sent<TriggeredView>, ApiError> {
    let (mut command, mut faults) = body.read()?;
    command.idempotency_key = key.or(command.idempotency_key, &mut faults);
    command.faults = faults;
    command.rate_limit = rate_limit;
    let is_async = command.is_async;
    let events = api.events.clone();
    let triggering = Box::pin(async move { events.trigger(&caller, command).await });
    let sent = delivered_or_accepted(&api, is_async, triggering).await?;
    Ok(Sent { view: sent.accepted.into(), is_async, is_replay: sent.is_replay })
}

async fn show(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Event>,
) -> Result<Answer<EventView>, ApiError> {
    Ok(Answer::new(api.events.get(&caller, id.read()?).await?))
}

async fn update(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Event>,
    body: Body<EventUpdate>,
) -> Result<Answer<EventView>, ApiError> {
    let (update, faults) = body.read_some()?;
    Ok(Answer::new(api.events.update(&caller, id.or_unknown(), update, faults).await?))
}

async fn remove(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Event>,
) -> Result<Answer<DeletedEventView>, ApiError> {
    let id = id.read()?;
    api.events.delete(&caller, id).await?;
    Ok(Answer::new(DeletedEventView::of(id)))
}

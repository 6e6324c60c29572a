//! `/events`

use actix_web::web::Data;
use domain::outreach::event::{Event, EventRequest, EventUpdate};
use usecases::outreach::events::TriggerEvent;

use self::view::{DeletedEventView, EventView, TriggeredView};
use crate::inbound::{
    Api,
    messaging::messages::{
        Sent, delivered_or_accepted, describe_sent, idempotency::IdempotencyKey,
    },
    shared::{
        answers::{Answer, Created, Paginated, schema_of_one},
        body::Body,
        caller::{ApiCaller, Member, Sender},
        endpoint::{
            Area, CANNOT_PAY, MAY_NOT_SEND, delete,
            describe::{Describe, Description},
            get, patch, post,
        },
        error::ApiError,
        path_id::{Identified, PathId},
        query::{Query, ShortPage},
    },
};

mod request;
mod view;

pub(super) fn area() -> Area {
    let missing = "There is no such event: `NOT_FOUND`.";
    Area {
        name: "Events",
        about: "What organizations notify of, and over which channels.",
        endpoints: vec![
            get("/events", "listEvents", list)
                .summary("List events.")
                .description(
                    "Newest first, each with the templates that it names. For members, and for API keys \
                     with the scope `events:read`.",
                )
                .answers("The events."),
            post("/events", "createEvent", create)
                .summary("Create an event.")
                .answers("The event.")
                .fails(
                    409,
                    "There is an event with the slug: `SLUG_EXISTS`; or there are 200 events already: \
                     `EVENT_LIMIT_REACHED`.",
                ),
            post("/events/trigger", "triggerEvent", trigger)
                .summary("Notify somebody of an event.")
                .description(TRIGGER)
                .fails(402, CANNOT_PAY)
                .fails(403, MAY_NOT_SEND)
                .fails(404, "`EVENT_NOT_FOUND`, `CONTACT_NOT_FOUND`, or `TEMPLATE_NOT_FOUND`.")
                .fails(
                    409,
                    "`EVENT_INACTIVE`, `TEMPLATE_NOT_APPROVED`, or `IDEMPOTENCY_IN_PROGRESS`.",
                )
                .fails(422, "The key stands for another request: `IDEMPOTENCY_KEY_REUSED`."),
            get("/events/{id}", "getEvent", show)
                .extension()
                .summary("Show an event.")
                .answers("The event.")
                .fails(404, missing),
            patch("/events/{id}", "updateEvent", update)
                .extension()
                .summary("Change an event.")
                .description(
                    "What is absent stays as it is; null clears it. The slug does not change. What was \
                     triggered before goes on as it began.",
                )
                .answers("The event as it is now.")
                .fails(404, missing)
                .fails(409, "It was changed meanwhile: `EVENT_CHANGED`."),
            delete("/events/{id}", "deleteEvent", remove)
                .extension()
                .summary("Delete an event.")
                .description("What was triggered before goes on as it began.")
                .answers("The event is gone.")
                .fails(404, missing),
        ],
    }
}

const TRIGGER: &str = "\
The channels of `channelPriority` are tried in their order, then those of `fallbackRules.channels`. The next \
one is tried when one has no usable address or no route, when its message fails, at once or later, and when \
its message has not got to `untilStatus` within `afterSeconds`. Each channel is a message of its own, paid \
for on its own; an empty wallet ends it. A message that gets through after the next channel was tried stands \
beside that one.\n\n\
With `to`, channels are skipped that cannot use such an address. With `contactId` the contact gives the \
addresses and, in placeholders that `variables` do not name, its fields (`firstName`, `lastName`, `phone`, \
`email`, `countryCode`) and attributes; beside `to`, only these. The texts of all channels are made at once: \
a placeholder without a value is a fault whichever channel it concerns.\n\n\
With `async` the answer comes as soon as the first message is accepted, else when a channel has not failed \
in its first try. It is the delivery log of the message that stands. Under a repeated `idempotencyKey` it is \
the first log, with the channels as they stand. To an API key without `messages:read` and `contacts:read` \
the recipient and the texts of a message to a contact are hidden. For owners, administrators, campaign managers and \
developers, and for API keys with the scope `events:trigger`.";

impl Identified for Event {
    const NAME: &'static str = "event";
}

impl Describe for Sent<TriggeredView> {
    fn describe(description: &mut Description) {
        let schema = schema_of_one::<TriggeredView>(&mut description.schemas);
        let texts = [
            "The delivery log of the message that stands.",
            "The delivery log of the first message, `QUEUED`.",
        ];
        describe_sent(description, &schema, texts);
    }
}

async fn list(
    ApiCaller(caller): ApiCaller,
    api: Data<Api>,
    query: Query<ShortPage>,
) -> Result<Paginated<EventView>, ApiError> {
    let ShortPage(page) = query.read()?;
    Ok(Paginated::with_cut_texts(api.events.page(&caller, page).await?))
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
    Sender(caller, tally): Sender,
    api: Data<Api>,
    key: IdempotencyKey,
    body: Body<TriggerEvent>,
) -> Result<Sent<TriggeredView>, ApiError> {
    let (mut command, mut faults) = body.read()?;
    command.idempotency_key = key.or(command.idempotency_key, &mut faults);
    command.faults = faults;
    command.tally = tally;
    let is_async = command.is_async;
    let events = api.events.clone();
    let triggering = async move { events.trigger(&caller, command).await };
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

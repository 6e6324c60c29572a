//! Lists of contacts, and of the messages to one.

use actix_web::{
    HttpResponse,
    http::header::CONTENT_DISPOSITION,
    web::{Bytes, Data},
};
use domain::{
    audience::{
        contact::{Contact, ContactFilter},
        segment::Segment,
    },
    messaging::message::Message,
    shared::{address::Address, id::Id},
};
use futures_util::{StreamExt, stream};
use usecases::audience::contacts::ContactExport;

use super::{csv, view::ContactView};
use crate::inbound::{
    Api,
    messaging::messages::view::MessageView,
    shared::{
        caller::Member,
        cursor::{self, Cursor, Part},
        endpoint::describe::Description,
        error::ApiError,
        page_or_part::PageOrPart,
        path_id::PathId,
        query::{FromQuery, Parameters, Place, Query},
    },
};

/// Description of the list.
pub(super) const LIST: &str = "\
    Newest first. Filters can be combined. With a filter at most 1,000 contacts are counted and shown \
    on pages; if there may be more, `pagination.isLowerBound` is true, and `after` leads to them. \
    Frequent tags, texts and suppressions are found among the newest contacts, rare ones by an index. \
    Otherwise the newest 100,000 contacts are searched, as for a text without three consecutive \
    letters or digits; a part with `after` searches the 100,000 before its place, and may have fewer \
    contacts than `limit`, even none, although `nextCursor` leads to more. With `search` alone, if \
    more than 20,000 contacts match, pages show the newest first if they are among the newest 100,000 \
    contacts.";

/// Description of the export.
pub(super) const EXPORT: &str = "\
    CSV, newest first, with the filters of the list. Contacts that are written meanwhile may be \
    exported as they were, and contacts that are created meanwhile are not exported. `tags` are \
    separated by semicolons, and `attributes` are JSON. A cell that a spreadsheet would read as a \
    formula begins with an apostrophe, except phone numbers: a plus and digits are no formula.";

/// Description of the messages to a contact.
pub(super) const MESSAGES: &str = "\
    Newest first, in parts: the delivery logs with the contact's phone, email or device as their \
    recipient, whoever they were written for. A part may have fewer logs than `limit`, even none, \
    although `nextCursor` leads to more. An API key needs the scope `delivery-logs:read`, and sees \
    the messages of its own mode.";

/// Describes the answer of the export.
pub(super) fn answers_csv(description: &mut Description) {
    description.answers_text(200, "text/csv", &csv::header());
}

impl FromQuery for ContactFilter {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let about = "Only contacts whose name, phone or email contains this text, in any letter \
             case. `%` and `_` are literal. A phone may be written in any format, also without its \
             country: `055 100 2995`.";
        let search = parameters.optional("search", about);
        let tag = parameters.optional("tag", "Only contacts with this tag, in any letter case.");
        let segment = parameters.optional("segmentId", "Only contacts of this segment.");
        let suppressed = parameters.optional(
            "suppressed",
            "Only contacts with a suppression of their phone, email or device, on any channel and \
             of any category, or only those without.",
        );
        let is_consented = parameters.optional(
            "isConsented",
            "Only contacts with a recorded consent, or only those without.",
        );
        Some(Self { search, tag, segment, suppressed, is_consented })
    }
}

/// Filter, and place in the list.
pub(super) struct ContactQuery {
    filter: ContactFilter,
    place: Place<Contact>,
}

impl FromQuery for ContactQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let filter = ContactFilter::from_query(parameters)?;
        let place = parameters.short_place()?;
        Some(Self { filter, place })
    }
}

/// Part of a list of contacts.
pub(crate) struct ContactPartQuery {
    after: Option<Id<Contact>>,
    limit: u32,
}

impl FromQuery for ContactPartQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let after = parameters.optional("after", cursor::ABOUT).map(|Cursor(after)| after);
        let limit = parameters.short_limit()?;
        Some(Self { after, limit })
    }
}

/// Part of the messages to a contact.
pub(super) struct MessagePartQuery {
    after: Option<Id<Message>>,
    limit: u32,
}

impl FromQuery for MessagePartQuery {
    fn from_query(parameters: &mut Parameters) -> Option<Self> {
        let after = parameters.optional("after", cursor::ABOUT).map(|Cursor(after)| after);
        let limit = parameters.limit()?;
        Some(Self { after, limit })
    }
}

pub(super) async fn list(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ContactQuery>,
) -> Result<PageOrPart<ContactView>, ApiError> {
    let ContactQuery { filter, place } = query.read()?;
    let contacts = &api.contacts;
    Ok(match place {
        Place::Page(page) => {
            PageOrPart::page_of_short(contacts.page(&caller, &filter, page).await?)
        }
        Place::Beginning(page) => {
            let beginning = contacts.beginning(&caller, &filter, page).await?;
            PageOrPart::beginning_of_short(beginning.page, beginning.next)
        }
        Place::After(after, limit) => {
            let part = contacts.part(&caller, &filter, after, limit).await?;
            PageOrPart::part_of_short(part.contacts, limit, part.next)
        }
    })
}

/// Answers the contacts of a segment.
pub(crate) async fn members(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Segment>,
    query: Query<ContactPartQuery>,
) -> Result<Part<ContactView>, ApiError> {
    let id = id.read()?;
    let ContactPartQuery { after, limit } = query.read()?;
    let part = api.contacts.members(&caller, id, after, limit).await?;
    Ok(Part::new(part.contacts, limit, part.next.map(|next| next.to_string())))
}

pub(super) async fn messages(
    Member(caller): Member,
    api: Data<Api>,
    id: PathId<Contact>,
    query: Query<MessagePartQuery>,
) -> Result<Part<MessageView>, ApiError> {
    let id = id.read()?;
    let MessagePartQuery { after, limit } = query.read()?;
    let contact = api.contacts.get(&caller, id).await?.contact;
    let addresses = contact.recipients().into_iter().map(Address::as_str).map(str::to_owned);
    let part = api.delivery_logs.part_to(&caller, addresses.collect(), after, limit).await?;
    let next = part.next.map(|next| next.to_string());
    Ok(Part::with_cut_texts(part.messages, limit, next))
}

pub(super) async fn export(
    Member(caller): Member,
    api: Data<Api>,
    query: Query<ContactFilter>,
) -> Result<HttpResponse, ApiError> {
    let filter = query.read()?;
    let mut export = api.contacts.export(&caller, &filter).await?;
    // Read before the answer begins, so that an unavailable store is reported by the status.
    let first = csv::beginning(export.next().await?);
    let rest = stream::try_unfold(export, next_part);
    Ok(HttpResponse::Ok()
        .content_type("text/csv; charset=utf-8")
        .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"contacts.csv\""))
        .streaming(stream::iter([Ok(first)]).chain(rest)))
}

/// Returns the next part. An error cuts the response off, so that a client does not mistake a part
/// for the whole.
async fn next_part(mut export: ContactExport) -> Result<Option<(Bytes, ContactExport)>, ApiError> {
    let part = export.next().await?;
    if part.is_empty() {
        return Ok(None);
    }
    Ok(Some((csv::rows(part), export)))
}
